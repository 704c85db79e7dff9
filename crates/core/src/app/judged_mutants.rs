//! The mutants of some scenario files' graphs, each with its fate.

use std::num::NonZeroUsize;

use super::on_threads::on_threads;
use crate::model::Loader;
use crate::mutate::{
    EquivalenceJudge, MutantVerdict, MutatedGraph, MutationScore, MutationTest, OriginalPlay, print,
};
use crate::source::Sources;

/// The mutants of some scenario files' graphs, each with its fate.
#[derive(Debug)]
pub struct JudgedMutants {
    /// The scenario files as they are.
    pub plays: Vec<OriginalPlay>,
    test: MutationTest,
    /// By graph file, in order of the mutants.
    verdicts: Vec<Vec<MutantVerdict>>,
}

impl JudgedMutants {
    /// Reads scenario files, and plays them against all mutants of the graph files that they read, on so many threads. Survivors
    /// are those of which `judge` does not know that they are the same.
    pub fn play(
        paths: Vec<String>,
        loader: &mut dyn Loader,
        threads: NonZeroUsize,
        judge: Option<&EquivalenceJudge<'_>>,
    ) -> Self {
        let (test, plays) = MutationTest::load(paths, loader);
        let verdicts = verdicts(&test, threads, judge);
        Self { plays, test, verdicts }
    }

    /// The texts that findings, reports and mutants point into.
    #[must_use]
    pub const fn sources(&self) -> &Sources {
        self.test.sources()
    }

    /// The graph files with the fates of their mutants, and the counts of these.
    pub fn graphs(&self) -> impl Iterator<Item = (&MutatedGraph, &[MutantVerdict], MutationScore)> {
        self.test.graphs().iter().zip(&self.verdicts).map(|(graph, verdicts)| {
            let mut score = MutationScore::default();
            for verdict in verdicts {
                score.count(verdict);
            }
            (graph, verdicts.as_slice(), score)
        })
    }

    /// The graphs as JSON: `file`, `played_by`, `counts`, `score` in percent, `mutants`.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let sources = self.sources();
        let graph = |(graph, verdicts, score): (&MutatedGraph, &[MutantVerdict], MutationScore)| {
            let mutants = graph.mutants.iter().zip(verdicts);
            let mutants: Vec<_> =
                mutants.map(|(mutant, verdict)| print::json(mutant, verdict, sources)).collect();
            serde_json::json!({
                "file": sources.name(graph.file()),
                "played_by": self.test.players(graph).collect::<Vec<_>>(),
                "counts": {
                    "all": score.all(),
                    "killed": score.killed,
                    "refused": score.refused,
                    "equivalent": score.equivalent,
                    "survived": score.survived,
                },
                "score": score.percent(),
                "mutants": mutants,
            })
        };
        self.graphs().map(graph).collect()
    }
}

/// The fates of all mutants.
fn verdicts(
    test: &MutationTest,
    threads: NonZeroUsize,
    judge: Option<&EquivalenceJudge<'_>>,
) -> Vec<Vec<MutantVerdict>> {
    let all: Vec<_> = test
        .graphs()
        .iter()
        .flat_map(|graph| graph.mutants.iter().map(move |mutant| (graph, mutant)))
        .collect();
    let mut done = on_threads(&all, threads, |(graph, mutant)| test.judge(graph, mutant, judge)).into_iter();
    test.graphs().iter().map(|graph| done.by_ref().take(graph.mutants.len()).collect()).collect()
}
