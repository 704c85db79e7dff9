//! Figures of a process: what they are called, and their values.

use std::fmt::Write as _;

/// A figure: a family of values, one for each set of labels.
///
/// `OpenMetrics` and OpenTelemetry have the same figures; their names differ in the marks between words, and in what says the unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name as OpenTelemetry has it, such as `loopwright.effect.duration`.
    pub name: &'static str,
    /// Its meaning, in a sentence.
    pub about: &'static str,
    /// The values.
    pub values: FigureValues,
}

/// A value with the labels that tell it from others of its family.
pub type Labelled<T> = (Vec<(&'static str, String)>, T);

/// The values of a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum FigureValues {
    /// Numbers of what is there now.
    Gauge(Vec<Labelled<u64>>),
    /// Numbers of what has happened since the process began.
    Counter(Vec<Labelled<u64>>),
    /// Times in seconds, by how long they were.
    Durations {
        /// The upper bounds of the times in a bucket, in seconds, the shortest first.
        bounds: Vec<f64>,
        /// The times.
        values: Vec<Labelled<Durations>>,
    },
}

/// A listener to durations as they come: the name of the figure, its labels, and seconds.
pub type HearDuration = Box<dyn Fn(&'static str, &[(&'static str, &'static str)], f64) + Send + Sync>;

/// Times, by how long they were.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Durations {
    /// For each bound the number of times that were no longer, and longer than the bound before.
    pub buckets: Vec<u64>,
    /// The number of times, those beyond the last bound with them.
    pub count: u64,
    /// Their sum in seconds, as text without rounding.
    pub sum: String,
}

/// Figures as an `OpenMetrics` text.
///
/// Source: `OpenMetrics` 1.0, section "Text Format".
#[must_use]
pub fn open_metrics(figures: &[Figure]) -> String {
    let mut text = String::new();
    for Figure { name, about, values } in figures {
        let name = name.replace('.', "_");
        // A text that cannot be written to is none.
        let _ = match values {
            FigureValues::Gauge(values) => write_family(&mut text, &name, (about, "gauge", ""), values),
            FigureValues::Counter(values) => {
                write_family(&mut text, &name, (about, "counter", "_total"), values)
            }
            FigureValues::Durations { bounds, values } => {
                write_durations(&mut text, &format!("{name}_seconds"), about, (bounds, values))
            }
        };
    }
    text + "# EOF\n"
}

fn write_family(
    text: &mut String,
    name: &str,
    (about, kind, ending): (&str, &str, &str),
    values: &[Labelled<u64>],
) -> std::fmt::Result {
    writeln!(text, "# TYPE {name} {kind}\n# HELP {name} {about}")?;
    values
        .iter()
        .try_for_each(|(labels, value)| writeln!(text, "{name}{ending}{} {value}", shown(labels, None)))
}

fn write_durations(
    text: &mut String,
    name: &str,
    about: &str,
    (bounds, values): (&[f64], &[Labelled<Durations>]),
) -> std::fmt::Result {
    writeln!(text, "# TYPE {name} histogram\n# UNIT {name} seconds\n# HELP {name} {about}")?;
    for (labels, Durations { buckets, count, sum }) in values {
        let mut below = 0;
        for (bound, bucket) in bounds.iter().zip(buckets) {
            below += bucket;
            writeln!(text, "{name}_bucket{} {below}", shown(labels, Some(&bound.to_string())))?;
        }
        writeln!(text, "{name}_bucket{} {count}", shown(labels, Some("+Inf")))?;
        let labels = shown(labels, None);
        writeln!(text, "{name}_sum{labels} {sum}\n{name}_count{labels} {count}")?;
    }
    Ok(())
}

/// Labels as the text has them; `le` is the bound of a bucket.
fn shown(labels: &[(&'static str, String)], le: Option<&str>) -> String {
    let own = labels.iter().map(|(name, value)| (*name, value.as_str()));
    let all: Vec<String> = own
        .chain(le.map(|le| ("le", le)))
        .map(|(name, value)| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        })
        .collect();
    if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::{Durations, Figure, FigureValues, open_metrics};

    #[test]
    fn figures_are_written_as_open_metrics_has_them() {
        let label = |value: &str| vec![("kind", value.to_owned())];
        let took = Durations { buckets: vec![2, 1], count: 4, sum: "7.25".to_owned() };
        let figures = [
            Figure { name: "a.runs", about: "Runs.", values: FigureValues::Gauge(vec![(Vec::new(), 3)]) },
            Figure {
                name: "a.calls",
                about: "Calls.",
                values: FigureValues::Counter(vec![(label("a\"\\\nb"), 1)]),
            },
            Figure {
                name: "a.took",
                about: "Times.",
                values: FigureValues::Durations {
                    bounds: vec![0.01, 0.5],
                    values: vec![(label("tool"), took)],
                },
            },
        ];
        assert_eq!(
            open_metrics(&figures),
            "# TYPE a_runs gauge\n# HELP a_runs Runs.\na_runs 3\n\
             # TYPE a_calls counter\n# HELP a_calls Calls.\na_calls_total{kind=\"a\\\"\\\\\\nb\"} 1\n\
             # TYPE a_took_seconds histogram\n# UNIT a_took_seconds seconds\n# HELP a_took_seconds Times.\n\
             a_took_seconds_bucket{kind=\"tool\",le=\"0.01\"} 2\na_took_seconds_bucket{kind=\"tool\",le=\"0.5\"} 3\n\
             a_took_seconds_bucket{kind=\"tool\",le=\"+Inf\"} 4\n\
             a_took_seconds_sum{kind=\"tool\"} 7.25\na_took_seconds_count{kind=\"tool\"} 4\n# EOF\n"
        );
    }
}
