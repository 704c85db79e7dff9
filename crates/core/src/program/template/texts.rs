//! Facts about templates before anything runs: faults of their syntax, the variables they use, what they include.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::expansion::Expansion;
use super::fault::{TemplateFault, missing, syntax_fault};
use super::inclusion::{Inclusions, inclusions};
use crate::value::Str;

/// All texts of a graph, looked through.
#[derive(Debug, Clone, Default)]
pub struct TemplateTexts {
    /// By the name of the text, the variables that must come from outside.
    variables: BTreeMap<Str, Arc<[Str]>>,
    /// Those among them that are only cut slices of.
    sliced: BTreeMap<Str, BTreeSet<Str>>,
    /// By the name of the text, those that it takes in itself; nothing where a name among them is computed.
    taken: BTreeMap<Str, Option<Vec<Str>>>,
}

impl TemplateTexts {
    /// Looks through the texts of a graph, given by name.
    ///
    /// # Errors
    /// Every text that is no template, and every inclusion of a text that does not exist. Or a limit: how deep and how
    /// often the texts include each other, and how long they are with what they include.
    pub fn new<'a>(texts: impl IntoIterator<Item = (Str, &'a str)>) -> Result<Self, Vec<TemplateFault>> {
        let sources: BTreeMap<Str, &str> = texts.into_iter().collect();
        let mut faults = Vec::new();
        let mut taken = BTreeMap::new();
        for (name, source) in &sources {
            let own = inclusions(source);
            faults.extend(syntax_fault(name, source));
            let lost = own.named.iter().filter(|other| !other.optional && !sources.contains_key(&other.name));
            faults.extend(lost.map(|other| missing(name, source, other)));
            taken.insert(name.clone(), own);
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        variables(&sources, &taken).map_err(|fault| vec![fault])
    }

    /// The variables that a text takes from outside, in the order of the alphabet, those of included texts as well.
    #[must_use]
    pub fn variables(&self, name: &str) -> &[Str] {
        self.variables.get(name).map_or(&[], |own| own)
    }

    /// True if all that a text does with a variable is to cut slices of it.
    #[must_use]
    pub fn only_slices(&self, name: &str, variable: &str) -> bool {
        self.sliced.get(name).is_some_and(|sliced| sliced.contains(variable))
    }

    /// A text and all that it takes in; nothing where that may be any text.
    #[must_use]
    pub fn parts<'t>(&'t self, name: &'t str) -> Option<BTreeSet<&'t str>> {
        let (mut found, mut open) = (BTreeSet::new(), vec![name]);
        while let Some(next) = open.pop() {
            if found.insert(next)
                && let Some(taken) = self.taken.get(next)
            {
                open.extend(taken.as_ref()?.iter().map(Str::as_str));
            }
        }
        Some(found)
    }
}

fn variables(
    sources: &BTreeMap<Str, &str>,
    inclusions: &BTreeMap<Str, Inclusions>,
) -> Result<TemplateTexts, TemplateFault> {
    let mut expansion = Expansion::new(sources, inclusions);
    let found = sources.keys().map(|name| Ok((name, expansion.needs(name)?)));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    // What is taken in by a computed name may be any text.
    let all: BTreeSet<Str> = found.iter().flat_map(|(_, needs)| &needs.variables).cloned().collect();
    let all_sliced: BTreeSet<Str> = found.iter().flat_map(|(_, needs)| &needs.sliced).cloned().collect();
    let all_sliced: BTreeSet<Str> = all_sliced.difference(&all).cloned().collect();
    let mut texts = TemplateTexts::default();
    for (name, own) in inclusions {
        let named =
            own.computed.is_empty().then(|| own.named.iter().map(|other| other.name.clone()).collect());
        texts.taken.insert(name.clone(), named);
    }
    for (name, needs) in found {
        let (own, sliced) =
            if needs.is_computed { (&all, &all_sliced) } else { (&needs.variables, &needs.sliced) };
        let every: BTreeSet<Str> = own.union(sliced).cloned().collect();
        texts.variables.insert(name.clone(), every.into_iter().collect());
        if !sliced.is_empty() {
            texts.sliced.insert(name.clone(), sliced.clone());
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_through(texts: &[(&str, &str)]) -> Result<TemplateTexts, Vec<TemplateFault>> {
        TemplateTexts::new(texts.iter().map(|(name, source)| ((*name).into(), *source)))
    }

    fn variables(texts: &[(&str, &str)], name: &str) -> Vec<Str> {
        looked_through(texts).expect("templates").variables(name).to_vec()
    }

    fn faults(source: &str) -> Vec<String> {
        let texts = [(Str::from("prompt"), source), ("other".into(), "{{ x }}")];
        TemplateTexts::new(texts).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn variables_are_those_that_come_from_outside() {
        let text = "{% for n in range(3) %}{{ n }}{{ user.name }}{% endfor %}{% set y = z %}{{ y }}";
        assert_eq!(variables(&[("t", text)], "t"), ["user", "z"]);
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
            ("i", "{% set set_here = '%}{% include \"b\" %}' %}{{ '}}{% include \"c\" %}' }}"),
            ("j", "{% include other.as ~ '%}' ~ x ignore missing %}"),
        ];
        assert_eq!(variables(&texts, "a"), ["x", "y", "z"]);
        assert_eq!(variables(&texts, "b"), ["set_here", "y", "z"]);
        assert_eq!(variables(&texts, "d"), ["outer", "x"]);
        assert_eq!(variables(&texts, "f"), ["name", "other", "outer", "set_here", "x", "y", "z"]);
        assert!(variables(&texts, "g").is_empty());
        assert_eq!(variables(&texts, "h"), ["x"]);
        assert!(variables(&texts, "i").is_empty(), "what stands in quotes includes nothing");
    }

    #[test]
    fn faults_say_where() {
        assert_eq!(
            faults("fine\n  {% include 'nix' %}"),
            ["text `prompt`, line 2, column 14: there is no text `nix`"]
        );
        assert_eq!(faults("{% include 'nix' ignore missing %}"), Vec::<String>::new());
        assert_eq!(faults("{% set x = '%}{% include \"nix\" %}' %}"), Vec::<String>::new());
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
            ("c", &"{% include 'c' %}".repeat(1_000)),
        ];
        assert_eq!(variables(&texts, "a"), ["x", "y"]);
        assert!(variables(&texts, "c").is_empty());
    }

    #[test]
    fn limits_are_one_fault() {
        let message = |texts: &[(String, String)]| {
            let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            let faults = looked_through(&texts).expect_err("too much");
            assert_eq!(faults.len(), 1);
            faults[0].to_string()
        };
        let chain = |times: usize, rest: &str| -> Vec<_> {
            let include = |i: usize| format!("{{% include 't{:02}' %}}", i + 1).repeat(times) + rest;
            (0..=20).map(|i| (format!("t{i:02}"), if i < 20 { include(i) } else { String::new() })).collect()
        };
        assert_eq!(
            message(&chain(1, "")),
            "text `t16`, line 1, column 12: texts include each other more than 16 deep"
        );
        let twice = chain(2, "");
        assert_eq!(
            message(&twice[6..]),
            "text `t16`, line 1, column 31: the texts up to here take in others more than 50000 times"
        );
        let long = chain(2, &"x".repeat(10_000));
        assert!(message(&long[6..]).ends_with("the texts up to here are longer than 8 MiB"));
    }
}
