//! Stored records from the outside: written by an application of the tests' own, read back by the recovery reader.

mod app;
mod bad;
mod canonical;
mod history;
