//! Where runs are kept: in memory.

mod memory;

pub use memory::Memory;
