//! What is known of the prompt templates before anything runs: faults of their syntax, the variables they use, what they include.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use minijinja::{Environment, Error};

use super::metered::Metered;
use crate::value::Str;

/// Names that templates have without being given them.
const GLOBALS: [&str; 5] = ["range", "dict", "namespace", "self", "super"];

/// The deepest chain of texts that include each other.
const MAX_CHAIN: usize = 16;

/// The longest text that is looked at with all it includes, in bytes.
const MAX_LENGTH: usize = 4 << 20;

/// A fault of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    /// The text's name.
    pub text: Str,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// The line in the text, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The bytes of the text that are meant.
    pub range: Range<usize>,
}

impl std::fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, message, line, column, .. } = self;
        write!(f, "text `{text}`, line {line}, column {column}: {message}")
    }
}

impl TemplateFault {
    /// A fault at some bytes of a text.
    #[must_use]
    pub fn new(text: Str, source: &str, range: Range<usize>, message: String) -> Self {
        let before = source.get(..range.start).unwrap_or(source);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            text,
            message,
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            range,
        }
    }
}

/// A place where a text takes in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inclusion {
    /// The other text's name.
    pub name: Str,
    /// The bytes of the quoted name.
    pub range: Range<usize>,
    /// The bytes of the whole `{% … %}`.
    block: Range<usize>,
    /// Whether the other one is put in this place, as by `include`; `import` and `extends` take it in otherwise.
    inline: bool,
    /// Whether it may be missing.
    optional: bool,
}

/// A place where a text takes in another one whose name is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Computed {
    /// The expression for the name, as it is written.
    pub expression: String,
    /// The bytes of the whole `{% … %}`.
    block: Range<usize>,
}

/// What is known of one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextFacts {
    /// The variables that must come from outside, in the order of the alphabet, those of included texts as well.
    pub variables: Vec<Str>,
    /// The same with their fields as far as they are written: `answer.tool_call.id`.
    pub paths: Vec<Str>,
    /// What it includes by a name that is written out.
    pub inclusions: Vec<Inclusion>,
    /// What it includes by a name that is computed: then it may use the variables of any text.
    pub computed: Vec<Computed>,
}

/// All texts of a graph, looked through.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    facts: BTreeMap<Str, TextFacts>,
}

impl Texts {
    /// Looks through the texts of a graph, given by name.
    ///
    /// # Errors
    /// Every text that is no template, and every inclusion of a text that does not exist.
    pub fn new<'a>(texts: impl IntoIterator<Item = (Str, &'a str)>) -> Result<Self, Vec<TemplateFault>> {
        let sources: BTreeMap<Str, &str> = texts.into_iter().collect();
        let mut faults = Vec::new();
        let mut facts = BTreeMap::new();
        for (name, source) in &sources {
            let (inclusions, computed) = inclusions(source);
            faults.extend(syntax_fault(name, source));
            faults.extend(
                inclusions
                    .iter()
                    .filter(|other| !other.optional && !sources.contains_key(&other.name))
                    .map(|other| missing(name, source, other)),
            );
            facts.insert(name.clone(), TextFacts { inclusions, computed, ..TextFacts::default() });
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut texts = Self { facts };
        texts.find_variables(&sources);
        Ok(texts)
    }

    /// What is known of a text.
    #[must_use]
    pub fn facts(&self, name: &str) -> Option<&TextFacts> {
        self.facts.get(name)
    }

    fn find_variables(&mut self, sources: &BTreeMap<Str, &str>) {
        let found: Vec<_> =
            sources.keys().map(|name| (name.clone(), self.undeclared(name, sources))).collect();
        let all: (BTreeSet<Str>, BTreeSet<Str>) = found.iter().fold(<_>::default(), |mut all, (_, own)| {
            all.0.extend(own.0.iter().cloned());
            all.1.extend(own.1.iter().cloned());
            all
        });
        for (name, own) in found {
            let any = self
                .reach(&name)
                .iter()
                .any(|other| self.facts(other).is_some_and(|facts| !facts.computed.is_empty()));
            let (variables, paths) = if any { all.clone() } else { own };
            if let Some(facts) = self.facts.get_mut(&name) {
                facts.variables = variables.into_iter().collect();
                facts.paths = paths.into_iter().collect();
            }
        }
    }

    /// The variables and the paths of a text with all it takes in.
    fn undeclared(&self, name: &Str, sources: &BTreeMap<Str, &str>) -> (BTreeSet<Str>, BTreeSet<Str>) {
        let mut variables = BTreeSet::new();
        let mut paths = BTreeSet::new();
        for (place, other) in self.reach(name).into_iter().enumerate() {
            // What is put in place is seen there, with the variables that are set around it.
            let by_import = place == 0 || self.taken_otherwise(&other);
            if !by_import {
                continue;
            }
            let mut whole = String::new();
            self.expand(&other, sources, 0, &mut whole);
            let environment = Environment::new();
            let paying = Metered::new(&whole).text;
            let Ok(template) = environment.template_from_str(&paying) else { continue };
            let own = |name: &String| !GLOBALS.contains(&name.split('.').next().unwrap_or_default());
            variables.extend(template.undeclared_variables(false).into_iter().filter(own).map(Str::from));
            paths.extend(template.undeclared_variables(true).into_iter().filter(own).map(Str::from));
        }
        (variables, paths)
    }

    /// Whether some text imports or extends this one.
    fn taken_otherwise(&self, name: &str) -> bool {
        self.facts
            .values()
            .flat_map(|facts| &facts.inclusions)
            .any(|other| !other.inline && other.name == name)
    }

    /// The text and all it takes in, directly or not.
    fn reach(&self, name: &Str) -> Vec<Str> {
        let mut reached = vec![name.clone()];
        let mut at = 0;
        while let Some(facts) = reached.get(at).map(|name| self.facts(name)) {
            for other in facts.into_iter().flat_map(|facts| &facts.inclusions) {
                if !reached.contains(&other.name) {
                    reached.push(other.name.clone());
                }
            }
            at += 1;
        }
        reached
    }

    /// Writes a text with the included ones in their places.
    fn expand(&self, name: &Str, sources: &BTreeMap<Str, &str>, depth: usize, out: &mut String) {
        let (Some(source), Some(facts)) = (sources.get(name), self.facts(name)) else { return };
        let named =
            facts.inclusions.iter().filter(|other| other.inline).map(|other| (&other.block, Ok(&other.name)));
        let computed = facts.computed.iter().map(|other| (&other.block, Err(&other.expression)));
        let mut blocks: Vec<_> = named.chain(computed).collect();
        blocks.sort_by_key(|(block, _)| block.start);
        let mut from = 0;
        for (block, other) in blocks {
            out.push_str(&source[from..block.start]);
            from = block.end;
            match other {
                Ok(name) if depth < MAX_CHAIN && out.len() < MAX_LENGTH => {
                    self.expand(name, sources, depth + 1, out);
                }
                Ok(_) => {}
                // The variables of the name count as well.
                Err(expression) => out.extend(["{{ ", expression, " }}"]),
            }
        }
        out.push_str(&source[from..]);
    }
}

fn missing(name: &Str, source: &str, other: &Inclusion) -> TemplateFault {
    let message = format!("there is no text `{}`", other.name);
    TemplateFault::new(name.clone(), source, other.range.clone(), message)
}

fn syntax_fault(name: &Str, source: &str) -> Option<TemplateFault> {
    let mut environment = Environment::new();
    environment.set_debug(true);
    let metered = Metered::new(source);
    let error = environment.template_from_named_str(name, &metered.text).err()?;
    Some(template_fault(name, source, &metered, &error))
}

/// An error of the template engine, which was given the text as it pays, as a fault of the text as it was written.
#[must_use]
pub fn template_fault(name: &Str, source: &str, metered: &Metered, error: &Error) -> TemplateFault {
    let range = error.range().filter(|range| metered.text.get(range.clone()).is_some());
    let range = range.map(|range| metered.original(range));
    let range = range.filter(|range| source.get(range.clone()).is_some());
    let range = range.unwrap_or_else(|| {
        let start = source
            .split_inclusive('\n')
            .take(error.line().unwrap_or(1).saturating_sub(1))
            .map(str::len)
            .sum();
        start..start
    });
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    TemplateFault::new(name.clone(), source, range, message)
}

/// The places where a text takes in others, by written and by computed names.
fn inclusions(source: &str) -> (Vec<Inclusion>, Vec<Computed>) {
    let mut found = Vec::new();
    let mut computed = Vec::new();
    let mut at = 0;
    let mut raw = false;
    while let Some(open) = source[at..].find('{').map(|start| at + start) {
        let rest = &source[open..];
        let (close, is_block) = match rest.as_bytes().get(1) {
            Some(b'#') if !raw => (rest.find("#}"), false),
            Some(b'{') if !raw => (rest.find("}}"), false),
            Some(b'%') => (rest.find("%}"), true),
            _ => (Some(0), false),
        };
        let Some(close) = close else { break };
        let end = if close == 0 { open + 1 } else { open + close + 2 };
        at = end;
        if !is_block {
            continue;
        }
        let inside =
            source[open + 2..end - 2].trim_start_matches(['-', '+']).trim_end_matches(['-', '+']).trim();
        let (word, argument) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        match word {
            "raw" => raw = true,
            "endraw" => raw = false,
            "include" | "import" | "extends" | "from" if !raw => {
                match inclusion(source, open..end, word, argument.trim_start()) {
                    Some(inclusion) => found.push(inclusion),
                    None => {
                        computed.push(Computed { expression: name_expression(argument), block: open..end });
                    }
                }
            }
            _ => {}
        }
    }
    (found, computed)
}

/// The expression behind `include` and its like, without what follows it.
fn name_expression(argument: &str) -> String {
    let endings = [" ignore missing", " with context", " without context", " import ", " as "];
    let end = endings.iter().filter_map(|ending| argument.find(ending)).min().unwrap_or(argument.len());
    argument[..end].trim().to_owned()
}

/// Reads the quoted name behind `include` and its like; `None` if it is an expression.
fn inclusion(source: &str, block: Range<usize>, word: &str, argument: &str) -> Option<Inclusion> {
    let quote = argument.chars().next().filter(|char| matches!(char, '\'' | '"'))?;
    let (name, behind) = argument[1..].split_once(quote)?;
    let behind = behind.trim();
    let plain = ["", "ignore missing", "with context", "without context"];
    let inline = word == "include";
    if (inline || word == "extends") && !plain.contains(&behind) && !behind.starts_with("ignore") {
        return None;
    }
    let start = block.start + source[block.clone()].find(argument)?;
    let range = start..start + name.len() + 2;
    Some(Inclusion { name: name.into(), range, block, inline, optional: behind.contains("ignore missing") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(texts: &[(&str, &str)], name: &str) -> (Vec<Str>, Vec<Str>) {
        let texts =
            Texts::new(texts.iter().map(|(name, source)| ((*name).into(), *source))).expect("templates");
        let facts = texts.facts(name).expect("there");
        (facts.variables.clone(), facts.paths.clone())
    }

    fn variables(texts: &[(&str, &str)], name: &str) -> Vec<Str> {
        facts(texts, name).0
    }

    fn faults(source: &str) -> Vec<String> {
        let texts = [(Str::from("prompt"), source), ("other".into(), "{{ x }}")];
        Texts::new(texts).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn variables_are_those_that_come_from_outside() {
        let text = "{% for n in range(3) %}{{ n }}{{ user.name }}{% endfor %}{% set y = z %}{{ y }}";
        assert_eq!(
            facts(&[("t", text)], "t"),
            (vec!["user".into(), "z".into()], vec!["user.name".into(), "z".into()])
        );
    }

    #[test]
    fn an_included_text_brings_its_variables() {
        let texts = [
            ("a", "{% set set_here = 1 %}{% include 'b' %}{{ x }}"),
            ("b", "{{ set_here }}{{ y }}{%- include \"c\" ignore missing -%}"),
            ("c", "{{ z }}"),
            ("d", "{% import 'e' as e %}{{ e.m(x) }}"),
            ("e", "{% macro m(a) %}{{ a }}{{ outer }}{% endmacro %}"),
            ("f", "{% include name %}"),
            ("g", "{# {% include 'b' %} #}{% raw %}{% include 'b' %}{% endraw %}"),
            ("h", "{% include 'h' %}{{ x }}"),
        ];
        assert_eq!(variables(&texts, "a"), ["x", "y", "z"]);
        assert_eq!(variables(&texts, "b"), ["set_here", "y", "z"]);
        assert_eq!(variables(&texts, "d"), ["outer", "x"]);
        assert_eq!(variables(&texts, "f"), ["name", "outer", "set_here", "x", "y", "z"]);
        assert!(variables(&texts, "g").is_empty());
        assert_eq!(variables(&texts, "h"), ["x"]);
    }

    #[test]
    fn faults_say_where() {
        assert_eq!(
            faults("fine\n  {% include 'nix' %}"),
            ["text `prompt`, line 2, column 14: there is no text `nix`"]
        );
        assert_eq!(faults("{% include 'nix' ignore missing %}"), Vec::<String>::new());
        assert_eq!(
            faults("a\né {% if x %}"),
            ["text `prompt`, line 2, column 11: unexpected end of input, expected end of block"]
        );
        assert_eq!(
            faults("{{ x y }}"),
            ["text `prompt`, line 1, column 6: unexpected identifier, expected end of variable block"]
        );
        for odd in
            ["{", "{%", "{% include", "{% include %}", "{#", "{{ '", "{% include 'x", "{%-%}", "{% - %}"]
        {
            let _ = faults(odd);
        }
    }

    #[test]
    fn texts_that_include_each_other_end() {
        let texts = [
            ("a", "{% include 'b' %}{% include 'b' %}{{ x }}"),
            ("b", "{% include 'a' %}{% include 'a' %}{{ y }}"),
        ];
        assert_eq!(variables(&texts, "a"), ["x", "y"]);
    }
}
