//! The one loop that drives a run: it hands what the [machine](crate::machine) asks for to the ports and brings the
//! answers back.
//!
//! - [`Driver`]: a program and its ports; starts and resumes runs.
//! - [`Run`]: one run; [`Run::drive`] continues until it ends or waits for a person.
//! - [`Handle`]: cancels or answers a run from elsewhere.
//! - [`rebuild`]: the state of a run from what was stored of it. [`replay`]: the whole run once more, compared.
//!   [`against`]: the way another graph would have gone with what came in.
//!
//! The events of an input are stored in one piece before anything of them is done: the outcome of one effect, what it changed
//! and the intent of the next share a commit, and transitions in between cost none. Outputs are acted on in order; calls
//! run side by side; a call nobody waits for is dropped, which ends what it started.
//!
//! # Why
//! - Without a lease a run can be written only while nobody has one. A lease is renewed after a third of its time; one that
//!   cannot be given back is no failure of the run, since it runs out by itself.
//! - A run of which nothing was stored can begin again under its id, as the same program: it was cut off between its
//!   name and its first entry.
//! - A status follows from the state: a run that waits for people is waiting, whether or not somebody is there to answer.
//! - A probe is asked here, and nothing of it is stored but the outcome it leads to: to the machine it is how the call
//!   ended.
//! - The operator's pause is tested after the graph's own ones, in the root graph only. One that cannot be decided stops the
//!   run rather than failing it: looking at a run does not change its way.

mod against;
mod begin;
mod clock;
mod defaults;
mod disk;
mod driven_time;
mod driver;
mod events;
mod grants;
mod handle;
mod held_lease;
mod hosted;
mod journal_end;
mod last_entries;
mod ledger;
mod pending;
mod programs;
mod rebuild;
mod replay;
mod rollback;
mod root;
mod run;
mod trace;

pub use against::{AgainstError, Differing, LaneDivergence, Verdict, against, differing};
pub use clock::SystemClock;
pub use defaults::{NoModel, NoTools, Unattended};
pub use disk::{Disk, Located, open};
pub use driven_time::DrivenTime;
pub use driver::{DriveError, Driver, StepPlace};
pub use events::{EventStream, RecordedEvent};
pub use grants::{missing as missing_grants, named as named_tools, names_any as names_any_tool};
pub use handle::{Handle, Signals};
pub use hosted::RunPorts;
pub use ledger::LimitLedger;
pub use pending::{Arrival, PendingWork};
pub use programs::Programs;
pub use rebuild::{RebuildError, rebuild};
pub use replay::{ReplayError, Replayed, replay};
pub use rollback::{Compensation, RollbackPlan, UndoState, events_on_path};
pub use root::{Trusts, is_at_hand, repository};
pub use run::{Finished, Run};
