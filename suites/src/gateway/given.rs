//! The keys and models that a check needs: from the profile, from the control API, or from discovery, in this order.

use assay_spec::gateway::{chat, discovery};
use serde_json::Value;

use super::bodies;
use super::wire::Call;
use crate::check::Stop;
use crate::probe::Probe;

/// How many models are tried to find one that answers.
const TRIES: usize = 4;
/// The requests that a run needs once to find a model if none is named: discovery, and one for each tried model.
pub(crate) const FINDING: u64 = 1 + TRIES as u64;

/// What a model must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skill {
    /// Write text.
    Chat,
    /// Call tools.
    Tools,
    /// Read images.
    Vision,
}

impl Skill {
    /// The name of its fixture.
    const fn name(self) -> &'static str {
        match self {
            Skill::Chat => "chat",
            Skill::Tools => "tools",
            Skill::Vision => "vision",
        }
    }
}

/// The valid key.
pub(super) async fn key(probe: &Probe<'_>) -> Result<String, Stop> {
    let declared = probe.settings.gateway.key.as_ref().map(|key| key.0.clone());
    let key = match declared {
        Some(key) => Some(key),
        None => simulated_key(probe, "valid").await,
    };
    let key = key.ok_or_else(|| Stop::NotTestable("needs a valid key ([gateway] key)".to_owned()))?;
    probe.hide("key", &key);
    Ok(key)
}

/// The key of this kind from the control API. A key that no header can contain is ignored.
async fn simulated_key(probe: &Probe<'_>, kind: &str) -> Option<String> {
    let keys = &probe.view("gateway").await["keys"];
    let key = keys[kind].as_str().filter(|key| !key.bytes().any(|b| b.is_ascii_control()));
    key.map(str::to_owned)
}

/// A key that was valid before.
pub(super) async fn revoked_key(probe: &Probe<'_>) -> Result<String, Stop> {
    let declared = probe.settings.gateway.revoked_key.as_ref().map(|key| key.0.clone());
    let key = match declared {
        Some(key) => Some(key),
        None => simulated_key(probe, "revoked").await,
    };
    let needs = || Stop::NotTestable("needs a revoked key ([gateway] revoked_key)".to_owned());
    let key = key.ok_or_else(needs)?;
    probe.hide("revoked key", &key);
    Ok(key)
}

/// A key that was never issued, in the form of the valid key.
pub(super) async fn wrong_key(probe: &Probe<'_>) -> Result<String, Stop> {
    let valid = key(probe).await?;
    let drawn = probe.draw_once("key");
    let digit = |n: usize, c: char| {
        let draw = drawn[n % drawn.len()];
        match c {
            '0'..='9' => char::from(b'0' + draw % 10),
            'a'..='z' => char::from(b'a' + draw % 26),
            'A'..='Z' => char::from(b'A' + draw % 26),
            other => other,
        }
    };
    // Keep a prefix that may name the vendor; replace the rest.
    let kept = valid.find(|c: char| !c.is_ascii_alphabetic()).filter(|at| *at < 8).unwrap_or_default();
    let wrong: String =
        valid.chars().enumerate().map(|(n, c)| if n < kept { c } else { digit(n, c) }).collect();
    Ok(if wrong == valid { format!("{wrong}x") } else { wrong })
}

/// A model with this skill.
pub(super) async fn model(probe: &Probe<'_>, skill: Skill) -> Result<String, Stop> {
    let fixtures = &probe.settings.gateway;
    let declared = match skill {
        Skill::Chat => &fixtures.models.chat,
        Skill::Tools => &fixtures.models.tools,
        Skill::Vision => &fixtures.models.vision,
    };
    if let Some(id) = declared {
        return Ok(id.clone());
    }
    let view = probe.view("gateway").await;
    let models = view["models"].as_array().into_iter().flatten();
    let fits = |model: &&Value| {
        let writes = model["kind"] == "text" && model["confidential"] != true;
        writes && (skill == Skill::Chat || model[skill.name()] == true)
    };
    if let Some(id) = models.clone().find(fits).and_then(|model| model["id"].as_str()) {
        return Ok(id.to_owned());
    }
    if skill == Skill::Chat {
        return fixtures.chosen.get_or_try_init(|| first_that_answers(probe)).await.cloned();
    }
    let name = skill.name();
    Err(Stop::NotTestable(format!("needs a model for `{name}` ([gateway.models] {name})")))
}

/// The first model in discovery that answers a chat.
async fn first_that_answers(probe: &Probe<'_>) -> Result<String, Stop> {
    let listed = Call::get(&discovery::ENDPOINT).send(probe).await?;
    let listed = listed.json();
    let listed = listed.as_object().into_iter().flatten();
    let is_plain = |servers: &Value| {
        let mut entries = servers["servers"].as_array().into_iter().flatten().peekable();
        let scheme = &probe.settings.dialect.confidential_scheme;
        entries.peek().is_some()
            && entries.all(|entry| entry.as_str().is_some_and(|url| !url.starts_with(scheme)))
    };
    for (id, _) in listed.filter(|(_, entry)| is_plain(entry)).take(TRIES) {
        let answer = Call::post(&chat::ENDPOINT, &bodies::chat(id)).send(probe).await?;
        if answer.status() == 200 && answer.json()["choices"].is_array() {
            return Ok(id.clone());
        }
    }
    let needs =
        "needs a text model ([gateway.models] chat): none of the first that discovery lists answered a chat";
    Err(Stop::NotTestable(needs.to_owned()))
}

/// An id that no model has.
pub(super) fn unknown_model(probe: &Probe<'_>) -> String {
    format!("assay-no-such-model-{}", assay_spec::crypto::text::hex(&probe.draw_once("model")[..6]))
}
