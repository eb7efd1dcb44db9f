//! Checks of servers called directly, at the profile's URLs or at those that discovery lists.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::requirements::{
    auth as auths, chat as chats, completions as plain, direct as rows, discovery, errors,
    messages as others, stream,
};
use assay_spec::gateway::{chat, completions, messages};
use serde_json::Value;

use super::auth::keyless;
use super::chat::{COMPLETION, expect_object};
use super::discovery::{given_entries, is_url};
use super::errors::expect_unknown;
use super::given::{self, Skill, model, unknown_models};
use super::malformed::expect_refused_as;
use super::stream::{expect_stream, has_chunk, is_stream};
use super::wire::{Call, Key};
use super::{bodies, offered};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Reason, Want, Why};
use crate::harness::probe::{Answer, CONTENT, Probe};
use crate::http::exchange::Broken;
use crate::support::prose;

/// How many servers of a model are tried until one responds.
const SERVERS: usize = 3;
/// How many servers are called by the check of every server.
const ALL: usize = 8;

/// The servers that the profile names. If the check owns the world, only discovery knows its servers.
fn declared<'p>(probe: &'p Probe<'_>) -> &'p [String] {
    if probe.owns_time() { &[] } else { &probe.settings.gateway().servers }
}

/// The URLs of a model's servers.
async fn urls(probe: &Probe<'_>, id: &str) -> Result<Vec<String>, Stop> {
    let declared = declared(probe);
    if !declared.is_empty() {
        return Ok(declared.to_vec());
    }
    let (_, entries) = given_entries(probe).await?;
    let servers = entries.get(id).into_iter().flatten();
    let (urls, others): (Vec<String>, Vec<String>) = servers.cloned().partition(|entry| is_url(probe, entry));
    if urls.is_empty()
        && others.iter().any(|entry| entry.starts_with(&probe.settings.dialect.confidential_scheme))
    {
        return Err(Stop::NotApplicable(format!("{id} is confidential: its servers have no URLs")));
    }
    probe.found(!urls.is_empty(), format!("discovery lists no server URL for {id}"))?;
    Ok(urls)
}

/// What a call of a server came to.
enum Called<'p> {
    /// A response.
    Answer(Answer<'p>),
    /// The connection ended before the response was complete.
    Broken,
    /// No server answered: the list may be out of date, and its servers may be in another network.
    Unreached,
}

/// Calls a server.
async fn asked<'p>(call: Call, probe: &'p Probe<'_>) -> Result<Called<'p>, Stop> {
    let (why, called) = match call.send(probe).await {
        Ok(answer) => return Ok(Called::Answer(answer)),
        Err(Stop::Error(why)) => (why, Called::Unreached),
        // A check has seen that this server does not answer.
        Err(Stop::Undecided(reason)) if reason.why == Why::Silent => (reason.said, Called::Unreached),
        Err(stop @ Stop::Fail(_)) => match probe.broken() {
            Some(broken @ (Broken::Gone(_) | Broken::Tls(_) | Broken::TimedOut(_))) => {
                (broken.to_string(), Called::Unreached)
            }
            Some(broken @ (Broken::Closed(_) | Broken::Nonsense(_) | Broken::Unfinished { .. })) => {
                (broken.to_string(), Called::Broken)
            }
            _ => return Err(stop),
        },
        Err(stop) => return Err(stop),
    };
    probe.note(why);
    Ok(called)
}

/// Why a server that cannot be reached from here shows nothing. One reason for all checks: it is one cause.
async fn unreachable(probe: &Probe<'_>) -> Result<Stop, Stop> {
    let count = match declared(probe) {
        [] => {
            let entries = given_entries(probe).await?.1;
            let urls = entries.into_values().flatten().filter(|entry| is_url(probe, entry));
            urls.collect::<BTreeSet<_>>().len()
        }
        declared => declared.len(),
    };
    let said = format!("the servers that were called, of {}", prose::count(count, "listed server"));
    Ok(Stop::Undecided(Reason::new(Why::Unreachable, said)))
}

/// The URL and response of the first server of the model that responds with a status below 500. If all of its servers respond
/// with a 5xx although the gateway accepts the same request, the check fails.
async fn first<'p>(
    probe: &'p Probe<'_>,
    endpoint: &'static Endpoint,
    id: &str,
    body: &Value,
) -> Result<(String, Answer<'p>), Stop> {
    let urls = urls(probe, id).await?;
    let (mut failing, mut is_reached) = (Vec::new(), false);
    for url in urls.iter().take(SERVERS) {
        match asked(Call::post(endpoint, body).at(url), probe).await? {
            Called::Answer(answer) if answer.status() < 500 => return Ok((url.clone(), answer)),
            Called::Answer(answer) => failing.push(format!("{} from {url}", answer.status())),
            Called::Broken => is_reached = true,
            Called::Unreached => {}
        }
    }
    if failing.is_empty() && !is_reached {
        return Err(unreachable(probe).await?);
    }
    // Servers that were not called may be those that answer the gateway.
    let are_all = failing.len() == urls.len();
    if are_all {
        Call::post(endpoint, body).accepted(probe).await?.given_status(&[200])?;
    }
    let shown = failing.join(", ");
    probe.conclusive(are_all, format!("no called server of {id} responds below 500: {shown}"))?;
    probe.expect(false, "servers", "one that responds below 500, as the gateway does", shown)?;
    Err(Stop::Inconclusive(String::new()))
}

/// Sends a chat directly to a server, also for a stream. It must return 200 with a JSON object, or with an event stream.
#[shows(rows::CHAT, after(chats::ANSWERED, rows::EVERY_SERVER))]
async fn server_answers_chats(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    let body = bodies::chat(&id);
    let (url, answer) = first(probe, &chat::ENDPOINT, &id, &body).await?;
    expect_object(&answer)?;
    answer.given_accepted(&[200], COMPLETION)?;
    let streamed = Call::post(&chat::ENDPOINT, &bodies::streamed(body));
    let at_gateway = streamed.clone().accepted(probe).await?;
    probe.given(is_stream(&at_gateway), "the gateway returns no event stream either")?;
    let streamed = streamed.at(&url).send(probe).await?;
    // A client tries another server after a failure.
    streamed.given(streamed.status() < 500, format!("the server failed ({})", streamed.status()))?;
    streamed.expect_status(&[200])?;
    expect_stream(&streamed)?;
    probe.given(has_chunk(&at_gateway), "the gateway's stream has no chunk either")?;
    let want = "a chunk, as in the gateway's stream";
    streamed.expect(has_chunk(&streamed), "events", want, streamed.response.text())
}

/// Sends a completion request directly to a server. It must return 200 with a JSON object.
#[shows(rows::COMPLETIONS, after(plain::COMPLETION, rows::EVERY_SERVER))]
async fn server_answers_completions(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    let answer = first(probe, &completions::ENDPOINT, &id, &bodies::completions(&id)).await?.1;
    expect_object(&answer)?;
    answer.given_accepted(&[200], CONTENT)
}

/// Sends a messages request directly to a server. It must return 200 with a JSON object.
#[shows(rows::MESSAGES, after(others::MESSAGE_OBJECT, rows::EVERY_SERVER))]
async fn server_answers_messages(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    let answer = first(probe, &messages::ENDPOINT, &id, &bodies::messages(&id)).await?.1;
    expect_object(&answer)?;
    answer.given_accepted(&[200], CONTENT)
}

/// Sends requests with the valid key to the documented endpoints of every listed server. None may return 401, 402 or 403. At least
/// one of each server must be answered in its documented form, and none may return 404 or a 5xx that another server of the model
/// answers. A server that cannot be reached, or that answers nothing but errors while no other server of its model answers,
/// shows nothing. A server that is listed for another model that the gateway answers with must not return 404 to a chat with it.
#[shows(rows::EVERY_SERVER, after(auths::KEY_CHECK, discovery::ENTRY))]
async fn every_server_accepts_the_key(probe: &Probe<'_>) -> Checked {
    let declared = declared(probe);
    let chat = model(probe, Skill::Chat).await?;
    let entries = if declared.is_empty() {
        given_entries(probe).await?.1
    } else {
        BTreeMap::from([(chat.clone(), declared.to_vec())])
    };
    // Of the models of a server, one that other servers have too.
    let mut models: Vec<(&String, &Vec<String>)> = entries.iter().collect();
    models.sort_by_key(|(id, urls)| (**id != chat, Reverse(urls.len())));
    let mut servers: BTreeMap<&String, &String> = BTreeMap::new();
    for (id, urls) in models {
        for url in urls.iter().filter(|entry| !declared.is_empty() || is_url(probe, entry)) {
            servers.entry(url).or_insert(id);
        }
    }
    let listed = servers.len();
    let mut reached = Vec::new();
    for (url, id) in servers.into_iter().take(ALL) {
        reached.extend(with_the_key(probe, url, id).await?.map(|known| (url, id, known)));
    }
    if listed > 0 && reached.is_empty() {
        return Err(unreachable(probe).await?);
    }
    let unreached = listed.min(ALL) - reached.len();
    if unreached > 0 {
        probe.note(format!("{} cannot be reached from here", prose::count(unreached, "listed server")));
    }
    // A client takes another server after a failure, so one alone shows nothing.
    let answered = |id: &String, endpoint: Option<usize>| {
        let of_model = reached.iter().filter(|(_, other, _)| *other == id);
        of_model.into_iter().any(|(_, _, Known { answered, .. })| match endpoint {
            Some(endpoint) => answered.contains(&endpoint),
            None => !answered.is_empty(),
        })
    };
    for (url, id, Known { answered: own, failed, last }) in &reached {
        for (endpoint, answer) in failed {
            let want = format!("a response of {url} as of another server of {id}");
            answer.expect(!answered(id, Some(*endpoint)), At::status(), want, answer.status().to_string())?;
        }
        let Some(last) = last.as_ref().filter(|_| own.is_empty()) else { continue };
        if last.status() < 300 || answered(id, None) {
            let want = format!("a documented response of {url} to one of the documented endpoints");
            last.expect(false, "responses", want, format!("none; the last is {}", last.status()))?;
        }
    }
    let is_answering = reached.iter().any(|(_, _, known)| !known.answered.is_empty());
    probe.conclusive(is_answering, "no listed server accepts a request")?;
    // The chat is the first of the requests.
    if !reached.iter().any(|(_, _, known)| known.answered.contains(&0)) {
        return Ok(());
    }
    let was_asked =
        |url: &String, id: &String| reached.iter().any(|(known, of, _)| *known == url && *of == id);
    for (id, urls) in &entries {
        let others: Vec<&String> =
            urls.iter().filter(|url| is_url(probe, url) && !was_asked(url, id)).collect();
        expect_known(probe, id, &others[..others.len().min(ALL)]).await?;
    }
    Ok(())
}

/// Expects that servers which are listed for a model know it: if the gateway answers a chat with it, none returns 404 to one.
async fn expect_known(probe: &Probe<'_>, id: &str, urls: &[&String]) -> Checked {
    let call = Call::post(&chat::ENDPOINT, &bodies::chat(id));
    if urls.is_empty() || call.clone().send(probe).await?.status() != 200 {
        return Ok(());
    }
    for url in urls {
        if let Called::Answer(answer) = asked(call.clone().at(url), probe).await? {
            let want = Want::none_of(&[404]).said(format!("not 404 from {url}, which is listed for {id}"));
            answer.expect(answer.status() != 404, At::status(), want, answer.status().to_string())?;
        }
    }
    Ok(())
}

/// What a server does with the valid key.
#[derive(Default)]
struct Known<'p> {
    /// The requests that it answers in their documented form, by number.
    answered: BTreeSet<usize>,
    /// Its responses of 404 and 5xx, by the number of the request.
    failed: Vec<(usize, Answer<'p>)>,
    /// Its last response.
    last: Option<Answer<'p>>,
}

/// Sends requests with the valid key to the documented endpoints of a server. None may return 401, 402 or 403. `None`: it cannot
/// be reached.
async fn with_the_key<'p>(probe: &'p Probe<'_>, url: &str, id: &str) -> Result<Option<Known<'p>>, Stop> {
    let mut known = Known::default();
    for (number, (endpoint, body)) in offered(probe, direct_endpoints(id)).enumerate() {
        let call = Call::post(endpoint, &body).at(url);
        let answer = match asked(call.clone(), probe).await? {
            // A server of a shared target may be busy for a moment.
            Called::Answer(answer) if answer.status() >= 500 && !probe.owns_time() => {
                asked(call, probe).await?
            }
            called => called,
        };
        let answer = match answer {
            Called::Answer(answer) => answer,
            Called::Broken => continue,
            Called::Unreached if known.last.is_none() => return Ok(None),
            Called::Unreached => break,
        };
        let is_accepted = ![401, 402, 403].contains(&answer.status());
        let want = Want::none_of(&[401, 402, 403]).said(format!("not 401, 402 or 403 from {url}"));
        answer.expect(is_accepted, At::status(), want, answer.status().to_string())?;
        let form = if endpoint.name == chat::ENDPOINT.name { COMPLETION } else { CONTENT };
        if answer.shows(200, form) || (answer.status() == 200 && has_chunk(&answer)) {
            known.answered.insert(number);
        } else if answer.status() == 404 || answer.status() >= 500 {
            known.failed.push((number, answer.clone()));
        }
        known.last = Some(answer);
    }
    Ok(Some(known))
}

/// The endpoints that the document names for direct servers, with valid bodies.
fn direct_endpoints(id: &str) -> [(&'static Endpoint, Value); 4] {
    [
        (&chat::ENDPOINT, bodies::chat(id)),
        (&chat::ENDPOINT, bodies::streamed(bodies::chat(id))),
        (&completions::ENDPOINT, bodies::completions(id)),
        (&messages::ENDPOINT, bodies::messages(id)),
    ]
}

/// The URL of a server that accepts a chat with the valid key, and the model.
async fn counterpart(probe: &Probe<'_>) -> Result<(String, String), Stop> {
    let id = model(probe, Skill::Chat).await?;
    let (url, counterpart) = first(probe, &chat::ENDPOINT, &id, &bodies::chat(&id)).await?;
    counterpart.counterpart_status(&[200])?;
    Ok((url, id))
}

/// Expects one of `statuses` with this key from each endpoint of a server, and for a chat from the others.
async fn refused(probe: &Probe<'_>, key: Key, statuses: &[u16]) -> Checked {
    let (url, id) = counterpart(probe).await?;
    for (endpoint, body) in offered(probe, direct_endpoints(&id)) {
        let answer = Call::post(endpoint, &body).at(&url).key(key.clone()).send(probe).await?;
        answer.expect_status(statuses)?;
    }
    refused_by_others(probe, (&url, &id), &key, statuses, 1).await
}

/// Expects one of `statuses` with this key from the first endpoints of the other servers of the model. One that fails, or that
/// cannot be reached, shows nothing.
async fn refused_by_others(
    probe: &Probe<'_>,
    (url, id): (&str, &str),
    key: &Key,
    statuses: &[u16],
    endpoints: usize,
) -> Checked {
    let all = urls(probe, id).await?;
    for other in all.iter().filter(|other| *other != url).take(ALL) {
        for (n, (endpoint, body)) in offered(probe, direct_endpoints(id)).take(endpoints).enumerate() {
            let call = Call::post(endpoint, &body).at(other).key(key.clone());
            if let Called::Answer(answer) = asked(call, probe).await?
                && answer.status() < 500
                // It may lack an endpoint, which another check judges.
                && (n == 0 || answer.status() != 404)
            {
                answer.expect_status(statuses)?;
            }
        }
    }
    Ok(())
}

/// Sends a key that was never issued, and keys that resemble the valid one, directly to a server. Each endpoint must return
/// 401, and each of the other servers with the key that was never issued.
#[rejects(
    rows::INVALID_KEY,
    after(
        rows::COMPLETIONS,
        rows::MESSAGES,
        auths::INVALID_KEY_CHAT,
        auths::INVALID_KEY_COMPLETIONS,
        auths::INVALID_KEY_MESSAGES,
    )
)]
async fn server_rejects_an_invalid_key(probe: &Probe<'_>) -> Checked {
    let (url, id) = counterpart(probe).await?;
    for (kind, wrong) in given::wrong_keys(probe).await? {
        for (endpoint, body) in offered(probe, direct_endpoints(&id)) {
            let call = Call::post(endpoint, &body).at(&url).key(wrong.clone());
            expect_refused_as(&call.send(probe).await?, "key", kind)?;
        }
    }
    let wrong = Key::Header(format!("Bearer {}", given::wrong_key(probe).await?));
    refused_by_others(probe, (&url, &id), &wrong, &[401], usize::MAX).await
}

/// Sends requests without a key directly to a server. Each endpoint must return 401 (or 402 with the payment flow).
#[rejects(rows::MISSING_KEY, after(rows::COMPLETIONS, rows::MESSAGES, auths::MISSING_KEY))]
async fn server_rejects_a_missing_key(probe: &Probe<'_>) -> Checked {
    refused(probe, Key::None, keyless(probe)).await
}

/// Sends a revoked key directly to a server. Each endpoint must return 401.
#[rejects(rows::REVOKED_KEY, after(rows::INVALID_KEY, rows::COMPLETIONS, rows::MESSAGES, auths::REVOKED_KEY))]
async fn server_rejects_a_revoked_key(probe: &Probe<'_>) -> Checked {
    let revoked = given::revoked_key(probe).await?;
    refused(probe, Key::Header(format!("Bearer {revoked}")), &[401]).await
}

/// Asks a server directly for models that do not exist. Each endpoint must return 404.
#[rejects(
    rows::UNKNOWN_MODEL,
    after(rows::COMPLETIONS, rows::MESSAGES, errors::UNKNOWN_MODEL, stream::ERROR_BEFORE)
)]
async fn server_rejects_an_unknown_model(probe: &Probe<'_>) -> Checked {
    let (url, id) = counterpart(probe).await?;
    for (kind, unknown) in unknown_models(probe, &id).await? {
        for (endpoint, body) in offered(probe, direct_endpoints(&unknown)) {
            let answer = Call::post(endpoint, &body).at(&url).send(probe).await?;
            expect_unknown(&answer, kind)?;
        }
    }
    Ok(())
}
