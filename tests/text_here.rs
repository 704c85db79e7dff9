//! Texts that stand where they are used, beside those under `texts`.

use crate::cli::Desk;

const GRAPH: &str = include_str!("check/good-text-here.yaml");

const SCENARIOS: &str = "
graph: here.yaml
scenarios:
  - name: says what stands there
    input: {name: Ann}
    model: {any: [Hello Ann, Ann again, bye]}
    human: [again, fine]
    expect:
      model_calls:
        - {node: greet, system: You greet people., prompt: \"Greet Ann warmly.\\n\"}
        - {node: greet, prompt: \"Greet Ann warmly.\\nNot as before: Hello Ann\"}
        - {prompt: Say  again.}
      questions:
        - {node: check, text: \"Is 'Hello Ann' a greeting?\"}
        - {node: check, text: \"Is 'Ann again' a greeting?\"}
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("here.yaml", GRAPH);
    desk.write("here.scenarios.yaml", SCENARIOS);
    desk
}

#[test]
fn models_and_people_see_them() {
    let tested = desk().run("test here.scenarios.yaml");
    assert_eq!(tested.code, Some(0), "{}", tested.transcript());
}

#[test]
fn both_syntaxes_hold_them() {
    let desk = desk();
    let converted = desk.run("convert here.yaml --to loop");
    insta::assert_snapshot!(converted.stdout);
    desk.write("again.loop", &converted.stdout);
    let back = desk.run("convert again.loop --to yaml");
    desk.write("again.yaml", &back.stdout);
    for file in ["again.loop", "again.yaml"] {
        let compared = desk.run(&format!("diff here.yaml {file}"));
        assert_eq!(compared.code, Some(0), "{}", compared.transcript());
        let formatted = desk.run(&format!("fmt --check {file}"));
        assert_eq!(formatted.code, Some(0), "{}", formatted.transcript());
    }
}

/// A variant replaces a text by one of its own, by a name, or leaves it.
#[test]
fn variants_replace_them() {
    let desk = desk();
    for (prompt, seen) in [("{text: 'Hi {{ name }}'}", "Hi Ann"), ("short", "Hey Ann")] {
        let node = format!("nodes:\n  greet: {{prompt: {prompt}}}\n");
        let texts = if prompt == "short" { "texts: {short: 'Hey {{ name }}'}\n" } else { "" };
        desk.write("variant.yaml", &format!("graph: variant\nextends: here.yaml\n{texts}{node}"));
        let scenario = format!(
            "graph: variant.yaml\nscenarios:\n  - name: own\n    input: {{name: Ann}}\n    model: {{any: [Hello, bye]}}\n    \
             human: [fine]\n    expect: {{model_calls: [{{prompt: {seen}}}, {{prompt: Say  again.}}]}}\n"
        );
        desk.write("variant.scenarios.yaml", &scenario);
        let checked = desk.run("check variant.yaml");
        assert_eq!(checked.code, Some(0), "{}", checked.transcript());
        let tested = desk.run("test variant.scenarios.yaml");
        assert_eq!(tested.code, Some(0), "{}", tested.transcript());
    }
}
