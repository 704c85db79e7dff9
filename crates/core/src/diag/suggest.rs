//! "Did you mean …": the known name closest to an unknown one.

/// Longer names are not compared: the distance costs the product of both lengths.
const MAX_COMPARED_NAME: usize = 64;

/// The letters of so many names of a fitting length are looked at, and so many with nearly the same letters compared in
/// full: a file may have thousands of names, and as many slips.
const MAX_NAMES_TO_FILTER: usize = 5_000;
const MAX_NAMES_TO_COMPARE: usize = 500;

/// The candidate closest to `name`, if any is close enough to be meant: a third of the letters may differ,
/// letter case does not count. In short names less than half may differ, or two letters have changed places: of one
/// letter only the case. The first of equally close ones wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > MAX_COMPARED_NAME {
        return None;
    }
    let wanted = name.to_lowercase();
    let letters = Letters::of(&wanted);
    let mut room = (MAX_NAMES_TO_FILTER, MAX_NAMES_TO_COMPARE);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let longest = name.len().max(candidate.len());
        let most = (longest / 3).max(1).min(best.map_or(usize::MAX, |(least, _)| least.saturating_sub(1)));
        if candidate == name || candidate.len().abs_diff(name.len()) > most {
            continue;
        }
        let (Some(looked), Some(compared)) = (room.0.checked_sub(1), room.1.checked_sub(1)) else { break };
        room.0 = looked;
        let ascii = wanted.is_ascii() && candidate.is_ascii();
        if ascii && letters.least_distance(&Letters::of(candidate)) > most {
            continue;
        }
        room.1 = compared;
        let lower = candidate.to_lowercase();
        let far = distance(&wanted, &lower);
        let meant = far == 0 || far * 2 < longest && name.len().min(candidate.len()) > 1;
        if far <= most && (meant || is_swapped(&wanted, &lower)) && best.is_none_or(|(least, _)| far < least)
        {
            best = Some((far, candidate));
            if far == 0 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The count of each letter in a name, be it large or small. Others may share a place with it.
struct Letters([u8; 32]);

impl Letters {
    fn of(name: &str) -> Self {
        let mut counts = [0_u8; 32];
        for byte in name.bytes() {
            let count = &mut counts[usize::from(byte % 32)];
            *count = count.saturating_add(1);
        }
        Self(counts)
    }

    /// No name with these letters is nearer than this: each letter too few or too many takes a change.
    fn least_distance(&self, other: &Self) -> usize {
        let (mut more, mut fewer) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            more += usize::from(own.saturating_sub(*other));
            fewer += usize::from(other.saturating_sub(*own));
        }
        more.max(fewer)
    }
}

/// The distance of two names. What they begin and end with in common does not count.
fn distance(one: &str, other: &str) -> usize {
    if !one.is_ascii() || !other.is_ascii() {
        return strsim::osa_distance(one, other);
    }
    let same = |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut one.bytes().zip(other.bytes()));
    let (one, other) = (&one[head..], &other[head..]);
    let tail = same(&mut one.bytes().rev().zip(other.bytes().rev()));
    let (one, other) = (&one[..one.len() - tail], &other[..other.len() - tail]);
    if one.is_empty() || other.is_empty() {
        one.len().max(other.len())
    } else {
        strsim::osa_distance(one, other)
    }
}

/// The hint that shows what was probably meant, as one would write it there, with its quotation marks.
#[must_use]
pub fn did_you_mean(written: &str) -> String {
    format!("did you mean {written}?")
}

/// True if two names have the same letters in another order.
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
    fn what_two_names_share_changes_nothing() {
        let known = ["first_name_of_the_node", "größe", "second"];
        assert_eq!(nearest("first_nmae_of_the_node", known), Some("first_name_of_the_node"));
        assert_eq!(nearest("grösse", known), Some("größe"));
        assert_eq!(nearest("secondd", known), Some("second"));
        assert_eq!(nearest("scnd", ["second"]), Some("second"));
        assert_eq!(nearest("scn", ["second"]), None);
        assert_eq!(nearest("Second", ["secand", "second"]), Some("second"));
    }

    #[test]
    fn a_name_among_very_many_is_found() {
        let names: Vec<String> =
            (0..4_000).map(|n| format!("node_{n:03}x")).chain(["desicions".to_owned()]).collect();
        assert_eq!(nearest("decisions", names.iter().map(String::as_str)), Some("desicions"));
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
