//! Texts of programs, and answers of models.

use futures::future::join_all;

use super::{Held, OpenStore, done, same};
use crate::port::{AnswerCache, ProgramText};
use crate::value::Value;

/// So many answers are stored at once.
const AT_ONCE: usize = 64;

pub(super) async fn first_program_stays(open: OpenStore<'_>) -> Held {
    let store = open();
    let first = ProgramText {
        digest: "p".into(),
        main: "a.yaml".into(),
        files: vec![("a.yaml".into(), "graph: a".into()), ("b.md".into(), "é\n\0".into())],
        functions: vec![("a".into(), u32::MAX), ("b".into(), 0)],
    };
    same("a program that was never stored", &done(store.program("p").await, "program")?, &None)?;
    done(store.keep_program(&first).await, "keep_program")?;
    let second = ProgramText { main: "c.yaml".into(), ..first.clone() };
    done(open().keep_program(&second).await, "keep_program")?;
    same("the program", &done(open().program("p").await, "program")?, &Some(first))?;
    same("a program that was never stored", &done(store.program("q").await, "program")?, &None)
}

pub(super) async fn latest_answer_is_given(open: OpenStore<'_>) -> Held {
    let store = open();
    same("the answer to a new request", &done(store.answer("0"), "answer")?, &None)?;
    let name = |n: usize| format!("{n:04}");
    let text = Value::from("an answer");
    done(store.keep_answer(&name(0), &text, 1).await, "keep_answer")?;
    if done(store.answer(&name(0)), "answer")?.is_none() {
        // A store need not store answers.
        return Ok(());
    }
    done(store.keep_answer(&name(1), &text, 1).await, "keep_answer")?;
    // The others are stored some at once, which is faster.
    let others: Vec<String> = (2..AnswerCache::MAX_ANSWERS).map(name).collect();
    for some in others.chunks(AT_ONCE) {
        let stored = join_all(some.iter().map(|request| store.keep_answer(request, &text, 1))).await;
        stored.into_iter().try_for_each(|stored| done(stored, "keep_answer"))?;
    }
    // Stored again, the first is one of the last.
    let (again, more) = (Value::from("again"), Value::from("more"));
    done(store.keep_answer(&name(0), &again, 2).await, "keep_answer")?;
    for n in 0..AnswerCache::MAX_SPARE_ANSWERS {
        done(store.keep_answer(&format!("more {n}"), &more, 3).await, "keep_answer")?;
    }
    let store = open();
    let young = name(AnswerCache::MAX_SPARE_ANSWERS + 2 * AT_ONCE);
    for (request, wanted) in
        [(name(0), Some(again)), (name(1), None), (young, Some(text)), ("more 0".to_owned(), Some(more))]
    {
        same(&format!("the answer to `{request}`"), &done(store.answer(&request), "answer")?, &wanted)?;
    }
    Ok(())
}
