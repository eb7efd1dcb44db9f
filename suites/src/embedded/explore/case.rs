//! Saved sequences: what led to a finding is sent again, to the same server or to another one.

use assay_spec::Service;
use assay_spec::crypto::text::{hex, parse_hex};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::explore::Command;
use crate::services::SUITES;

/// The most bytes of a saved case.
pub const MOST_BYTES: u64 = 64 * 1024;

/// A sequence that can be sent again.
#[derive(Clone, Debug)]
pub struct Case {
    /// The service that gets it.
    pub service: Service,
    /// The seed of its names and keys.
    pub(super) names: u64,
    /// Its steps.
    pub(super) steps: Vec<Step>,
}

/// One step of a sequence.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) command: &'static Command,
    pub(super) seed: [u8; 32],
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.command.name, hex(&self.seed))
    }
}

/// A case as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    service: String,
    names: String,
    steps: Vec<WrittenStep>,
    /// The row of its finding, for a reader.
    #[serde(rename = "row")]
    _row: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    command: String,
    draws: String,
}

impl Case {
    /// The names of its steps.
    pub fn steps(&self) -> Vec<&'static str> {
        self.steps.iter().map(|step| step.command.name).collect()
    }

    /// It as JSON, with the row of its finding.
    pub fn json(&self, row: &str) -> Value {
        let step = |step: &Step| json!({ "command": step.command.name, "draws": hex(&step.seed) });
        json!({
            "row": row,
            "service": self.service.name(),
            "names": hex(&self.names.to_be_bytes()),
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
        })
    }

    /// Reads what [`Case::json`] wrote. The error says what is wrong.
    pub fn parse(text: &str) -> Result<Case, String> {
        let written: Written = serde_json::from_str(text).map_err(|e| format!("not a saved case: {e}"))?;
        let service = Service::named(&written.service)
            .ok_or_else(|| format!("service: {:?} is unknown", written.service))?;
        let step = |WrittenStep { command, draws }: WrittenStep| {
            let mut commands = SUITES.get(service).commands.iter();
            let known = commands.find(|known| known.name == command);
            let known = known.ok_or_else(|| format!("steps: {service} has no command {command:?}"))?;
            Ok(Step { command: known, seed: bytes(&draws, "draws")? })
        };
        let steps: Result<Vec<Step>, String> = written.steps.into_iter().map(step).collect();
        Ok(Case { service, names: u64::from_be_bytes(bytes(&written.names, "names")?), steps: steps? })
    }
}

fn bytes<const N: usize>(text: &str, name: &str) -> Result<[u8; N], String> {
    let bytes = parse_hex(text).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| format!("{name}: {text:?} is not {} hex digits", 2 * N))
}
