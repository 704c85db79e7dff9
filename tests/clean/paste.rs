//! Edges that `check` proposes for causes that nobody answers, pasted as it says.

use serde_json::{Value as Json, json};

/// Pastes the edge of a finding's help, and the final that it leads to. False if the help names none.
pub(super) fn paste(doc: &mut Json, help: &[String]) -> bool {
    let Some((place, edge)) =
        help.iter().find_map(|line| line.strip_prefix("add to the edges of ")?.split_once(": "))
    else {
        return false;
    };
    let Some((target, trigger)) =
        edge.strip_prefix("`- {to: ").and_then(|edge| edge.strip_suffix("}`")?.split_once(", on: "))
    else {
        return false;
    };
    let named: Vec<&str> = place.split('`').skip(1).step_by(2).collect();
    let edge = json!({"to": target, "on": trigger});
    let Some(nodes) = doc.get_mut("nodes") else { return false };
    let mut pasted = false;
    add(nodes, &named, &edge, &mut pasted);
    if help.iter().any(|line| line.starts_with("and the final that it leads to: ")) {
        nodes[target] = json!({"kind": "final", "ok": false});
    }
    pasted
}

fn add(nodes: &mut Json, named: &[&str], edge: &Json, pasted: &mut bool) {
    for (name, node) in nodes.as_object_mut().into_iter().flatten() {
        if named.contains(&name.as_str())
            && let Some(edges) = node.get_mut("next").and_then(Json::as_array_mut)
        {
            edges.push(edge.clone());
            *pasted = true;
        }
        if let Some(inner) = node.get_mut("nodes") {
            add(inner, named, edge, pasted);
        }
    }
}
