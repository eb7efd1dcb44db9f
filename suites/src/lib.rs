//! Checks that know a URL and raw bytes, and the `assay` command around them. Use the library to run checks from a test of your
//! own; most users need the command only.
//!
//! Three checks against a server in the same process:
//!
#![cfg_attr(feature = "embedded", doc = "```")]
#![cfg_attr(not(feature = "embedded"), doc = "```ignore")]
//! use assay_spec::Dialect;
//! use assay_suites::embedded::Embedded;
//! use assay_suites::harness::pace::Pace;
//! use assay_suites::harness::run::plan::plan;
//! use assay_suites::harness::run::Runner;
//! use assay_suites::harness::data::Verdict;
//!
//! let target = Embedded::new(7, Dialect::default());
//! let (settings, pace) = (assay_suites::services::settings(), Pace::default());
//! let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 3 };
//! let mut checks = assay_suites::services::checks();
//! checks.retain(|check| check.requirement.to_string().starts_with("drop.upload."));
//! let planned = plan(&target, &checks[..3]);
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let run = runtime.block_on(runner.run(&planned, |ran| println!("{}", ran.outcome.requirement)));
//! assert_eq!(run.count(Verdict::Pass), 3);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The folders are layers; each imports only those below it, and its first lines say which. From the bottom: [`support`],
//! [`http`], [`profile`], [`documents`], [`harness`], [`services`], [`report`], [`onboarding`], [`rerun`], [`embedded`].
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
