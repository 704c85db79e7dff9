//! Texts without quotes: the message has them as they are to be pasted.

use super::{empty, says};

/// What `check` says of a graph in which one line stands.
fn said(line: &str) -> String {
    let desk = empty();
    let ask = "ask: {kind: human, ask: \"'now'\", into: said, next: [{to: end}]}";
    let graph = "graph: g\nstate: {said: string?}\nstart: ask\nnodes:\n  ASK\n  end: {kind: final}\n"
        .replace("ASK", ask);
    let (key, value) = line.split_once(' ').expect("a key and a value");
    let graph = match key {
        "outcome:" => graph.replace("{kind: final}", &format!("{{kind: final, outcome: {value}}}")),
        "ask:" => graph.replace(
            ask,
            &format!("ask:\n    kind: human\n    ask: {value}\n    into: said\n    next: [{{to: end}}]"),
        ),
        _ => graph.replace(ask, &format!("ask:\n    {line}\n    next: [{{to: end}}]")),
    };
    desk.write("g.yaml", &graph);
    says(&desk, "check g.yaml", 1, &[]).stdout
}

#[test]
fn a_word_or_a_sentence_is_shown_in_its_quotes() {
    for (line, wanted) in [
        ("outcome: closed", "write \"'closed'\" if the text is meant"),
        ("outcome: closed early", "for a text write \"'closed early'\""),
        ("ask: What now?", "for a text write \"'What now?'\""),
        ("ask: It's late now", "for a text write '\"It''s late now\"'"),
        ("do: said = hello world", "a text is written in quotes: 'hello world'"),
        ("do: said = hello", "write 'hello' if the text is meant"),
    ] {
        let said = said(line);
        assert!(said.contains(wanted), "{line}: {said}");
    }
}

#[test]
fn a_template_in_quotes_is_shown_as_a_text_in_place() {
    let wanted = "write it like this: {text: 'Is {{ said }} right?'}; or declare it under `texts`";
    assert!(said("ask: Is {{ said }} right?").contains(wanted), "{}", said("ask: Is {{ said }} right?"));
    let desk = empty();
    desk.write("m.yaml", "graph: m\nstate: {said: string?}\nstart: ask\nnodes:\n  ask:\n    kind: model\n    role: r\n    prompt: |\n      Summarise {{ said }}.\n      Be short.\n    output: string\n    into: said\n    next: [{to: end}, {to: end, on: error}]\n  end: {kind: final}\n");
    says(
        &desk,
        "check m.yaml",
        1,
        &[
            "write it with `text: |` and the text below it; or declare it under `texts` and write its name here",
        ],
    );
}

#[test]
fn a_text_without_quotes_in_a_statement_of_the_loop_dsl_is_shown_in_quotes() {
    let desk = empty();
    desk.write("g.loop", "graph g\n\nstate said: string?\n\nstart say\n\naction say {\n  do { said = What now }\n  -> end\n}\n\nfinal end\n");
    says(&desk, "check g.loop", 1, &["a text is written in quotes: 'What now'"]);
}
