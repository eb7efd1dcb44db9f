//! The mistakes that programs make with the inference gateway and its servers (document 1). The files beside this one say
//! only what the document says. An entry says which program rejects what the document accepts, and why that is tempting,
//! with its code.
//!
//! What a body may lack is not here: if a rule of `chat.rs` or `messages.rs` is violated, the member counts as absent.

use serde_json::Value;

use crate::gateway::chat::ROLES;
use crate::gateway::requirements;
use crate::rules::mistakes;
use crate::spelling::refuse_blanks;

mistakes! {
    /// Keys.
    mod auth {
        KEY_CHECK => "A server checks keys in its layer for inference, which rejects each other path.",
            |_key: ()| -> Result<(), String> { Err("the key is valid".to_owned()) }
    }

    /// Chat completions.
    mod chat {
        ORDINARY => "A server rejects members that it does not know, to find mistakes of its clients.",
            |body: &Value| -> Result<(), String> { reject_if(!body["temperature"].is_null(), "temperature") }
        PARTS => "A server reads the content of a message as a string, which it was in the first version of the format.",
            |body: &Value| -> Result<(), String> {
                let has_text = parts(body).next().is_some() && parts(body).all(|part| part["type"] == "text");
                reject_if(has_text, "content in text parts")
            }
        IMAGE => "A server whose first model reads text alone rejects images for each model.",
            |body: &Value| -> Result<(), String> {
                reject_if(parts(body).any(|part| part["type"] == "image_url"), "an image")
            }
    }

    /// The messages format.
    mod messages {
        ORDINARY => "A server passes a limit of one token on to a model that takes at least two.",
            |body: &Value| -> Result<(), String> { reject_if(body["max_tokens"] == 1, "a reply of one token") }
    }

    /// Tools.
    mod tools {
        TAKEN => "A server rejects members that it does not know, and tools came later than the rest of the format.",
            |body: &Value| -> Result<(), String> {
                reject_if(body["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "tools")
            }
        ROUND_TRIP => "A server knows the roles of a chat without tools, and `tool` is not one of them.",
            |body: &Value| -> Result<(), String> {
                let is_result = |message: &Value| message["role"] == ROLES[1];
                reject_if(messages(body).iter().any(is_result), "the result of a tool")
            }
    }

    /// Plain completions.
    mod completions {
        NATIVE => "A gateway routes the paths below `/v1` alone, because those are the paths of the common format.",
            |_path: ()| -> Result<(), String> { Err(EXISTS.to_owned()) }
    }

    /// Servers that are called directly.
    mod direct {
        CHAT => "A server exposes only what its health check needs, because requests come through the gateway.",
            |_path: ()| -> Result<(), String> { Err(EXISTS.to_owned()) }
        COMPLETIONS => "A server drops plain completions, because chat has replaced them.",
            |_path: ()| -> Result<(), String> { Err(EXISTS.to_owned()) }
        MESSAGES => "A server leaves the messages format to the gateway, which converts it to chat.",
            |_path: ()| -> Result<(), String> { Err(EXISTS.to_owned()) }
        EVERY_SERVER => "A server copies the keys when it joins, and the last one has not seen them.",
            |is_last: bool| -> Result<(), String> { reject_if(is_last, "a key at the last server") }
    }

    /// Payments.
    mod payment {
        PAID => "A gateway answers before its payments are settled, because settling takes a while.",
            |_payment: ()| -> Result<(), String> { Err("the request has a payment".to_owned()) }
        VALID_KEY => "A gateway demands a payment of each request while the flow is on, because that layer comes first.",
            |is_on: bool| -> Result<(), String> { reject_if(is_on, "a key while the payment flow is on") }
    }

    /// The pool.
    mod pool {
        COOKIES => "A gateway rejects requests with cookies, because programs send none and browsers are not welcome.",
            |_cookie: ()| -> Result<(), String> { Err("a request with the sticky cookie".to_owned()) }
    }

    /// Unusual input. Each of these programs but the first fails with an internal error.
    mod input {
        SPELLING => "A server finds the members of a body with a pattern, which it wrote for one client.",
            |spelled: &[&'static str]| -> Result<(), String> { refuse_blanks(spelled) }
        NOT_UTF8 => "A server decodes the body as UTF-8, and has no handler for the error.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        EMPTY => "A server reads the first member of a body, because there is always one.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        SURROGATE => "A server writes strings to its database as UTF-8, which half of a pair does not have.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        DEEP => "A server parses nested values by recursion, without a limit to its depth.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        LARGE => "A server reads the whole body into a buffer of a fixed size, which ordinary bodies fit.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        UNKNOWN_ROLE => "A server looks the role up in a table, and does not expect that it is missing there.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        IMAGE_DATA => "A server gives the image to its decoder, whose error ends the request.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        HUGE_NUMBER => "A server calculates with each number as a double, and infinity has no JSON.",
            |_body: ()| -> Result<(), String> { Err(SURVIVED.to_owned()) }
        ODD_PATH => "A server looks for a file at each path that it does not know, and the file system rejects the name.",
            |path: &str| -> Result<(), String> {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
                let is_odd = path.contains("//") || path.contains("..") || !path.bytes().all(plain);
                reject_if(is_odd, "the path is answered like any other")
            }
    }
}

const EXISTS: &str = "the endpoint exists";
const SURVIVED: &str = "the body is answered like any other";

fn reject_if(is_met: bool, why: &str) -> Result<(), String> {
    if is_met { Err(why.to_owned()) } else { Ok(()) }
}

/// The messages of a chat.
fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The parts of its messages' contents.
fn parts(body: &Value) -> impl Iterator<Item = &Value> {
    messages(body).iter().filter_map(|message| message["content"].as_array()).flatten()
}
