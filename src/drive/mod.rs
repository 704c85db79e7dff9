//! The one loop that drives a run: it hands what the [machine](crate::machine) asks for to the ports and brings the
//! answers back.
//!
//! - [`Driver`]: a program and its ports; starts and resumes runs.
//! - [`Run`]: one run; [`Run::drive`] goes on until it ends or waits for a person.
//! - [`Handle`]: cancels or answers a run from elsewhere.
//! - [`rebuild`]: the state of a run from what was kept of it. [`replay`]: the whole run once more, compared. [`against`]: the
//!   way another graph would have gone with what came in.
//!
//! What an input led to is kept in one piece before anything of it is done: the outcome of one effect, what it changed
//! and the intent of the next share a commit, and transitions in between cost none. Outputs are acted on in order; calls
//! run side by side; a call nobody waits for is dropped, which ends what it started.

mod against;
mod begin;
mod clock;
mod defaults;
mod disk;
mod driven_time;
mod driver;
mod grants;
mod handle;
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
pub use grants::{missing as missing_grants, named as named_tools};
pub use handle::{Handle, Signals};
pub use programs::Programs;
pub use rebuild::{RebuildError, rebuild};
pub use replay::{ReplayError, Replayed, replay};
pub use rollback::{Compensation, RollbackPlan, UndoState};
pub use root::{Trusts, is_at_hand, repository};
pub use run::{Finished, Run};
