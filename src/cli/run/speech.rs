//! `stream: field`: that field of an answer as it arrives, for people, on standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::progress::Progress;
use crate::cli::screen;
use loopwright_core::machine::{Call, CallId, Event, EventKind};
use loopwright_core::port::{Listener, Mask, MaskStream, Observer, RunView};
use loopwright_core::value::Value;
use loopwright_core::value::json::FieldReader;

/// Prints answers as they arrive, each with the name of its node before it. One speaks at a time: what another lane hears
/// meanwhile comes after it. While a person is asked all of them wait, and while one speaks there is no live line.
#[derive(Clone)]
pub(super) struct Speech(Arc<Mutex<SpeechState>>);

struct SpeechState {
    mask: Mask,
    progress: Option<Progress>,
    /// The first one speaks.
    speakers: VecDeque<Speaker>,
    /// A person is asked.
    asked: bool,
    /// The speaker of the last shown answer, by the frame that received it.
    shown: FxHashMap<u32, String>,
    print: fn(&str),
}

/// An answer on its way.
struct Speaker {
    call: Option<CallId>,
    /// The name of the speaker; empty for a remark.
    name: String,
    /// None where the answer is the text.
    field: Option<FieldReader>,
    hidden: MaskStream,
    /// Text that was not printed yet.
    waits: String,
    /// True while a line is open.
    open: bool,
    /// True if anything was printed.
    spoke: bool,
    over: bool,
}

impl Speech {
    /// Nobody speaks yet. Of what the mask hides nothing is printed.
    pub(super) fn new(mask: Mask, progress: Option<Progress>) -> Self {
        Self::printing(mask, progress, screen::say)
    }

    fn printing(mask: Mask, progress: Option<Progress>, print: fn(&str)) -> Self {
        let (speakers, shown) = (VecDeque::new(), FxHashMap::default());
        Self(Arc::new(Mutex::new(SpeechState { mask, progress, speakers, asked: false, shown, print })))
    }

    /// Ends the line that is open.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.asked = false;
        state.speakers.iter_mut().for_each(Speaker::end);
        state.speak();
    }

    fn state(&self) -> MutexGuard<'_, SpeechState> {
        // A line half printed is no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Speech {
    fn heard(&self, call: &Call, piece: &str) {
        let mut state = self.state();
        let found = state.speakers.iter().position(|speaker| speaker.is(&call.id));
        let place = found.unwrap_or_else(|| {
            let speaker = Speaker::new(call, &state.mask);
            state.speakers.push_back(speaker);
            state.speakers.len() - 1
        });
        state.speakers[place].hear(piece);
        state.speak();
    }

    fn dropped(&self, call: &Call) {
        let mut state = self.state();
        let Some(place) = state.speakers.iter().position(|speaker| speaker.is(&call.id)) else { return };
        let speaker = &mut state.speakers[place];
        (speaker.over, speaker.waits) = (true, String::new());
        if speaker.spoke {
            let remark = Speaker::remark(&format!("({}: that was no answer)", speaker.name), &state.mask);
            state.speakers.insert(place + 1, remark);
        }
        state.speak();
    }
}

impl Observer for Speech {
    fn recorded(&self, event: &Event, _: u32, view: RunView<'_>) {
        let mut state = self.state();
        match &event.kind {
            EventKind::Resolved { call, .. }
            | EventKind::Late { call, .. }
            | EventKind::Abandoned { call } => {
                state.end(call, event.frame);
            }
            EventKind::Failed { error, .. } => {
                if let Some(name) = state.shown.remove(&event.frame) {
                    let kind = error.as_map().and_then(|error| error.get("kind")).and_then(Value::as_str);
                    let text = format!("({name}: not taken: {})", screen::line(kind.unwrap_or("error")));
                    let remark = Speaker::remark(&text, &state.mask);
                    state.speakers.push_back(remark);
                }
            }
            EventKind::Completed { .. } | EventKind::Entered { .. } => {
                state.shown.remove(&event.frame);
            }
            _ => {}
        }
        state.asked = view.snapshot.asks().next().is_some();
        state.speak();
    }
}

impl SpeechState {
    fn end(&mut self, call: &CallId, frame: u32) {
        if let Some(speaker) = self.speakers.iter_mut().find(|speaker| speaker.is(call)) {
            speaker.end();
            self.shown.insert(frame, speaker.name.clone());
        }
    }

    /// Prints what may be printed.
    fn speak(&mut self) {
        while let Some(speaker) = self.speakers.front_mut() {
            if self.asked {
                if std::mem::take(&mut speaker.open) {
                    (self.print)("\n");
                }
                return;
            }
            let text = std::mem::take(&mut speaker.waits);
            if !text.is_empty() {
                if let Some(progress) = &self.progress {
                    progress.hold();
                }
                let who = if speaker.open { String::new() } else { speaker.head() };
                (self.print)(&(who + &text));
                (speaker.open, speaker.spoke) = (true, true);
            }
            if !speaker.over {
                return;
            }
            if speaker.open {
                (self.print)("\n");
            }
            if let Some(progress) = &self.progress {
                progress.release();
            }
            self.speakers.pop_front();
        }
    }
}

impl Speaker {
    fn new(call: &Call, mask: &Mask) -> Self {
        let field = call.request.streamed_field().map(|field| FieldReader::new(field.as_str()));
        let lane = if call.lane.is_empty() { String::new() } else { format!("{} ", call.lane) };
        let name = screen::line(&format!("{lane}{}", call.node));
        let (waits, hidden) = (String::new(), mask.stream());
        Self {
            call: Some(call.id.clone()),
            name,
            field,
            hidden,
            waits,
            open: false,
            spoke: false,
            over: false,
        }
    }

    fn remark(text: &str, mask: &Mask) -> Self {
        let (name, hidden, waits) = (String::new(), mask.stream(), text.to_owned());
        Self { call: None, name, field: None, hidden, waits, open: false, spoke: false, over: true }
    }

    fn is(&self, call: &CallId) -> bool {
        !self.over && self.call.as_ref() == Some(call)
    }

    fn head(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) }
    }

    fn hear(&mut self, piece: &str) {
        let text = self.field.as_mut().map_or_else(|| piece.to_owned(), |field| field.push(piece));
        let mut text = self.hidden.push(&text);
        if self.field.as_ref().is_some_and(FieldReader::is_over) {
            text += &self.hidden.end();
        }
        self.wait(&text);
    }

    fn end(&mut self) {
        let rest = self.hidden.end();
        self.wait(&rest);
        self.over = true;
    }

    /// Further lines of an answer are after the first: none of them can be taken for another's.
    fn wait(&mut self, text: &str) {
        self.waits += &screen::lines(text).replace('\n', "\n  ");
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::{CallId, Listener, Mask, Speech};
    use loopwright_core::machine::{Call, Request};
    use loopwright_core::value::{Map, Value};

    thread_local! {
        static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
    }

    fn speech(mask: Mask) -> Speech {
        PRINTED.take();
        Speech::printing(mask, None, |text| PRINTED.with_borrow_mut(|printed| printed.push_str(text)))
    }

    fn call(id: &str, typed: bool) -> Call {
        let schema = if typed { Value::Map(Map::new()) } else { Value::Null };
        let request = Request::Model {
            role: "any".into(),
            system: None,
            prompt: "".into(),
            messages: None,
            offer: None,
            limits: None,
            schema,
            stream: Some("text".into()),
            cache: false,
        };
        let (id, node, lane) = (CallId(id.into()), "think".into(), id.into());
        Call { id, node, lane, attempt: 1, timeout: None, deadline: None, request }
    }

    fn end(speech: &Speech, call: &Call) {
        let mut state = speech.state();
        state.end(&call.id, 0);
        state.speak();
    }

    #[test]
    fn lanes_speak_one_after_another() {
        let (speech, a, b) = (speech(Mask::default()), call("a", true), call("b", false));
        speech.heard(&a, r#"{"n": 1, "text": "one "#);
        speech.heard(&b, "first\nsecond");
        speech.heard(&a, r#"two\u001b[31m"}"#);
        assert_eq!(PRINTED.with_borrow(String::clone), "a think: one two\\u{1b}[31m");
        end(&speech, &a);
        speech.heard(&b, "!");
        assert_eq!(PRINTED.take(), "a think: one two\\u{1b}[31m\nb think: first\n  second!");
        speech.clear();
        assert_eq!(PRINTED.take(), "\n");
    }

    #[test]
    fn what_was_no_answer_is_said_to_be_none() {
        let (speech, a, b) = (speech(Mask::default()), call("a", false), call("b", false));
        speech.heard(&a, "one");
        speech.heard(&b, "never seen");
        speech.dropped(&b);
        speech.dropped(&a);
        speech.heard(&a, "two");
        end(&speech, &a);
        assert_eq!(PRINTED.take(), "a think: one\n(a think: that was no answer)\na think: two\n");
    }

    #[test]
    fn nothing_is_printed_over_a_question() {
        let (speech, a) = (speech(Mask::default()), call("a", false));
        speech.heard(&a, "one ");
        speech.state().asked = true;
        speech.heard(&a, "two ");
        assert_eq!(PRINTED.take(), "a think: one \n");
        speech.state().asked = false;
        speech.heard(&a, "three");
        assert_eq!(PRINTED.take(), "a think: two three");
    }

    #[test]
    fn a_key_in_pieces_is_not_printed() {
        let (speech, a) = (speech(Mask::new(["canary-of-a-key"])), call("a", false));
        for letter in "my canary-of-a-key is can".chars() {
            speech.heard(&a, &letter.to_string());
        }
        end(&speech, &a);
        assert_eq!(PRINTED.take(), "a think: my *** is can\n");
    }
}
