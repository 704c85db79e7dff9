//! Types as the generator thinks of them: what may stand where, how they are written, a literal of each.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// A kind of type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum WantedKind {
    Bool,
    Int(Option<(i64, i64)>),
    Float,
    Usd,
    Duration,
    Text(Option<u64>),
    List(Box<WantedType>, Option<u64>),
    Map(Box<WantedType>),
    Enum(&'static [&'static str]),
    /// A record of the graph by its place in the list of records.
    Record(usize),
    /// The outputs of a called graph by its place in the list of those.
    Outputs(usize),
    Any,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WantedType {
    pub(super) kind: WantedKind,
    pub(super) null: bool,
}

/// A field of a record.
#[derive(Debug, Clone)]
pub(super) struct FieldPlan {
    pub(super) name: String,
    pub(super) ty: WantedType,
    pub(super) default: Option<String>,
}

/// A record type.
#[derive(Debug, Clone)]
pub(super) struct RecordPlan {
    pub(super) name: String,
    pub(super) fields: Vec<FieldPlan>,
}

/// The part of a called graph that its caller sees.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) file: String,
    /// Each input, and whether it may be left out.
    pub(super) inputs: Vec<(String, WantedType, bool)>,
    pub(super) outputs: Vec<(String, WantedType)>,
}

/// The types that have names.
#[derive(Debug, Clone, Default)]
pub(super) struct NamedTypes {
    pub(super) records: Vec<RecordPlan>,
    pub(super) called: Vec<Signature>,
}

pub(super) const WORDS: [&[&str]; 3] =
    [&["red", "green", "blue"], &["low", "high"], &["draft", "sent", "read", "gone"]];

impl WantedType {
    pub(super) const fn of(kind: WantedKind) -> Self {
        Self { kind, null: false }
    }

    pub(super) fn or_null(&self) -> Self {
        Self { null: true, ..self.clone() }
    }

    pub(super) fn not_null(&self) -> Self {
        Self { null: false, ..self.clone() }
    }

    pub(super) const fn int() -> Self {
        Self::of(WantedKind::Int(None))
    }

    pub(super) const fn text() -> Self {
        Self::of(WantedKind::Text(None))
    }

    pub(super) const fn bool() -> Self {
        Self::of(WantedKind::Bool)
    }

    pub(super) const fn any() -> Self {
        Self::of(WantedKind::Any)
    }

    pub(super) fn list(self) -> Self {
        Self::of(WantedKind::List(Box::new(self), None))
    }

    pub(super) const fn is_any(&self) -> bool {
        matches!(self.kind, WantedKind::Any)
    }

    /// True if null belongs to it.
    pub(super) const fn takes_null(&self) -> bool {
        self.null || self.is_any()
    }

    /// As a graph file has it.
    pub(super) fn written(&self, names: &NamedTypes) -> String {
        let text = match &self.kind {
            WantedKind::Any => return "any".to_owned(),
            WantedKind::Bool => "bool".to_owned(),
            WantedKind::Int(None) => "int".to_owned(),
            WantedKind::Int(Some((least, most))) => format!("int({least}..{most})"),
            WantedKind::Float => "float".to_owned(),
            WantedKind::Usd => "usd".to_owned(),
            WantedKind::Duration => "duration".to_owned(),
            WantedKind::Text(None) => "string".to_owned(),
            WantedKind::Text(Some(most)) => format!("string({most})"),
            WantedKind::List(item, None) => format!("list<{}>", item.written(names)),
            WantedKind::List(item, Some(most)) => format!("list<{}>({most})", item.written(names)),
            WantedKind::Map(item) => format!("map<{}>", item.written(names)),
            WantedKind::Enum(words) => format!("enum({})", words.join(", ")),
            WantedKind::Record(place) => names.records[*place].name.clone(),
            WantedKind::Outputs(place) => format!("outputs('{}')", names.called[*place].file),
        };
        if self.null { text + "?" } else { text }
    }

    /// True if every value of `self` is one of `other` without a test at run time.
    pub(super) fn fits(&self, other: &Self) -> bool {
        if other.is_any() {
            return true;
        }
        if self.null && !other.null {
            return false;
        }
        match (&self.kind, &other.kind) {
            (WantedKind::Int(_), WantedKind::Int(None))
            | (WantedKind::Text(_) | WantedKind::Enum(_), WantedKind::Text(None)) => true,
            (WantedKind::Int(Some((a, b))), WantedKind::Int(Some((c, d)))) => c <= a && b <= d,
            (WantedKind::Text(Some(a)), WantedKind::Text(Some(b))) => a <= b,
            (WantedKind::List(a, own), WantedKind::List(b, most)) => {
                a.fits(b) && most.is_none_or(|most| own.is_some_and(|own| own <= most))
            }
            (WantedKind::Map(a), WantedKind::Map(b)) => a.fits(b),
            (a, b) => a == b,
        }
    }

    /// The fields that can be selected, with their types.
    pub(super) fn fields(&self, names: &NamedTypes) -> Vec<(String, Self)> {
        let fields: Vec<(String, Self)> = match &self.kind {
            WantedKind::Record(place) => {
                let fields = names.records[*place].fields.iter();
                fields.map(|field| (field.name.clone(), field.ty.clone())).collect()
            }
            WantedKind::Outputs(place) => {
                let outcome = ("outcome".to_owned(), Self::text());
                std::iter::once(outcome).chain(names.called[*place].outputs.iter().cloned()).collect()
            }
            _ => Vec::new(),
        };
        let null = self.null;
        fields.into_iter().map(|(name, ty)| (name, if null { ty.or_null() } else { ty })).collect()
    }

    /// A literal of the type; none where there is none.
    pub(super) fn literal(&self, names: &NamedTypes, random: &mut SmallRng) -> Option<String> {
        if self.null && random.random_bool(0.3) {
            return Some("null".to_owned());
        }
        Some(match &self.kind {
            WantedKind::Any => {
                let all = ["null", "3", "'any'", "[1, 'b']", "{'k': 2}", "true", "0.5"];
                (*all.choose(random)?).to_owned()
            }
            WantedKind::Bool => (if random.random_bool(0.5) { "true" } else { "false" }).to_owned(),
            WantedKind::Int(None) => random.random_range(-2..6).to_string(),
            WantedKind::Int(Some((least, most))) => random.random_range(*least..=*most).to_string(),
            WantedKind::Float => (*["0.5", "2.25", "-1.0", "0.0", "1e10"].choose(random)?).to_owned(),
            WantedKind::Usd => (*["usd('0.25')", "usd('3')"].choose(random)?).to_owned(),
            WantedKind::Duration => (*["90s", "1h", "250ms", "0s"].choose(random)?).to_owned(),
            WantedKind::Text(Some(most)) => {
                format!("'{}'", "x".repeat(usize::try_from((*most).min(3)).ok()?))
            }
            WantedKind::Text(None) => {
                (*["'a'", "'tower'", "''", "'x y'", "\"it's\""].choose(random)?).to_owned()
            }
            WantedKind::List(item, most) => {
                let count = random.random_range(0..=most.unwrap_or(2).min(2));
                let items: Option<Vec<String>> = (0..count).map(|_| item.literal(names, random)).collect();
                format!("[{}]", items?.join(", "))
            }
            WantedKind::Map(item) => {
                let keys = ["'a'", "'b'"];
                let count = random.random_range(0..=2);
                let entry = |key: &&str| Some(format!("{key}: {}", item.literal(names, random)?));
                let entries: Option<Vec<String>> = keys.iter().take(count).map(entry).collect();
                format!("{{{}}}", entries?.join(", "))
            }
            WantedKind::Enum(words) => format!("'{}'", words.choose(random)?),
            WantedKind::Record(place) => {
                let record = &names.records[*place];
                let mut fields = Vec::new();
                for field in &record.fields {
                    if (field.default.is_some() || field.ty.null) && random.random_bool(0.5) {
                        continue;
                    }
                    fields.push(format!("{}: {}", field.name, field.ty.literal(names, random)?));
                }
                format!("{}{{{}}}", record.name, fields.join(", "))
            }
            WantedKind::Outputs(_) => return self.null.then(|| "null".to_owned()),
        })
    }
}
