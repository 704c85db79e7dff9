//! "Did you mean …": the known name closest to an unknown one.

/// Longer names are not compared: the distance costs the product of both lengths.
const LONGEST: usize = 64;

/// The candidate closest to `name`, if any is close enough to be meant: a third of the letters may differ,
/// letter case does not count. In short names less than half may differ, or two letters have changed places: of one
/// letter only the case. The first of equally close ones wins.
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
        let meant =
            far == 0 || far * 2 < name.len().max(candidate.len()) && name.len().min(candidate.len()) > 1;
        if far <= most
            && (meant || is_swapped(&wanted, &candidate.to_lowercase()))
            && best.is_none_or(|(least, _)| far < least)
        {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The hint that shows what was probably meant, as one would write it there, with its quotation marks.
#[must_use]
pub fn did_you_mean(written: &str) -> String {
    format!("did you mean {written}?")
}

/// Whether two names have the same letters in another order.
fn is_swapped(one: &str, other: &str) -> bool {
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    one.len() == other.len() && sorted(one) == sorted(other)
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

    #[test]
    fn short_names_are_rarely_slips() {
        assert_eq!(nearest("a", ["b", "ab", "x"]), None);
        assert_eq!(nearest("ab", ["ax", "a"]), None);
        assert_eq!(nearest("N", ["n"]), Some("n"));
        assert_eq!(nearest("od", ["do"]), Some("do"));
        assert_eq!(nearest("ak", ["ask"]), Some("ask"));
    }
}
