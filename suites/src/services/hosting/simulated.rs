//! What a profile says of the simulator.

use serde_json::Value;

use crate::harness::suite::{Simulated, WriteSecret};
use crate::profile::{Hosting, HostingReadings};

pub(super) fn table(sim: &Simulated<'_>) -> Hosting {
    Hosting {
        url: Some(sim.url("hosting")),
        owner: None,
        wallet_key: None,
        new_since: None,
        readings: HostingReadings::default(),
    }
}

/// What an operator has: the records on a node, the owner, and the owner's key. The application has always written as the
/// document says.
pub(super) fn operated(history: &Value, write_secret: WriteSecret<'_>) -> Result<Hosting, String> {
    let text = |name: &str| history[name].as_str().ok_or_else(|| format!("the history has no {name:?}"));
    Ok(Hosting {
        url: None,
        owner: Some(text("owner")?.to_owned()),
        wallet_key: Some(write_secret("wallet.key", text("wallet_key")?)?),
        new_since: Some("1970-01-01T00:00:00Z".to_owned()),
        readings: HostingReadings::default(),
    })
}
