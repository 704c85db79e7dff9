//! The events of runs for any number of watchers.
//!
//! A run that is watched has one reader. It reads what is committed when it hears of a commit, and looks now and then, since others may drive
//! the run. The last parts of the journal are at hand for all watchers; whoever is further behind reads the journal for itself. A
//! watcher pulls: one that does not read has no more in memory than the part that it was given.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustc_hash::FxHashMap;
use serde_json::json;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::timeout;

use super::journal_reader::{JournalReader, StreamMessage};
use super::place::JournalPlace;
use super::streamed::StreamedAnswers;
use crate::app::{ReadError, Runs};
use crate::machine::{Call, Event, EventKind};
use crate::port::{Mask, Observer, RunView};
use crate::value::Str;

/// The parts of a journal that are at hand for all watchers.
const MAX_MESSAGES: usize = 1_024;

/// The bytes of the messages that are at hand, but for the last one.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// The bytes of messages that a watcher is given at once, but for the last one.
const MAX_PART_BYTES: usize = 256 << 10;

/// The pieces of streamed texts that a watcher may be behind. Further ones are left out: the answer comes as an event.
const MAX_PIECES: usize = 1_024;

/// The time between two looks at a run of which nothing is heard.
const PAUSE: Duration = Duration::from_millis(500);

/// The feeds of the runs that are watched.
pub(super) struct Feeds {
    runs: Runs,
    open: Mutex<FxHashMap<Str, Weak<Feed>>>,
    answers: StreamedAnswers,
}

/// The feed of one run.
pub(super) struct Feed {
    run: Str,
    recent: Mutex<RecentMessages>,
    /// Wakes the reader.
    committed: Notify,
    /// Changes when there is more to read.
    changed: watch::Sender<u64>,
    /// Pieces of texts, and who watches: none of it is stored.
    pieces: broadcast::Sender<Arc<str>>,
    watchers: Mutex<Vec<Str>>,
}

/// The last parts of a journal.
#[derive(Default)]
struct RecentMessages {
    /// The place before the first of them; none until the reader has read the journal once.
    from: Option<JournalPlace>,
    messages: VecDeque<StreamMessage>,
    /// The sum of their bytes.
    bytes: usize,
}

/// A watcher of a feed.
pub(super) struct Watcher {
    feed: Arc<Feed>,
    /// The place up to which it was told.
    place: JournalPlace,
    /// Reads what is not at hand.
    reader: Option<JournalReader>,
    changed: watch::Receiver<u64>,
    pieces: broadcast::Receiver<Arc<str>>,
    name: Str,
}

impl Feeds {
    pub(super) fn new(runs: Runs) -> Arc<Self> {
        Arc::new(Self { runs, open: Mutex::default(), answers: StreamedAnswers::default() })
    }

    fn feeds(&self) -> MutexGuard<'_, FxHashMap<Str, Weak<Feed>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, run: &str) -> Option<Arc<Feed>> {
        self.feeds().get(run)?.upgrade()
    }

    /// The names of those who watch a run.
    pub(super) fn watchers(&self, run: &str) -> Vec<Str> {
        self.of(run).map_or_else(Vec::new, |feed| names(&feed.watchers()))
    }

    /// A watcher of a run who was told everything up to a place.
    pub(super) async fn watch(
        self: &Arc<Self>,
        run: &Str,
        place: JournalPlace,
        name: Str,
    ) -> Result<Watcher, ReadError> {
        let feed = match self.of(run) {
            Some(feed) => feed,
            None => self.open(run).await?,
        };
        feed.comes(&name);
        let (changed, pieces) = (feed.changed.subscribe(), feed.pieces.subscribe());
        Ok(Watcher { feed, place, reader: None, changed, pieces, name })
    }

    async fn open(self: &Arc<Self>, run: &Str) -> Result<Arc<Feed>, ReadError> {
        let reader = JournalReader::open(&self.runs, run).await?;
        let mut feeds = self.feeds();
        // Somebody may have been faster.
        if let Some(feed) = feeds.get(run).and_then(Weak::upgrade) {
            return Ok(feed);
        }
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed {
            run: run.clone(),
            recent: Mutex::default(),
            committed: Notify::new(),
            changed: watch::channel(0).0,
            pieces: broadcast::channel(MAX_PIECES).0,
            watchers: Mutex::default(),
        });
        feeds.insert(run.clone(), Arc::downgrade(&feed));
        tokio::spawn(read(Arc::downgrade(&feed), reader));
        Ok(feed)
    }
}

/// Reads the journal of a run as long as somebody watches it.
async fn read(feed: Weak<Feed>, mut reader: JournalReader) {
    loop {
        let Some(own) = feed.upgrade() else { return };
        // What is committed from here on is noticed.
        let committed = own.committed.notified();
        match reader.read().await {
            Ok(messages) if messages.is_empty() => {
                own.caught_up(reader.place());
                let _over = timeout(PAUSE, committed).await;
            }
            Ok(messages) => own.add(messages),
            Err(error) => {
                tracing::warn!(run = own.run.as_str(), %error, "the journal of a watched run cannot be read");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// The names of watchers, each once.
fn names(watchers: &[Str]) -> Vec<Str> {
    let mut names = watchers.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

impl Feed {
    /// Somebody watches. The others hear of it, unless they watch in the same name.
    fn comes(&self, name: &Str) {
        let mut watchers = self.watchers();
        let is_new = !watchers.contains(name);
        watchers.push(name.clone());
        if is_new {
            self.tell_watchers(&watchers);
        }
    }

    /// One of those who watch in a name leaves.
    fn leaves(&self, name: &Str) {
        let mut watchers = self.watchers();
        if let Some(place) = watchers.iter().position(|own| own == name) {
            watchers.swap_remove(place);
        }
        if !watchers.contains(name) {
            self.tell_watchers(&watchers);
        }
    }

    fn tell_watchers(&self, watchers: &[Str]) {
        let data = json!({"watchers": names(watchers)});
        // Nobody may listen by now.
        let _unheard = self.pieces.send(format!("event: watchers\ndata: {data}\n\n").into());
    }

    fn recent(&self) -> MutexGuard<'_, RecentMessages> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watchers(&self) -> MutexGuard<'_, Vec<Str>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what was read. Nobody is woken before the whole journal was read once: watchers read it for themselves until then.
    fn add(&self, messages: Vec<StreamMessage>) {
        let mut recent = self.recent();
        for message in messages {
            recent.add(message);
        }
        let is_ready = recent.from.is_some();
        drop(recent);
        if is_ready {
            self.changed.send_modify(|count| *count += 1);
        }
    }

    /// The journal was read once: what was read of it is let go, since no watcher needs it again and again.
    fn caught_up(&self, place: JournalPlace) {
        let mut recent = self.recent();
        if recent.from.is_none() {
            *recent = RecentMessages { from: Some(place), ..RecentMessages::default() };
            drop(recent);
            self.changed.send_modify(|count| *count += 1);
        }
    }
}

impl RecentMessages {
    fn add(&mut self, message: StreamMessage) {
        self.bytes += message.text.len();
        self.messages.push_back(message);
        while self.messages.len() > MAX_MESSAGES
            || (self.bytes > MAX_MESSAGE_BYTES && self.messages.len() > 1)
        {
            let Some(first) = self.messages.pop_front() else { return };
            self.bytes -= first.text.len();
            if self.from.is_some() {
                self.from = Some(first.place);
            }
        }
    }

    /// The messages after a place, as many as are given at once; none if something before them is not at hand.
    fn after(&self, place: JournalPlace) -> Option<Vec<StreamMessage>> {
        if place < self.from? {
            return None;
        }
        let first = self.messages.partition_point(|message| message.place <= place);
        let mut bytes = 0;
        let part = self.messages.range(first..).take_while(|message| {
            let is_part = bytes < MAX_PART_BYTES;
            bytes += message.text.len();
            is_part
        });
        Some(part.cloned().collect())
    }
}

impl Watcher {
    /// Reads on after the place up to which it was told; nothing if there is no more for now.
    pub(super) async fn more(&mut self, feeds: &Feeds) -> Result<Vec<StreamMessage>, ReadError> {
        loop {
            self.changed.mark_unchanged();
            if let Some(messages) = self.at_hand() {
                self.reader = None;
                if let Some(last) = messages.last() {
                    self.place = last.place;
                }
                return Ok(messages);
            }
            let reader = match &mut self.reader {
                Some(reader) => reader,
                None => self.reader.insert(JournalReader::open(&feeds.runs, &self.feed.run).await?),
            };
            let messages = reader.read().await?;
            if messages.is_empty() {
                return Ok(messages);
            }
            let new: Vec<StreamMessage> =
                messages.into_iter().filter(|message| message.place > self.place).collect();
            if let Some(last) = new.last() {
                self.place = last.place;
                return Ok(new);
            }
        }
    }

    /// The messages at hand after its place; none if something before that is not.
    fn at_hand(&self) -> Option<Vec<StreamMessage>> {
        self.feed.recent().after(self.place)
    }

    /// Ends when there may be more, or with a piece of a text that a model streams.
    pub(super) async fn heard(&mut self) -> Option<Arc<str>> {
        tokio::select! {
            biased;
            // The feed is there as long as this is.
            _more = self.changed.changed() => None,
            // Who is behind hears what comes next.
            piece = self.pieces.recv() => piece.ok(),
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.feed.leaves(&self.name);
    }
}

impl Observer for Feeds {
    fn recorded(&self, event: &Event, _: u32, view: RunView<'_>) {
        if let EventKind::Resolved { call, .. }
        | EventKind::Late { call, .. }
        | EventKind::Abandoned { call } = &event.kind
        {
            self.answers.forget(call);
        }
        if let Some(feed) = self.of(&view.snapshot.run) {
            feed.committed.notify_one();
        }
    }
}

impl Feeds {
    /// A piece of an answer arrives. The mask hides the keys that the run uses.
    pub(super) fn heard(&self, call: &Call, piece: &str, mask: &Mask) {
        let text = self.answers.push(call, piece, mask);
        if !text.is_empty() {
            self.tell(call, "piece", Some(&text));
        }
    }

    /// The pieces of an answer are none of it.
    pub(super) fn dropped(&self, call: &Call) {
        self.answers.forget(&call.id);
        self.tell(call, "dropped", None);
    }

    /// Tells the watchers of a run what arrives of an answer. It is not stored, and has no id.
    fn tell(&self, call: &Call, event: &str, text: Option<&str>) {
        // The id of a call begins with that of its run, which has no colon.
        let Some(feed) = call.id.0.split(':').next().and_then(|run| self.of(run)) else { return };
        let data = json!({"call": call.id.0.as_str(), "node": call.node.as_str(), "text": text});
        // Nobody may listen by now.
        let _unheard = feed.pieces.send(format!("event: {event}\ndata: {data}\n\n").into());
    }
}
