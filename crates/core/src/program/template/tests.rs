use super::Templates;
use crate::program::fault::{Fault, FaultKind};
use crate::value::{Str, Value};

/// The variables every test sees.
fn lookup(name: &str) -> Result<Option<Value>, Fault> {
    let value = match name {
        "user" => r#"{"name": "Ada", "tags": ["b", "a"], "age": null, "rows": [{"n": 2}, {"n": 1}]}"#,
        "cost" => r#"{"$usd": "0.30"}"#,
        "wait" => r#"{"$duration": "90s"}"#,
        "n" => "3",
        "x" => "1.0",
        "html" => r#""<b> & 'x'""#,
        "bad" => return Err(Fault::too_large("the let is too large")),
        _ => return Ok(None),
    };
    Ok(serde_json::from_str(value).ok())
}

fn render_all(texts: &[(&str, &str)]) -> Result<Str, Fault> {
    let templates =
        Templates::new(texts.iter().map(|(name, source)| (Str::from(*name), *source))).expect("templates");
    templates.render(texts[0].0, &mut lookup)
}

fn render(source: &str) -> String {
    render_all(&[("t", source)]).map_or_else(|fault| format!("! {fault}"), |text| text.to_string())
}

fn fault(source: &str) -> Fault {
    render_all(&[("t", source)]).expect_err(source)
}

#[test]
fn values_print_as_in_templates_elsewhere() {
    for (source, printed) in [
        ("Hello {{ user.name }}!", "Hello Ada!"),
        ("{{ user.age }} {{ true }} {{ n }} {{ x }} {{ cost }} {{ wait }}", "None True 3 1.0 0.3 1m30s"),
        ("{{ html }}", "<b> & 'x'"),
        ("{{ user.tags }} {{ user.rows[0] }}", "['b', 'a'] {'n': 2}"),
        ("{{ user.tags|join(', ') }} {{ user.tags[-1] }} {{ user.tags|length }}", "b, a a 2"),
        ("{% for row in user.rows %}{{ loop.index }}:{{ row.n }} {% endfor %}", "1:2 2:1 "),
        ("{% for row in user.rows|sort(attribute='n') %}{{ row.n }}{% endfor %}", "12"),
        ("{% for key, value in user.rows[0].items() %}{{ key }}={{ value }}{% endfor %}", "n=2"),
        ("{% for key, value in user.rows[0]|items %}{{ key }}={{ value }}{% endfor %}", "n=2"),
        ("{{ user.get('nix', 'none') }} {{ user.keys()|list|length }}", "none 4"),
        ("{% if user.age is none %}young{% endif %}", "young"),
        ("{% if user.age is not none %}{{ user.age.x }}{% endif %}{{ user.age or '-' }}", "-"),
        ("{% if 'a' in user.tags and 'name' in user %}yes{% endif %}", "yes"),
        ("{% if cost > 0.25 %}dear{% endif %}", "dear"),
        ("{{ user.tags == ['b', 'a'] }} {{ user.rows[0] == user.rows[1] }}", "True False"),
        ("{{ user|tojson }}", r#"{"age":null,"name":"Ada","rows":[{"n":2},{"n":1}],"tags":["b","a"]}"#),
        (
            "{{ [x, user.tags]|tojson }} {{ {'b': 1.0, 'a': 'ä\"'}|tojson }}",
            r#"[1,["b","a"]] {"a":"ä\"","b":1}"#,
        ),
        ("{{ user.rows|tojson(indent=2) }}", "[\n  {\n    \"n\": 2\n  },\n  {\n    \"n\": 1\n  }\n]"),
        ("{{ nix is defined }} {{ nix|default('-') }}", "False -"),
        ("{{ '%.2f'|format(x) }} {{ user.tags|map('upper')|join }}", "1.00 BA"),
        ("{{ 'a\nb'|indent(2) }}", "a\n  b"),
        ("{% if false %}{{ bad }}{% endif %}fine", "fine"),
        ("{{ n * 2 / 3 * 2 }} {{ -n * 2 + 1 }} {{ '-' * n }} {{ ([1] * n)|list }}", "4.0 -5 --- [1, 1, 1]"),
        (
            "{% set a = 1, 2 %}{{ a[1] ~ '!' }} {{ 2 is eq 2 }} {{ n is ge 4 }} {{ 'a' is in user.tags }}",
            "2! True False True",
        ),
        (
            "{% set ns = namespace(sum=0) %}{% for row in user.rows %}{% set ns.sum = ns.sum + row.n %}{% endfor %}{{ ns.sum }}",
            "3",
        ),
    ] {
        assert_eq!(render(source), printed, "{source}");
    }
}

#[test]
fn a_text_includes_another_of_its_graph_and_no_file() {
    let texts =
        [("t", "{% set who = 'you' %}[{% include 'part' %}]"), ("part", "{{ who }} and {{ user.name }}")];
    assert_eq!(render_all(&texts).expect("renders"), "[you and Ada]");
    let fault = render_all(&[(
        "t",
        "{% include name_of ~ 'x' ignore missing %}{% set p = 'Cargo.toml' %}{% include p %}",
    )]);
    assert!(fault.is_err());
    assert!(Templates::new([("t".into(), "{% include 'Cargo.toml' %}")]).is_err());
}

#[test]
fn faults_say_which_text_and_where() {
    for (source, message) in [
        ("a\n{{ user.nam }}", "! text `t`, line 2, column 4: `user.nam` is undefined"),
        ("{{ nix }}", "! text `t`, line 1, column 4: `nix` is undefined"),
        ("{{ user.nam.x }}", "! text `t`, line 1, column 8: `user.nam` is undefined"),
        ("{{ user.age.x }}", "! text `t`, line 1, column 8: `user.age.x` is undefined"),
        ("{{ n|nix }}", "! text `t`, line 1, column 6: filter nix is unknown"),
        (
            "{{ n + user }}",
            "! text `t`, line 1, column 4: tried to use + operator on unsupported types number and map",
        ),
        ("{{ bad }}", "! text `t`, line 1, column 4: the let is too large"),
        ("{{ n ~ nix }}", "! text `t`, line 1, column 4: `nix` is undefined"),
        ("{{ debug() }}", "! text `t`, line 1, column 4: debug is unknown"),
    ] {
        assert_eq!(render(source), message);
    }
    assert_eq!(fault("{{ bad }}").kind, FaultKind::TooLarge);
    let texts = [("t", "{% include 'part' %}"), ("part", "x\n {{ nix }}")];
    let fault = render_all(&texts).expect_err("undefined");
    assert_eq!(fault.message, "text `part`, line 2, column 5: `nix` is undefined");
    let templates = Templates::new([]).expect("none");
    let fault = templates.render("nix", &mut lookup).expect_err("no such text");
    assert_eq!(fault.message, "there is no text `nix`");
}

#[test]
fn what_does_not_end_or_grows_ends_in_a_fault() {
    let range = "{% for i in range(100000) %}";
    let mut others = Vec::new();
    for (source, message) in [
        (
            format!("{range}{range}x{{% endfor %}}{{% endfor %}}"),
            "the template takes more than 1000000 steps",
        ),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".to_owned(), "recursion limit"),
        ("{% include 't' %}".to_owned(), "recursion limit"),
        (format!("{range}{{{{ 'x' * 10000 }}}}{{% endfor %}}"), "longer than 16 MiB"),
        (format!("{range}{{% set y = range(100000)|list|sort %}}{{% endfor %}}"), "too much work"),
        (
            format!(
                "{{% set ns = namespace(a='x' * 1000) %}}{range}{{% set ns.a %}}{{{{ ns.a }}}}{{{{ ns.a }}}}{{% endset %}}{{% endfor %}}"
            ),
            "longer than 16 MiB",
        ),
        (
            "{{ ['x' * 1000000] * 1000|int }}{{ (['x' * 1000000] * 1000)|join }}".to_owned(),
            "longer than 16 MiB",
        ),
        (
            format!("{{% set ns = namespace(a='x') %}}{range}{{% set ns.a = ns.a ~ ns.a %}}{{% endfor %}}"),
            "too much work",
        ),
        (
            format!("{{% set ns = namespace(a='x') %}}{range}{{% set ns.a = ns.a + ns.a %}}{{% endfor %}}"),
            "too much work",
        ),
        (
            format!(
                "{{% set ns = namespace(a='x') %}}{range}{{% set ns.a = ns.a ~ 'x' * 10000 %}}{{% endfor %}}"
            ),
            "too much work",
        ),
        (
            format!("{{% set ns = namespace(a=[1]) %}}{range}{{% set ns.a = [ns.a, ns.a] %}}{{% endfor %}}"),
            "longer than 16 MiB",
        ),
        (
            format!("{{% set ns = namespace(a=[1]) %}}{range}{{% set ns.a = [ns.a] %}}{{% endfor %}}"),
            "nest at most 64 deep",
        ),
        (format!("{{% set a = 'xy' %}}{}", "{% set a = a ~ a %}".repeat(100)), "too much work"),
        (
            "{% macro m(a) %}{{ m(a ~ a) }}{% endmacro %}{{ m('x' * 100000) }}".to_owned(),
            "longer than 16 MiB",
        ),
        (
            format!("{{% set a = range(50000)|list %}}{range}{{% if a == a %}}{{% endif %}}{{% endfor %}}"),
            "too much work",
        ),
        (
            format!("{{% set a = range(50000)|list %}}{range}{{% if -1 in a %}}{{% endif %}}{{% endfor %}}"),
            "too much work",
        ),
        (
            format!(
                "{{% set a = range(50000)|list %}}{range}{{% if i is in a %}}{{% endif %}}{{% endfor %}}"
            ),
            "too much work",
        ),
        ("{{ range(50000)|select('in', range(50000)|list)|list|length }}".to_owned(), "too much work"),
        (format!("{{% set a %}}{range}{}{{% endfor %}}{{% endset %}}", "x".repeat(2_000)), "too much work"),
        (
            format!(
                "{{% macro m(n) %}}{}{{% if n %}}{{{{ m(n - 1) }}}}{{{{ m(n - 1) }}}}{{% endif %}}{{% endmacro %}}{{% set a = m(8) %}}",
                "x".repeat(500_000)
            ),
            "too much work",
        ),
        (format!("{{% set a = [{}] %}}", "'x' * 10000000, ".repeat(100)), "too much work"),
        ("{{ 'x' * 10000 * 10000 }}".to_owned(), "longer than 16 MiB"),
        ("{{ ('x' * 100000)|replace('x', 'y' * 100000) }}".to_owned(), "longer than 16 MiB"),
        ("{{ 'a\nb'|indent(1000000000) }}".to_owned(), "longer than 16 MiB"),
        ("{{ 'a\nb'|indent(width=1000000000) }}".to_owned(), "longer than 16 MiB"),
        ("{{ '%999999999d'|format(1) }}".to_owned(), "longer than 16 MiB"),
        ("{{ '%*d'|format(999999999, 1) }}".to_owned(), "longer than 16 MiB"),
        ("{{ [1]|batch(1000000000, 0) }}".to_owned(), "longer than 16 MiB"),
    ] {
        let fault = fault(&source);
        if !fault.message.contains(message) {
            others.push(format!("{source:.300}: {fault}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn each_named_variable_is_asked_for_once() {
    let templates =
        Templates::new([("t".into(), "{{ a }}{{ a }}{% if c %}{{ b }}{% endif %}")]).expect("template");
    assert_eq!(templates.variables("t"), ["a", "b", "c"]);
    assert_eq!(templates.source("t"), Some("{{ a }}{{ a }}{% if c %}{{ b }}{% endif %}"));
    let mut asked = Vec::new();
    let text = templates.render("t", &mut |name| {
        asked.push(name.to_owned());
        Ok(Some(Value::Bool(false)))
    });
    assert_eq!((text, asked), (Ok("FalseFalse".into()), vec!["a".to_owned(), "b".into(), "c".into()]));
}

/// Holds the verdicts of `check` on null and filters to the engine.
#[test]
fn filters_take_null_or_end_the_rendering() {
    let filters = [
        "lower",
        "upper",
        "title",
        "capitalize",
        "replace('a', 'b')",
        "length",
        "count",
        "dictsort",
        "items",
        "reverse",
        "trim",
        "join(',')",
        "split(',')",
        "lines",
        "default",
        "d",
        "round",
        "abs",
        "int",
        "float",
        "attr('a')",
        "first",
        "last",
        "min",
        "max",
        "sort",
        "list",
        "string",
        "bool",
        "batch(2)",
        "slice(2)",
        "sum",
        "indent",
        "select",
        "reject",
        "selectattr('a')",
        "rejectattr('a')",
        "map('upper')",
        "groupby('a')",
        "unique",
        "chain([1])",
        "zip([1])",
        "pprint",
        "format",
        "tojson",
        "safe",
        "escape",
        "e",
    ];
    for filter in filters {
        let name = filter.split('(').next().unwrap_or_default();
        let text = format!("{{{{ x | {filter} }}}}");
        let templates = Templates::new([("t".into(), text.as_str())]).expect("a template");
        let rendered = templates.render("t", &mut |_| Ok(Some(Value::Null)));
        assert_eq!(rendered.is_ok(), super::null::takes_null(name), "{filter}: {rendered:?}");
    }
}
