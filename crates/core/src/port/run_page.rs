//! A page of the list of runs.

use super::run_info::{ListedRun, RunInfo, RunStatus};
use crate::value::Str;

/// The runs that a page is to hold, and how many of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// Those of this kind alone.
    pub kind: Option<StatusKind>,
    /// Those of the graph of this id alone.
    pub graph: Option<Str>,
    /// The [cursor](RunPage::next) of the page before; none begins with the newest run.
    pub after: Option<Str>,
    /// The greatest number of runs.
    pub limit: usize,
}

impl RunFilter {
    /// The greatest number of runs of a page.
    pub const MAX_RUNS: usize = 1_000;

    /// All runs, so many at a time.
    #[must_use]
    pub const fn all(limit: usize) -> Self {
        Self { kind: None, graph: None, after: None, limit }
    }

    /// The number of runs that a page may have.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit.clamp(1, Self::MAX_RUNS)
    }

    /// Returns true if a run is wanted.
    #[must_use]
    pub fn wants(&self, run: &RunInfo) -> bool {
        self.kind.is_none_or(|kind| kind == StatusKind::of(&run.status))
            && self.graph.as_ref().is_none_or(|graph| *graph == run.graph)
    }

    /// The place of a run in the order of the list, as a [cursor](RunPage::next) has it: each run has a higher one than the runs
    /// before it. A cursor that was not given out stands before all of them.
    pub(crate) fn before(&self) -> i64 {
        self.after.as_ref().map_or(i64::MAX, |after| after.parse().unwrap_or(0))
    }

    /// The page of a list of runs, the oldest first.
    #[must_use]
    pub fn page(&self, runs: Vec<RunInfo>) -> RunPage {
        let before = usize::try_from(self.before()).unwrap_or(0);
        let mut wanted =
            runs.into_iter().enumerate().take(before).rev().filter(|(_, run)| self.wants(run)).peekable();
        let mut page = RunPage::default();
        while page.runs.len() < self.limit()
            && let Some((place, info)) = wanted.next()
        {
            page.next = wanted.peek().map(|_| ecow::eco_format!("{place}"));
            page.runs.push(ListedRun { info, steps: None, driver: None, events: None });
        }
        page
    }
}

/// A part of the list of runs, the newest first.
#[derive(Debug, Clone, Default)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<ListedRun>,
    /// The cursor of the next page, for [`RunFilter::after`]; none if there are no more. It stays right whatever runs are begun or
    /// removed meanwhile.
    pub next: Option<Str>,
}

/// The kinds of statuses that runs are listed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusKind {
    /// It is being driven, or was interrupted.
    Running,
    /// It is where somebody put it, and continues when it is resumed.
    Ready,
    /// It waits for a person.
    Waiting,
    /// It ended in success.
    Ended,
    /// It ended, and that is no success.
    Failed,
}

impl StatusKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Running, Self::Ready, Self::Waiting, Self::Ended, Self::Failed];

    /// The kind of a status.
    #[must_use]
    pub const fn of(status: &RunStatus) -> Self {
        match status {
            RunStatus::Running => Self::Running,
            RunStatus::Ready => Self::Ready,
            RunStatus::Waiting => Self::Waiting,
            RunStatus::Done { ok: true, .. } => Self::Ended,
            RunStatus::Done { ok: false, .. } => Self::Failed,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
            Self::Failed => "failed",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a status as it is written as JSON; none of a damaged one.
    pub(crate) fn of_text(status: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| {
            let (first, last) = kind.ends();
            status
                .strip_prefix(first)
                .is_some_and(|rest| if last.is_empty() { rest.is_empty() } else { rest.ends_with(last) })
        })
    }

    /// The numbers of each kind, out of numbers of some.
    #[must_use]
    pub fn counts(some: impl IntoIterator<Item = (Self, u64)>) -> Vec<(Self, u64)> {
        let mut all = Self::ALL.map(|kind| (kind, 0));
        for (kind, count) in some {
            all[kind as usize].1 += count;
        }
        all.to_vec()
    }

    /// The texts that a status of this kind begins and ends with where it is written as JSON.
    pub(crate) const fn ends(self) -> (&'static str, &'static str) {
        match self {
            Self::Running => ("\"Running\"", ""),
            Self::Ready => ("\"Ready\"", ""),
            Self::Waiting => ("\"Waiting\"", ""),
            Self::Ended => ("{\"Done\":", ",\"ok\":true}}"),
            Self::Failed => ("{\"Done\":", ",\"ok\":false}}"),
        }
    }

    /// The pattern of SQL that statuses of this kind fit where they are written as JSON.
    pub(crate) fn pattern(self) -> String {
        let (first, last) = self.ends();
        format!("{first}%{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::{RunStatus, StatusKind};

    #[test]
    fn a_status_as_json_has_the_ends_of_its_kind_alone() {
        let done = |ok| RunStatus::Done { outcome: "a\",\"ok\":true}}".into(), ok };
        for status in [RunStatus::Running, RunStatus::Ready, RunStatus::Waiting, done(true), done(false)] {
            let json = serde_json::to_string(&status).expect("it is written");
            for kind in StatusKind::ALL {
                let (first, last) = kind.ends();
                let fits = json.starts_with(first) && json.ends_with(last);
                assert_eq!(fits, kind == StatusKind::of(&status), "{json} {kind:?}");
            }
        }
    }
}
