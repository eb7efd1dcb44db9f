//! Checks that know a URL and raw bytes, and the `assay` command around them. Use the library to run checks from a test of your
//! own; most users need the command only.
//!
//! Three checks against a server in the same process:
//!
#![cfg_attr(feature = "embedded", doc = "```")]
#![cfg_attr(not(feature = "embedded"), doc = "```ignore")]
//! use assay_spec::Dialect;
//! use assay_suites::embedded::Embedded;
//! use assay_suites::pace::Pace;
//! use assay_suites::plan::plan;
//! use assay_suites::probe::Settings;
//! use assay_suites::run::Runner;
//! use assay_suites::verdict::Verdict;
//!
//! let target = Embedded::new(7, Dialect::default());
//! let (settings, pace) = (Settings::default(), Pace::default());
//! let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 3 };
//! let mut checks = assay_suites::check::all();
//! checks.retain(|check| check.requirement.to_string().starts_with("drop.upload."));
//! let planned = plan(&target, &checks[..3]);
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let run = runtime.block_on(runner.run(&planned, |ran| println!("{}", ran.outcome.requirement)));
//! assert_eq!(run.count(Verdict::Pass), 3);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Rule of this layer: only the folder [`embedded`] may use the simulator.

pub mod ambient;
pub mod baseline;
mod boundary;
pub mod cause;
pub mod check;
pub mod client;
pub mod conclusion;
pub mod control;
pub mod curl;
pub mod diff;
pub mod disk;
pub mod doctor;
pub mod documents;
pub mod drop;
mod dry;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod endpoints;
pub mod exchange;
pub mod export;
pub mod files;
mod form;
pub mod gateway;
pub mod hosting;
pub mod judge;
pub mod ledger;
pub mod merge;
pub mod metadata;
pub mod network;
pub mod openapi;
mod owners;
pub mod pace;
mod panics;
pub mod partial;
pub mod plan;
pub mod probe;
pub mod profile;
pub mod prose;
pub mod proxy;
pub mod publish;
pub mod readings;
pub mod recording;
pub mod redact;
pub mod refusal;
pub mod replay;
pub mod report;
pub mod run;
pub mod select;
pub mod sender;
pub mod setup;
pub mod shard;
pub mod survey;
pub mod target;
pub mod tls;
pub mod transport;
pub mod verdict;
