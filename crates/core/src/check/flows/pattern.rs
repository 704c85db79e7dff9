//! Patterns of sources and targets, as a policy writes them.

use super::source::FlowSource;
use super::target::FlowTarget;
use crate::value::Str;

/// A pattern of sources: `tool:NAME`, `model:ROLE`, `input:NAME`, `person`, `operator`. In a name `*` stands for any
/// characters; a last `.*` also stands for nothing, so that `tool:web.*` is the tool `web` and every tool of a server `web`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePattern {
    kind: SourceKind,
    name: Glob,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceKind {
    Operator,
    Input,
    Person,
    Model,
    Tool,
}

/// A pattern of targets: `tool:NAME.ARGUMENT`, `call:NAME`, `model:ROLE`, `ask:NODE`, `output:NAME`, `outcome`. What follows
/// the last dot of `tool:` is the argument, and the whole is tried as the name of a tool as well, with any argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPattern {
    kind: TargetKind,
    name: Glob,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    Argument,
    Call,
    Model,
    Ask,
    Outcome,
    Output,
}

/// The fault of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternFault {
    /// Its kind is none; the words are those that there are.
    Kind(&'static [&'static str]),
    /// A name is missing, or one stands where none is wanted.
    Name,
    /// A character that no name has.
    Character(char),
}

const SOURCES: [(&str, SourceKind); 5] = [
    ("tool", SourceKind::Tool),
    ("model", SourceKind::Model),
    ("input", SourceKind::Input),
    ("person", SourceKind::Person),
    ("operator", SourceKind::Operator),
];

const TARGETS: [(&str, TargetKind); 6] = [
    ("tool", TargetKind::Argument),
    ("call", TargetKind::Call),
    ("model", TargetKind::Model),
    ("ask", TargetKind::Ask),
    ("output", TargetKind::Output),
    ("outcome", TargetKind::Outcome),
];

impl SourcePattern {
    /// The forms that there are.
    pub const FORMS: &'static [&'static str] =
        &["tool:NAME", "model:ROLE", "input:NAME", "person", "operator"];

    /// Reads a pattern.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str) -> Result<Self, PatternFault> {
        let alone = |kind: SourceKind| matches!(kind, SourceKind::Person | SourceKind::Operator);
        let (kind, name) = read(text, &SOURCES, alone, Self::FORMS)?;
        Ok(Self { kind, name })
    }

    /// True for a source that is meant, or may be.
    #[must_use]
    pub fn matches(&self, source: &FlowSource) -> bool {
        let name = match (self.kind, source) {
            (SourceKind::Operator, FlowSource::Operator) | (SourceKind::Person, FlowSource::Person) => {
                return true;
            }
            (SourceKind::Input, FlowSource::Input(name)) => Some(name),
            (SourceKind::Model, FlowSource::Model(name)) | (SourceKind::Tool, FlowSource::Tool(name)) => {
                name.as_ref()
            }
            _ => return false,
        };
        self.name.may_be(name) || self.kind == SourceKind::Tool && self.name.without_members().may_be(name)
    }
}

impl TargetPattern {
    /// The forms that there are.
    pub const FORMS: &'static [&'static str] =
        &["tool:NAME.ARGUMENT", "call:NAME", "model:ROLE", "ask:NODE", "output:NAME", "outcome"];

    /// Reads a pattern.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str) -> Result<Self, PatternFault> {
        let (kind, name) = read(text, &TARGETS, |kind| kind == TargetKind::Outcome, Self::FORMS)?;
        Ok(Self { kind, name })
    }

    /// True for a target that is meant, or may be.
    #[must_use]
    pub fn matches(&self, target: &FlowTarget) -> bool {
        match (self.kind, target) {
            (TargetKind::Argument, FlowTarget::Argument { tool, argument }) => {
                let (tool, argument) = (tool.as_ref(), argument.as_ref());
                self.name.may_be(tool)
                    || self.name.without_members().may_be(tool)
                    || self.names_argument(tool, argument)
            }
            (TargetKind::Call, FlowTarget::Call(tool)) => {
                self.name.may_be(tool.as_ref()) || self.name.without_members().may_be(tool.as_ref())
            }
            (TargetKind::Model, FlowTarget::Model(role)) => self.name.may_be(role.as_ref()),
            (TargetKind::Ask, FlowTarget::Ask(name)) | (TargetKind::Output, FlowTarget::Output(name)) => {
                self.name.may_be(Some(name))
            }
            (TargetKind::Outcome, FlowTarget::Outcome) => true,
            _ => false,
        }
    }

    fn names_argument(&self, tool: Option<&Str>, argument: Option<&Str>) -> bool {
        let Some((name, last)) = self.name.0.rsplit_once('.') else { return false };
        let name = Glob(name.into());
        (name.may_be(tool) || name.without_members().may_be(tool)) && Glob(last.into()).may_be(argument)
    }
}

fn read<K: Copy>(
    text: &str,
    kinds: &[(&'static str, K)],
    stands_alone: impl Fn(K) -> bool,
    forms: &'static [&'static str],
) -> Result<(K, Glob), PatternFault> {
    let (word, name) = text.split_once(':').map_or((text, None), |(word, name)| (word, Some(name)));
    let kind = kinds.iter().find(|(own, _)| *own == word).map(|(_, kind)| *kind);
    let kind = kind.ok_or(PatternFault::Kind(forms))?;
    let name = match (name, stands_alone(kind)) {
        (None, true) => "",
        (Some(name), false) if !name.is_empty() => name,
        _ => return Err(PatternFault::Name),
    };
    let is_known = |c: &char| c.is_ascii_alphanumeric() || "_-.*".contains(*c);
    match name.chars().find(|c| !is_known(c)) {
        Some(other) => Err(PatternFault::Character(other)),
        None => Ok((kind, Glob(name.into()))),
    }
}

/// A name in which `*` stands for any characters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Glob(Str);

impl Glob {
    /// True for a name that fits, and for one that is not known.
    fn may_be(&self, name: Option<&Str>) -> bool {
        let Some(name) = name else { return true };
        let mut pieces = self.0.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = name.as_str().strip_prefix(first) else { return false };
        let Some(last) = pieces.next_back() else { return rest.is_empty() };
        for piece in pieces {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last)
    }

    /// The name of what has members, where all of them are meant.
    fn without_members(&self) -> Self {
        Self(self.0.strip_suffix(".*").unwrap_or(&self.0).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(pattern: &str, tool: &str) -> bool {
        SourcePattern::read(pattern).expect("a pattern").matches(&FlowSource::Tool(Some(tool.into())))
    }

    fn target(pattern: &str, tool: &str, argument: &str) -> bool {
        let target = FlowTarget::Argument { tool: Some(tool.into()), argument: Some(argument.into()) };
        TargetPattern::read(pattern).expect("a pattern").matches(&target)
    }

    #[test]
    fn a_star_is_any_characters() {
        assert!(source("tool:*", "web") && source("tool:w*b", "web") && source("tool:*e*", "web"));
        assert!(!source("tool:w*x", "web") && !source("tool:we", "web") && !source("tool:web*b", "web"));
        assert!(
            source("tool:web.*", "web.fetch") && source("tool:web.*", "web") && !source("tool:web.*", "webs")
        );
        assert!(source("tool:fs.read_*", "fs.read_file") && !source("tool:fs.read_*", "fs.write_file"));
    }

    #[test]
    fn the_argument_follows_the_last_dot() {
        assert!(
            target("tool:shell.command", "shell", "command")
                && !target("tool:shell.command", "shell", "folder")
        );
        assert!(
            target("tool:shell.*.command", "shell.run", "command")
                && target("tool:shell.*.command", "shell", "command")
        );
        assert!(!target("tool:shell.*.command", "shell.run", "folder"));
        // Too much is refused rather than too little.
        assert!(target("tool:shell", "shell", "command") && target("tool:shell.*", "shell.run", "command"));
        assert!(
            target("tool:shell.run", "shell.run", "command")
                && !target("tool:shell.run", "shell.stop", "command")
        );
    }

    #[test]
    fn what_is_not_known_may_be_meant() {
        let any = FlowTarget::Argument { tool: None, argument: None };
        assert!(TargetPattern::read("tool:pay.amount").expect("a pattern").matches(&any));
        assert!(SourcePattern::read("model:clerk").expect("a pattern").matches(&FlowSource::Model(None)));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert_eq!(SourcePattern::read("person:me"), Err(PatternFault::Name));
        assert_eq!(SourcePattern::read("tool"), Err(PatternFault::Name));
        assert_eq!(SourcePattern::read("tool:a b"), Err(PatternFault::Character(' ')));
        assert_eq!(TargetPattern::read("person"), Err(PatternFault::Kind(TargetPattern::FORMS)));
    }
}
