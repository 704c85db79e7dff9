//! The meaning of each name in a file, for colours.

use ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
};

use super::document::LspDocument;
use super::name_index::IndexedUse;
use crate::model::name_use::NameKind;

/// The types of tokens; a kind of name has the number of its type here.
const TYPES: [SemanticTokenType; 10] = [
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::EVENT,
    SemanticTokenType::STRING,
    SemanticTokenType::KEYWORD,
];

/// The legend of the numbers in tokens.
pub(super) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.to_vec(),
        token_modifiers: vec![SemanticTokenModifier::DECLARATION, SemanticTokenModifier::READONLY],
    }
}

/// The type of a name, and true if its value never changes in a run.
fn meaning(kind: NameKind) -> (SemanticTokenType, bool) {
    match kind {
        NameKind::Input | NameKind::Let => (SemanticTokenType::VARIABLE, true),
        NameKind::State | NameKind::Budget | NameKind::Meter => (SemanticTokenType::VARIABLE, false),
        NameKind::Local => (SemanticTokenType::PARAMETER, true),
        NameKind::Field => (SemanticTokenType::PROPERTY, false),
        NameKind::Function | NameKind::Action | NameKind::Tool => (SemanticTokenType::FUNCTION, false),
        NameKind::Type | NameKind::Role => (SemanticTokenType::TYPE, false),
        NameKind::Member => (SemanticTokenType::ENUM_MEMBER, false),
        NameKind::Node | NameKind::Graph => (SemanticTokenType::NAMESPACE, false),
        NameKind::Error => (SemanticTokenType::EVENT, false),
        NameKind::Text | NameKind::File => (SemanticTokenType::STRING, false),
        NameKind::Supplied => (SemanticTokenType::KEYWORD, false),
    }
}

impl LspDocument<'_> {
    /// The tokens of the file, in order of the text.
    pub(super) fn tokens(&self) -> SemanticTokens {
        let Some(examined) = self.examinations().next() else { return SemanticTokens::default() };
        let index = self.index();
        let (mut data, mut line, mut column, mut end) = (Vec::new(), 0, 0, 0);
        let uses = examined.names.of_file(&self.name);
        for one in uses.iter().filter(|one| one.is_literal) {
            let range = index.range(one.place.start, one.place.end);
            // A later token may not begin within this one.
            if one.place.start < end || range.start.line != range.end.line {
                continue;
            }
            end = one.place.end;
            let (token_type, token_modifiers_bitset) = numbers(one);
            let delta_line = range.start.line - line;
            let delta_start = range.start.character - if delta_line == 0 { column } else { 0 };
            let length = range.end.character - range.start.character;
            data.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset });
            (line, column) = (range.start.line, range.start.character);
        }
        SemanticTokens { result_id: None, data }
    }
}

fn numbers(one: &IndexedUse) -> (u32, u32) {
    let (own, is_readonly) = meaning(one.kind);
    let at = TYPES.iter().position(|ty| *ty == own).and_then(|at| u32::try_from(at).ok()).unwrap_or_default();
    (at, u32::from(one.is_definition()) | u32::from(is_readonly) << 1)
}
