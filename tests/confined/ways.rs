//! Links on the way to a file: one that leads out of the repository it lies in is not followed, whoever names it.

use std::fs;

use super::{CANARY, PLAIN, Place};

/// A clone in which the folder `conf` leads to a folder of the user's, and `sub` to one of its own.
fn place() -> Place {
    let place = Place::new();
    for folder in ["clone/.git", "priv"] {
        fs::create_dir_all(place.path(folder)).expect("a folder can be made");
    }
    place.link("../priv", "clone/conf");
    place.link("sub", "clone/own");
    place.write("priv/adc.json", &format!("{{\"{CANARY}\": 1}}"));
    place.write("priv/z.yaml", &PLAIN.replace("start:", "start:    "));
    place.write("priv/s.script.yaml", "model: {}\n");
    place.write("priv/loopwright.toml", &format!("[inputs]\n{CANARY} = 1\n"));
    place.write("priv/D.md", "<!-- loopwright: z.yaml -->\n<!-- /loopwright -->\n");
    place.write("clone/g.yaml", PLAIN);
    place
}

/// The names of the files in the user's folder.
fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path("priv")).expect("it is there").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const NAMED: [&str; 23] = [
    "run g.yaml --input @conf/adc.json",
    "run g.yaml --script conf/s.script.yaml",
    "run g.yaml --config conf/loopwright.toml",
    "run g.yaml --record conf/r.scenarios.yaml",
    "run g.yaml --db conf/my.db",
    "run conf/z.yaml",
    "check conf/z.yaml",
    "check conf",
    "check conf/../conf/z.yaml",
    "check own/../conf",
    "check g.yaml --root conf",
    "fmt conf/z.yaml",
    "fmt conf",
    "convert conf/z.yaml",
    "diff g.yaml conf/z.yaml",
    "render --into conf/D.md",
    "render g.yaml --run conf/adc.json",
    "new x --dir conf",
    "new x --dir conf/deep",
    "runs --db conf/my.db",
    "doctor --db conf/my.db",
    "purge --keep 0 --db conf/my.db",
    "trust conf",
];

#[test]
fn a_folder_that_leads_out_of_the_repository_is_not_entered() {
    let place = place();
    let before = names(&place);
    let told = |words: &str| {
        let said = place.run_at("clone", &place.path("home"), &words.split(' ').collect::<Vec<_>>());
        assert!(!said.text.contains(CANARY), "{words}: {}", said.text);
        assert_eq!(said.code, Some(2), "{words}: {}", said.text);
        let why = "the link HERE/clone/conf leads out of HERE/clone; name the folder it leads to, HERE/priv";
        assert!(said.text.contains(why), "{words}: {}", said.text);
    };
    NAMED.into_iter().for_each(told);
    // Without a repository the working folder is what must not be left.
    fs::remove_dir(place.path("clone/.git")).expect("it is there");
    NAMED.into_iter().for_each(told);
    assert_eq!(names(&place), before, "nothing was made there");
    let left = fs::read_to_string(place.path("priv/z.yaml")).expect("it is there");
    assert!(left.contains("start:    "), "nothing was written there: {left}");
}

#[test]
fn a_folder_is_entered_by_its_own_name_through_links_that_stay_and_through_the_users() {
    let place = place();
    place.write("clone/sub/z.yaml", PLAIN);
    place.link("clone", "mine");
    for words in
        ["check ../priv/z.yaml", "check own/z.yaml", "check own", "check ../mine/g.yaml", "check ../mine"]
    {
        let said = place.run_at("clone", &place.path("home"), &words.split(' ').collect::<Vec<_>>());
        assert_eq!(said.code, Some(0), "{words}: {}", said.text);
    }
    // A root that the user names may be wider than the repository.
    let said = place.run_at("clone", &place.path("home"), &["check", "conf/z.yaml", "--root", ".."]);
    assert_eq!(said.code, Some(0), "{}", said.text);
    // Outside of the repository, and of the working folder, links are the user's.
    fs::remove_dir(place.path("clone/.git")).expect("it is there");
    let said = place.run(&["check", "../clone/conf/z.yaml"]);
    assert_eq!(said.code, Some(0), "{}", said.text);
}

#[test]
fn the_home_folder_is_nothing_that_a_link_leads_out_of() {
    let place = place();
    let said = place.run_at("clone", &place.path("clone"), &["check", "conf/z.yaml"]);
    assert_eq!(said.code, Some(0), "{}", said.text);
}

#[test]
fn a_configuration_is_no_link_that_leads_out_and_shows_nothing_of_another_kind_of_file() {
    let place = place();
    place.write("home/creds", &format!("[default]\naws_secret = {CANARY}\n"));
    place.write("home/netrc", &format!("machine example.com password {CANARY}\n"));
    place.link("../home/creds", "clone/my.toml");
    place.link("../home/creds", "clone/loopwright.toml");
    for (words, why) in [
        ("run g.yaml --config my.toml", "a link leads out of HERE/clone; name the file it leads to"),
        ("trust ./loopwright.toml", "a link leads out of HERE/clone; name the file it leads to"),
        ("trust .", "it is a link"),
        ("run g.yaml --config ../home/creds", "it is not a configuration"),
        ("run g.yaml --config ../home/netrc", "it is not a configuration"),
        ("trust ../home/creds", "it is not a configuration"),
    ] {
        let said = place.run_at("clone", &place.path("home"), &words.split(' ').collect::<Vec<_>>());
        assert!(!said.text.contains(CANARY), "{words}: {}", said.text);
        assert_eq!((said.code, said.text.contains(why)), (Some(2), true), "{words}: {}", said.text);
    }
    // One that is a configuration by its form is shown where it is wrong, and a link that stays is followed.
    place.write("clone/sub/other.toml", "[run]\nat_onec = 1\n");
    place.link("sub/other.toml", "clone/other.toml");
    let said = place.run_at("clone", &place.path("home"), &["run", "g.yaml", "--config", "other.toml"]);
    assert!(said.text.contains("at_onec = 1") && said.code == Some(1), "{}", said.text);
}
