//! The object that holds a run.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::prelude::{HandlerError, Json, RunFuture, ServiceDefinition};
use serde::{Deserialize, Serialize};

use super::message::{
    AfterArguments, AnswerArguments, Continuation, Creation, EndArguments, EventsReply, HandOver, ListedInfo,
    PostedWord, Record, RunReply, SegmentInput, Word,
};
use super::service::{HandlerKind, Handlers, RUN, definition, input, of_list, of_segment, refused, reply};
use crate::machine::Event;
use crate::port::{Clock, JournalEntry, ProgramText, RunInfo, RunStatus};
use crate::value::Str;

/// The most entries and bytes that one reply holds.
const MAX_REPLY_ENTRIES: usize = 2_000;
const MAX_REPLY_BYTES: usize = 4 << 20;

/// The longest reason and the longest answer that are taken, in bytes.
const MAX_WORD_BYTES: usize = 1 << 20;

/// The reason where nobody gives one.
const NO_REASON: &str = "a person cancelled the run";

/// Keys of the object's state.
const HEAD: &str = "head";
const TEXT: &str = "text";

/// What is known of a run without its journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RunHead {
    info: RunInfo,
    /// The workflow of its segments.
    segments: String,
    /// The number of the live segment.
    segment: u64,
    steps: u64,
    /// The number of entries.
    entries: u64,
    /// The number of the next word.
    words: u64,
    /// The first word that the live segment was not begun with.
    #[serde(default)]
    given: u64,
}

/// Holds a run: its journal, its state between two segments, and the words for it.
struct RunObject {
    clock: Arc<dyn Clock>,
}

/// The service of runs.
pub(super) fn service(clock: Arc<dyn Clock>) -> Option<ServiceDefinition> {
    let handlers = [
        HandlerKind::exclusive("create").private(),
        HandlerKind::exclusive("record").private(),
        HandlerKind::exclusive("hand_over").private(),
        HandlerKind::exclusive("answer"),
        HandlerKind::exclusive("abort"),
        HandlerKind::exclusive("cancel"),
        HandlerKind::shared("status"),
        HandlerKind::shared("entries"),
        HandlerKind::shared("events"),
        HandlerKind::shared("program"),
    ];
    definition(RUN, "VIRTUAL_OBJECT", &handlers, Arc::new(RunObject { clock }))
}

impl Handlers for RunObject {
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool> {
        async move {
            match handler {
                "create" => reply(ctx, create(ctx).await),
                "record" => reply(ctx, record(ctx).await),
                "hand_over" => reply(ctx, hand_over(ctx).await),
                "answer" => reply(ctx, self.answer(ctx).await),
                "abort" => reply(ctx, self.end(ctx, |reason| Word::Abort { reason }).await),
                "cancel" => reply(ctx, self.end(ctx, |reason| Word::Cancel { reason }).await),
                "status" => reply(ctx, status(ctx).await),
                "entries" => reply(ctx, entries(ctx).await),
                "events" => reply(ctx, events(ctx).await),
                "program" => reply(ctx, program(ctx).await),
                _ => false,
            }
        }
        .boxed()
    }
}

impl RunObject {
    async fn answer(&self, ctx: &ContextInternal) -> Result<u64, HandlerError> {
        let (AnswerArguments { ask, value }, run) = input(ctx).await?;
        self.post(ctx, &run, Word::Answer { ask, value }).await
    }

    async fn end(&self, ctx: &ContextInternal, word: fn(Str) -> Word) -> Result<u64, HandlerError> {
        let (arguments, run) = input::<Option<EndArguments>>(ctx).await?;
        let reason = arguments.unwrap_or_default().reason;
        let reason = if reason.is_empty() { NO_REASON.into() } else { reason };
        self.post(ctx, &run, word(reason)).await
    }

    /// Keeps a word and tells the live segment; gives its number.
    async fn post(&self, ctx: &ContextInternal, run: &str, word: Word) -> Result<u64, HandlerError> {
        let mut head = head(ctx, run).await?;
        if serde_json::to_vec(&word).map_or(usize::MAX, |text| text.len()) > MAX_WORD_BYTES {
            return Err(refused(413, &format!("an answer or a reason of more than {MAX_WORD_BYTES} bytes")));
        }
        if let RunStatus::Done { outcome, .. } = &head.info.status {
            return Err(refused(409, &format!("the run `{run}` ended: {outcome}")));
        }
        let clock = Arc::clone(&self.clock);
        let at = ctx.run(move || async move { Ok(clock.now()) }).name("time").await?;
        let posted = PostedWord { number: head.words, at, word };
        head.words += 1;
        ctx.set(&word_key(posted.number), Json(posted.clone()));
        ctx.set(HEAD, Json(head.clone()));
        let number = posted.number;
        let _sent = of_segment(ctx, &head.segments, (run, head.segment), "deliver", posted).send();
        Ok(number)
    }
}

/// The key of a piece of the journal, by its first entry.
fn entries_key(from: u64) -> String {
    format!("entries/{from}")
}

fn word_key(number: u64) -> String {
    format!("word/{number}")
}

async fn head(ctx: &ContextInternal, run: &str) -> Result<RunHead, HandlerError> {
    let head = ctx.get::<Json<RunHead>>(HEAD).await?;
    head.map(|Json(head)| head).ok_or_else(|| refused(404, &format!("there is no run `{run}`")))
}

/// Takes a new run.
async fn create(ctx: &ContextInternal) -> Result<(), HandlerError> {
    let (Creation { info, text, segments }, run) = input(ctx).await?;
    if ctx.get::<Json<RunHead>>(HEAD).await?.is_some() {
        return Err(refused(409, &format!("there is a run `{run}` already")));
    }
    let head = RunHead { info, segments, segment: 0, steps: 0, entries: 0, words: 0, given: 0 };
    list(ctx, &head);
    ctx.set(TEXT, Json(text));
    ctx.set(HEAD, Json(head));
    Ok(())
}

/// Takes a piece of the journal.
async fn record(ctx: &ContextInternal) -> Result<(), HandlerError> {
    let (record, run) = input::<Record>(ctx).await?;
    let mut head = head(ctx, &run).await?;
    take(ctx, &mut head, record)?;
    ctx.set(HEAD, Json(head));
    Ok(())
}

fn take(ctx: &ContextInternal, head: &mut RunHead, record: Record) -> Result<(), HandlerError> {
    let Record { from, entries, status } = record;
    if from != head.entries {
        let why = format!("entry {from} of the journal came where entry {} comes next", head.entries);
        return Err(refused(409, &why));
    }
    if let Some(last) = entries.last() {
        head.steps = last.step;
        head.entries += entries.len() as u64;
        ctx.set(&entries_key(from), Json(entries));
    }
    if head.info.status != status {
        head.info.status = status;
        list(ctx, head);
    }
    Ok(())
}

/// Shows the run in the list of runs.
fn list(ctx: &ContextInternal, head: &RunHead) {
    let listed = ListedInfo { info: head.info.clone(), steps: head.steps };
    let _sent = of_list(ctx, "note", listed).send();
}

/// Takes the run from a segment, and begins the next.
async fn hand_over(ctx: &ContextInternal) -> Result<(), HandlerError> {
    let (HandOver { segment, record, mut state }, run) = input(ctx).await?;
    let mut head = head(ctx, &run).await?;
    if segment != head.segment {
        return Err(refused(
            409,
            &format!("segment {segment} gave the run over in place of {}", head.segment),
        ));
    }
    take(ctx, &mut head, record)?;
    for number in head.given..state.word {
        ctx.clear(&word_key(number));
    }
    for number in state.word..head.words {
        if let Some(Json(posted)) = ctx.get::<Json<PostedWord>>(&word_key(number)).await? {
            state.words.push(posted);
        }
    }
    head.given = state.word;
    head.segment += 1;
    begin(ctx, &head, &run, state);
    ctx.set(HEAD, Json(head));
    Ok(())
}

fn begin(ctx: &ContextInternal, head: &RunHead, run: &str, state: Continuation) {
    let input = SegmentInput::Continue(Box::new(state));
    let _sent = of_segment(ctx, &head.segments, (run, head.segment), "run", input).send();
}

async fn status(ctx: &ContextInternal) -> Result<RunReply, HandlerError> {
    let ((), run) = input(ctx).await?;
    let head = head(ctx, &run).await?;
    Ok(at_a_glance(&head, Vec::new(), head.entries))
}

fn at_a_glance(head: &RunHead, entries: Vec<JournalEntry>, next: u64) -> RunReply {
    RunReply {
        info: head.info.clone(),
        steps: head.steps,
        segment: head.segment,
        total: head.entries,
        entries,
        next,
    }
}

/// Entries from a number on that an earlier reply gave as the next, or that is 0.
async fn entries(ctx: &ContextInternal) -> Result<RunReply, HandlerError> {
    let (after, run) = input::<Option<AfterArguments>>(ctx).await?;
    let head = head(ctx, &run).await?;
    let mut next = after.unwrap_or_default().after;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while next < head.entries && found.len() < MAX_REPLY_ENTRIES && bytes < MAX_REPLY_BYTES {
        let piece = piece(ctx, next).await?;
        bytes += piece.bytes;
        next += piece.entries.len() as u64;
        found.extend(piece.entries);
    }
    Ok(at_a_glance(&head, found, next))
}

/// A piece of the journal, and its size as JSON.
struct JournalPiece {
    entries: Vec<JournalEntry>,
    bytes: usize,
}

async fn piece(ctx: &ContextInternal, from: u64) -> Result<JournalPiece, HandlerError> {
    let text = ctx.get::<Vec<u8>>(&entries_key(from)).await?;
    let none = || refused(400, &format!("no piece of the journal begins at entry {from}"));
    let text = text.ok_or_else(none)?;
    let entries: Vec<JournalEntry> = serde_json::from_slice(&text)
        .map_err(|error| refused(500, &format!("the journal is damaged at entry {from}: {error}")))?;
    if entries.is_empty() {
        return Err(none());
    }
    Ok(JournalPiece { entries, bytes: text.len() })
}

/// Events from a number on.
async fn events(ctx: &ContextInternal) -> Result<EventsReply, HandlerError> {
    let (after, run) = input::<Option<AfterArguments>>(ctx).await?;
    let head = head(ctx, &run).await?;
    let after = after.unwrap_or_default().after;
    let (mut found, mut bytes): (Vec<Event>, usize) = (Vec::new(), 0);
    let mut entry = 0;
    while entry < head.entries && found.len() < MAX_REPLY_ENTRIES && bytes < MAX_REPLY_BYTES {
        let piece = piece(ctx, entry).await?;
        entry += piece.entries.len() as u64;
        let wanted = piece.entries.into_iter().flat_map(|entry| entry.events);
        let before = found.len();
        found.extend(wanted.filter(|event| event.seq >= after));
        if found.len() > before {
            bytes += piece.bytes;
        }
    }
    let next = found.last().map_or(after, |event| event.seq + 1);
    Ok(EventsReply { events: found, next })
}

/// The texts of the program that the run goes by.
async fn program(ctx: &ContextInternal) -> Result<ProgramText, HandlerError> {
    let ((), run) = input(ctx).await?;
    let text = ctx.get::<Json<ProgramText>>(TEXT).await?;
    text.map(|Json(text)| text).ok_or_else(|| refused(404, &format!("there is no run `{run}`")))
}
