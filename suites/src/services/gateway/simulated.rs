//! What a profile says of the simulator: its models and its own readings. Its keys are written beside the profile.

use assay_spec::Service;
use serde_json::Value;

use crate::harness::suite::{Shown, Simulated};
use crate::profile::{Endpoints, Gateway, GatewayLimits, GatewayModels, GatewayReadings};

pub(super) fn table(sim: &Simulated<'_>) -> Result<Gateway, String> {
    let state = (sim.state)(Service::Gateway);
    let key = |name: &str| {
        let key = state["keys"][name].as_str().unwrap_or_default();
        (sim.write_secret)(&format!("gateway-{name}.key"), key).map(Some)
    };
    let models = state["models"].as_array().cloned().unwrap_or_default();
    let first = |fits: &dyn Fn(&Value) -> bool| {
        let writes = |model: &&Value| model["kind"] == "text" && model["confidential"] != true;
        let found = models.iter().filter(writes).find(|model| fits(model));
        found.and_then(|model| model["id"].as_str().map(str::to_owned))
    };
    Ok(Gateway {
        url: sim.url("gateway"),
        server_urls: Vec::new(),
        key: key("valid")?,
        revoked_key: key("revoked")?,
        second_key: None,
        payments: None,
        usage_url: None,
        usage_path: None,
        endpoints: Endpoints::default(),
        models: GatewayModels {
            chat: first(&|_| true),
            tools: first(&|model| model["tools"] == true),
            always_calls: first(&|model| model["always_calls"] == true),
            vision: first(&|model| model["vision"] == true),
            ..GatewayModels::default()
        },
        readings: GatewayReadings { wire_compat: true, ..GatewayReadings::default() },
        limits: GatewayLimits { requests_per_minute: Some(6000), ..GatewayLimits::default() },
    })
}

pub(super) fn shows(sim: &Simulated<'_>) -> Vec<Shown> {
    let state = (sim.state)(Service::Gateway);
    let url = sim.url("gateway");
    let key = state["keys"]["valid"].as_str().unwrap_or_default().to_owned();
    let models = state["models"].as_array().into_iter().flatten();
    let models: Vec<&str> = models.filter_map(|model| model["id"].as_str()).collect();
    vec![
        Shown { what: "key", value: key, variables: &["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] },
        Shown { what: "models", value: models.join(" "), variables: &[] },
        Shown { what: "openai", value: format!("{url}/v1"), variables: &["OPENAI_BASE_URL"] },
        Shown { what: "anthropic", value: url, variables: &["ANTHROPIC_BASE_URL"] },
    ]
}
