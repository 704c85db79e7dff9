//! Diagrams against sets that are listed one assignment at a time.

use super::{Diagram, DiagramVariable, Diagrams, TooLarge};

const CLASSES: [usize; 4] = [2, 3, 1, 4];

fn assignments() -> Vec<[usize; 4]> {
    let mut all = Vec::new();
    for a in 0..CLASSES[0] {
        for b in 0..CLASSES[1] {
            for c in 0..CLASSES[2] {
                for d in 0..CLASSES[3] {
                    all.push([a, b, c, d]);
                }
            }
        }
    }
    all
}

fn holds(diagrams: &Diagrams, at: Diagram, values: &[usize; 4]) -> bool {
    let mut at = at;
    while at != Diagram::ALL && !at.is_none() {
        let variable = diagrams.top(at);
        at = diagrams.child(at, variable, values[variable.0 as usize]);
    }
    at == Diagram::ALL
}

/// A diagram with the assignments for which a bit of `bits` is set.
fn made(diagrams: &mut Diagrams, variables: &[DiagramVariable], bits: u32) -> Result<Diagram, TooLarge> {
    let mut any = Diagram::NONE;
    for (place, values) in assignments().iter().enumerate() {
        if bits >> place & 1 == 1 {
            let mut all = Diagram::ALL;
            for (variable, value) in variables.iter().zip(values) {
                let one = diagrams.among(*variable, |class| class == *value)?;
                all = diagrams.and(all, one)?;
            }
            any = diagrams.or(any, all)?;
        }
    }
    Ok(any)
}

#[test]
fn operations_are_those_of_sets() {
    let mut seed = 7_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    };
    for _ in 0..60 {
        let mut diagrams = Diagrams::default();
        let variables: Vec<_> = CLASSES.iter().map(|classes| diagrams.variable(*classes)).collect();
        let (one, other) = (next() & next(), next() | next());
        let a = made(&mut diagrams, &variables, one).expect("small");
        let b = made(&mut diagrams, &variables, other).expect("small");
        let (and, or, not) = (diagrams.and(a, b), diagrams.or(a, b), diagrams.not(a));
        let forgotten = diagrams.exists(a, variables[1]).expect("small");
        let all = assignments();
        for (place, values) in all.iter().enumerate() {
            let (in_one, in_other) = (one >> place & 1 == 1, other >> place & 1 == 1);
            assert_eq!(holds(&diagrams, and.expect("small"), values), in_one && in_other);
            assert_eq!(holds(&diagrams, or.expect("small"), values), in_one || in_other);
            assert_eq!(holds(&diagrams, not.expect("small"), values), !in_one);
            let alike = |own: &[usize; 4]| (0..4).all(|i| i == 1 || own[i] == values[i]);
            let any = all.iter().enumerate().any(|(i, own)| alike(own) && one >> i & 1 == 1);
            assert_eq!(holds(&diagrams, forgotten, values), any);
        }
        let again = made(&mut diagrams, &variables, one).expect("small");
        assert_eq!(again, a, "equal sets are one diagram");
        assert!(!diagrams.support(forgotten).contains(&variables[1]));
    }
}

#[test]
fn cubes_are_taken_away_until_nothing_is_left() {
    let mut diagrams = Diagrams::default();
    let variables: Vec<_> = CLASSES.iter().map(|classes| diagrams.variable(*classes)).collect();
    let mut rest = made(&mut diagrams, &variables, 0b1011_0000_1110).expect("small");
    let mut covered = 0;
    while let Some(cube) = diagrams.cube(rest) {
        assert!(diagrams.meets(rest, &cube));
        let one = diagrams.of_cube(&cube).expect("small");
        covered += assignments().iter().filter(|values| holds(&diagrams, one, values)).count();
        rest = diagrams.without(rest, &cube).expect("small");
        assert!(!diagrams.meets(rest, &cube));
    }
    assert_eq!(covered, 6);
    assert_eq!(diagrams.cube(Diagram::NONE), None);
}

#[test]
fn one_variable_of_many_classes_is_one_node() {
    let mut diagrams = Diagrams::default();
    let many = diagrams.variable(500);
    let mut rest = Diagram::ALL;
    for class in 0..500 {
        let one = diagrams.among(many, |own| own != class).expect("small");
        rest = diagrams.and(rest, one).expect("small");
    }
    assert!(rest.is_none());
}

#[test]
fn too_many_nodes_are_refused() {
    let mut diagrams = Diagrams::default();
    let count = 40;
    let variables: Vec<_> = (0..count).map(|_| diagrams.variable(2)).collect();
    let mut all = Ok(Diagram::ALL);
    // Each of the first half equals one of the second half: in this order of variables all of the first half count.
    for i in 0..count / 2 {
        let (one, other) = (variables[i], variables[i + count / 2]);
        all = all.and_then(|all| {
            let (a, b) = (diagrams.among(one, |c| c == 1)?, diagrams.among(other, |c| c == 1)?);
            let (both, either) = (diagrams.and(a, b)?, diagrams.or(a, b)?);
            let neither = diagrams.not(either)?;
            let equal = diagrams.or(both, neither)?;
            diagrams.and(all, equal)
        });
    }
    assert_eq!(all, Err(TooLarge));
}
