//! The object that holds a run.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::prelude::{HandlerError, Json, RunFuture, ServiceDefinition};
use serde::{Deserialize, Serialize};

use super::faults::Faults;
use super::message::{
    AfterArguments, AnswerArguments, Creation, CreationReply, DroppedWord, EndArguments, HandOver,
    ListedInfo, PostedWord, Record, RunReply, SegmentInput, Word,
};
use super::service::{
    HandlerKind, Handlers, RUN, definition, input, message, of_list, of_segment, refused, reply,
};
use crate::port::{Clock, JournalEntry, ProgramText, RunInfo, RunStatus};
use crate::value::Str;

/// The most entries and bytes that one reply holds.
const MAX_REPLY_ENTRIES: usize = 2_000;
const MAX_REPLY_BYTES: usize = 4 << 20;

/// The longest reason and the longest answer that are taken, in bytes.
const MAX_WORD_BYTES: usize = 1 << 20;

/// The reason where nobody gives one.
const NO_REASON: &str = "a person cancelled the run";

/// The most words that a run may have not taken yet, and their size in bytes. The end of a run may still be asked for past that.
const MAX_WORDS: usize = 100;
const MAX_WORDS_BYTES: usize = 4 << 20;
const MORE_WORDS: usize = 10;

/// The most words of which it is remembered why a run did not take them.
const MAX_DROPPED: usize = 20;

/// The outcome of a run that cannot be driven any more.
const FAILED: &str = "failed";

/// Keys of the object's state.
const HEAD: &str = "head";
const TEXT: &str = "text";
/// The number of the first segment of a run that takes the place of one that was forgotten: Restate remembers the segments of that.
const NEXT: &str = "next";

/// What is known of a run without its journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RunHead {
    info: RunInfo,
    /// The workflow of its segments.
    segments: String,
    /// The number of the first segment, and who wanted it.
    #[serde(default)]
    first: u64,
    #[serde(default)]
    token: u64,
    /// The number of the live segment.
    segment: u64,
    steps: u64,
    /// The number of entries.
    entries: u64,
    /// The number of the next word.
    words: u64,
    /// The number of the next word that the run takes, and the sizes of those from there on.
    #[serde(default)]
    taken: u64,
    #[serde(default)]
    sizes: VecDeque<usize>,
    /// The latest words that it did not take.
    #[serde(default)]
    dropped: VecDeque<DroppedWord>,
    /// The reason for which it cannot be driven any more.
    #[serde(default)]
    fault: Option<String>,
}

/// Holds a run: its journal, its state between two segments, and the words for it.
struct RunObject {
    clock: Arc<dyn Clock>,
    faults: Faults,
}

/// The service of runs.
pub(super) fn service(clock: Arc<dyn Clock>, faults: Faults) -> Option<ServiceDefinition> {
    let handlers = [
        HandlerKind::exclusive("create").private(),
        HandlerKind::exclusive("record").private(),
        HandlerKind::exclusive("hand_over").private(),
        HandlerKind::exclusive("answer"),
        HandlerKind::exclusive("abort"),
        HandlerKind::exclusive("cancel"),
        HandlerKind::exclusive("forget"),
        HandlerKind::shared("status"),
        HandlerKind::shared("entries"),
        HandlerKind::shared("program"),
    ];
    definition(RUN, "VIRTUAL_OBJECT", &handlers, Arc::new(RunObject { clock, faults }))
}

impl Handlers for RunObject {
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool> {
        async move {
            match handler {
                "create" => reply(ctx, self.create(ctx).await),
                "record" => reply(ctx, self.record(ctx).await),
                "hand_over" => reply(ctx, self.hand_over(ctx).await),
                "answer" => reply(ctx, self.answer(ctx).await),
                "abort" => reply(ctx, self.end(ctx, |reason| Word::Abort { reason }).await),
                "cancel" => reply(ctx, self.end(ctx, |reason| Word::Cancel { reason }).await),
                "forget" => reply(ctx, forget(ctx).await),
                "status" => reply(ctx, status(ctx).await),
                "entries" => reply(ctx, entries(ctx).await),
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
        let size = serde_json::to_vec(&word).map_or(usize::MAX, |text| text.len());
        if size > MAX_WORD_BYTES {
            return Err(refused(413, &format!("an answer or a reason of more than {MAX_WORD_BYTES} bytes")));
        }
        if let RunStatus::Done { outcome, .. } = &head.info.status {
            return Err(refused(409, &format!("the run `{run}` ended: {outcome}")));
        }
        let more = if matches!(word, Word::Answer { .. }) { 0 } else { MORE_WORDS };
        let bytes = head.sizes.iter().fold(size, |sum, size| sum.saturating_add(*size));
        if head.sizes.len() >= MAX_WORDS + more || bytes > MAX_WORDS_BYTES + more * MAX_WORD_BYTES {
            let waiting = head.sizes.len();
            let why =
                format!("{waiting} answers and requests for the run `{run}` wait until a worker takes them");
            return Err(refused(429, &why));
        }
        let clock = Arc::clone(&self.clock);
        let at = ctx.run(move || async move { Ok(clock.now()) }).name("time").await?;
        let posted = PostedWord { number: head.words, at, word };
        head.words += 1;
        head.sizes.push_back(size);
        ctx.set(&word_key(posted.number), Json(posted.clone()));
        ctx.set(HEAD, Json(head.clone()));
        let number = posted.number;
        let _sent = of_segment(ctx, &head.segments, (run, head.segment), "deliver", posted).send();
        Ok(number)
    }

    /// Takes a new run.
    async fn create(&self, ctx: &ContextInternal) -> Result<CreationReply, HandlerError> {
        let (Creation { info, text, segments, token }, _) = message(ctx, &self.faults).await?;
        if let Some(Json(head)) = ctx.get::<Json<RunHead>>(HEAD).await? {
            let same = head.token == token && head.segments == segments;
            return Ok(if same { CreationReply::Created(head.first) } else { CreationReply::Exists });
        }
        let first = ctx.get::<Json<u64>>(NEXT).await?.map_or(0, |Json(next)| next);
        let head = RunHead {
            info,
            segments,
            first,
            token,
            segment: first,
            steps: 0,
            entries: 0,
            words: 0,
            taken: 0,
            sizes: VecDeque::new(),
            dropped: VecDeque::new(),
            fault: None,
        };
        list(ctx, &head);
        ctx.set(TEXT, Json(text));
        ctx.set(HEAD, Json(head));
        Ok(CreationReply::Created(first))
    }

    /// Takes a piece of the journal.
    async fn record(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (record, run) = message::<Record>(ctx, &self.faults).await?;
        let mut head = head(ctx, &run).await?;
        self.take(ctx, &mut head, record);
        ctx.set(HEAD, Json(head));
        Ok(())
    }

    /// Takes a piece of the journal if it is the next one. False if it is not: nobody hears of a refusal, so the run says why it
    /// cannot go on.
    fn take(&self, ctx: &ContextInternal, head: &mut RunHead, record: Record) -> bool {
        let Record { segment, from, entries, status, word, dropped } = record;
        let run = head.info.run.clone();
        if segment != head.segment || matches!(head.info.status, RunStatus::Done { .. }) {
            let live = head.segment;
            let why = format!(
                "segment {segment} of the run {run} wrote to it where {live} is live, or it has ended"
            );
            self.faults.report(&run, &why);
            return false;
        }
        if from != head.entries {
            let next = head.entries;
            let why = format!("entry {from} of its journal came where entry {next} comes next");
            self.faults.report(&run, &format!("the run {run} cannot go on: {why}"));
            head.info.status = RunStatus::Done { outcome: FAILED.into(), ok: false };
            head.fault = Some(why);
            list(ctx, head);
            return false;
        }
        if let Some(last) = entries.last() {
            head.steps = last.step;
            head.entries += entries.len() as u64;
            ctx.set(&entries_key(from), Json(entries));
        }
        while head.taken < word && head.sizes.pop_front().is_some() {
            ctx.clear(&word_key(head.taken));
            head.taken += 1;
        }
        head.dropped.extend(dropped);
        while head.dropped.len() > MAX_DROPPED {
            head.dropped.pop_front();
        }
        if head.info.status != status {
            head.info.status = status;
            list(ctx, head);
        }
        true
    }

    /// Takes the run from a segment, and begins the next.
    async fn hand_over(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (HandOver { record, mut state }, run) = message::<HandOver>(ctx, &self.faults).await?;
        let mut head = head(ctx, &run).await?;
        if self.take(ctx, &mut head, record) {
            for number in head.taken..head.words {
                if let Some(Json(posted)) = ctx.get::<Json<PostedWord>>(&word_key(number)).await? {
                    state.words.push(posted);
                }
            }
            head.segment += 1;
            let input = SegmentInput::Continue(Box::new(state));
            let _sent = of_segment(ctx, &head.segments, (&run, head.segment), "run", input).send();
        }
        ctx.set(HEAD, Json(head));
        Ok(())
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

/// Shows the run in the list of runs.
fn list(ctx: &ContextInternal, head: &RunHead) {
    let listed = ListedInfo { info: head.info.clone(), steps: head.steps, segment: head.segment };
    let _sent = of_list(ctx, "note", listed).send();
}

/// Removes everything of a run that has ended.
async fn forget(ctx: &ContextInternal) -> Result<(), HandlerError> {
    let ((), run) = input(ctx).await?;
    let head = head(ctx, &run).await?;
    if !matches!(head.info.status, RunStatus::Done { .. }) {
        return Err(refused(409, &format!("the run `{run}` has not ended")));
    }
    ctx.clear_all();
    ctx.set(NEXT, Json(head.segment + 1));
    let _sent = of_list(ctx, "drop", head.info.run).send();
    Ok(())
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
        word: head.taken,
        dropped: head.dropped.iter().cloned().collect(),
        fault: head.fault.clone(),
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

/// The texts of the program that the run goes by.
async fn program(ctx: &ContextInternal) -> Result<ProgramText, HandlerError> {
    let ((), run) = input(ctx).await?;
    let text = ctx.get::<Json<ProgramText>>(TEXT).await?;
    text.map(|Json(text)| text).ok_or_else(|| refused(404, &format!("there is no run `{run}`")))
}
