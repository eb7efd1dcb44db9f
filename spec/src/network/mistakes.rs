//! The mistakes that programs make with the node API (document 2). The files beside this one say only what the document
//! says. An entry says which program reads otherwise at one place of them, and why that is tempting, with its code.
//!
//! It takes hold if its rule is switched off: in a server that is wrong on purpose, or in a proof that one rule alone rejects a
//! case. A violated rule without an entry is not asked.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::{Map, Value};

use crate::crypto::address::Address;
use crate::crypto::keccak::sha3_256;
use crate::crypto::secp256k1::{PublicKey, SigningKey, key_from_secret, parse_any_public_key};
use crate::crypto::text::{hex, parse_hex};
use crate::json;
use crate::network::instance::Action;
use crate::network::message::MessageType;
use crate::network::params::Params;
use crate::network::requirements;
use crate::network::signing::Scheme;
use crate::network::storage::Part;
use crate::network::store::{Class, Reading, Status};
use crate::network::vrf::Claim;
use crate::rules::mistakes;
use crate::spelling::refuse_blanks;
use crate::{Dialect, Instant};

mistakes! {
    /// Signatures, and the canonical JSON of records.
    mod signing {
        KECCAK => "A program calls the SHA-3 of its standard library, which is a later version of Keccak with other padding.",
            |bytes: &[u8]| -> [u8; 32] { sha3_256(bytes) }
        PREFIX => "A program signs the bytes themselves, because only wallets put something before them.",
            |_length: usize| -> String { String::new() }
        LENGTH => "A program takes the length of its string, which its language counts in characters.",
            |message: &[u8]| -> usize { String::from_utf8_lossy(message).chars().count() }
        SIGNATURE_TEXT => "A server skips what is not a hexadecimal digit, because users paste signatures.",
            |text: &str| -> Result<Vec<u8>, String> { Ok(any_hex(text)) }
        SIGNATURE_LENGTH => "A server copies the signature into the 65 bytes that its library wants, whatever its length was.",
            |bytes: &[u8]| -> Result<[u8; 65], String> { Ok(fitted(bytes)) }
        SIGNATURE_V => "A server takes the lowest bit of v, because v has two values.",
            |v: u8| -> Result<u8, String> { Ok(28 - (v & 1)) }
        SIGNATURE_SCALARS => "A server that recovers no key has nothing to compare with the stated address, and goes on.",
            |stated: Option<&str>| -> Result<Address, String> {
                Ok(stated.and_then(Address::parse).unwrap_or(Address([0; 20])))
            }
        ADDRESS => "A program hashes the key as its library writes it, which is with the first byte.",
            |key: &PublicKey| -> &[u8] { key }
        PUBLIC_KEY => "A program accepts each form that its library reads, and takes 64 bytes for a key without its first byte.",
            |text: &str| -> Result<PublicKey, String> { Ok(any_public_key(text)) }
        SECRET_KEY => "A program copies the key into the 32 bytes that its library wants, and uses 1 for what is out of range.",
            |bytes: &[u8]| -> Result<SigningKey, String> {
                let one = std::array::from_fn(|n| u8::from(n == 31));
                let key = key_from_secret(&fitted(bytes)).or_else(|| key_from_secret(&one));
                Ok(key.expect("1 is a scalar"))
            }
        REQUEST_FORM => "A server verifies the signature over any bytes, and looks for members only in an object.",
            |_text: &str| -> Result<(), String> { Ok(()) }
        REQUEST_TEXT => "A server parses the body first and writes it again to verify it, with its members sorted.",
            |text: &str| -> Cow<'_, str> { rewritten(text).into() }
        RECORD_FORM => "A program signs the members that are there, because it builds records itself and they are complete.",
            |_message: ()| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
        RECORD_ORDER => "A program serializes the object that it received, and expects that the sender used the documented order.",
            |level: Level<'_>| -> Vec<String> {
                let (members, listed) = level;
                members.keys().filter(|name| listed.contains(name)).cloned().collect()
            }
        RECORD_MEMBERS => "A program keeps members that it does not know, as a proxy does.",
            |level: Level<'_>| -> Vec<String> {
                let (members, mut listed) = level;
                let others = members.keys().filter(|name| !listed.contains(name)).cloned();
                listed.extend(others.collect::<Vec<String>>());
                listed
            }
        RECORD_OPTIONAL => "A program serializes a structure, and its library writes null for what is absent.",
            |content: Map<String, Value>| -> Map<String, Value> {
                let mut content = content;
                for name in ["key", "type", "ref"] {
                    content.entry(name).or_insert(Value::Null);
                }
                content
            }
        RECORD_NESTED => "A program sorts keys at every level, because canonical JSON usually means that.",
            |content: Map<String, Value>| -> Map<String, Value> {
                let mut content = content;
                for name in ["content", "hashes"] {
                    content.entry(name).and_modify(|value| *value = sorted(value.take()));
                }
                content
            }
        RECORD_COMPACT => "A program uses the default of its serializer, which puts a blank after each colon and comma.",
            |message: &Value| -> String { spaced(message) }
        RECORD_DIGEST => "A program signs the digest as it prints it, in hexadecimal, because wallets sign strings.",
            |digest: [u8; 32]| -> Vec<u8> { hex(&digest).into_bytes() }
        RECORD_DUPLICATES => "A program takes the last of two members with one name, as most parsers of JSON do.",
            |message: &str| -> Result<Value, String> { Ok(serde_json::from_str(message).unwrap_or_default()) }
        GENERAL_TAKEN => "A server verifies each message as a record, because records are what it stores.",
            |signed: (Option<Scheme>, &str)| -> Result<(), String> {
                // A record signs the same bytes with and without a nonce; this mistake rejects only what has one.
                let (scheme, message) = signed;
                let is_general = matches!(scheme, Some(Scheme::Request | Scheme::Compact));
                let members: Value = serde_json::from_str(message).unwrap_or_default();
                reject_if(is_general && members.get("nonce").is_some(), || "a general signature".to_owned())
            }
        RECORD_TAKEN => "A server verifies each message as a general request, because its clients sign those too.",
            |scheme: Option<Scheme>| -> Result<(), String> {
                reject_if(scheme == Some(Scheme::Record), || "the signature of a record".to_owned())
            }
    }

    /// The request envelope.
    mod envelope {
        SPELLING => "A server finds the members of a body with a pattern, which it wrote for one client.",
            |spelled: &[&'static str]| -> Result<(), String> { refuse_blanks(spelled) }
        SIGNATURE => "A server that leaves verification to others stores an empty string for what it cannot read.",
            |_sent: ()| -> Result<String, String> { Ok(String::new()) }
        ADDRESS => "A server that leaves verification to others stores an empty string for a missing sender.",
            |_sent: ()| -> Result<String, String> { Ok(String::new()) }
        CHAIN => "A server takes the chain that nearly all of its clients use as the default.",
            |_sent: ()| -> Result<String, String> { Ok("ETH".to_owned()) }
        CHANNEL => "A server uses the default channel for each value that it cannot read.",
            |dialect: &Dialect| -> Result<String, String> { Ok(dialect.channel.clone()) }
        TYPE => "A server knows the type from the endpoint, and does not need the member.",
            |expected: Option<MessageType>| -> Result<String, String> {
                Ok(expected.unwrap_or(MessageType::Post).name().to_owned())
            }
        TYPE_KNOWN => "A server stores a type that it does not know as the most general one, for types to come.",
            |sent: (&str, Option<MessageType>)| -> Result<MessageType, String> {
                Ok(sent.1.unwrap_or(MessageType::Post))
            }
        TYPE_OF_ENDPOINT => "A server decides by the endpoint alone, and does not compare the type with it.",
            |expected: MessageType| -> Result<MessageType, String> { Ok(expected) }
        TIMESTAMP => "A server fills in its own time, as a database does for a column with a default.",
            |now: Instant| -> Result<i64, String> { Ok(now.seconds()) }
        CONTENT => "A server stores an empty object for a content that is missing or is not an object.",
            |_sent: ()| -> Result<(Map<String, Value>, String), String> { Ok((Map::new(), "{}".to_owned())) }
    }

    /// Messages.
    mod messages {
        CHANNEL_DEFAULT => "A server keeps names of channels in lower case, to compare them without regard to case.",
            |dialect: &Dialect| -> String { dialect.channel.to_lowercase() }
        TYPE_FREE => "A server offers an endpoint for each other type, and takes this one for posts.",
            |kind: MessageType| -> Result<(), String> {
                reject_if(kind != MessageType::Post, || format!("the type is {}", kind.name()))
            }
        FOUND => "A server keeps posts in a table of their own, and looks for a hash in the other one.",
            |found: (MessageType, &str)| -> Result<(), String> {
                reject_if(found.0 == MessageType::Post, || format!("{} is a POST", found.1))
            }
    }

    /// The list of messages.
    mod listing {
        TAGS => "A server rejects a filter for which it has no index.",
            |params: &Params| -> Result<(), String> { without("tags", params) }
        CONTENT_KEYS => "A server has no filter with a dot in its name, because its framework binds names to fields.",
            |params: &Params| -> Result<(), String> { without("content.keys", params) }
    }

    /// Pages of a list.
    mod paging {
        FIRST_PAGE => "A server counts pages from 0 inside and adds 1 to what it reads, also to its default of 1.",
            |_missing: ()| -> u64 { 2 }
        LIMIT => "A server reads one element more, to know whether another page follows, and does not drop it.",
            |limit: u64| -> u64 { limit + 1 }
    }

    /// Files.
    mod storage {
        FILE_REQUIRED => "A server takes a missing part for an empty file, which is allowed.",
            |_missing: ()| -> Result<Part<'static>, String> {
                Ok(Part { name: "file", content_type: None, bytes: &[] })
            }
        ADDRESS_REQUIRED => "A server reads a missing part as an empty string, which is the default of its language.",
            |_missing: ()| -> Result<&'static str, String> { Ok("") }
        CHANNEL => "A server stores all files in its own channel, because channels were made for other messages.",
            |sent: (&Dialect, &str)| -> String { sent.0.channel.clone() }
        CHANNEL_DEFAULT => "A server keeps names of channels in lower case, to compare them without regard to case.",
            |dialect: &Dialect| -> String { dialect.channel.to_lowercase() }
        TAGS => "A server rejects parts of a form that it does not use.",
            |tags: &[String]| -> Result<(), String> {
                reject_if(!tags.is_empty(), || "the form has tags".to_owned())
            }
    }

    /// Reading the STORE message.
    mod store {
        READ_LIVE => "A client takes the first `item_hash` that it sees, which is the hash of the message.",
            |body: Option<&Value>| -> &str {
                body.and_then(|body| body["item_hash"].as_str()).unwrap_or_default()
            }
        READ_REMOVING => "A client takes a scheduled removal for a reason to wait, although the bytes are there.",
            |_live: Reading| -> Reading { Reading::for_class(Class::Unknown) }
        READ_FORGOTTEN => "A client looks for the content, which is null here, and concludes that the node lacks the message.",
            |_documented: Class| -> Class { Class::Absent }
        READ_REMOVED => "A client looks for the message, which is missing here, and concludes that the node lacks it.",
            |_documented: Class| -> Class { Class::Absent }
        READ_GONE => "A client knows 200 and 404, and takes each other status for an error of the node.",
            |_documented: Class| -> Class { Class::Unknown }
        READ_ABSENT => "A client treats all errors alike, and tries again later.",
            |_documented: Class| -> Class { Class::Unknown }
        READ_NOT_STORE => "A client expects a STORE, and takes another body for an error of the node.",
            |_documented: Class| -> Class { Class::Unknown }
        READ_UNDECIDED => "A client takes a message without a final status for one that the node lacks.",
            |_documented: Class| -> Class { Class::Absent }
        READ_STATUS_FIRST => "A client decides by the HTTP status and by what the body holds, and does not read `status`.",
            |response: (Option<Status>, u16, Option<&str>)| -> Option<Status> {
                let (status, http_status, cid) = response;
                match status {
                    Some(Status::Processed | Status::Removing) | None => status,
                    Some(_) if http_status == 410 => None,
                    Some(_) => cid.map_or(status, |_| Some(Status::Processed)),
                }
            }
        READ_OTHER => "A client takes each failure for an absent message, because both have no content.",
            |_documented: Class| -> Class { Class::Absent }
        FORGOTTEN => "A server deletes the message with its content, and finds nothing later.",
            |found: (Status, &str)| -> Result<(), String> {
                reject_if(found.0 == Status::Forgotten, || format!("{} was forgotten", found.1))
            }
        REMOVED => "A server deletes the message with its file, and finds nothing later.",
            |found: (Status, &str)| -> Result<(), String> {
                reject_if(found.0 == Status::Removed, || format!("{} was removed", found.1))
            }
    }

    /// Aggregates.
    mod aggregates {
        CREATE_KEY => "A server stores an aggregate without a key under a name of its own.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("none") }
        CREATE_ADDRESS => "A server takes the signer as the owner unless the content holds a string.",
            |_sent: Option<&Value>| -> Result<Option<&str>, String> { Ok(None) }
        CREATE_CONTENT => "A server takes what is not an object for a write without members.",
            |_sent: Option<&Value>| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
        DELEGATE => "A server compares the signer with the owner, because it has not heard of authorizations.",
            |writer: (&str, &str)| -> Result<(), String> {
                Err(format!("{} may not write for {:.80}: Allowed", writer.0, writer.1))
            }
        FIELDS => "A server has no filter with a dot in its name, because its framework binds names to fields.",
            |params: &Params| -> Result<(), String> { without("content.fields", params) }
    }

    /// Programs.
    mod programs {
        RUN => "A server looks for programs where the scheduler puts them, which is some time after their message.",
            |hash: &str| -> Result<(), String> { Err(format!("{hash} is a program")) }
        VARIABLES => "A server passes the JSON of each value to the program, and ignores what has no members.",
            |sent: &Value| -> Result<BTreeMap<String, String>, String> { Ok(as_texts(sent)) }
    }

    /// Instances.
    mod instances {
        CREATE_TEXTS => "A server reads a value of another type as an empty string, which is the default of its language.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("") }
        CREATE_NUMBERS => "A server reads a value of another type as 0, which is the default of its language.",
            |_sent: Option<&Value>| -> Result<i64, String> { Ok(0) }
        ACTION => "A server compares with `start` and `stop`, and each other action is a restart.",
            |_sent: Option<&Value>| -> Result<Action, String> { Ok(Action::Restart) }
        ACTION as CONTROLLED_ID => "A server has the identifier in the path, and does not need the member.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("") }
    }

    /// Pins.
    mod pins {
        HASH_REQUIRED => "A server pins in a later step, and stores what it cannot pin.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("none") }
    }

    /// Webhooks.
    mod webhooks {
        URL => "A server uses the URL when it delivers, and does not look at it before.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("") }
        EVENTS => "A server takes what is not a list of strings for a list without elements.",
            |_sent: Option<&Value>| -> Result<Vec<String>, String> { Ok(Vec::new()) }
        SECRET => "A server signs with an empty key if it has none, because its library accepts that.",
            |_sent: Option<&Value>| -> Result<&str, String> { Ok("") }
    }

    /// FORGET.
    mod forget {
        HASHES => "A server forgets each hash in a loop, which does nothing if there is none.",
            |_sent: Option<&Value>| -> Result<Vec<&str>, String> { Ok(Vec::new()) }
    }

    /// Verifiable random numbers.
    mod vrf {
        GENERATE_FIELDS => "A server reads a missing string as an empty one, which is the default of its language.",
            |_sent: ()| -> Result<&'static str, String> { Ok("") }
        GENERATE_FIELDS as NUMBER => "A server takes 1 for a number that it cannot read, because that is the default of `count`.",
            |_sent: ()| -> Result<i64, String> { Ok(1) }
        GENERATE_FIELDS as GENERATE_BODY => "A server takes an object without members if a body does not parse.",
            |_body: &[u8]| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
        BOUNDS => "A server raises the largest value to the smallest one, so that there is a number to draw.",
            |bounds: [i64; 3]| -> Result<i64, String> { Ok(bounds[1].max(bounds[0])) }
        VERIFY_FIELDS => "A server finds the value inside a list, as parsers of forms do, and an empty one elsewhere.",
            |body: &Map<String, Value>| -> Result<Claim, String> {
                let first = |value: &Value| value.get(0).unwrap_or(value).clone();
                let body = body.iter().map(|(name, value)| (name.clone(), first(value))).collect();
                Ok(Claim::read(&body).unwrap_or_default())
            }
        VERIFY_FIELDS as VERIFY_BODY => "A server takes an object without members if a body does not parse.",
            |_body: &[u8]| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
    }

    /// Measurements.
    mod metrics {
        ALTERNATIVE => "A server offers measurements at its main address only, where the program that makes them runs.",
            |is_alternative: bool| -> Result<(), String> {
                reject_if(is_alternative, || "this is the alternative address".to_owned())
            }
    }

    /// What the measurement program probes.
    mod probes {
        METRICS => "A node shows its state only to the measurement program, because no other client needs it.",
            |stranger: Option<IpAddr>| -> Result<(), String> { only_probers(stranger) }
        VM => "A node opens its diagnostic machine only for the measurement program, because each run costs something.",
            |stranger: Option<IpAddr>| -> Result<(), String> { only_probers(stranger) }
        STATUS_CHECK => "A node checks itself only for the measurement program, because each check costs something.",
            |stranger: Option<IpAddr>| -> Result<(), String> { only_probers(stranger) }
    }

    /// Errors.
    mod errors {
        NO_INTERNAL => "A server decodes the hash without a check, and its framework turns the failure into a status.",
            |hash: &str| -> Result<(), String> {
                let is_plain = hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
                reject_if(!is_plain, || "the hash has invalid characters".to_owned())
            }
    }
}

/// A level of a record as received, and the names of its documented members.
type Level<'a> = (&'a Map<String, Value>, Vec<String>);

fn reject_if(is_rejected: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if is_rejected { Err(why()) } else { Ok(()) }
}

/// Rejects a query with that parameter.
fn without(name: &str, params: &Params) -> Result<(), String> {
    reject_if(params.text(name).is_some(), || format!("`{name}` is given"))
}

/// Rejects a client that is not the measurement program.
fn only_probers(stranger: Option<IpAddr>) -> Result<(), String> {
    stranger.map_or(Ok(()), |peer| Err(format!("{peer} asks")))
}

/// The first bytes, followed by zeros if there are not enough.
fn fitted<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|n| bytes.get(n).copied().unwrap_or_default())
}

/// Skips all characters that are not hexadecimal digits, and a last single digit.
fn any_hex(text: &str) -> Vec<u8> {
    let digits = text.trim().trim_start_matches("0x").trim_start_matches("0X");
    let digits: String = digits.chars().filter(char::is_ascii_hexdigit).collect();
    parse_hex(&digits[..digits.len() & !1]).unwrap_or_default()
}

/// Accepts a key without `0x`, compressed, without its first byte, or off the curve.
fn any_public_key(text: &str) -> PublicKey {
    let bytes = parse_hex(text.trim_start_matches("0x")).unwrap_or_default();
    let tail = bytes.len().min(64);
    let bare = || std::array::from_fn(|n| bytes.get((n + tail).wrapping_sub(65)).copied().unwrap_or(4));
    parse_any_public_key(&bytes).unwrap_or_else(bare)
}

/// Compact JSON with sorted keys.
fn rewritten(text: &str) -> String {
    serde_json::from_str(text).map_or_else(|_| json::compact(text), |value| sorted(value).to_string())
}

/// Sorts the keys of all objects.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> =
                members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// A blank after every colon and comma.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The values as strings: what is not a string, as JSON.
fn as_texts(variables: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let members = variables.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.clone(), text(value))).collect()
}
