//! The operator's settings of the calls of a server's tools.

use std::time::Duration;

use crate::config::command::DELIVERY;
use crate::config::faults::Faults;
use crate::config::fields::{APPROVAL, TableFields};
use crate::program::Approval;
use crate::program::graph::Delivery;
use crate::syntax::{FileKey, KeyForm};

/// The longest a call takes unless a server says otherwise.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The longest result unless a server says otherwise, in bytes.
const OUTPUT_BYTES: usize = 64 << 10;

/// The keys of a tool's table; a server has them for all of its tools.
pub(super) const KEYS: [FileKey; 4] = [
    FileKey::new("timeout", KeyForm::Duration, "The longest time that a call may take; default 1m."),
    DELIVERY,
    APPROVAL,
    FileKey::new("output_bytes", KeyForm::Count(1, 64 << 20), "The longest result in bytes; default 64 KiB."),
];

/// Settings of a server, or of one of its tools. What is absent of a tool is that of its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct McpToolSettings {
    /// The number of times one call may reach the tool.
    pub delivery: Option<Delivery>,
    /// The way in which a person is asked before each call, or that nobody is.
    pub approval: Option<Approval>,
    /// The longest a call may take.
    pub timeout: Option<Duration>,
    /// The longest result, in bytes.
    pub output_bytes: Option<usize>,
}

impl McpToolSettings {
    pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> Self {
        let nanos = fields.duration("timeout", faults).and_then(|nanos| u64::try_from(nanos).ok());
        Self {
            delivery: fields.choice("delivery", &Delivery::ALL, faults),
            approval: fields.approval(faults),
            timeout: nanos.map(Duration::from_nanos),
            output_bytes: fields.count("output_bytes", faults),
        }
    }

    /// These settings, and where they say nothing those of `server`.
    #[must_use]
    pub fn or(self, server: Self) -> Self {
        Self {
            delivery: self.delivery.or(server.delivery),
            approval: self.approval.or(server.approval),
            timeout: self.timeout.or(server.timeout),
            output_bytes: self.output_bytes.or(server.output_bytes),
        }
    }

    /// The longest a call may take, a minute unless it is said.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT)
    }

    /// The longest result in bytes, 64 KiB unless it is said.
    #[must_use]
    pub fn output_limit(&self) -> usize {
        self.output_bytes.unwrap_or(OUTPUT_BYTES)
    }
}
