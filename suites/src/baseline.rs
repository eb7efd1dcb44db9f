//! Baselines: failures that are known, each with its reason. A baseline cannot rot: an entry that matches nothing, or
//! whose check passes, fails the run.

use std::path::Path;

use serde::Deserialize;

use crate::verdict::{Run, Verdict};

/// A baseline file, TOML: a list of `[[known]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    known: Vec<Known>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// The failing requirement.
    requirement: String,
    /// Why the failure is lived with.
    reason: String,
}

impl Baseline {
    /// Reads a baseline; an error names the file and the place.
    pub fn load(path: &Path) -> Result<Baseline, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let baseline: Baseline = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        match baseline.known.iter().find(|known| known.reason.trim().is_empty()) {
            Some(known) => Err(format!("{}: {} has no reason", path.display(), known.requirement)),
            None => Ok(baseline),
        }
    }

    /// Applies it to a run; entries that match no check of the run are an error.
    pub fn apply(&self, run: &mut Run) -> Result<(), String> {
        for known in &self.known {
            let outcome = run
                .outcomes
                .iter_mut()
                .find(|outcome| outcome.requirement.to_string() == known.requirement)
                .ok_or_else(|| {
                    format!("the baseline knows {}, which no check of this run covers", known.requirement)
                })?;
            match outcome.verdict {
                Verdict::Fail => {
                    outcome.verdict = Verdict::KnownFailure;
                    outcome.reason = format!("{} (known: {})", outcome.reason, known.reason);
                }
                Verdict::Pass => {
                    outcome.verdict = Verdict::UnexpectedPass;
                    outcome.reason = format!("the baseline expects a failure: {}", known.reason);
                }
                _ => {}
            }
        }
        Ok(())
    }
}
