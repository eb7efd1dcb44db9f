#![cfg_attr(feature = "embedded", doc = include_str!("../README.md"))]
//!
//! The folders are layers; each imports only those below it, and its first lines say which. From the bottom: [`support`],
//! [`http`], [`profile`], [`documents`], [`harness`], [`services`], [`report`], [`onboarding`], [`rerun`], [`testing`],
//! [`watch`], [`embedded`].
//! Only `embedded` uses the simulator.

pub mod documents;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod harness;
pub mod http;
pub mod onboarding;
pub mod profile;
pub mod report;
pub mod rerun;
pub mod services;
pub mod support;
pub mod testing;
pub mod watch;
