//! Texts of programs, and answers of models.

use super::{Held, OpenStore, done, same};
use crate::port::{AnswerCache, ProgramText};
use crate::value::Value;

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
    for n in 1..AnswerCache::MAX_ANSWERS {
        done(store.keep_answer(&name(n), &text, 1).await, "keep_answer")?;
    }
    // Stored again, the first is the last.
    let (again, more) = (Value::from("again"), Value::from("more"));
    done(store.keep_answer(&name(0), &again, 2).await, "keep_answer")?;
    done(store.keep_answer("more", &more, 3).await, "keep_answer")?;
    let store = open();
    for (request, wanted) in
        [(name(0), Some(again)), (name(1), None), (name(2), Some(text)), ("more".to_owned(), Some(more))]
    {
        same(&format!("the answer to `{request}`"), &done(store.answer(&request), "answer")?, &wanted)?;
    }
    Ok(())
}
