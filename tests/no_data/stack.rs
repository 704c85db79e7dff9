//! The stack that the machine and what comes before it take.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use loopwright::check::check_file;
use loopwright::compile::compile_as;
use loopwright::diff::{Version, diff};
use loopwright::machine::Event;
use loopwright::model::Files;
use loopwright::program::{Semantics, listing};
use loopwright::render::{Drawing, Options, dot, flow, state};
use loopwright::source::Sources;
use loopwright::syntax::{Syntax, write};
use loopwright::value::Map;

use super::{STACK, checked, compiled, on_small_stack, on_stack, run};

/// A list in brackets, 60 deep.
fn brackets(inner: &str) -> String {
    format!("{}{inner}{}", "[".repeat(60), "]".repeat(60))
}

/// A graph that names a value 60 levels deeper than the one before, so many times, and then does something with the last.
fn deepening(names: usize, last: &str) -> String {
    let mut lets = format!("      let v0 = {}\n", brackets("1"));
    for name in 1..names {
        let _ = writeln!(lets, "      let v{name} = {}", brackets(&format!("v{}", name - 1)));
    }
    let last = last.replace("LAST", &format!("v{}", names - 1));
    format!(
        "graph: g\nstate: {{n: int = 0, why: string?}}\nstart: a\nnodes:\n  a:\n    do: |\n{lets}      {last}\n    \
         next: [{{to: e}}, {{to: e, on: error, do: why = error.message}}]\n  e: {{kind: final}}\noutput: {{n: n, why: why}}\n"
    )
}

/// The same with lets of the graph.
fn deepening_lets(names: usize) -> String {
    let mut lets = format!("  v0: \"{}\"\n", brackets("n"));
    for name in 1..names {
        let _ = writeln!(lets, "  v{name}: \"{}\"", brackets(&format!("v{}", name - 1)));
    }
    format!(
        "graph: g\nstate: {{n: int = 0, why: string?}}\nlet:\n{lets}start: a\nnodes:\n  a:\n    do: n = size(string(v{}))\n    \
         next: [{{to: e}}, {{to: e, on: error, do: why = error.message}}]\n  e: {{kind: final}}\noutput: {{n: n, why: why}}\n",
        names - 1
    )
}

#[test]
fn values_that_are_named_again_and_again_stay_within_a_depth() {
    let ends = ["n = size(string(LAST))", "emit x {'v': LAST}", "n = LAST == LAST ? 1 : 2", "n = size(LAST)"];
    let graphs = ends.map(|end| deepening(400, end));
    for text in graphs {
        for (semantics, deepest) in [(Semantics::NEWEST, 64), (Semantics::FIRST, 256)] {
            let program = compiled(&[("g.yaml", text.clone())], semantics);
            let ended = on_stack(ENOUGH, || run(&program, Map::new()).0);
            let wanted = format!(r#"e {{"n":0,"why":"lists and maps would nest deeper than {deepest}"}}"#);
            assert_eq!(ended, wanted);
        }
    }
}

/// Lets that each stand in so many brackets of the next one, the last of them `l{lets - 1}`.
fn chained(lets: usize, around: usize) -> String {
    (1..lets).fold(format!("let:\n  l0: \"{}\"\n", nested(around, ["-(", ")"], "n")), |all, i| {
        all + &format!("  l{i}: \"{}\"\n", nested(around, ["-(", ")"], &format!("l{}", i - 1)))
    })
}

#[test]
fn lets_that_are_named_in_lets_stay_within_a_depth() {
    let refused = |sections: &str, statements: &str| {
        let text = doing(sections, statements);
        let found = on_stack(ENOUGH, || checked(&text));
        let errors: Vec<_> =
            found.findings.iter().filter(|finding| finding.rule.slug() == "expression-limit").collect();
        assert!(errors.len() == 1 && !found.is_sound(), "{:?}", found.findings);
        // A program that was kept is not checked anew.
        let program = compiled(
            &[("g.yaml", text.replace("on: error", "on: error, do: x = error.message"))],
            Semantics::NEWEST,
        );
        let (ended, _) = on_stack(ENOUGH, || run(&program, Map::new()));
        assert_eq!(ended, r#"e {"n":0}"#);
        errors[0].message.clone()
    };
    let levels = |levels| {
        format!("this nests {levels} levels deep once the lets it names are written out; 256 are allowed")
    };
    assert_eq!(refused(&chained(60, 58), "n = l59"), levels(295));
    assert_eq!(refused(&chained(4, 58), &format!("n = {}", nested(30, ["-(", ")"], "l3"))), levels(267));
    let texts = format!("{}texts: {{t: '{{{{ l3 }}}}'}}\n", chained(4, 58));
    assert_eq!(refused(&texts, &format!("x = {}", nested(30, ["[", "]"], "render(t)"))), levels(271));
    let chosen = chained(4, 58) + "  many: n > 0 && n > 1 && n > 2 && l3 > 3\n";
    assert_eq!(checked(&doing(&chosen, "x = many")).findings.len(), 0);
}

/// The stack that is enough for a graph at any bound. Without optimisation nothing is written into its caller, and one bracket
/// takes some eight KiB to parse and as much to evaluate: then it is what a thread usually has.
const ENOUGH: usize = if cfg!(debug_assertions) { 2 << 20 } else { STACK };

/// Tests that drive the machine, by the beginnings of their names.
const DRIVING: [&str; 8] = [
    "approvals::",
    "callers::",
    "delivery::",
    "lanes::",
    "missing_edges::",
    "pauses::",
    "semantics::",
    "transfer::",
];

/// The tests are run once more by this program, each on a thread with a stack of 512 KiB.
#[test]
fn tests_of_the_machine_pass_on_a_small_stack() {
    let program = std::env::current_exe().expect("the test program has a path");
    let ran = Command::new(program)
        .args(DRIVING)
        .env("RUST_MIN_STACK", STACK.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("the test program starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    let passed = said.lines().filter(|line| line.ends_with("... ok")).count();
    assert!(ran.status.success(), "{}: {said}{}", ran.status, String::from_utf8_lossy(&ran.stderr));
    for area in DRIVING {
        assert!(said.contains(&format!("test {area}")), "no test of {area} was run");
    }
    assert!(passed > 50, "{passed} tests were run");
}

/// A graph of one node that does this, with more sections before it.
fn doing(sections: &str, statements: &str) -> String {
    let statements = statements.replace('\n', "\n      ");
    format!(
        "graph: g\nstate: {{n: int = 0, x: any}}\n{sections}start: a\nnodes:\n  a:\n    do: |\n      {statements}\n    \
         next: [{{to: e}}, {{to: e, on: error}}]\n  e: {{kind: final}}\noutput: {{n: n}}\n"
    )
}

/// Something that stands in itself so many times.
fn nested(times: usize, around: [&str; 2], inner: &str) -> String {
    format!("{}{inner}{}", around[0].repeat(times), around[1].repeat(times))
}

/// Graphs that go as deep as one may, each in another way.
fn deepest() -> Vec<(&'static str, Vec<(String, String)>)> {
    let alone = |text: String| vec![("g.yaml".to_owned(), text)];
    let lets =
        (1..64).fold("let:\n  l0: n\n".to_owned(), |all, i| all + &format!("  l{i}: l{} + 1\n", i - 1));
    let macros = (1..5).fold("let:\n  l0: n > 0\n".to_owned(), |all, i| {
        let body = (0..60).fold(format!("l{}", i - 1), |inner, i| format!("[n].exists(i{i}, {inner})"));
        all + &format!("  l{i}: \"{body}\"\n")
    });
    let actions = (1..120)
        .fold("actions:\n  a0: n += 1\n".to_owned(), |all, i| all + &format!("  a{i}: a{}()\n", i - 1));
    let texts = (1..16).fold("texts:\n  t0: x\n".to_owned(), |all, i| {
        all + &format!("  t{i}: \"{{% include 't{}' %}}\"\n", i - 1)
    });
    let types = format!("types:\n  T: {{f: '{}?'}}\n", nested(60, ["list<", ">"], "int"));
    let records = (1..60).fold("types:\n  T0: {f: int?}\n".to_owned(), |all, i| {
        all + &format!("  T{i}: {{f: 'T{} = T{}{{}}'}}\n", i - 1, i - 1)
    });
    let composites = format!(
        "graph: g\nstate: {{n: int = 0}}\nstart: c0\nnodes: {{{}, e: {{kind: final}}}}\noutput: {{n: n}}\n",
        (0..29).rev().fold("a: {do: n += 1, next: [{to: e}]}".to_owned(), |inner, i| {
            {
                let first = if i < 28 { format!("c{}", i + 1) } else { "a".to_owned() };
                format!("c{i}: {{start: {first}, next: [{{to: e}}], nodes: {{{inner}}}}}")
            }
        })
    );
    let calls = (0..64).map(|i| {
        let node = if i < 63 {
            format!("kind: call, graph: g{}.yaml, into: x, ", i + 1)
        } else {
            String::new()
        };
        let text = format!(
            "graph: g{i}\nstate: {{x: any}}\nstart: a\nnodes: {{a: {{{node}next: [{{to: e}}]}}, e: {{kind: final}}}}\n"
        );
        (if i == 0 { "g.yaml".to_owned() } else { format!("g{i}.yaml") }, text)
    });
    let budgets = (0..100).fold("graph: g\nbudgets:\n".to_owned(), |all, i| all + &format!("  b{i}: 1\n"));
    let edges = (0..100)
        .fold(String::new(), |edges, i| edges + &format!("{{to: a, when: n == {i}, do: spend b{i}}}, "));
    let budgets = format!(
        "{budgets}state: {{n: int = 0}}\nstart: a\nnodes:\n  a: {{next: [{edges}{{to: e}}, {{to: e, on: error}}, {{to: e, on: exhausted(b0)}}]}}\n  \
         e: {{kind: final}}\n"
    );
    vec![
        ("brackets", alone(doing("", &format!("x = {}", nested(63, ["[", "]"], "n"))))),
        ("parentheses", alone(doing("", &format!("n = {}", nested(63, ["(", ")"], "n"))))),
        ("negations", alone(doing("", &format!("x = {}", nested(60, ["!(", ")"], "n > 0"))))),
        ("operators", alone(doing("", &format!("n = n{}", " + n".repeat(126))))),
        ("conditionals", alone(doing("", &format!("n = {}n", "n > 1 ? 2 : ".repeat(60))))),
        (
            "macros",
            alone(doing(
                "",
                &format!(
                    "x = {}",
                    (0..60).fold("n".to_owned(), |inner, i| format!("[n].map(i{i}, {inner})"))
                ),
            )),
        ),
        ("statements", alone(doing("", &nested(60, ["if n < 1 {\n", "}\n"], "n += 1\n")))),
        (
            "loops",
            alone(doing(
                "",
                &(0..60).fold("n += 1\n".to_owned(), |inner, i| format!("for i{i} in [n] {{\n{inner}}}\n")),
            )),
        ),
        ("lets", alone(doing(&lets, "n = l63"))),
        (
            "lets in brackets",
            alone(doing(&chained(4, 58), &format!("n = {}", nested(19, ["-(", ")"], "l3")))),
        ),
        ("lets of macros", alone(doing(&macros, "x = l4"))),
        ("actions", alone(doing(&actions, "a119()"))),
        ("texts", alone(doing(&texts, "x = render(t15)"))),
        ("types", alone(doing(&types, "x = T{}"))),
        ("records", alone(doing(&records, "x = T59{}"))),
        ("composites", alone(composites)),
        ("budgets", alone(budgets)),
        ("calls", calls.collect()),
    ]
}

/// All that is done with a graph: read, checked, compiled, listed, drawn, compared, written anew in both syntaxes, run.
fn everything(name: &str, files: &[(String, String)]) {
    let mut texts =
        files.iter().fold(Files::new(), |all, (name, text)| all.with(name.as_str(), text.as_str()));
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut texts, "g.yaml");
    assert!(checked.is_sound(), "{name}: {:?}", checked.findings);
    let model = checked.model.as_ref().expect("a sound graph has a model");
    for semantics in Semantics::all() {
        let program = compile_as(model, semantics).expect("it compiles");
        assert!(!listing(&program).is_empty());
        let (ended, events) = on_stack(ENOUGH, || run(&program, Map::new()));
        assert!(ended.starts_with("e "), "{name}: {ended}");
        let kept = serde_json::to_string(&events).expect("events can be written");
        let read: Vec<Event> = serde_json::from_str(&kept).expect("and read");
        assert!(read == events, "{name}");
        let version = Version { model, program: &program, trees: &checked.trees, bound: None };
        assert!(diff(&version, &version).changes.is_empty(), "{name}");
    }
    let drawing = Drawing::new(model, &checked.trees, &Options::default()).expect("it can be drawn");
    assert!(!state(&drawing).is_empty() && !flow(&drawing).is_empty() && !dot(&drawing).is_empty());
    let file = sources.find("g.yaml").expect("it was read");
    let there = write(&sources, file, Syntax::Loop).unwrap_or_else(|why| panic!("{name}: {why:?}"));
    let mut sources = Sources::new();
    let file = sources.add("g.loop", there);
    write(&sources, file, Syntax::Yaml).unwrap_or_else(|why| panic!("{name}: {why:?}"));
}

#[test]
fn types_that_are_named_again_and_again_stay_within_a_depth() {
    let aliases = (1..2_000).fold("types:\n  A0: int\n".to_owned(), |all, i| {
        all + &format!("  A{i}: '{}'\n", nested(60, ["list<", ">"], &format!("A{}", i - 1)))
    });
    let aliases = doing(&aliases, "n = 1").replace("x: any", "x: A1999?");
    for text in [aliases, deepening(400, "n = size(LAST)")] {
        let found = on_stack(ENOUGH, || checked(&text));
        assert!(found.is_sound(), "{:?}", found.findings);
    }
    let found = on_stack(ENOUGH, || checked(&deepening_lets(2_000)));
    let rules: Vec<_> = found.findings.iter().map(|finding| finding.rule.slug()).collect();
    assert_eq!(rules, ["expression-limit"]);
}

#[test]
fn defaults_that_hold_each_other_stay_within_a_depth() {
    let chain = |types: usize| {
        (1..types).fold("types:\n  T0: {f: int?}\n".to_owned(), |all, i| {
            all + &format!("  T{i}: {{f: 'T{} = T{}{{}}'}}\n", i - 1, i - 1)
        })
    };
    for types in [200, 770, 5_000] {
        let found = on_small_stack(|| checked(&doing(&chain(types), &format!("x = T{}{{}}", types - 1))));
        let errors: Vec<_> =
            found.findings.iter().filter(|finding| finding.rule.slug() == "too-large").collect();
        assert!(!errors.is_empty() && !found.is_sound(), "{types}");
        let wanted = "would be filled in with defaults that nest deeper than 160 levels";
        assert!(errors[0].message.ends_with(wanted), "{}", errors[0].message);
    }
}

#[test]
fn graphs_at_every_bound_of_depth_fit_on_the_stack_of_a_thread() {
    for (name, files) in deepest() {
        on_stack(ENOUGH, || everything(name, &files));
    }
}
