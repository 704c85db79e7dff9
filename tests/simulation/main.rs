//! Drivers and workers under a simulated clock, disk and network, from one seed.
