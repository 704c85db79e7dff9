//! Texts that nodes show to models and people.

use super::context::Context;
use super::keys::Keys;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::node::TextSource;
use crate::model::types::{Kind, Type};
use crate::model::typing::Cx;
use crate::syntax::ast;
use crate::syntax::tree::KeyValue;
use crate::value::Value;

/// A text of the graph by name, or an expression of type string.
pub(super) fn text_key(cx: &Context<'_>, keys: &Keys<'_>, key: &str, at: &mut Cx<'_>) -> Option<TextSource> {
    match keys.value(key)? {
        KeyValue::Name(name) => {
            let expr = ast::Expr { kind: ast::ExprKind::Name(name.value.clone()), span: name.span };
            Some(text_source(cx, &expr, at))
        }
        KeyValue::Expr(expr) => Some(text_source(cx, expr, at)),
        _ => {
            let span = keys.span_of(key).unwrap_or(keys.span());
            at.report(Diagnostic::error(
                rule::WRONG_FORM,
                span,
                format!("`{key}` takes the name of a text or an expression"),
            ));
            None
        }
    }
}

/// A bare name is a text; where there is none of that name, it is an expression like others.
pub(super) fn text_source(cx: &Context<'_>, expr: &ast::Expr, at: &mut Cx<'_>) -> TextSource {
    let ast::ExprKind::Name(name) = &expr.kind else {
        let text = at.check(expr, &string());
        report_templates(&text, at);
        return TextSource::Expr(text);
    };
    if let Some(id) = cx.scope.text(name) {
        cx.scope.note_text(name, expr.span);
        at.note_rendering(id, expr.span);
        return TextSource::Text(id);
    }
    if at.can_see(name) {
        return TextSource::Expr(at.check(expr, &string()));
    }
    cx.scope.offer_texts(name);
    if at.recorder().is_probe(name) {
        at.infer(expr);
    }
    let fault = Diagnostic::error(rule::UNKNOWN_TEXT, expr.span, format!("there is no text `{name}`"));
    let mut names: Vec<&str> = cx.scope.text_names().collect();
    names.sort_unstable();
    at.report(fault.meant_or(
        nearest(name, names),
        format!("declare it under `texts`, or write the text itself in quotes: \"'{name} …'\""),
    ));
    TextSource::Expr(Expr { kind: ExprKind::Error, ty: Type::of(Kind::Error), span: expr.span })
}

/// A text in quotes is taken as it is: marks of templates in it are meant otherwise.
fn report_templates(text: &Expr, at: &mut Cx<'_>) {
    text.walk(&mut |part| {
        let ExprKind::Const(Value::Str(words)) = &part.kind else { return };
        let Some(mark) = ["{{", "{%"].into_iter().find(|mark| words.contains(mark)) else { return };
        let message = format!("`{mark}` in quotes is not a template: it is shown as it is");
        let fault = Diagnostic::warning(rule::TEMPLATE_IN_QUOTES, part.span, message);
        at.report(fault.help(
            "write an expression, such as 'About ' + topic; a text that is filled in is written `text '…'` in the loop DSL and \
             `{text: …}` in YAML, or stands under `texts` and has its name here",
        ));
    });
}

/// The type of a text.
pub(super) fn string() -> Type {
    Type::of(Kind::String(None))
}
