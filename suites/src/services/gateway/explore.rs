//! What exploration sends: lists, and requests for inference with every kind of key and body.

use assay_spec::gateway::values::{CHATS, IMAGES, PARTS};
use assay_spec::gateway::{auth, chat, discovery, messages, models};
use serde_json::{Value, json};

use super::auth::inference;
use super::bodies::{chat_content, chat_with_tools, streamed, with, with_members};
use super::given::{self, Skill, model, unknown_model};
use super::offered;
use super::wire::{Call, Key};
use crate::harness::check::{Checked, Stop};
use crate::harness::explore::{Command, Side, commands};
use crate::harness::judge::ambient::each_value;
use crate::support::spelling::{ALL, respelled};

pub(super) const COMMANDS: &[Command] = commands! {
    "read" 2 reads read;
    "infer" 6 writes infer;
    "infer-odd" 4 writes infer_odd;
    "tools" 1 writes tools;
    "image" 1 writes image_chat;
    "server" 2 writes server;
    "fault" 1 moves Side::fault;
};

/// The valid key in most cases.
async fn key(side: &Side<'_>) -> Result<Key, Stop> {
    Ok(match side.below(8) {
        0 => Key::None,
        1 => Key::Header(format!("Bearer {}", given::wrong_key(side.probe).await?)),
        _ => Key::Valid,
    })
}

async fn read(side: &Side<'_>) -> Checked {
    let endpoint = *side.pick(&[&models::LIST, &auth::CHECK, &discovery::ENDPOINT]);
    Call::get(endpoint).key(key(side).await?).send(side.probe).await.map(drop)
}

async fn infer(side: &Side<'_>) -> Checked {
    let name = model(side.probe, Skill::Chat).await?;
    let all: Vec<_> = offered(side.probe, inference(&name)).collect();
    let (endpoint, mut body) = side.pick(&all).clone();
    if *endpoint == chat::ENDPOINT && side.one_in(2) {
        let more = side.pick(CHATS).instead_of(&Value::Null);
        body = with_members(body, &more.unwrap_or_default());
    }
    if *endpoint == messages::ENDPOINT && side.one_in(2) {
        body = streamed(body);
    }
    if side.one_in(6) {
        body = with(body, "/model", json!(unknown_model(side.probe)));
    }
    let text = if side.one_in(3) { respelled(&body, ALL, "") } else { body.to_string() };
    Call::raw(endpoint, text).key(key(side).await?).send(side.probe).await.map(drop)
}

/// A request with one change.
async fn infer_odd(side: &Side<'_>) -> Checked {
    let name = model(side.probe, Skill::Chat).await?;
    let all: Vec<_> = offered(side.probe, inference(&name)).collect();
    let (endpoint, body) = side.pick(&all).clone();
    let text = match side.below(8) {
        0 => {
            side.odd();
            let text = body.to_string();
            text[..text.floor_char_boundary(side.below(text.len()))].to_owned()
        }
        1 => {
            side.odd();
            Value::from(vec![body]).to_string()
        }
        _ => side.changed(&body).to_string(),
    };
    Call::raw(endpoint, text).send(side.probe).await.map(drop)
}

async fn tools(side: &Side<'_>) -> Checked {
    let body = chat_with_tools(&model(side.probe, Skill::Tools).await?);
    let body = if side.one_in(2) { streamed(body) } else { body };
    let body = if side.one_in(3) { side.changed(&body) } else { body };
    Call::post(&chat::ENDPOINT, &body).send(side.probe).await.map(drop)
}

/// A chat with an image, or with several parts.
async fn image_chat(side: &Side<'_>) -> Checked {
    let name = model(side.probe, Skill::Vision).await?;
    let content = side.pick(&IMAGES.iter().chain(&PARTS[1..]).collect::<Vec<_>>()).instead_of(&Value::Null);
    let body = chat_content(&name, &content.unwrap_or_default());
    let body = if side.one_in(3) { side.changed(&body) } else { body };
    Call::post(&chat::ENDPOINT, &body).send(side.probe).await.map(drop)
}

/// A chat at one of the servers that discovery lists.
async fn server(side: &Side<'_>) -> Checked {
    let list = Call::get(&discovery::ENDPOINT).send(side.probe).await?.json();
    let name = model(side.probe, Skill::Chat).await?;
    let mut urls = Vec::new();
    each_value(&list, &mut |value| urls.extend(value.as_str().filter(|text| text.starts_with("http"))));
    let Some(url) = urls.get(side.below(urls.len())) else { return Ok(()) };
    let all: Vec<_> = offered(side.probe, inference(&name)).collect();
    let (endpoint, body) = side.pick(&all).clone();
    Call::post(endpoint, &body).at(url).key(key(side).await?).send(side.probe).await.map(drop)
}
