//! An order in which everything is after what it needs.

use crate::syntax::ast::Expr;

/// Indices in an order in which each is after those it needs, without those that need themselves; and the circles.
pub(crate) fn dependencies_first(needs: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut state = vec![Mark::New; needs.len()];
    let (mut order, mut circles) = (Vec::new(), Vec::new());
    for start in 0..needs.len() {
        // The way down: an index and how many of its needs were visited.
        let mut chain: Vec<(usize, usize)> = Vec::new();
        if state[start] == Mark::New {
            state[start] = Mark::Open;
            chain.push((start, 0));
        }
        while let Some((at, next)) = chain.last_mut() {
            let Some(need) = needs[*at].get(*next).copied() else {
                if state[*at] == Mark::Open {
                    state[*at] = Mark::Done;
                    order.push(*at);
                }
                chain.pop();
                continue;
            };
            *next += 1;
            match state[need] {
                Mark::New => {
                    state[need] = Mark::Open;
                    chain.push((need, 0));
                }
                Mark::Open => {
                    let from = chain.iter().position(|(i, _)| *i == need).unwrap_or(0);
                    let circle: Vec<usize> = chain[from..].iter().map(|(i, _)| *i).collect();
                    for at in &circle {
                        state[*at] = Mark::Circular;
                    }
                    circles.push(circle);
                }
                Mark::Done | Mark::Circular => {}
            }
        }
    }
    (order, circles)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
    Circular,
}

/// Adds the expressions directly inside another to `into`.
pub(in crate::model) fn children<'e>(expr: &'e Expr, into: &mut Vec<&'e Expr>) {
    expr.for_each_child(&mut |child| into.push(child));
}
