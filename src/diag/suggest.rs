//! "Did you mean …": the known name closest to an unknown one.

/// Longer names are not compared: the distance costs the product of both lengths.
const LONGEST: usize = 64;

/// The candidate closest to `name`, if any is close enough to be meant: a third of the letters may differ,
/// letter case does not count. The first of equally close ones wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let wanted = name.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let most = (name.len().max(candidate.len()) / 3).max(1);
        if candidate == name || candidate.len().abs_diff(name.len()) > most {
            continue;
        }
        let far = strsim::osa_distance(&wanted, &candidate.to_lowercase());
        if far <= most && best.is_none_or(|(least, _)| far < least) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_of_the_finger() {
        let known = ["decision", "exit_reason", "rounds"];
        assert_eq!(nearest("desicion", known), Some("decision"));
        assert_eq!(nearest("exitreason", known), Some("exit_reason"));
        assert_eq!(nearest("Rounds", known), Some("rounds"));
    }

    #[test]
    fn says_nothing_where_nothing_is_near() {
        assert_eq!(nearest("budget", ["decision", "x"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("ab", ["xy"]), None);
    }
}
