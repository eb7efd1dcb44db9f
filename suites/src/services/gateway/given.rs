//! The keys and models that a check needs: from the profile, from the control API, or from discovery, in this order.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::requirements::discovery as discoveries;
use assay_spec::gateway::{chat, discovery, models};
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::Token;
use super::bodies;
use super::chat::COMPLETION;
use super::wire::{Call, GATEWAY, Key};
use crate::harness::check::Stop;
use crate::harness::probe::Probe;
use crate::http::client::Limits;
use crate::http::exchange::Request;
use crate::profile::{GatewayModels, IdPath};

/// How many models are tried to find one that answers.
pub(super) const TRIES: usize = 4;

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
    let declared = probe.settings.gateway().key.as_ref().map(|key| key.0.clone());
    let key = match declared {
        Some(key) => {
            probe.rest_on("gateway.key")?;
            Some(key)
        }
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
    let declared = probe.settings.gateway().revoked_key.as_ref().map(|key| key.0.clone());
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

/// Headers without a valid key: a key that was never issued, and each kind of wrong key of the requirement, made of the
/// valid one.
pub(super) async fn wrong_keys(probe: &Probe<'_>) -> Result<Vec<(Option<&'static ValueKind>, Key)>, Stop> {
    let valid = json!(format!("Bearer {}", key(probe).await?));
    let mut keys = vec![(None, Key::Header(format!("Bearer {}", wrong_key(probe).await?)))];
    for wrong in probe.wrong_values() {
        let Some(Value::String(made)) = wrong.instead_of(&valid) else { continue };
        let key = made.trim_start_matches("Bearer ");
        // With the payment flow an empty key may count as none, and be asked to pay.
        let may_pay = key.is_empty() && probe.settings.gateway().readings.payment_flow;
        if valid != made.as_str() && !may_pay {
            if !key.is_empty() {
                probe.hide("a key like the key", key);
            }
            keys.push((Some(wrong), Key::Header(made)));
        }
    }
    Ok(keys)
}

/// A model with this skill.
pub(super) async fn model(probe: &Probe<'_>, skill: Skill) -> Result<String, Stop> {
    let fixtures = probe.settings.gateway();
    let (name, declared) = match skill {
        Skill::Chat => ("chat", &fixtures.models.chat),
        Skill::Tools if fixtures.models.always_calls.is_some() => {
            (ALWAYS_CALLS, &fixtures.models.always_calls)
        }
        Skill::Tools => ("tools", &fixtures.models.tools),
        Skill::Vision => ("vision", &fixtures.models.vision),
    };
    if let Some(id) = declared {
        probe.rest_on(&format!("gateway.models.{name}"))?;
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
        let Chosen { id, instead } = fixtures.chosen.get_or_try_init(|| search(probe)).await?.clone()?;
        if let Some(note) = instead {
            probe.note(note);
        }
        return Ok(id);
    }
    let name = skill.name();
    Err(Stop::NotTestable(format!("needs a model for `{name}` ([gateway.models] {name})")))
}

/// The key of the model that calls each tool that a prompt names.
pub(super) const ALWAYS_CALLS: &str = "always_calls";

/// Whether the model for tools calls each tool that a prompt names: by the profile, or by the control API.
pub(super) async fn always_calls(probe: &Probe<'_>) -> bool {
    let models = &probe.settings.gateway().models;
    if models.always_calls.is_some() || models.tools.is_some() {
        return models.always_calls.is_some();
    }
    let view = probe.view("gateway").await;
    let mut able = view["models"].as_array().into_iter().flatten().filter(|model| model["tools"] == true);
    able.next().is_some_and(|model| model[ALWAYS_CALLS] == true)
}

/// A model that the profile declares to be in a state, by the key of that state.
pub(super) fn in_state(
    probe: &Probe<'_>,
    state: &str,
    of: fn(&GatewayModels) -> &Option<String>,
) -> Result<Option<String>, Stop> {
    let declared = of(&probe.settings.gateway().models).clone();
    if declared.is_some() {
        probe.rest_on(&format!("gateway.models.{state}"))?;
    }
    Ok(declared)
}

/// A key whose spent tokens are shown, and their number: the valid key where the control API shows them, otherwise the
/// profile's second key, which no other check uses.
pub(super) async fn spent(probe: &Probe<'_>) -> Result<(Key, u64), Stop> {
    if let Some(spent) = probe.view("gateway").await["spent"].as_u64() {
        return Ok((Key::Valid, spent));
    }
    let fixtures = probe.settings.gateway();
    let (Some((url, path)), Some(Token(second))) = (&fixtures.usage, &fixtures.second_key) else {
        let needs =
            "needs the tokens that a key has spent ([gateway] second_key and usage_url), or a control API";
        return Err(Stop::NotTestable(needs.to_owned()));
    };
    probe.rest_on("gateway.second_key")?;
    probe.rest_on("gateway.usage_url")?;
    let bearer = format!("Bearer {second}");
    let request = Request::new("GET", "").header("Authorization", bearer.as_str());
    let answer = probe.send_to(GATEWAY, url, request, Limits::default()).await?;
    let spent = spent_in(&answer.json(), path);
    let why = || Stop::Inconclusive(format!("{url} returned {} without a number", answer.status()));
    Ok((Key::Header(bearer), spent.ok_or_else(why)?))
}

/// The tokens spent in a document of the profile's URL.
pub(super) fn spent_in(document: &Value, path: &IdPath) -> Option<u64> {
    path.resolve(document)?.first()?.as_u64()
}

/// The result of the search for a model: one that can be used, or the end of every check that needs one.
pub(super) type Search = Result<Chosen, Stop>;

/// The model that the checks of a run use where none is named.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    id: String,
    /// If no model replied properly: what each returned. The checks then judge the first one.
    instead: Option<String>,
}

/// Searches the models that discovery lists for one that replies to a chat. If none does, the first is used, so that the
/// rows about inference fail with its responses. An error is a connection that another check may have.
async fn search(probe: &Probe<'_>) -> Result<Search, Stop> {
    const NAME_ONE: &str = "name a text model ([gateway.models] chat)";
    let listed = match Call::get(&discovery::ENDPOINT).shared().send(probe).await {
        Ok(listed) => listed,
        Err(Stop::NotApplicable(why)) => {
            return Ok(Err(Stop::NotTestable(format!("needs a text model: {why}: {NAME_ONE}"))));
        }
        Err(Stop::Fail(failure)) => return Ok(Err(rests_on_discovery(&failure.got))),
        Err(stop) => return Err(stop),
    };
    let body = listed.json();
    let Some(entries) = body.as_object().filter(|_| listed.status() == 200) else {
        return Ok(Err(rests_on_discovery(&format!("status {}, no JSON object", listed.status()))));
    };
    let scheme = &probe.settings.dialect.confidential_scheme;
    let is_plain = |entry: &Value| {
        let mut servers = entry["servers"].as_array().into_iter().flatten().peekable();
        servers.peek().is_some()
            && servers.all(|server| server.as_str().is_some_and(|url| !url.starts_with(scheme)))
    };
    let mut instead: Vec<(&String, String)> = Vec::new();
    for (id, _) in entries.iter().filter(|(_, entry)| is_plain(entry)).take(TRIES) {
        let got = match Call::post(&chat::ENDPOINT, &bodies::chat(id)).send(probe).await {
            Ok(answer) if answer.status() == 200 && (COMPLETION.shows)(&answer.json()) => {
                return Ok(Ok(Chosen { id: id.clone(), instead: None }));
            }
            Ok(answer) if answer.status() == 200 => format!("200 without {}", COMPLETION.what),
            Ok(answer) => answer.status().to_string(),
            Err(Stop::Fail(failure)) => failure.got,
            Err(stop) => return Err(stop),
        };
        instead.push((id, got));
    }
    let Some((first, _)) = instead.first() else {
        let needs = format!("needs a text model: discovery lists none without an enclave: {NAME_ONE}");
        return Ok(Err(Stop::NotTestable(needs)));
    };
    let all: Vec<String> = instead.iter().map(|(id, got)| format!("{id} returned {got}")).collect();
    let instead =
        format!("no model replied properly to a chat: {}; {NAME_ONE} if another does", all.join(", "));
    Ok(Ok(Chosen { id: (*first).clone(), instead: Some(instead) }))
}

/// A check without a model, because discovery shows none. The row about discovery is red for this.
fn rests_on_discovery(got: &str) -> Stop {
    Stop::Inconclusive(format!("rests on {}, which finds a model: {got}", discoveries::OBJECT))
}

/// Ids that no model has: an unknown one, and each kind of wrong id of the requirement, made of this model's. An id that
/// the list of models or, at a shared target, discovery contains is left out.
pub(super) async fn unknown_models(
    probe: &Probe<'_>,
    id: &str,
) -> Result<Vec<(Option<&'static ValueKind>, String)>, Stop> {
    let lists: &[&'static Endpoint] =
        if probe.owns_time() { &[&models::LIST] } else { &[&models::LIST, &discovery::ENDPOINT] };
    let mut listed = String::new();
    for list in lists {
        match Call::get(list).shared().send(probe).await {
            Ok(answer) => listed += &answer.response.text(),
            Err(Stop::NotApplicable(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    let mut ids = vec![(None, unknown_model(probe))];
    for wrong in probe.wrong_values() {
        let Some(Value::String(made)) = wrong.instead_of(&json!(id)) else { continue };
        if made != id && !listed.contains(&json!(made).to_string()) {
            ids.push((Some(wrong), made));
        }
    }
    Ok(ids)
}

/// An id that no model has.
pub(super) fn unknown_model(probe: &Probe<'_>) -> String {
    format!("assay-no-such-model-{}", assay_spec::crypto::text::hex(&probe.draw_once("model")[..6]))
}
