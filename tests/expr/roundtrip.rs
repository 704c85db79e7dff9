//! Printing a tree and reading it again gives the same tree.

use loopwright::source::{FileId, Fragment, Span, Spanned};
use loopwright::syntax::ast::{
    BinaryOp, Block, Expr, ExprKind, Literal, LoopNames, Name, Place, PlaceStep, Statement, StatementKind,
    TypeExpr, TypeKind, UnaryOp,
};
use loopwright::syntax::{expr, print};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::shape;

fn name() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["a", "b1", "_c", "Upper", "state", "isle", "e5", "s", "r", "b", "notes", "x_y"])
        .prop_map(|n| Spanned::new(n.to_owned(), Span::default()))
}

/// A name where any word may stand.
fn word() -> impl Strategy<Value = Name> {
    prop_oneof![name(), Just(Spanned::new("when".to_owned(), Span::default()))]
}

fn literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Bool),
        any::<i64>().prop_map(Literal::Int),
        (-3_i64..3).prop_map(Literal::Int),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Literal::Float),
        (-100_i32..100).prop_map(|i| Literal::Float(f64::from(i) / 8.0)),
        "\\PC{0,8}".prop_map(Literal::String),
        "['\"\\\\\n\t\r\u{0}ab\u{200b}]{0,5}".prop_map(Literal::String),
        any::<i64>().prop_map(Literal::Duration),
        Just(Literal::Duration(i64::MIN)),
        (-5_i64..5).prop_map(|i| Literal::Duration(i * 30_000_000_000)),
    ]
}

fn binary() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::{Add, And, Coalesce, Div, Eq, Ge, Gt, In, Le, Lt, Mul, Ne, Or, Rem, Sub};
    prop::sample::select(vec![Coalesce, Or, And, Eq, Ne, Lt, Le, Gt, Ge, In, Add, Sub, Mul, Div, Rem])
}

fn node(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn ty() -> impl Strategy<Value = TypeExpr> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["int", "string", "any", "Order"])
            .prop_map(|n| TypeKind::Name(n.to_owned())),
        (any::<i64>(), any::<i64>()).prop_map(|(a, b)| TypeKind::IntRange(a.min(b), a.max(b))),
        (0..i64::MAX.unsigned_abs()).prop_map(TypeKind::StringMax),
        vec(word(), 1..4).prop_map(TypeKind::Enum),
        "\\PC{0,6}".prop_map(|f| TypeKind::Outputs(Spanned::new(f, Span::default()))),
    ];
    let whole = |(kind, nullable)| TypeExpr { kind, nullable, span: Span::default() };
    (leaf, any::<bool>()).prop_map(whole).prop_recursive(3, 6, 1, move |inner| {
        let kind = prop_oneof![
            (inner.clone(), option::of(0..99_u64)).prop_map(|(t, most)| TypeKind::List(Box::new(t), most)),
            inner.prop_map(|t| TypeKind::Map(Box::new(t))),
        ];
        (kind, any::<bool>()).prop_map(whole)
    })
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf =
        prop_oneof![literal().prop_map(ExprKind::Literal), name().prop_map(|n| ExprKind::Name(n.value))];
    leaf.prop_map(node).prop_recursive(5, 40, 4, |inner| {
        let b = |e: Expr| Box::new(e);
        let e = inner.clone();
        prop_oneof![
            (e.clone(), word()).prop_map(move |(a, f)| ExprKind::Field(b(a), f)),
            (e.clone(), e.clone()).prop_map(move |(a, i)| ExprKind::Index(b(a), b(i))),
            (option::of(e.clone()), name(), vec(e.clone(), 0..3))
                .prop_map(move |(r, name, args)| ExprKind::Call { receiver: r.map(b), name, args }),
            (e.clone(), ty()).prop_map(move |(a, t)| ExprKind::Is(b(a), Box::new(t))),
            (prop::sample::select(vec![UnaryOp::Not, UnaryOp::Negate]), e.clone())
                .prop_map(move |(op, a)| ExprKind::Unary(op, b(a))),
            (binary(), e.clone(), e.clone()).prop_map(move |(op, l, r)| ExprKind::Binary(
                Spanned::new(op, Span::default()),
                b(l),
                b(r)
            )),
            (e.clone(), e.clone(), e.clone()).prop_map(move |(c, x, y)| ExprKind::Conditional(
                b(c),
                b(x),
                b(y)
            )),
            vec(e.clone(), 0..3).prop_map(ExprKind::List),
            vec((e.clone(), e.clone()), 0..3).prop_map(ExprKind::Map),
            (Just(Spanned::new("Order".to_owned(), Span::default())), vec((word(), e), 0..3))
                .prop_map(|(n, fields)| ExprKind::Record(n, fields)),
        ]
        .prop_map(node)
    })
}

fn place() -> impl Strategy<Value = Place> {
    let step = prop_oneof![word().prop_map(PlaceStep::Field), expression().prop_map(PlaceStep::Index)];
    (name(), vec(step, 0..3)).prop_map(|(root, steps)| Place { root, steps, span: Span::default() })
}

fn block() -> impl Strategy<Value = Block> {
    let payload = vec((expression(), expression()), 0..2).prop_map(|entries| node(ExprKind::Map(entries)));
    let leaf = prop_oneof![
        (place(), any::<bool>(), expression()).prop_map(|(place, add, value)| StatementKind::Assign {
            place,
            add,
            value
        }),
        (name(), expression()).prop_map(|(n, e)| StatementKind::Let(n, e)),
        (name(), option::of(expression()))
            .prop_map(|(n, e)| StatementKind::Spend(node(ExprKind::Name(n.value)), e)),
        (word(), option::of(payload)).prop_map(|(n, e)| StatementKind::Emit(n, e)),
        name().prop_map(StatementKind::Call),
        (word(), option::of(expression())).prop_map(|(n, e)| StatementKind::Fail(n, e)),
    ];
    let statements = |s: Vec<StatementKind>| Block {
        statements: s.into_iter().map(|kind| Statement { kind, span: Span::default() }).collect(),
    };
    vec(leaf, 0..4).prop_map(statements).prop_recursive(2, 8, 2, move |inner| {
        let compound = prop_oneof![
            (vec((expression(), inner.clone()), 1..3), option::of(inner.clone()))
                .prop_map(|(arms, otherwise)| StatementKind::If(arms, otherwise)),
            (option::of(name()), name(), expression(), inner)
                .prop_map(|(index, item, e, b)| StatementKind::For(LoopNames { index, item }, e, b)),
        ];
        vec(compound, 1..3).prop_map(statements)
    })
}

fn fragment(text: &str) -> Fragment {
    Fragment::verbatim(text, FileId(0), 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_survive(e in expression()) {
        let text = e.to_string();
        let mut found = Vec::new();
        let again = expr::expression(&fragment(&text), &mut found);
        if text.len() > 4096 {
            return Ok(());
        }
        prop_assert!(found.is_empty(), "{text}: {found:?}");
        prop_assert_eq!(again.as_ref().map(shape::expr), Some(shape::expr(&e)), "{}", text);
        prop_assert_eq!(again.map(|e| e.to_string()), Some(text));
    }

    #[test]
    fn types_survive(t in ty()) {
        let text = t.to_string();
        let again = expr::type_expr(&fragment(&text), &mut Vec::new());
        prop_assert_eq!(again.map(|t| shape::ty(&t)), Some(shape::ty(&t)), "{}", text);
    }

    #[test]
    fn statements_survive(b in block()) {
        let text = print::block(&b, 0);
        let mut found = Vec::new();
        let again = expr::block(&fragment(&text), &mut found);
        if found.iter().any(|d| d.rule.slug() == "expression-limit") {
            return Ok(());
        }
        prop_assert!(found.is_empty(), "{text}: {found:?}");
        prop_assert_eq!(shape::block(&again, ""), shape::block(&b, ""), "{}", text);
    }
}
