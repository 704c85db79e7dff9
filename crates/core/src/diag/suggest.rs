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
    closest(name, candidates, |_, _| false)
}

/// The same for candidates in no order: of equally close ones the first by the alphabet wins.
pub fn nearest_of_unsorted<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    closest(name, candidates, |candidate, best| candidate < best)
}

/// `is_better` says which of two equally close ones wins: the one found later, or the best one so far.
fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    is_better: impl Fn(&str, &str) -> bool,
) -> Option<&'a str> {
    if name.is_empty() || name.len() > MAX_COMPARED_NAME {
        return None;
    }
    let wanted = name.to_lowercase();
    let letters = Letters::of(&wanted);
    let mut room = (MAX_NAMES_TO_FILTER, MAX_NAMES_TO_COMPARE);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let longest = name.len().max(candidate.len());
        let most = (longest / 3).max(1).min(best.map_or(usize::MAX, |(least, _)| least));
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
        let Some(far) = distance(&wanted, &lower, most) else { continue };
        let meant = far == 0 || far * 2 < longest && name.len().min(candidate.len()) > 1;
        let wins =
            |(least, so_far): (usize, &str)| far < least || far == least && is_better(candidate, so_far);
        if (meant || is_swapped(&wanted, &lower)) && best.is_none_or(wins) {
            best = Some((far, candidate));
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

/// The distance of two names, if it is not more than `most`. What they begin and end with in common does not count.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    if !one.is_ascii() || !other.is_ascii() {
        return Some(strsim::osa_distance(one, other)).filter(|far| *far <= most);
    }
    let same = |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let head = same(&mut one.iter().copied().zip(other.iter().copied()));
    let (one, other) = (&one[head..], &other[head..]);
    let tail = same(&mut one.iter().copied().rev().zip(other.iter().copied().rev()));
    let (one, other) = (&one[..one.len() - tail], &other[..other.len() - tail]);
    if one.is_empty() || other.is_empty() {
        return Some(one.len().max(other.len())).filter(|far| *far <= most);
    }
    if one.len().max(other.len()) > MAX_COMPARED_NAME {
        return None;
    }
    changes(one, other, most)
}

/// The least number of letters to insert, leave out, replace or swap with their neighbour, if it is not more than `most`:
/// a table of which only the cells near its diagonal are filled in.
fn changes(one: &[u8], other: &[u8], most: usize) -> Option<usize> {
    const WIDTH: usize = MAX_COMPARED_NAME + 1;
    let beyond = most + 1;
    let mut rows = [[beyond; WIDTH]; 3];
    for (at, cell) in rows[0].iter_mut().enumerate().take(other.len() + 1) {
        *cell = at.min(beyond);
    }
    for (i, letter) in one.iter().enumerate() {
        let (last, before, now) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[now] = [beyond; WIDTH];
        rows[now][0] = (i + 1).min(beyond);
        let mut lowest = rows[now][0];
        let (from, to) = (i.saturating_sub(most), (i + most + 1).min(other.len()));
        for j in from..to {
            let replaced = rows[last][j] + usize::from(*letter != other[j]);
            let mut far = replaced.min(rows[last][j + 1] + 1).min(rows[now][j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == other[j] {
                far = far.min(rows[before][j - 1] + 1);
            }
            rows[now][j + 1] = far.min(beyond);
            lowest = lowest.min(far);
        }
        if lowest > most {
            return None;
        }
    }
    let far = rows[one.len() % 3][other.len()];
    (far <= most).then_some(far)
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
    use super::{changes, nearest, nearest_of_unsorted};

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
    fn the_distance_within_a_limit_is_the_whole_distance() {
        let words = ["a", "ab", "ba", "abcd", "acbd", "badc", "abcdefgh", "hgfedcba", "xabcdefg", "bacdefgh"];
        for (one, other) in words.iter().flat_map(|one| words.iter().map(move |other| (one, other))) {
            let whole = strsim::osa_distance(one, other);
            for most in 0..9 {
                let wanted = Some(whole).filter(|far| *far <= most);
                assert_eq!(changes(one.as_bytes(), other.as_bytes(), most), wanted, "{one} {other} {most}");
            }
        }
    }

    #[test]
    fn the_order_of_names_without_one_does_not_matter() {
        assert_eq!(nearest_of_unsorted("rounds", ["roundz", "roundy", "round"]), Some("round"));
        assert_eq!(nearest_of_unsorted("rounds", ["roundy", "roundz"]), Some("roundy"));
        assert_eq!(nearest_of_unsorted("rounds", ["roundz", "roundy"]), Some("roundy"));
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
