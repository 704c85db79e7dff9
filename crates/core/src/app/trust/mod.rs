//! Trust: the requests of a folder, and what its user allowed.
//!
//! A configuration, a command and a store may come from whoever wrote the folder. Each has a digest; what was allowed
//! is noted with it in the [user's own folder](StateFolder), so that what changed is asked for again. A [`Consent`] is what counts
//! for one command: the notes, and the digests that its operator names.
//!
//! Nothing here asks a person. [`Configuration::admit`] is handed a function that does, [`Grants`] and [`StorePlace`] say what
//! is not allowed yet and note a yes.

mod admit;
mod choice;
mod configuration;
mod configuration_file;
mod consent;
mod digests;
mod file_place;
mod grants;
mod ground;
mod note;
mod notes;
mod seal;
mod showable;
mod state_folder;
mod store_identity;
mod store_place;

pub use admit::{Admitted, NotAllowed, Wants};
pub use choice::Choice;
pub use configuration::{Configuration, ConfigurationFault, FILE_NAME, Glance};
pub use configuration_file::ConfigurationFile;
pub use consent::Consent;
pub use digests::{Digests, DigestsError, digest};
pub use grants::{Grant, GrantableTool, Grants, withdraw_grants};
pub use note::{Note, NoteChange};
pub use notes::{Notes, NotesWarning};
pub use state_folder::{NoteKind, StateFolder};
pub use store_place::StorePlace;
