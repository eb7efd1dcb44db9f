//! What the measurement program probes beside the API: paths of compute nodes, and a core node's own metrics.

use assay_spec::network::probes::{LOGIN, METRICS, STATUS_CHECK, VM};
use assay_spec::network::requirements::probes as rows;
use serde_json::json;

use super::given;
use super::wire::{Call, PRIMARY};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::data::At;
use crate::harness::probe::{CONTENT, Probe};

/// The sites of compute nodes.
const COMPUTE: [&str; 2] = ["compute-1", "compute-2"];
/// The status check that is read where the profile names none.
const CHECK: &str = "full";

/// The site of the first compute node with a URL.
fn compute(probe: &Probe<'_>) -> Result<&'static str, Stop> {
    let seen = COMPUTE.into_iter().find(|site| probe.sees(site));
    seen.ok_or_else(|| Stop::NotTestable("needs a compute node (compute_urls in [network])".to_owned()))
}

/// Requests the login path of each compute node without credentials. The answer must be 401.
#[shows(rows::LOGIN)]
async fn a_login_without_credentials_is_unauthorized(probe: &Probe<'_>) -> Checked {
    compute(probe)?;
    for site in COMPUTE.into_iter().filter(|site| probe.sees(site)) {
        Call::bare(&LOGIN, "GET", LOGIN.path).to(site).attempt(probe).await?.expect_status(&[401])?;
    }
    Ok(())
}

/// Requests `/vm/{hash}` of the diagnostic machine at a compute node. The answer must be a 2xx status.
#[shows(rows::VM)]
async fn a_diagnostic_machine_answers(probe: &Probe<'_>) -> Checked {
    let site = compute(probe)?;
    let hash = match given(probe, "diagnostic_vm", |given| &given.diagnostic_vm)? {
        Some(hash) => hash.clone(),
        None => machine_of(probe, site).await?,
    };
    let answer = Call::bare(&VM, "GET", &format!("/vm/{hash}")).to(site).attempt(probe).await?;
    let status = answer.status();
    answer.expect((200..300).contains(&status), At::status(), "a 2xx status", status.to_string())
}

/// The hash of a compute node's diagnostic machine, which a control API reports.
async fn machine_of(probe: &Probe<'_>, site: &str) -> Result<String, Stop> {
    let needs = "needs the hash of a diagnostic machine ([network.fixtures] diagnostic_vm)";
    let answer = match probe.control() {
        Ok(control) => control.perform("network.node", json!({ "site": site })).await.ok(),
        Err(_) => None,
    };
    let hash = answer.and_then(|node| node["machine_id"].as_str().map(str::to_owned));
    hash.ok_or_else(|| Stop::NotTestable(needs.to_owned()))
}

/// Requests a status check by its name at a compute node. The answer must be a 2xx status; which checks exist is left
/// open.
#[shows(rows::STATUS_CHECK)]
async fn a_status_check_answers(probe: &Probe<'_>) -> Checked {
    let site = compute(probe)?;
    let name = match given(probe, "status_check", |given| &given.status_check)? {
        Some(name) => name.as_str(),
        None if probe.has_control() => CHECK,
        None => {
            let why = "needs the name of a status check ([network.fixtures] status_check)";
            return Err(Stop::NotTestable(why.to_owned()));
        }
    };
    let answer =
        Call::bare(&STATUS_CHECK, "GET", &format!("/status/check/{name}")).to(site).attempt(probe).await?;
    let status = answer.status();
    answer.expect((200..300).contains(&status), At::status(), "a 2xx status", status.to_string())
}

/// Reads the metrics of a core node beside the API. The answer must be 200 with JSON; an empty value shows nothing.
#[shows(rows::METRICS)]
async fn a_core_node_shows_its_metrics(probe: &Probe<'_>) -> Checked {
    let answer = Call::bare(&METRICS, "GET", METRICS.path).to(PRIMARY).send(probe).await?;
    answer.expect_status(&[200])?;
    answer.expect(answer.response.json().is_ok(), "body", "JSON", answer.response.text())?;
    answer.given_accepted(&[200], CONTENT)
}
