//! What is written lies where the user wants it, and nowhere else.

use std::fs;

use super::{CANARY, PLAIN, Place};

#[test]
fn nothing_is_written_through_a_link_that_leads_out() {
    let place = Place::new();
    let graph = PLAIN.replace("start:", "start:    ");
    place.write("victim.yaml", &graph);
    place.write("victim.md", "<!-- loopwright: plain.yaml -->\n<!-- /loopwright -->\n");
    place.link("../victim.yaml", "clone/x.yaml");
    place.link("../victim.md", "clone/doc.md");
    for words in ["fmt ../clone/x.yaml", "render --into ../clone/doc.md"] {
        let said = place.run(&words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(
            (said.code, said.text.contains("a link leads out of")),
            (Some(2), true),
            "{words}: {}",
            said.text
        );
    }
    let said = place.run(&["fmt", "../clone"]);
    assert!(!said.text.contains("x.yaml"), "{}", said.text);
    assert_eq!(fs::read_to_string(place.path("victim.yaml")).expect("it is there"), graph);
    assert_eq!(fs::read_to_string(place.path("victim.md")).expect("it is there").lines().count(), 2);
}

#[test]
fn links_that_stay_keep_leading_to_what_is_written() {
    let place = Place::new();
    place.write("clone/sub/x.yaml", &PLAIN.replace("start:", "start:    "));
    place.link("sub/x.yaml", "clone/x.yaml");
    let said = place.run(&["fmt", "../clone/x.yaml"]);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(place.path("clone/x.yaml").is_symlink());
    let new = fs::read_to_string(place.path("clone/sub/x.yaml")).expect("it is there");
    assert!(new.contains("start: end"), "{new}");
}

#[test]
fn a_recording_takes_the_place_of_a_link_and_leaves_what_it_leads_to() {
    let place = Place::new();
    let words = ["run", "../clone/plain.yaml", "--record", "../clone/r.scenarios.yaml"];
    place.link("../secret.txt", "clone/r.script.yaml");
    let said = place.run(&words);
    assert_eq!((said.code, said.text.contains(CANARY)), (Some(2), false), "{}", said.text);
    let said = place.run(&[&words[..], &["--force"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(!place.path("clone/r.script.yaml").is_symlink());
    assert!(fs::read_to_string(place.path("secret.txt")).expect("it is there").contains(CANARY));
}
