//! People, the tokens that stand for them, and what each may do.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use ring::rand::{SecureRandom, SystemRandom};

use super::problem::Problem;
use crate::app::person_name;
use crate::value::Str;

/// The bytes of a token that is made here.
const TOKEN_BYTES: usize = 32;

/// The shortest token of a file, in characters.
const MIN_TOKEN_CHARS: usize = 32;

/// The most tokens of a file.
const MAX_TOKENS: usize = 1_000;

/// The use of a token from which the value of a cookie is made. The cookie does not tell the token.
const SESSION: &str = "loopwright serve 2026 session cookie";

/// The rights of a person. Each role may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Look.
    Watch,
    /// Answer questions, and approve calls.
    Answer,
    /// Begin runs, and end, resume and send them back.
    Run,
}

impl Role {
    const ALL: [Self; 3] = [Self::Watch, Self::Answer, Self::Run];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Watch => "watch",
            Self::Answer => "answer",
            Self::Run => "run",
        }
    }
}

/// Somebody whose token was brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) name: Str,
    pub(super) role: Role,
}

impl Person {
    /// Refuses what the role does not allow.
    pub(super) fn may(&self, wanted: Role) -> Result<(), Problem> {
        if self.role >= wanted {
            return Ok(());
        }
        let (own, wanted) = (self.role.name(), wanted.name());
        let detail = format!("this needs the role `{wanted}`; the token of {} has `{own}`", self.name);
        Err(Problem::new(StatusCode::FORBIDDEN, "role", detail))
    }
}

impl<S: Sync> FromRequestParts<S> for Person {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}

/// The answer to a request without a token.
pub(super) fn missing() -> Problem {
    let detail =
        "a token is asked for: `Authorization: Bearer TOKEN`; `loopwright serve` has printed where it is";
    Problem::new(StatusCode::UNAUTHORIZED, "token", detail)
}

/// A token, as its hashes tell it: none is kept.
struct TokenEntry {
    person: Person,
    token: blake3::Hash,
    session: blake3::Hash,
}

/// The tokens of a server.
pub struct Tokens(Vec<TokenEntry>);

/// The text of a new token.
///
/// # Errors
/// The system has no random numbers.
pub fn new_token() -> Result<String, String> {
    let mut bytes = [0; TOKEN_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the system has no random numbers".to_owned())?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

impl Tokens {
    /// One token, which may do everything.
    #[must_use]
    pub fn one(name: &str, token: &str) -> Self {
        Self(vec![TokenEntry::new(Person { name: name.into(), role: Role::Run }, token)])
    }

    /// The tokens of a file: one a line, with the name of its person and the role before it. What comes after `#` is left out.
    ///
    /// # Errors
    /// A line that is none, and what it should be.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut tokens: Vec<TokenEntry> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let at = |why: String| format!("line {number}: {why}");
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, role, token] = words[..] else {
                return Err(at("write NAME ROLE TOKEN".to_owned()));
            };
            let name = person_name(name).map_err(at)?;
            let Some(role) = Role::ALL.into_iter().find(|own| own.name() == role) else {
                let roles = Role::ALL.map(Role::name).join("`, `");
                return Err(at(format!("the roles are `{roles}`")));
            };
            if token.chars().count() < MIN_TOKEN_CHARS {
                return Err(at(format!(
                    "a token has at least {MIN_TOKEN_CHARS} characters; `openssl rand -hex 32` makes one"
                )));
            }
            let entry = TokenEntry::new(Person { name, role }, token);
            if tokens.iter().any(|own| own.token == entry.token) {
                return Err(at("another line has this token".to_owned()));
            }
            tokens.push(entry);
        }
        match tokens.len() {
            0 => Err("there is no token in it; write NAME ROLE TOKEN".to_owned()),
            1..=MAX_TOKENS => Ok(Self(tokens)),
            many => Err(format!("it has {many} tokens, and a server takes {MAX_TOKENS}")),
        }
    }

    /// The person whose token that is. Every token is compared, each in a time that tells nothing.
    pub(super) fn of_token(&self, text: &str) -> Option<&Person> {
        self.find(text, |entry| entry.token)
    }

    /// The person whose cookie that is.
    pub(super) fn of_session(&self, text: &str) -> Option<&Person> {
        self.find(text, |entry| entry.session)
    }

    fn find(&self, text: &str, part: impl Fn(&TokenEntry) -> blake3::Hash) -> Option<&Person> {
        let given = blake3::hash(text.as_bytes());
        // The comparison of two hashes takes as long wherever they differ.
        self.0.iter().fold(None, |found, own| if part(own) == given { Some(&own.person) } else { found })
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|entry| &entry.person)).finish()
    }
}

impl TokenEntry {
    fn new(person: Person, token: &str) -> Self {
        let session = blake3::hash(session(token).as_bytes());
        Self { person, token: blake3::hash(token.as_bytes()), session }
    }
}

/// The value of the cookie for a token. It is the same after the server was started again.
pub(super) fn session(token: &str) -> String {
    blake3::Hash::from_bytes(blake3::derive_key(SESSION, token.as_bytes())).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Role, Tokens, session};

    #[test]
    fn every_token_is_compared_whichever_it_is() {
        let tokens = ["a", "b", "c"].map(|letter| letter.repeat(40));
        let lines: Vec<_> = tokens.iter().map(|token| format!("ana run {token}")).collect();
        let known = Tokens::read(&lines.join("\n")).expect("three tokens");
        let almost = format!("{}x", &tokens[0][..39]);
        for given in tokens.iter().chain([&almost, &String::new()]) {
            let compared = Cell::new(0);
            // What is compared is a hash of the whole: how far two texts are the same does not tell.
            let found = known.find(given, |entry| {
                compared.set(compared.get() + 1);
                entry.token
            });
            assert_eq!((compared.get(), found.is_some()), (3, tokens.contains(given)), "{given}");
        }
    }

    #[test]
    fn tokens_are_read_from_lines() {
        let long = "0123456789abcdef0123456789abcdef";
        let text = format!("# people\nana watch {long}1 # looks\n\nben run {long}2\n");
        let tokens = Tokens::read(&text).expect("two tokens");
        let name = |token: &str| tokens.of_token(token).map(|person| (person.name.to_string(), person.role));
        assert_eq!(name(&format!("{long}1")), Some(("ana".to_owned(), Role::Watch)));
        assert_eq!(name(&format!("{long}2")), Some(("ben".to_owned(), Role::Run)));
        assert_eq!((name(long), name("")), (None, None));
        assert!(tokens.of_session(&session(&format!("{long}1"))).is_some());
        assert!(
            tokens.of_session(&format!("{long}1")).is_none() && tokens.of_token(&session(long)).is_none()
        );
        for (text, wanted) in [
            (String::new(), "no token"),
            ("ana run".to_owned(), "line 1: write NAME ROLE TOKEN"),
            (format!("\nana all {long}"), "line 2: the roles are `watch`, `answer`, `run`"),
            ("ana run short".to_owned(), "at least 32"),
            (format!("a run {long}\nb run {long}"), "line 2: another line"),
        ] {
            let why = Tokens::read(&text).expect_err(wanted);
            assert!(why.contains(wanted), "{why}");
        }
    }
}
