use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use proptest::prelude::*;

use super::{Mask, Pattern};
use crate::machine::Outcome;
use crate::program::error::ErrorKind;
use crate::value::{Value, json};

const KEY: &str = "sk-Ab3\\\"/%x+9-canary";

/// The ways in which the key may be written.
fn spellings() -> Vec<String> {
    let json = |text: &str| serde_json::to_string(text).expect("a text is JSON");
    let codes = KEY.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect::<Vec<_>>().concat();
    let percent = KEY.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
    let hex = KEY.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let mut spellings =
        vec![KEY.to_owned(), json(KEY), json(&json(KEY)), codes.clone(), codes.replace('\\', "\\\\")];
    spellings.extend([percent.replace('%', "%25"), percent, hex.to_uppercase(), hex]);
    spellings.extend(
        ["", "B", "Be", "Bearer "].map(|before| STANDARD_NO_PAD.encode(format!("{before}{KEY}, and more"))),
    );
    spellings
}

#[test]
fn a_key_is_found_however_it_is_written() {
    let mask = Mask::new([KEY]);
    for spelling in spellings() {
        let shown = mask.text(&spelling).into_owned();
        assert!(shown.contains("***"), "{spelling} → {shown}");
        assert!(shown.len() < spelling.len(), "{spelling} → {shown}");
        assert!(!mask.finds(&shown), "{spelling} → {shown}");
        assert_eq!(Mask::default().text(&spelling), spelling);
    }
}

#[test]
fn the_rest_of_a_text_stays() {
    let mask = Mask::new([KEY, "another-key"]);
    assert_eq!(mask.text(&format!("ä {KEY}, another-key.")), "ä ***, ***.");
    for plain in ["", "sk-", "100 % of it\\", "sk-Ab3 is not a key", "%", "\\u00", "short another", "%25%25"]
    {
        assert_eq!(mask.text(plain), plain);
    }
    assert_eq!(Mask::new(["short"]).text("a short text"), "a short text");
}

#[test]
fn what_was_cut_off_is_hidden() {
    let mask = Mask::new(["sk-0123456789abcdefghij"]);
    assert_eq!(mask.text("key sk-0123456789abcdef is"), "key *** is");
    assert_eq!(mask.text("key sk-01234…"), "key ***…");
    assert_eq!(mask.text("key sk-01234"), "key ***");
    assert_eq!(mask.text("key sk-01234 is"), "key sk-01234 is");
}

#[test]
fn values_are_hidden_all_through() {
    let mask = Mask::new(["canary-of-a-key"]);
    let value = |text: &str| json::parse_strict(text, json::JsonLimits::default()).expect("it is JSON");
    let found = value(r#"{"a": ["canary-of-a-key", 1], "canary-of-a-key": {"b": null}}"#);
    assert_eq!(mask.value(found.clone()), value(r#"{"a": ["***", 1], "***": {"b": null}}"#));
    assert_eq!(Mask::default().value(found.clone()), found);
    let failed = Outcome::failed(ErrorKind::Denied, "wrong key canary-of-a-key");
    assert_eq!(mask.outcome(failed), Outcome::failed(ErrorKind::Denied, "wrong key ***"));
    assert_eq!(mask.value(Value::Int(3)), Value::Int(3));
}

#[test]
fn a_mask_tells_nothing_of_itself() {
    assert_eq!(format!("{:?}", Mask::new([KEY])), "Mask(***)");
    assert!(!format!("{:?}", Mask::new([KEY]).stream()).contains("canary"));
}

proptest! {
    #[test]
    fn a_key_in_pieces_is_hidden_too(
        parts in prop::collection::vec(prop_oneof![
            prop::sample::select(spellings()),
            prop::sample::select(vec!["sk-".to_owned(), "\\".into(), "%2".into(), "ü ".into(), KEY[..12].to_owned()]),
            "[a-z\\\\%\"ü…]{0,6}",
        ], 0..6),
        size in 1_usize..9,
    ) {
        let text = parts.concat();
        let mask = Mask::new([KEY]);
        let letters: Vec<char> = text.chars().collect();
        let mut stream = mask.stream();
        let mut shown: String = letters.chunks(size).map(|piece| stream.push(&String::from_iter(piece))).collect();
        shown += &stream.end();
        prop_assert_eq!(&shown, &*mask.text(&text));
        prop_assert!(!shown.contains(KEY));
    }

    #[test]
    fn no_text_is_too_strange(key in "\\PC{8,20}", text in "\\PC{0,40}") {
        let mask = Mask::new([key.as_str()]);
        prop_assert!(!Pattern::all(&key).is_empty());
        prop_assert_eq!(mask.text(&format!("{key}{text}")).starts_with("***"), true);
        let _ = mask.text(&text);
    }
}
