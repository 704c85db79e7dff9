//! Workers: they drive runs that others began, each kind from a queue or for an engine of its own.
