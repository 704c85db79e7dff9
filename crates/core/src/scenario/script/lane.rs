//! The names that scenarios give to lanes.

/// Returns true if a lane's path is what a scenario calls it: `research[0]`, or with the visit `research#2[0]`.
pub(in crate::scenario) fn same_lane(wanted: &str, lane: &str) -> bool {
    let (wanted, lane) = (wanted.trim_end_matches('/'), lane.trim_end_matches('/'));
    let mut lanes = lane.split('/');
    let same = wanted.split('/').all(|wanted| lanes.next().is_some_and(|lane| same_segment(wanted, lane)));
    same && lanes.next().is_none()
}

fn same_segment(wanted: &str, lane: &str) -> bool {
    if wanted.contains('#') {
        return wanted == lane;
    }
    let (node, rest) = lane.split_once('#').unwrap_or((lane, ""));
    let label = rest.find('[').map_or("", |at| &rest[at..]);
    wanted.strip_prefix(node) == Some(label)
}

#[cfg(test)]
mod tests {
    use super::same_lane;

    #[test]
    fn lanes_are_named_with_or_without_their_visit() {
        assert!(same_lane("research[0]", "research#1[0]/"));
        assert!(same_lane("research#2[0]", "research#2[0]/"));
        assert!(!same_lane("research#1[0]", "research#2[0]/"));
        assert!(!same_lane("research[0]", "research#1[1]/"));
        assert!(same_lane("ask", "ask#3/"));
        assert!(same_lane("ask/research[north]", "ask#3/research#1[north]/"));
        assert!(!same_lane("ask", "ask#3/research#1[north]/"));
    }
}
