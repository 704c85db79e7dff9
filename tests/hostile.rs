//! Files made to hurt, given to the program itself under limits of the operating system: each is answered with one
//! clear error and its place, within about a second and 200 MB.

use std::fmt::Write as _;
use std::process::Stdio;

use crate::cli::Desk;

/// Seconds of computing: ten times what is wanted, twice for a build that is not optimised.
const SECONDS: u32 = 20;
/// Memory the program may write to, in kilobytes.
const KILOBYTES: u32 = 200_000;

/// What the program says of a file with this text that it refuses, clipped.
fn answer(what: &str, words: &str, text: &str) -> String {
    answer_with(1, what, words, text)
}

/// What the program says of a file with this text, clipped, when it ends with that code.
fn answer_with(code: i32, what: &str, words: &str, text: &str) -> String {
    let desk = Desk::new();
    let file = if what.starts_with(".loop") { "hostile.loop" } else { "hostile.yaml" };
    desk.write(file, text);
    let output = desk
        .program_under(&format!("ulimit -t {SECONDS} && ulimit -d {KILOBYTES}"))
        .args(words.split_whitespace())
        .arg(file)
        // A state that is held in memory twice does not fit.
        .env_remove("LOOPWRIGHT_REBUILD")
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(said.len() < 200_000, "{what} is answered with {} bytes", said.len());
    assert_eq!(
        output.status.code(),
        Some(code),
        "{what}: {}: {}",
        output.status,
        said.get(..2_000).unwrap_or(&said)
    );
    let mut shown = String::new();
    for line in said.lines().take(7) {
        let line: String = line.chars().take(100).collect();
        let _ = writeln!(shown, "  {}", line.trim_end());
    }
    let more = said.lines().count().saturating_sub(7);
    format!("## {what}\n{shown}  … {more} lines more\n")
}

/// `count` lines made of their numbers.
fn lines(head: &str, count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(head.to_owned(), |text, i| text + &line(i) + "\n")
}

/// That many lets, each with a field of its own, in chains of that length.
fn chained_lets(count: usize, length: usize) -> String {
    let fields = lines("state:\n  x: int = 0\n", count, |i| format!("  x{i}: int? = 0"));
    fields
        + &lines("let:\n", count, |i| match (i + 1) % length {
            0 => format!("  l{i}: x{i} != null"),
            _ => format!("  l{i}: x{i} != null && x{i} > 1 && l{}", i + 1),
        })
}

/// Files that `check` refuses.
fn files() -> Vec<(&'static str, String)> {
    let bomb = lines("graph: g\na0: &a0 x\n", 29, |i| format!("a{0}: &a{0} [*a{i}, *a{i}]", i + 1));
    let parens = format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000));
    let chain = ["alpha.beta == gamma"; 40].join(" && ");
    vec![
        ("20,000 nested brackets", format!("graph: g\nstate: {}", "[".repeat(20_000))),
        ("a file of 5 MB", format!("graph: g\n{}", "a: b\n".repeat(1_000_001))),
        ("an alias bomb", bomb),
        ("a key 100,000 times", lines("graph: g\nnodes:\n", 100_000, |_| "  a: {kind: final}".into())),
        ("a key 10,000 times", lines("graph: g\nnodes:\n", 10_000, |_| "  a: {kind: final}".into())),
        ("100,000 tags", format!("graph: g\nstate: [{}]\n", "!t x, ".repeat(100_000))),
        (
            "60,000 unknown kinds",
            lines("graph: g\nstart: n0\nnodes:\n", 60_000, |i| format!("  n{i}: {{kind: robot}}")),
        ),
        (
            "20,000 unknown kinds",
            lines("graph: g\nstart: n0\nnodes:\n", 20_000, |i| format!("  n{i}: {{kind: robot}}")),
        ),
        (
            "300 unknown names among 3,000",
            lines("graph: g\nstate:\n", 3_000, |i| format!("  known_name_{}{i:04}: int = 0", "x".repeat(40)))
                + "start: a\nnodes:\n  a:\n    do: |\n"
                + &lines("", 300, |i| format!("      known_nmae_{}{i:04} = 1", "x".repeat(40)))
                + "    next: [{to: b}]\n  b: {kind: final}\n",
        ),
        (
            "a guard of 100,000 parentheses",
            format!(
                "graph: g\nstart: a\nnodes:\n  a: {{next: [{{to: b, when: {parens}}}]}}\n  b: {{kind: final}}\n"
            ),
        ),
        ("100,000 lines of comments", format!("graph: g\n{}start: a\n", "# x\n".repeat(100_000))),
        ("2,000,000 empty comments", "#\n".repeat(2_000_000)),
        (
            "a comment behind each of 60,000 keys",
            lines("graph: g\nstate:\n", 60_000, |i| format!("  a{i}: int # x")),
        ),
        ("100,000 split values in a list", format!("graph: g\nlet: [{}]\n", "f(x, y), ".repeat(100_000))),
        ("20,000 split values in a list", format!("graph: g\nlet: [{}]\n", "f(x, y), ".repeat(20_000))),
        ("20,000 split values in braces", format!("graph: g\nlet: {{{}}}\n", "a: f(x, y), ".repeat(20_000))),
        ("50,000 split values that never close", format!("graph: g\nlet: [{}]\n", "f(x, ".repeat(50_000))),
        (
            "60,000 nodes",
            lines("graph: g\nstart: n0\nnodes:\n", 60_000, |i| {
                format!("  n{i}: {{next: [{{to: n{}}}]}}", i + 1)
            }),
        ),
        ("an expression of 2 MB", format!("graph: g\nlet: {{a: \"{}1\"}}\n", "1 + ".repeat(500_000))),
        ("1.3 MB of expressions", lines("graph: g\nlet:\n", 1_600, |i| format!("  a{i}: {chain}"))),
        (
            "an action that writes 600 fields and one that may be null",
            small(
                &(lines("state:\n  x: int?\n", 600, |i| format!("  x{i}: int? = 0"))
                    + &lines("actions:\n  a: |\n    x = null\n", 600, |i| format!("    x{i} = 1"))),
                "if x != null { a(); x0 = x + x1 }",
            ),
        ),
        ("10,000 lets in a chain", small(&chained_lets(10_000, 10_000), "if l0 { x = x0 + x1 }")),
        (
            "100,000 unknown names",
            lines("graph: g\nlet:\n", 50, |i| format!("  a{i}: \"[{}1]\"", "x,".repeat(2_000))),
        ),
    ]
}

#[test]
fn hostile_files_are_refused_at_once() {
    let answers: Vec<_> = files().iter().map(|(what, text)| answer(what, "check", text)).collect();
    insta::assert_snapshot!(answers.join("\n"));
}

/// The same in `.loop`.
fn loop_files() -> Vec<(&'static str, String)> {
    let chain = ["alpha.beta == gamma"; 40].join(" && ");
    vec![
        (".loop: 20,000 nested brackets", format!("graph g\nlet a = {}", "[".repeat(20_000))),
        (".loop: 100,000 nested composites", "composite c { ".repeat(100_000)),
        (".loop: 1,000,000 braces", format!("graph g\n{}", "{".repeat(1_000_000))),
        (".loop: 1,000,000 closing braces", format!("graph g\n{}", "}".repeat(1_000_000))),
        (".loop: a file of 5 MB", "use 'b'\n".repeat(700_000)),
        (".loop: a node 100,000 times", lines("graph g\n", 100_000, |_| "final a".into())),
        (
            ".loop: 60,000 unknown kinds",
            lines("graph g\nstart n0\n", 60_000, |i| format!("robot n{i} {{ }}")),
        ),
        (".loop: 60,000 unknown words", lines("graph g\nstart n0\n", 60_000, |i| format!("robot{i}"))),
        (
            ".loop: a guard of 100,000 parentheses",
            format!(
                "graph g\nstart a\nchoice a {{ -> b when {}true{} }}\nfinal b\n",
                "(".repeat(100_000),
                ")".repeat(100_000)
            ),
        ),
        (
            ".loop: 100,000 open calls",
            format!("graph g\nstart a\naction a {{\n{}", "ok ( -> a\n".repeat(100_000)),
        ),
        (
            ".loop: 100,000 open indices",
            format!("graph g\nstart a\naction a {{\n{}", "allow [\n".repeat(100_000)),
        ),
        (".loop: 100,000 lines of comments", format!("graph g\n{}start a\n", "# x\n".repeat(100_000))),
        (".loop: 2,000,000 empty comments", "#\n".repeat(2_000_000)),
        (".loop: 1,000,000 comments of another language", format!("graph g\n{}", "//\n".repeat(1_000_000))),
        (".loop: 2,000,000 quotes", format!("graph g\n{}", "'\n".repeat(2_000_000))),
        (".loop: 4 MB of letters", format!("graph g\n{}", "a".repeat(4_000_000))),
        (".loop: 4 MB of a text", format!("graph g\ntitle '''{}", "a\\n".repeat(1_300_000))),
        (
            ".loop: 3 MB on one line, then an open block",
            format!("{} action a {{\n{}", "use 'b' ".repeat(300_000), "use b\n".repeat(100_000)),
        ),
        (".loop: 1,300,000 arrows", format!("graph g\n{}", "-> ".repeat(1_300_000))),
        (
            ".loop: an edge with 500,000 clauses",
            format!("graph g\nchoice a {{ -> b {} }}", "when x ".repeat(500_000)),
        ),
        (
            ".loop: 60,000 nodes",
            lines("graph g\nstart n0\n", 60_000, |i| format!("action n{i} -> n{}", i + 1)),
        ),
        (".loop: 1.3 MB of expressions", lines("graph g\n", 1_600, |i| format!("let a{i} = {chain}"))),
        (
            ".loop: 1,000,001 printed quotes on one line",
            format!("graph g\ntitle {}", "\u{201c}".repeat(1_000_001)),
        ),
        (".loop: 300,000 sections with a colon", "state:\n{}\n".repeat(300_000)),
        (".loop: 1,000,000 dashes", format!("nodes {{\n{}", "-\n".repeat(1_000_000))),
        (".loop: 1,000,000 comments that never end", format!("graph g\n{}", "/*\n".repeat(1_000_000))),
        (
            ".loop: 100,000 keys written as fields, then an open bracket",
            format!("wait a {{\n{}}}\nuse (\n", "delay = 1\n".repeat(100_000)),
        ),
        (
            ".loop: a body of 100,000 lines without its brace",
            format!("choice a\n{}}}\n", "  -> b\n".repeat(100_000)),
        ),
        (
            ".loop: 2,000 lines that lean further and further",
            lines("graph g\n", 2_000, |i| format!("{}x:", " ".repeat(i))),
        ),
    ]
}

#[test]
fn hostile_loop_files_are_refused_at_once() {
    let answers: Vec<_> = loop_files().iter().map(|(what, text)| answer(what, "check", text)).collect();
    insta::assert_snapshot!(answers.join("\n"));
}

/// A graph of one node that does this and ends, with declarations before it.
fn small(declarations: &str, statements: &str) -> String {
    format!(
        "graph: g\n{declarations}start: a\nnodes:\n  a:\n    do: |\n      {}\n    next: [{{to: c}}]\n  c: {{kind: final}}\n",
        statements.replace('\n', "\n      ")
    )
}

/// That many actions, each with this body but the last, which sets `x`.
fn chain(count: usize, body: &dyn Fn(usize) -> String) -> String {
    lines("actions:\n", count, |i| {
        if i + 1 < count { format!("  a{i}: \"{}\"", body(i)) } else { format!("  a{i}: x = 1") }
    })
}

/// Good files with many parts that hang together: the time to check them must not grow with the square of their number.
fn tangled() -> Vec<(&'static str, String)> {
    let x = "state:\n  x: int = 0\n";
    let slots = lines(x, 10_000, |i| format!("  x{i}: int? = 0"));
    let record = |ty: &str| lines("types:\n  R:\n", 20_000, |i| format!("    f{i}: {ty}"));
    let writes = lines("", 2_000, |i| format!("r.f{i} = r.f{i} ?? 0"));
    let reads = |text: &str| format!("texts:\n  t: \"{text}\"\noutput: {{t: render(t)}}\n");
    vec![
        (
            "10,000 actions in a chain",
            small(&(x.to_owned() + &chain(10_000, &|i| format!("x = {i}; a{}()", i + 1))), "a0()"),
        ),
        (
            "10,000 actions in a chain, each with two ways to the next",
            small(
                &(x.to_owned()
                    + &chain(10_000, &|i| format!("if x > {i} {{ a{0}() }} else {{ a{0}() }}", i + 1))),
                "a0()",
            ),
        ),
        (
            "10,000 actions in a chain, each with its own field",
            small(
                &(slots.clone() + &chain(10_000, &|i| format!("x{i} = x + (x{i} ?? 1); a{}()", i + 1))),
                "a0()\nx = x9999 ?? 0",
            ),
        ),
        (
            "10,000 lets in chains of 100, each with its own field",
            small(
                &chained_lets(10_000, 100),
                &lines("", 100, |i| format!("if l{} {{ x = x0 + x1 }}", i * 100)),
            ),
        ),
        (
            "10,000 records, each of which holds the next",
            small(
                &(lines("types:\n", 10_000, |i| format!("  T{i}: {{x: int, next: T{}?}}", (i + 1) % 10_000))
                    + "state: {s: T0?, t: T1?}\n"),
                "s = t",
            ),
        ),
        (
            "records that hold the next one twice, and a map of maps",
            small(
                &(lines("types:\n  R: {a: R?, b: R?}\n  S60: {a: int}\n  T60: {a: int}\n", 60, |i| {
                    format!("  S{i}: {{a: S{0}?, b: S{0}?}}\n  T{i}: {{a: T{0}?, b: T{0}?}}", i + 1)
                }) + &format!(
                    "state: {{s: S0?, t: T0?, r: R?, m: \"{}any{}\"}}\n",
                    "map<".repeat(60),
                    "?>".repeat(60) + "?"
                )),
                "s = t\nm = r",
            ),
        ),
        (
            "a record of 20,000 fields with defaults",
            small(&(record("int = 1") + "state: {r: \"R = {}\"}\n"), "r.f1 = r.f2"),
        ),
        (
            "a record of 20,000 fields, 2,000 of them written",
            small(&(record("int?") + "state: {r: \"R = {}\"}\n"), &writes),
        ),
        (
            "a template that reads 20,000 fields of a record",
            small(
                &(record("int = 1")
                    + "state: {r: \"R = {}\"}\n"
                    + &reads(&(0..20_000).fold(String::new(), |all, i| all + &format!("{{{{ r.f{i} }}}}")))),
                "r.f1 = 2",
            ),
        ),
        (
            "an edge for each of 10,000 errors",
            lines("graph: g\nerrors:\n", 10_000, |i| format!("  e{i}: fatal"))
                + &lines(
                    "start: a\nnodes:\n  c: {kind: final}\n  a:\n    do: fail e0\n    next:\n",
                    10_000,
                    |i| format!("      - {{to: c, on: error(e{i})}}"),
                ),
        ),
        (
            "a text that includes itself 1,000 times",
            small(&reads(&"{% include 't' %}".repeat(1_000)), "emit start"),
        ),
    ]
}

#[test]
fn large_files_are_checked_at_once() {
    let answers: Vec<_> = tangled().iter().map(|(what, text)| answer_with(0, what, "check", text)).collect();
    insta::assert_snapshot!(answers.join("\n"));
}

/// A graph with one node that goes to itself as good as for ever.
fn endless(state: &str, statements: &str) -> String {
    let body = statements.replace('\n', "\n      ");
    format!(
        "graph: g\nignore: {{unhandled: Nobody spends so much.}}\nstate:\n{state}budgets: {{rounds: 1000000000000}}\nstart: a\nnodes:\n  a:\n    do: |\n      {body}\n    next: [{{to: a, when: x != y, do: spend rounds}}, {{to: c}}]\n  c: {{kind: final}}\n"
    )
}

/// A graph that runs one statement.
fn once(state: &str, statement: &str) -> String {
    format!(
        "graph: g\nstate:\n{state}start: a\nnodes:\n  a:\n    do: {statement}\n    next: [{{to: c}}]\n  c: {{kind: final}}\n"
    )
}

/// A graph that renders one text.
fn rendering(text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(
        "graph: g\ntexts:\n  t: {text}\nstart: a\nnodes:\n  a: {{kind: human, ask: t, next: [{{to: c}}]}}\n  c: {{kind: final}}\n"
    )
}

/// Graphs that pass `check` and would run for ever or fill the memory.
fn graphs() -> Vec<(&'static str, String)> {
    let numbers: Vec<_> = (0..700).map(|n| n.to_string()).collect();
    let long = format!("  xs: list<int> = [{}]\n", numbers.join(", "));
    let lists = format!("{long}  ys: list<int> = []\n");
    let counts = format!("{long}  x: int = 0\n  y: int = -1\n");
    let nested = |inner: &str, outer: &dyn Fn(usize, &str) -> String| {
        (0..7).rev().fold(inner.to_owned(), |inner, i| outer(i, &inner))
    };
    let filters = nested("xs.filter(x7, x7 < 0)", &|i, inner| format!("xs.filter(x{i}, {inner}.size() > 0)"));
    let maps = nested("xs.map(x7, x7 + 1)", &|i, inner| format!("xs.map(x{i}, {inner}.size())"));
    let many = (0..50)
        .fold("  x: int = 0\n  y: int = -1\n".to_owned(), |all, i| all + &format!("  v{i}: int = 0\n"));
    let writes = (0..50).fold("x = x + 1".to_owned(), |all, i| all + &format!("\nv{i} = x"));
    let x = "state:\n  x: int = 0\n";
    let slow = "for a in xs { for b in xs { x = y + xs.filter(c, c > a).size() } }";
    vec![
        ("eight nested filters over a long list", once(&lists, &format!("ys = {filters}"))),
        ("eight nested maps over a long list", once(&lists, &format!("ys = {maps}"))),
        ("nested loops over a slow expression", once(&counts, &format!("\"{slow}\""))),
        (
            "an endless loop over a slow expression",
            endless(&counts, "x = xs.filter(a, xs.exists(b, b > a)).size()"),
        ),
        ("a text that doubles", endless("  x: string = 'x'\n  y: string = ''\n", "x = x + x")),
        ("a list that doubles", endless("  x: list<int> = [1]\n  y: list<int> = []\n", "x = x + x")),
        ("a nesting that doubles", endless("  x: any = 1\n  y: any = 3\n", "x = [x, x]")),
        ("an endless loop", endless("  x: int = 0\n  y: int = -1\n", "x = x + 1")),
        (
            "an endless loop with long texts",
            endless(
                "  x: int = 0\n  y: int = -1\n  s: string = ''\n",
                &format!("x = x + 1\ns = string(x) + '{}'", "y".repeat(1_000)),
            ),
        ),
        ("an endless loop with many writes", endless(&many, &writes)),
        (
            "10,000 actions in a chain",
            small(&(x.to_owned() + &chain(10_000, &|i| format!("a{}()", i + 1))), "a0()"),
        ),
        (
            "actions that double",
            small(&(x.to_owned() + &chain(40, &|i| format!("a{0}(); a{0}()", i + 1))), "a0()"),
        ),
        (
            "an endless template",
            rendering("{% for i in range(100000) %}{% for i in range(100000) %}x{% endfor %}{% endfor %}"),
        ),
        (
            "a template that doubles a text",
            rendering(
                "{% set ns = namespace(a='x') %}{% for i in range(100) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}",
            ),
        ),
        (
            "a template that nests a list",
            rendering(
                "{% set ns = namespace(a=[1]) %}{% for i in range(100000) %}{% set ns.a = [ns.a] %}{% endfor %}",
            ),
        ),
        (
            "a template that compares long lists",
            rendering(
                "{% set a = range(50000)|list %}{% for i in range(100000) %}{% if i in a and a == a %}x{% endif %}{% endfor %}",
            ),
        ),
    ]
}

#[test]
fn what_never_ends_is_ended() {
    let answers: Vec<_> = graphs().iter().map(|(what, text)| answer(what, "run", text)).collect();
    insta::assert_snapshot!(answers.join("\n"));
}
