//! What an exploration has shown, as text and as JSON.

use std::fmt::Write;

use assay_spec::catalogue;
use serde_json::{Value, json};

use super::{Counts, Explored, Finding};
use crate::report::words;
use crate::support::prose::{self, count};

impl Explored {
    /// The findings and the counts, for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for Finding { outcome, after, times, case } in &self.findings {
            let row = outcome.requirement;
            let _ = writeln!(text, "{} {row}", outcome.verdict.name());
            text.push_str(&prose::wrap("    ", row.statement));
            if let Some(failure) = &outcome.failure {
                let line = format!("{}: want {}, got {}", words::place(failure), failure.want, failure.got);
                text.push_str(&prose::wrap("    ", &line));
            }
            let found = format!(
                "found after {}, met {}, by: {}",
                count(usize::try_from(*after).unwrap_or(usize::MAX), "request"),
                count(usize::try_from(*times).unwrap_or(usize::MAX), "time"),
                case.steps().join(", ")
            );
            text.push_str(&prose::wrap("    ", &found));
            for line in &outcome.repeat {
                let _ = writeln!(text, "    {line}");
            }
            text.push('\n');
        }
        for (service, counts) in &self.services {
            if counts.requests == 0 {
                let why =
                    "nothing was sent: it needs a control API, --writes or fixtures, or has no commands yet";
                text.push_str(&prose::wrap(&format!("{:<9} ", service.name()), why));
                continue;
            }
            let rows = catalogue::requirements().filter(|row| row.service == *service).count();
            let Counts { requests, sequences, compared, reached, fired, .. } = counts;
            let open: u64 = counts.undetermined.values().sum();
            let line = format!(
                "{requests} requests in {sequences} sequences; {compared} answers compared, {open} undetermined; {} of {rows} \
                 rules reached, {} transitions made",
                reached.len(),
                fired.len()
            );
            text.push_str(&prose::wrap(&format!("{:<9} ", service.name()), &line));
            for (why, times) in &counts.undetermined {
                text.push_str(&prose::wrap("            ", &format!("{times}: {why}")));
            }
        }
        if !self.adopted.is_empty() {
            let names: Vec<&str> = self.adopted.iter().copied().collect();
            text.push_str(&prose::wrap("the target answers as the model with: ", &names.join(", ")));
        }
        let _ = writeln!(text, "{}", prose::count(self.findings.len(), "finding"));
        text
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let findings = self.findings.iter().map(|finding| {
            let Finding { outcome, after, times, case } = finding;
            let failure = outcome.failure.as_ref();
            json!({
                "id": outcome.requirement.to_string(),
                "verdict": outcome.verdict.name(),
                "place": failure.map(|failure| &failure.place),
                "want": failure.map(|failure| &failure.want),
                "got": failure.map(|failure| &failure.got),
                "steps": case.steps(),
                "after": after,
                "times": times,
                "repeat": outcome.repeat,
            })
        });
        let services = self.services.iter().map(|(service, counts)| {
            let counts = json!({
                "requests": counts.requests,
                "sequences": counts.sequences,
                "compared": counts.compared,
                "undetermined": counts.undetermined,
                "rules": counts.reached.len(),
                "transitions": counts.fired,
            });
            (service.name().to_owned(), counts)
        });
        json!({
            "seed": self.seed,
            "services": services.collect::<serde_json::Map<_, _>>(),
            "adopted": self.adopted,
            "findings": findings.collect::<Vec<_>>(),
        })
    }
}
