//! What a profile says of the simulator: its models and its own readings. Its keys are written beside the profile.

use assay_spec::Service;
use serde_json::Value;

use crate::harness::suite::{Shown, Simulated};
use crate::http::curl::bearer_token;
use crate::http::exchange::Request;
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

/// The variables from which client libraries read the gateway's URL, with the path that they expect behind it.
pub(super) const URL_VARIABLES: [(&str, &str); 2] = [("OPENAI_BASE_URL", "/v1"), ("ANTHROPIC_BASE_URL", "")];

fn shown_url(
    what: &'static str,
    url: &str,
    (variable, path): &'static (&'static str, &'static str),
) -> Shown {
    Shown { what, value: format!("{url}{path}"), variables: std::slice::from_ref(variable) }
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
        shown_url("openai", &url, &URL_VARIABLES[0]),
        shown_url("anthropic", &url, &URL_VARIABLES[1]),
    ]
}

/// A request with a key gets a valid one, and one for a model that the simulator lacks is for one of its own.
pub(super) fn adopts(request: &mut Request, state: &Value) {
    let key = state["keys"]["valid"].as_str().unwrap_or_default();
    for (name, value) in &mut request.headers {
        if let Some(at) = bearer_token(name, value) {
            value.truncate(at);
            value.extend_from_slice(key.as_bytes());
        } else if name.eq_ignore_ascii_case("x-api-key") {
            *value = key.as_bytes().to_vec();
        }
    }
    let models: Vec<&str> =
        state["models"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str()).collect();
    let Ok(mut body) = serde_json::from_slice::<Value>(&request.body) else { return };
    let named = body.get("model").and_then(Value::as_str);
    if named.is_some_and(|named| !models.contains(&named)) {
        body["model"] = models.first().copied().unwrap_or_default().into();
        request.body = body.to_string().into();
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
    }
}
