//! What to say where parsing stopped: what was found there, what was wanted.

use super::fault::Fault;
use super::scan::{Scanner, Token, TokenKind};

/// What a text was read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Expression,
    Statement,
    Type,
    Place,
    Field,
    Trigger,
    Property,
    LetHead,
    ForHead,
}

/// The first characters of a text, for messages.
pub(super) fn clip(text: &str) -> String {
    const SHOWN: usize = 32;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

/// The places of interest around the byte where parsing stopped.
struct Scene<'t> {
    text: &'t str,
    /// All tokens but line ends.
    tokens: Vec<Token>,
    /// Index of the first token at or behind the stop.
    index: usize,
    /// A line end stands between the token before and the one found.
    broken: bool,
}

impl<'t> Scene<'t> {
    fn new(text: &'t str, stop: usize) -> Self {
        let all: Vec<Token> = Scanner::new(text).collect();
        let broken = all
            .iter()
            .rev()
            .find(|t| t.start < stop_of(&all, stop))
            .is_some_and(|t| t.kind == TokenKind::Break);
        let tokens: Vec<Token> = all.into_iter().filter(|t| t.kind != TokenKind::Break).collect();
        let index = tokens.partition_point(|t| t.end <= stop);
        Self { text, tokens, index, broken }
    }

    fn found(&self) -> Option<Token> {
        self.tokens.get(self.index).copied()
    }

    fn before(&self) -> Option<Token> {
        self.index.checked_sub(1).and_then(|i| self.tokens.get(i)).copied()
    }

    fn found_text(&self) -> &'t str {
        self.found().map_or("", |t| t.text(self.text))
    }

    fn before_text(&self) -> &'t str {
        self.before().map_or("", |t| t.text(self.text))
    }

    fn place(&self) -> (usize, usize) {
        self.found().map_or((self.text.trim_end().len(), self.text.trim_end().len()), |t| (t.start, t.end))
    }

    fn after_operand(&self) -> bool {
        self.before().is_some_and(Token::ends_operand)
    }

    /// `?` without its `:` before the stop.
    fn open_conditional(&self) -> Option<Token> {
        let mut open = Vec::new();
        for token in &self.tokens[..self.index] {
            match token.text(self.text) {
                "?" => open.push(*token),
                ":" | "," => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.pop()
    }
}

/// Where the token found at `stop` begins.
fn stop_of(all: &[Token], stop: usize) -> usize {
    all.iter().find(|t| t.end > stop && t.kind != TokenKind::Break).map_or(usize::MAX, |t| t.start)
}

/// The fault of a text that could not be read as what was wanted, reading having stopped at byte `stop`.
pub(super) fn explain(wanted: Wanted, text: &str, stop: usize) -> Fault {
    let scene = Scene::new(text, stop);
    if scene.tokens.is_empty() {
        return Fault::syntax(
            (0, text.len()),
            format!("{} is wanted here, but nothing stands here", wanted.article()),
        );
    }
    match wanted {
        Wanted::Statement => statement(&scene),
        Wanted::Type => type_fault(&scene),
        Wanted::Place => place_fault(&scene),
        Wanted::Trigger => trigger(&scene),
        Wanted::LetHead => let_head(&scene),
        Wanted::ForHead => {
            let (found, at) = (describe(&scene), scene.place());
            Fault::syntax(at, format!("`for` is followed by a name, `in` and a list, not by {found}"))
                .help("for item in items { … }")
        }
        Wanted::Field => field(&scene),
        Wanted::Property => property(&scene),
        Wanted::Expression => expression(&scene),
    }
}

impl Wanted {
    fn article(self) -> &'static str {
        match self {
            Self::Expression => "an expression",
            Self::Statement => "a statement",
            Self::Type | Self::Field => "a type",
            Self::Place => "a place to write to",
            Self::Trigger => "a trigger",
            Self::Property => "a property",
            Self::LetHead => "a name",
            Self::ForHead => "`name in list`",
        }
    }
}

fn describe(scene: &Scene) -> String {
    match scene.found() {
        None => "the end of the text".to_owned(),
        Some(token) => format!("`{}`", clip(token.text(scene.text))),
    }
}

fn expression(scene: &Scene) -> Fault {
    known_mistake(scene)
        .unwrap_or_else(|| if scene.after_operand() { after_value(scene) } else { value_wanted(scene) })
}

/// Spellings of other languages and layout rules of this one.
fn known_mistake(scene: &Scene) -> Option<Fault> {
    let at = scene.place();
    let fault =
        match (scene.before_text(), scene.found_text()) {
            (_, "=") => Fault::syntax(at, "`=` assigns and cannot stand in an expression")
                .help("to compare, write `==`"),
            (_, "+=") => Fault::syntax(at, "`+=` assigns and cannot stand in an expression"),
            (_, "and" | "AND") if scene.after_operand() => {
                Fault::syntax(at, "`and` is not an operator").help("logical and is written `&&`")
            }
            (_, "or" | "OR") if scene.after_operand() => {
                Fault::syntax(at, "`or` is not an operator").help("logical or is written `||`")
            }
            (_, "not") if scene.after_operand() => Fault::syntax(at, "`not` is not an operator")
                .help("negation is written `!`, as in `!(a in b)`"),
            (_, "is") if scene.after_operand() => Fault::syntax(at, "`is` is not an operator")
                .help("a type is tested with `is(value, Type)`, equality with `==`"),
            ("not", _) if is_operand_start(scene.found()) => {
                let before = scene.before()?;
                Fault::syntax((before.start, before.end), "`not` is not an operator")
                    .help("negation is written `!`")
            }
            (_, "-" | "[" | "(") if scene.broken && scene.after_operand() => {
                Fault::syntax(at, format!("`{}` stands on a line of its own", scene.found_text()))
                    .help("`[`, `(` and a binary `-` stand on the line of the value before them")
            }
            (".", "?") | ("[" | "{", "?") => {
                Fault::syntax(at, "optional selection `?` is not part of this language")
                    .help("selecting through null gives null: write `a.b ?? default`")
            }
            (_, "..") => Fault::syntax(at, "`..` stands only in bounded types such as `int(0..9)`"),
            (_, "->") => Fault::syntax(at, "`->` cannot stand in an expression"),
            _ => return None,
        };
    Some(fault)
}

fn is_operand_start(token: Option<Token>) -> bool {
    token.is_some_and(|t| {
        matches!(t.kind, TokenKind::Word | TokenKind::Number | TokenKind::Quoted | TokenKind::Open)
    })
}

fn value_wanted(scene: &Scene) -> Fault {
    let at = scene.place();
    let found = describe(scene);
    match scene.before() {
        None => Fault::syntax(at, format!("an expression is wanted here, not {found}")),
        Some(before) if before.text(scene.text) == "." => {
            Fault::syntax(at, format!("a field name is wanted after `.`, not {found}"))
        }
        Some(before) => {
            let behind = clip(before.text(scene.text));
            Fault::syntax(at, format!("a value is wanted after `{behind}`, not {found}"))
        }
    }
}

fn after_value(scene: &Scene) -> Fault {
    let at = scene.place();
    let found = describe(scene);
    let behind = clip(scene.before_text());
    if let Some(open) = scene.open_conditional() {
        return Fault::syntax(at, format!("`:` is wanted here, not {found}"))
            .also(open.start, "this `?` has no `:` yet")
            .help("a choice is written `condition ? value : other`");
    }
    let Some(token) = scene.found() else {
        return Fault::syntax(at, format!("the text ends too early after `{behind}`"));
    };
    let touching = scene.before().is_some_and(|b| b.end == token.start && b.kind == TokenKind::Word);
    match (token.kind, token.text(scene.text)) {
        (TokenKind::Quoted, _) if touching => {
            Fault::syntax(at, format!("the name `{behind}` stands directly before a quote"))
                .help("the only prefix of a text is `r`, as in r'\\d+'")
        }
        (_, "{") => Fault::syntax(at, format!("`{{` cannot follow `{behind}`")).help(
            "a record is written `Type{field: value}`; the names of types start with an upper-case letter",
        ),
        (_, ":") => {
            Fault::syntax(at, "`:` without `?`").help("a choice is written `condition ? value : other`")
        }
        (TokenKind::Open, opener) => Fault::syntax(at, format!("`{opener}` cannot follow `{behind}`"))
            .help("only a name is called or indexed like this"),
        (TokenKind::Symbol, symbol) => Fault::syntax(at, format!("`{symbol}` cannot stand here")),
        _ => Fault::syntax(at, format!("an operator is missing between `{behind}` and {found}")),
    }
}

fn statement(scene: &Scene) -> Fault {
    let at = scene.place();
    let first = scene.tokens[0].text(scene.text);
    let second = scene.tokens.get(1).map_or("", |t| t.text(scene.text));
    let head = (scene.tokens[0].start, scene.tokens[0].end);
    match (first, second) {
        ("spend", _) => {
            return in_statement(
                scene,
                "spend",
                "a budget, perhaps followed by `by` and an amount",
                "spend rounds by 2",
            );
        }
        ("emit", _) => {
            return in_statement(
                scene,
                "emit",
                "a name, perhaps followed by a map `{…}`",
                "emit found {'count': n}",
            );
        }
        ("fail", _) => {
            return in_statement(
                scene,
                "fail",
                "an error kind, perhaps followed by a message",
                "fail tool_failed 'no answer'",
            );
        }
        ("let", _) if scene.index < 3 => {
            return in_statement(scene, "let", "a name, `=` and a value", "let total = a + b");
        }
        ("for", _) if scene.index < 3 => {
            return in_statement(scene, "for", "a name, `in`, a list and a block", "for item in items { … }");
        }
        ("else", _) => {
            return Fault::syntax(head, "`else` without `if`")
                .help("`else` stands behind the `}` of an `if`");
        }
        ("set" | "var" | "const" | "val", name) if is_word(name) => {
            return Fault::syntax(head, format!("`{first}` does not begin a statement")).help(
                "a field is written with `name = value`, a local name is made with `let name = value`",
            );
        }
        ("return" | "while" | "break" | "continue" | "function" | "import", _) => {
            return Fault::syntax(head, format!("there is no `{first}` statement")).help(
                "the statements are `=`, `+=`, `let`, `spend`, `emit`, `if`, `for`, `fail` and `action()`",
            );
        }
        _ => {}
    }
    if matches!(first, "if" | "for") && scene.after_operand() && scene.found_text() != "=" {
        return Fault::syntax(at, format!("`{{` is wanted here, not {}", describe(scene)))
            .help(format!("{first} … {{ statements }}"));
    }
    assignment(scene).unwrap_or_else(|| expression(scene))
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn in_statement(scene: &Scene, word: &str, wanted: &str, example: &str) -> Fault {
    if let Some(fault) = known_mistake(scene).filter(|_| scene.index > 2) {
        return fault;
    }
    if scene.index > 2 && !scene.after_operand() {
        return value_wanted(scene);
    }
    Fault::syntax(scene.place(), format!("`{word}` takes {wanted}; {} cannot stand here", describe(scene)))
        .help(format!("for example: {example}"))
}

/// Faults of texts that begin like an assignment or a call.
fn assignment(scene: &Scene) -> Option<Fault> {
    let assigns = scene.tokens[..scene.index].iter().any(|t| matches!(t.text(scene.text), "=" | "+="));
    if assigns || matches!(scene.tokens[0].text(scene.text), "if" | "for" | "let") {
        return None;
    }
    let at = scene.place();
    let second = scene.tokens.get(scene.index + 1).map_or("", |t| t.text(scene.text));
    let left = scene.text[..scene.before().map_or(0, |b| b.end)].trim();
    let left = clip(left);
    let fault = match (scene.found_text(), second) {
        ("==", _) => Fault::syntax(at, "a comparison is not a statement").help("to assign, write `=`"),
        (":", "=") => Fault::syntax(at, "`:=` does not assign").help("to assign, write `=`"),
        ("-" | "*" | "/" | "%", "=") => {
            let operator = scene.found_text();
            Fault::syntax(at, format!("there is no `{operator}=`"))
                .help(format!("write `{left} = {left} {operator} …`"))
        }
        ("+", "+") => Fault::syntax(at, "there is no `++`").help(format!("write `{left} += 1`")),
        ("-", "-") => Fault::syntax(at, "there is no `--`").help(format!("write `{left} = {left} - 1`")),
        ("(", _) | (_, ")") | (")", _)
            if scene.before().is_some_and(|b| b.kind == TokenKind::Word || b.text(scene.text) == "(") =>
        {
            Fault::syntax(at, "an action is called without arguments")
                .help("write `name()`; only expressions take arguments")
        }
        ("", _) if scene.after_operand() => Fault::syntax(
            (scene.tokens[0].start, scene.before().map_or(0, |b| b.end)),
            format!("`{left}` is not a statement"),
        )
        .help(format!("to call an action, write `{left}()`; to write a field, `{left} = value`")),
        _ if scene.after_operand() => {
            Fault::syntax(at, format!("`=`, `+=` or `()` is wanted after `{left}`, not {}", describe(scene)))
        }
        _ => return None,
    };
    Some(fault)
}

fn type_fault(scene: &Scene) -> Fault {
    let at = scene.place();
    let found = describe(scene);
    match (scene.before_text(), scene.found_text()) {
        (_, "[") => Fault::syntax(at, "`[` cannot stand in a type").help("a list is written `list<T>`, a map `map<T>`"),
        (before, "<") if !before.is_empty() => Fault::syntax(at, format!("`{before}` takes no `<…>`"))
            .help("only `list<T>` and `map<T>` have an element type"),
        ("float" | "usd" | "bool" | "any" | "duration", "(") => {
            Fault::syntax(at, format!("`{}` cannot be bounded", scene.before_text()))
                .help("the bounded types are `int(0..9)`, `string(200)` and `list<T>(5)`")
        }
        ("int", _) => Fault::syntax(at, "a bounded `int` has a lowest and a highest value").help("int(0..9)"),
        ("string", "(") => Fault::syntax(at, "a bounded `string` has a largest length").help("string(200)"),
        ("enum", _) => Fault::syntax(at, "`enum` lists its members in parentheses").help("enum(open, closed)"),
        ("outputs", _) => Fault::syntax(at, "`outputs` takes the name of a graph file").help("outputs('child.yaml')"),
        ("map", "(") => Fault::syntax(at, "`map` takes an element type").help("map<int>; keys are always strings"),
        (_, ",") => Fault::syntax(at, "`,` cannot stand here").help("a map is written `map<T>`: its keys are always strings"),
        (before, _) if scene.found().is_some_and(|t| t.kind == TokenKind::Quoted) && matches!(before, "(" | ",") => {
            Fault::syntax(at, "the members of an enum are written without quotes")
        }
        (before, _) if scene.after_operand() || before == "?" || before == ">" => {
            Fault::syntax(at, format!("the type should end here; {found} cannot follow"))
        }
        _ => Fault::syntax(at, format!("a type is wanted here, not {found}"))
            .help("types are bool int float usd string duration any, list<T>, map<T>, enum(…) and the names of records"),
    }
}

fn place_fault(scene: &Scene) -> Fault {
    Fault::syntax(
        scene.place(),
        format!("a place to write to is wanted; {} cannot stand in it", describe(scene)),
    )
    .help("a place is a name with fields and indices: `plan.steps[0].done`")
}

fn field(scene: &Scene) -> Fault {
    let in_value =
        scene.tokens[..scene.index].iter().any(|t| matches!(t.text(scene.text), "=" | "where" | ">="));
    if !in_value {
        return type_fault(scene);
    }
    if scene.after_operand() && known_mistake(scene).is_none() && scene.open_conditional().is_none() {
        return Fault::syntax(
            scene.place(),
            format!("the field should end here; {} cannot follow", describe(scene)),
        )
        .help("a field is written `type`, `type = default` or `type = default where condition`");
    }
    expression(scene)
}

fn trigger(scene: &Scene) -> Fault {
    Fault::syntax(scene.place(), format!("a trigger is wanted; {} cannot stand here", describe(scene)))
        .help("triggers are done, error, error(kind), timeout, exhausted(budget) and unknown")
}

fn let_head(scene: &Scene) -> Fault {
    Fault::syntax(
        scene.place(),
        format!("a name is wanted, perhaps with parameters; {} cannot stand here", describe(scene)),
    )
    .help("write `name` or `name(a, b)`")
}

fn property(scene: &Scene) -> Fault {
    if scene.found().is_none() && scene.after_operand() {
        return Fault::syntax(scene.place(), "a property says when its expression must hold")
            .help("write `never E`, `always E`, `eventually E` or `A precedes B`");
    }
    expression(scene)
}
