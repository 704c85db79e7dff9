//! Answers that a step cannot tell apart.
//!
//! A step is a function of the state and of what it reads of the answer that it takes. So an answer that agrees with one that was
//! taken on all that was read leads where that one led, and is not taken itself.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::answers::written;
use crate::machine::{AnswerReader, ReadAnswer, Snapshot, with_reader};
use crate::program::Program;
use crate::program::eval::{AnswerRead, ReadWatch};
use crate::program::graph::LinkedNodeKind;
use crate::program::op::{Op, OpId, Special};
use crate::value::{Exact, Map, Value};

/// Sets of answers of one node that are held at a time.
const MAX_SETS: usize = 32;

/// Answers that are read at most before all are forgotten.
const MAX_KNOWN: usize = 100_000;

/// Answers of nodes as their graphs see them, with the classes that reads divide them into.
#[derive(Debug, Default)]
pub(super) struct ReadAnswers {
    by_node: FxHashMap<(u32, u32), NodeReadings>,
}

/// The answers of one node that were read.
#[derive(Debug, Default)]
struct NodeReadings {
    /// The limits under which they were read.
    limits: Option<Map>,
    known: FxHashMap<Exact<Value>, KnownAnswer>,
    /// The values differ from one state to another where they depend on those of the run.
    sets: Vec<AnswerClasses>,
}

/// None for an answer that is not to be taken for another one.
type KnownAnswer = Option<Arc<ReadAnswer>>;

/// Answers of one node.
#[derive(Debug)]
pub(super) struct AnswerClasses {
    values: Arc<[Value]>,
    read: Vec<KnownAnswer>,
    /// The number of each answer's class. Answers of one class look alike to that read.
    classes: FxHashMap<AnswerRead, Arc<[u32]>>,
}

/// The part of an answer that a read sees.
#[derive(Debug, PartialEq, Eq, Hash)]
enum SeenPart<'v> {
    Value(Exact<&'v Value>),
    /// The result of a comparison, or if the answer fits.
    Is(bool),
    /// A key on the path is missing.
    Missing,
    /// The value is not of the answer.
    Other,
    /// The answer as a whole.
    Answer(String),
    /// One answer alone, by its number.
    Alone(usize),
}

/// The answers of a group that were taken in a state, by what was read of them.
#[derive(Debug, Default)]
pub(super) struct ReadTree {
    nodes: Vec<ReadNode>,
}

#[derive(Debug)]
enum ReadNode {
    /// The classes of the next read.
    Reads {
        /// The class of each answer.
        classes: Arc<[u32]>,
        /// The node that each class leads to.
        next: Vec<Option<usize>>,
    },
    /// Nothing else is read. The number of what it led to.
    Leads(usize),
}

/// The answers of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentAnswers<'s> {
    pub(super) values: &'s Arc<[Value]>,
    /// True if they are sent as JSON texts.
    pub(super) are_written: bool,
}

impl ReadAnswers {
    /// The answers of the call that a lane waits for, read once.
    pub(super) fn of(
        &mut self,
        program: &Program,
        snapshot: &Snapshot,
        lane: u32,
        answers: SentAnswers<'_>,
    ) -> &mut AnswerClasses {
        let waiting = snapshot.lanes[lane as usize].as_deref();
        let place = waiting.map_or((0, 0), |waiting| (waiting.frame.graph, waiting.frame.node));
        let own = self.by_node.entry(place).or_default();
        let limits = waiting.and_then(|waiting| waiting.phase.limits());
        if own.limits.as_ref() != limits || own.known.len() > MAX_KNOWN {
            *own = NodeReadings { limits: limits.cloned(), ..NodeReadings::default() };
        }
        let at = own.sets.iter().position(|set| Arc::ptr_eq(&set.values, answers.values));
        let at = at.unwrap_or_else(|| {
            if own.sets.len() == MAX_SETS {
                own.sets.remove(0);
            }
            // The error of a called graph goes on to its caller.
            let is_root = waiting.is_some_and(|waiting| waiting.parent.is_none());
            let read = with_reader(program, snapshot, lane, |reader| own.read(answers, is_root, reader));
            let values = Arc::clone(answers.values);
            own.sets.push(AnswerClasses { values, read, classes: FxHashMap::default() });
            own.sets.len() - 1
        });
        &mut own.sets[at]
    }
}

impl NodeReadings {
    fn read(
        &mut self,
        answers: SentAnswers<'_>,
        is_root: bool,
        reader: &AnswerReader<'_>,
    ) -> Vec<KnownAnswer> {
        let read = |value: &Value| {
            let parsed =
                (answers.are_written && is_plain(value)).then(|| reader.read_parsed(value)).flatten();
            let sent = || if answers.are_written { written(value) } else { value.clone() };
            let answer = parsed.or_else(|| reader.read(&sent()));
            answer.filter(|answer| is_root || matches!(answer, ReadAnswer::Fit { .. })).map(Arc::new)
        };
        let one = |value: &Value| {
            let key = Exact(value.clone());
            if let Some(known) = self.known.get(&key) {
                return known.clone();
            }
            let answer = read(value);
            self.known.insert(key, answer.clone());
            answer
        };
        answers.values.iter().map(one).collect()
    }
}

/// True for a value that is the same once it was written as JSON and read.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Str(_) => true,
        Value::Float(_) | Value::Usd(_) | Value::Duration(_) => false,
        Value::List(list) => list.iter().all(is_plain),
        Value::Map(map) => map.iter().all(|(_, value)| is_plain(value)),
    }
}

impl AnswerClasses {
    /// The class of each answer, by what a read sees of it.
    fn of(&mut self, program: &Program, read: &AnswerRead) -> Arc<[u32]> {
        if let Some(known) = self.classes.get(read) {
            return Arc::clone(known);
        }
        let mut numbers = FxHashMap::default();
        let parts = (0..).zip(&self.read).map(|(at, answer)| seen(program, read, at, answer.as_deref()));
        let classes = parts.map(|part| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(part).or_insert(next)
        });
        let classes: Arc<[u32]> = classes.collect();
        self.classes.insert(read.clone(), Arc::clone(&classes));
        classes
    }
}

fn seen<'v>(program: &Program, read: &AnswerRead, at: usize, answer: Option<&'v ReadAnswer>) -> SeenPart<'v> {
    let Some(answer) = answer else { return SeenPart::Alone(at) };
    match read {
        AnswerRead::Fit => SeenPart::Is(matches!(answer, ReadAnswer::Fit { .. })),
        AnswerRead::Special => match answer {
            ReadAnswer::Fit { result: value, .. } | ReadAnswer::Unfit(value) => SeenPart::Value(Exact(value)),
        },
        AnswerRead::Slot => stored(answer),
        AnswerRead::Field(name) => match stored(answer) {
            SeenPart::Value(Exact(Value::Map(map))) => {
                map.get(name).map_or(SeenPart::Missing, |value| SeenPart::Value(Exact(value)))
            }
            other => other,
        },
        AnswerRead::Op(id) => match program.ops[id.0 as usize] {
            Op::IsConst { target, constant, .. } => match followed(program, target, answer) {
                SeenPart::Value(Exact(value)) => {
                    SeenPart::Is(value.equals(&program.constants[constant as usize]))
                }
                other => other,
            },
            _ => followed(program, *id, answer),
        },
    }
}

/// The value in the variable that takes the answer.
const fn stored(answer: &ReadAnswer) -> SeenPart<'_> {
    match answer {
        ReadAnswer::Fit { stored, .. } => SeenPart::Value(Exact(stored)),
        ReadAnswer::Unfit(_) => SeenPart::Other,
    }
}

/// The part that a path leads to.
fn followed<'v>(program: &Program, id: OpId, answer: &'v ReadAnswer) -> SeenPart<'v> {
    match program.ops[id.0 as usize] {
        Op::Field { target, name, .. } => match followed(program, target, answer) {
            SeenPart::Value(Exact(Value::Map(map))) => {
                let value = map.get(&program.names[name as usize]);
                value.map_or(SeenPart::Missing, |value| SeenPart::Value(Exact(value)))
            }
            SeenPart::Value(Exact(Value::Null)) => SeenPart::Value(Exact(&Value::Null)),
            SeenPart::Value(_) => SeenPart::Answer(format!("{answer:?}")),
            other => other,
        },
        Op::Slot(_) => stored(answer),
        Op::Special(Special::Error) => match answer {
            ReadAnswer::Fit { .. } => SeenPart::Other,
            ReadAnswer::Unfit(error) => SeenPart::Value(Exact(error)),
        },
        _ => match answer {
            ReadAnswer::Fit { result, .. } => SeenPart::Value(Exact(result)),
            ReadAnswer::Unfit(_) => SeenPart::Other,
        },
    }
}

impl ReadTree {
    /// The number of what an answer leads to that was taken and cannot be told from this one.
    pub(super) fn find(&self, answer: usize) -> Option<usize> {
        let mut node = self.nodes.first()?;
        loop {
            match node {
                ReadNode::Leads(to) => return Some(*to),
                ReadNode::Reads { classes, next } => {
                    let next = *next.get(classes[answer] as usize)?;
                    node = &self.nodes[next?];
                }
            }
        }
    }

    /// Notes what an answer led to that was taken, and what was read of it.
    pub(super) fn add(
        &mut self,
        program: &Program,
        answers: &mut AnswerClasses,
        answer: usize,
        reads: &[AnswerRead],
        leads: usize,
    ) {
        let mut from = None;
        for read in reads {
            let classes = answers.of(program, read);
            let class = classes[answer] as usize;
            let at = self.node(from, || ReadNode::Reads { classes, next: Vec::new() });
            from = Some((at, class));
        }
        self.node(from, || ReadNode::Leads(leads));
    }

    /// The node that a class of answers leads to, made if it is not there.
    fn node(&mut self, from: Option<(usize, usize)>, made: impl FnOnce() -> ReadNode) -> usize {
        let count = self.nodes.len();
        let at = match from {
            None => 0,
            Some((before, class)) => match &mut self.nodes[before] {
                ReadNode::Reads { next, .. } => {
                    if next.len() <= class {
                        next.resize(class + 1, None);
                    }
                    *next[class].get_or_insert(count)
                }
                ReadNode::Leads(_) => count,
            },
        };
        if at == count {
            self.nodes.push(made());
        }
        at
    }
}

/// The watch over the answers of a node; nothing where more than the answer itself decides how it is read.
pub(super) fn watch(program: &Program, graph: u32, kind: &LinkedNodeKind) -> Option<Arc<ReadWatch>> {
    let is_plain = match kind {
        LinkedNodeKind::Model(model) => model.reply.is_none(),
        LinkedNodeKind::Tool(_) => true,
        _ => false,
    };
    let place = kind.into_place();
    let goes_whole = place.is_none_or(|place| place.steps.is_empty());
    let watch = || Arc::new(ReadWatch::new(program, graph, place.map(|place| place.slot)));
    (is_plain && goes_whole).then(watch)
}
