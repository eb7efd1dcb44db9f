//! The deviations of the exchange: each entry breaks one requirement, with its code, at one seam.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use assay_spec::Refused;
use assay_spec::crypto::text::{hex, parse_base64};
use assay_spec::instant::{HOUR, MINUTE};
use assay_spec::publish::machines::PrepareEvent;
use assay_spec::publish::message::{Instruction, Message};
use assay_spec::publish::places::{FIRST, PREPARE_PUB, PREPARES, SUBMIT_PUB};
use assay_spec::publish::prepare::{ENDPOINT, Wanted, parse_body};
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::{
    chain, envelope, exchange, message as rows, prepare, record, submit, transfer,
};
use assay_spec::{Id, Instant};
use serde_json::{Map, Value, json};

use super::admission::{Admit, AdmitAccept, Authorization, Target};
use super::chain::{BLOCKHASH_BLOCKS, Confirmed, SLOT_MS};
use super::place::normal;
use super::prepare::{
    self as handler, Lock, MessageBytes, NamedTransfer, Open, PrepareId, Prepared, RecordBytes, RunPrepare,
};
use super::refusal::Rejected;
use super::rpc::{Found, MemoLog, memo_log};
use super::submit::{self as submits, AnswerRepeat, Broadcast, FindRepeat, KeepPrepared, Landed};
use super::{
    Binding, BindingState, Caller, Due, FreeLock, Limits, Peer, Pending, Prepare, State, Timer, admission,
};
use crate::core::Core;
use crate::deviation::{Deviation, deviations};
use crate::exchange::{Reply, Request};
use crate::seam::{Answer, Body};

/// Every deviation of the exchange.
pub(super) const ALL: &[Deviation] = deviations! {
    envelope::SCHEME => "any scheme word and any whitespace is accepted", guard;
    envelope::TWO_PARTS => "any number of parts is accepted", guard;
    envelope::BASE64URL => "padding and the standard alphabet are accepted", guard;
    envelope::SIGNATURE_LENGTH => "signature bytes after the 64th are ignored", guard;
    envelope::PREFIX => "any prefix is accepted", guard;
    envelope::SIX_KEYS => "extra and missing keys are ignored", guard;
    envelope::VERSION => "any version is accepted", guard;
    envelope::KEY_ORDER_FREE => "another order of keys is rejected" by value, guard;
    envelope::METHOD => "m is not compared", guard;
    envelope::PATH => "p is not compared", guard;
    envelope::PATH, "normalized" => "p is compared with the path as the router reads it", step |s: &mut Target| {
        s.0 = |core, request| {
            let target = admission::target(core, request);
            let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
            format!("{}{query}", normal(path))
        };
    };
    envelope::QUERY_NOT_SIGNED => "p is compared with the whole target" by value, guard;
    envelope::TIME_FORM => "a t that does not parse counts as now", guard;
    envelope::TIME_WINDOW, "past" => "any past time is accepted", limits |l: &mut Limits| l.envelope_past_ms = i64::MAX;
    envelope::TIME_WINDOW, "future" => "any future time is accepted",
        limits |l: &mut Limits| l.envelope_future_ms = i64::MAX;
    envelope::TIME_WINDOW, "narrow" => "the window is half as wide", limits |l: &mut Limits| {
        l.envelope_past_ms /= 2;
        l.envelope_future_ms /= 2;
    };
    envelope::BODY_HASH => "h is not compared", guard;
    envelope::EMPTY_BODY => "the hash of an empty body is rejected", guard;
    envelope::DOMAIN_AS_SENT => "d is lowercased and its trailing dot removed", guard;
    envelope::DOMAIN_FORMS => "labels of digits, and with hyphens in third and fourth place, are rejected", guard;
    envelope::BINDING => "a domain without a binding returns 409 instead of 404",
        reply |r: &mut Answer<Rejected>| r.change(&envelope::BINDING, 409);
    envelope::SIGNATURE => "the signature is not verified", guard;
    envelope::FEATURE => "the feature switch is ignored", guard;
    envelope::BLANKET => "an unbound domain returns a different 404", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == &envelope::BINDING {
            r.body = Body::Text("404 No Such Domain".to_owned());
        }
    };
    envelope::BLANKET, "form" => "the 404 is JSON", reply |r: &mut Answer<Rejected>| {
        if r.status == 404 {
            r.body = Body::Json(json!({ "error": "not found" }));
        }
    };
    envelope::BLANKET, "locked" => "another key sees that a domain is locked" at PREPARES, step |s: &mut Admit| {
        s.0 = |core, state, request| {
            revealing(core, state, request, &prepare::ONE_IN_FLIGHT, |binding, rule| {
                let of_key = [&envelope::SIGNATURE, &transfer::ACCEPT_BY_INCOMING];
                binding.lock.is_some() && of_key.contains(&rule)
            })
        };
    };
    envelope::BLANKET, "frozen" => "another key sees that a transfer is pending" at PREPARE_PUB, step |s: &mut Admit| {
        s.0 = |core, state, request| {
            revealing(core, state, request, &transfer::FREEZES, |binding, rule| {
                binding.pending.is_some() && rule == &envelope::SIGNATURE
            })
        };
    };
    envelope::BEFORE_BODY => "the body is checked before the envelope", step |s: &mut Authorization| {
        s.0 = |core, request| {
            parse_body(&request.body, core)?;
            admission::authorization(core, request)
        };
    };

    prepare::PREPARE_ID => "prepareId is not a UUID", step |s: &mut PrepareId| {
        s.0 = |core, domain, number| handler::id(core, domain, number).replace('-', "");
    };
    prepare::PREPARE_ID, "same" => "every prepareId of a domain is the same", step |s: &mut PrepareId| {
        s.0 = |core, domain, _| handler::id(core, domain, 0);
    };
    prepare::MESSAGE => "message is base64url without padding", reply |r: &mut Answer<Prepared>| {
        let message = r["message"].as_str().unwrap_or_default();
        r["message"] = json!(message.trim_end_matches('=').replace('+', "-").replace('/', "_"));
    };
    prepare::MESSAGE, "hex" => "message is hex", reply |r: &mut Answer<Prepared>| {
        let bytes = parse_base64(&r.about.message).unwrap_or_default();
        r["message"] = json!(hex(&bytes));
    };
    prepare::FEE_PAYER => "feePayer is another address",
        reply |r: &mut Answer<Prepared>| r["feePayer"] = json!(NO_ADDRESS);
    prepare::LAST_VALID_BLOCK_HEIGHT => "lastValidBlockHeight is a string", reply |r: &mut Answer<Prepared>| {
        r["lastValidBlockHeight"] = json!(r["lastValidBlockHeight"].to_string());
    };
    prepare::PAYLOAD => "payload is another string", reply |r: &mut Answer<Prepared>| {
        r["payload"] = json!(format!("{} ", r["payload"].as_str().unwrap_or_default()));
    };
    prepare::EXPIRES_AT => "expiresAt is in seconds",
        reply |r: &mut Answer<Prepared>| r["expiresAt"] = json!(r.about.expires_at.seconds());
    prepare::EXPIRES_AT, "shared" => "all prepares in flight expire with the first of them", step |s: &mut Open| {
        s.0 = |core, state, caller, wanted, record| {
            let (now, lifetime) = (core.now(), state.limits.prepare_lifetime_ms);
            let first = state.prepares.values().map(|prepare| prepare.expires_at).filter(|at| *at > now).min();
            state.limits.prepare_lifetime_ms = first.map_or(lifetime, |first| first - now);
            let reply = handler::open(core, state, caller, wanted, record);
            state.limits.prepare_lifetime_ms = lifetime;
            reply
        };
    };
    prepare::EXPIRES_AT, "late" => "expiresAt is two minutes after the prepare",
        reply |r: &mut Answer<Prepared>| r["expiresAt"] = json!(r.about.expires_at + MINUTE);
    prepare::TXT_OBSERVED => "required is a string", reply |r: &mut Answer<Prepared>| {
        if r["txtObserved"].is_object() {
            r["txtObserved"]["required"] = json!("2");
        }
    };
    prepare::TXT_OBSERVED, "future" => "the observation was made in a hundred years", reply |r: &mut Answer<Prepared>| {
        if r["txtObserved"].is_object() {
            r["txtObserved"]["at"] = json!(4_900_000_000_000_u64);
        }
    };
    prepare::TXT_OBSERVED, "negative" => "a negative number of resolvers agrees", reply |r: &mut Answer<Prepared>| {
        if r["txtObserved"].is_object() {
            r["txtObserved"]["agreeing"] = json!(-5);
        }
    };
    prepare::TXT_LAST => "txtObserved is always null",
        reply |r: &mut Answer<Prepared>| r["txtObserved"] = Value::Null;
    prepare::TXT_LAST, "bound" => "vault is the key to which the domain is bound", reply |r: &mut Answer<Prepared>| {
        let message = parse_base64(&r.about.message).unwrap_or_default();
        // After the header, the number of accounts and the first of them.
        if let (Some(client), true) = (message.get(36..68), r["txtObserved"].is_object()) {
            r["txtObserved"]["vault"] = json!(bs58::encode(client).into_string());
        }
    };
    prepare::TXT_LAST, "invented" => "a domain without an observation has one", reply |r: &mut Answer<Prepared>| {
        if r["txtObserved"].is_null() {
            r["txtObserved"] = json!({ "vault": NO_ADDRESS, "agreeing": 0, "required": 2, "reason": "", "at": 1_700_000_000_000_u64 });
        }
    };
    prepare::BODY_JSON => "a body that is not a JSON object returns 410",
        reply |r: &mut Answer<Rejected>| r.change(&prepare::BODY_JSON, 410);
    prepare::DOMAIN_REQUIRED => "a missing domain returns 404",
        reply |r: &mut Answer<Rejected>| r.change(&prepare::DOMAIN_REQUIRED, 404);
    prepare::DOMAIN_MATCH => "the body's domain is not compared", guard;
    prepare::DOMAIN_TRIMMED => "the body's domain is not trimmed" by value, guard;
    prepare::CID_REQUIRED => "a missing cid is published", guard;
    prepare::CID_NOT_VALIDATED => "a cid that does not look like one is rejected", guard;
    prepare::VERSION_DEFAULT => "the default version is 1" by value, guard;
    prepare::VERSION_STRING => "a version that is not a string is ignored", guard;
    prepare::OP_DEFAULT => "op is required", guard;
    prepare::OP_KNOWN => "an unknown op is treated as a publish", guard;
    prepare::NEW_AUTHORITY => "any string is accepted as a new authority", guard;
    prepare::NEW_AUTHORITY, "short" => "a new authority of less than 43 characters is rejected",
        reply |r: &mut Answer<Prepared>| {
            let is_short = |part: &str| part.strip_prefix("chain:").is_some_and(|key| key.len() < 43);
            if r["payload"].as_str().is_some_and(|record| record.split('"').any(is_short)) {
                (r.status, r.body) = (400, Body::Json(json!({ "error": "newAuthority is malformed" })));
            }
        };
    prepare::NEW_AUTHORITY_DIFFERS => "a transfer to the bound key is accepted", guard;
    prepare::ONE_IN_FLIGHT => "a second prepare is accepted while one is in flight", guard;
    prepare::ONE_IN_FLIGHT, "cause" => "a locked domain has the cause of a frozen key" at PREPARE_PUB, reply |r: &mut Answer<Rejected>| {
        if r.about.rule == &prepare::ONE_IN_FLIGHT {
            r["cause"] = json!("transfer-frozen");
        }
    };
    prepare::LOCK_PER_DOMAIN => "one domain's lock blocks every domain", step |s: &mut Lock| {
        s.0 = |core, state, caller| {
            handler::lock(core, state, caller)?;
            if state.bindings.values().all(|binding| binding.lock.is_none()) {
                return Ok(());
            }
            Err(Refused { rule: &prepare::LOCK_PER_DOMAIN, why: "another domain is locked".to_owned() })
        };
    };
    prepare::LOCK_PER_DOMAIN, "below" => "a domain's lock blocks the domain that it is below", step |s: &mut Lock| {
        s.0 = |core, state, caller| {
            let is_below = |other: &str| other.strip_suffix(caller.domain.as_str()).is_some_and(|rest| rest.ends_with('.'));
            if state.bindings.iter().any(|(other, binding)| binding.lock.is_some() && is_below(other)) {
                return Err(Refused { rule: &prepare::LOCK_PER_DOMAIN, why: "a domain below is locked".to_owned() });
            }
            handler::lock(core, state, caller)
        };
    };
    prepare::REPLAY => "a replayed prepare returns its first response again", step |s: &mut RunPrepare| {
        s.0 = |core, state, caller, body| match state.held_by(caller) {
            Some((id, prepare)) if prepare.envelope == caller.envelope => {
                Ok(handler::reply(core, state, &id, &prepare))
            }
            _ => handler::run(core, state, caller, body),
        };
    };
    prepare::LOCK_EXPIRES => "the lock of an expired prepare is kept for an hour", step |due: &mut Due| {
        if matches!(due.timer, Timer::Lock(_)) {
            due.at = due.at + HOUR;
        }
    };
    prepare::PUBLISHABLE => "a binding that is not publishable can publish", guard;
    prepare::LOCKS_NOTHING => "a rejected prepare locks its domain", step |s: &mut RunPrepare| {
        s.0 = |core, state, caller, body| {
            let done = handler::run(core, state, caller, body);
            if done.is_err() {
                let binding = state.bindings.get_mut(&caller.domain).expect("admission found the binding");
                binding.lock.get_or_insert_with(|| "rejected".to_owned());
            }
            done
        };
    };

    exchange::ERROR_JSON => "a 400 is plain text", reply |r: &mut Answer<Rejected>| {
        if r.status == 400 {
            r.body = Body::Text("Bad Request".to_owned());
        }
    };
    exchange::MEDIA_TYPE => "errors have the media type of a page", reply |r: &mut Answer<Rejected>| {
        if let Body::Json(body) = &r.body {
            r.body = Body::Typed("text/html", body.to_string().into());
        }
    };
    exchange::BODY_LIMIT, "early" => "bodies over 32 KiB are rejected", limits |l: &mut Limits| l.body_bytes /= 2;
    exchange::BODY_LIMIT, "late" => "bodies over the limit are cut instead of rejected", guard;
    exchange::DAILY_REJECTED => "a prepare with a malformed field counts",
        step |s: &mut RunPrepare| s.0 = |core, state, caller, body| {
            let done = handler::run(core, state, caller, body);
            count_rejected(core, state, caller, &done, |rule| rule == &prepare::CID_REQUIRED);
            done
        };
    exchange::DAILY_REJECTED, "locked" => "a prepare that meets the lock counts",
        step |s: &mut RunPrepare| s.0 = |core, state, caller, body| {
            let done = handler::run(core, state, caller, body);
            count_rejected(core, state, caller, &done, |rule| rule == &prepare::ONE_IN_FLIGHT);
            done
        };
    exchange::RATE_PER_IP, "early" => "the rate limit is 10 requests per minute",
        limits |l: &mut Limits| l.requests_per_window /= 3;
    exchange::RATE_PER_IP, "late" => "there is no rate limit",
        limits |l: &mut Limits| l.requests_per_window = u32::MAX;
    exchange::RATE_PER_IP, "separate" => "prepares and submits are counted separately",
        step |p: &mut Peer| p.address = apart(p.address, p.endpoint);
    exchange::RATE_PER_IP, "no-retry-after" => "no Retry-After", reply |r: &mut Answer<Rejected>| {
        r.headers.remove(http::header::RETRY_AFTER);
    };
    exchange::RATE_PER_IP, "too-soon" => "`Retry-After` is a second, whatever is left of the window" at FIRST,
        reply |r: &mut Answer<Rejected>| {
            if let Some(after) = r.headers.get_mut(http::header::RETRY_AFTER) {
                *after = http::HeaderValue::from_static("1");
            }
        };
    exchange::RETRY_AFTER_WINDOW => "`Retry-After` is a day", reply |r: &mut Answer<Rejected>| {
        if let Some(after) = r.headers.get_mut(http::header::RETRY_AFTER) {
            *after = http::HeaderValue::from_static("86400");
        }
    };
    exchange::PLAIN_TYPE => "the plain text of a 413 is sent as HTML", reply |r: &mut Answer<Rejected>| {
        if r.status == 413
            && let Body::Text(text) = &mut r.body
        {
            r.body = Body::Typed("text/html", std::mem::take(text).into());
        }
    };
    exchange::PER_ADDRESS => "all addresses share one limit",
        step |p: &mut Peer| p.address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    exchange::SPELLING => "a body with white space is rejected", guard;
    exchange::STANDBY => "a standby responds like the primary", guard;
    exchange::STANDBY, "no-reason" => "a standby gives no reason", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == &exchange::STANDBY {
            r["reason"] = Value::Null;
        }
    };
    exchange::PASSIVE => "a passive backend responds like an active one", guard;

    record::KIND => "the record prefix has another version",
        step |record: &mut RecordBytes| record.edit(|text| text.replacen(":1:", ":2:", 1));
    record::KEYS => "the keys are in another order", step |record: &mut RecordBytes| record.edit(swap_keys);
    record::COMPACT => "a space follows each colon",
        step |record: &mut RecordBytes| record.edit(|text| text.replace("\":\"", "\": \""));
    record::ESCAPING => "control characters are left out", step |record: &mut Record| {
        record.edit("c", |c| c.replace(|c: char| c.is_ascii_control(), ""));
    };
    record::ESCAPING, "unicode" => "characters beyond U+FFFF are replaced", step |record: &mut Record| {
        record.edit("c", |c| c.replace(|c: char| u32::from(c) > 0xffff, "?"));
    };
    record::ESCAPING, "upper" => "control characters are in upper-case hexadecimal",
        step |record: &mut RecordBytes| record.edit(|text| text.replace("\\u001f", "\\u001F"));
    record::DOMAIN => "d is another domain", step |record: &mut Record| record.edit("d", |d| format!("www.{d}"));
    record::CID => "c is another content identifier" by value, step |record: &mut Record| record.edit("c", |c| format!("{c}x"));
    record::VERSION => "v is another version" by value, step |record: &mut Record| record.edit("v", |v| format!("{v}.1"));
    record::CID, "first" => "c is that of the first publish of the domain",
        step |s: &mut RunPrepare| s.0 = |core, state, caller, body| {
            let body = state.repeating_the_first(caller, body, "cid");
            handler::run(core, state, caller, &body)
        };
    record::VERSION, "first" => "v is that of the first publish of the domain",
        step |s: &mut RunPrepare| s.0 = |core, state, caller, body| {
            let body = state.repeating_the_first(caller, body, "version");
            handler::run(core, state, caller, &body)
        };
    record::TIME_FORM => "t has no milliseconds", step |record: &mut Record| {
        record.edit("t", |t| format!("{}Z", &t[..t.len().saturating_sub(5)]));
    };
    record::TIME_NOW => "t is an hour old", step |record: &mut Record| {
        record.edit("t", |t| Instant::parse_exact(t).map_or_else(String::new, |time| (time - HOUR).to_string()));
    };
    record::TRANSFER => "newVault is another key", step |record: &mut Record| {
        record.edit("newVault", |key| key.split_inclusive(':').take(1).chain([NO_ADDRESS]).collect());
    };
    record::ACCEPT => "transfer is another signature",
        step |record: &mut Record| record.edit("transfer", |signature| signature.chars().rev().collect());
    record::ACCEPT, "latest" => "transfer is the signature of the latest transaction", step |s: &mut NamedTransfer| {
        s.0 = |_, state, _, pending| state.chain.latest().next().map_or_else(|| pending.to_owned(), signature_of);
    };
    record::ACCEPT, "first" => "transfer is the signature of the domain's first transfer", step |s: &mut NamedTransfer| {
        s.0 = |_, state, domain, pending| {
            let start = format!(":transfer:{{\"d\":\"{domain}\"");
            let is_of_domain = |found: &&Confirmed| String::from_utf8_lossy(&found.transaction.record).contains(&start);
            state.chain.latest().filter(is_of_domain).last().map_or_else(|| pending.to_owned(), signature_of)
        };
    };

    rows::LEGACY => "a byte follows the message", step |message: &mut MessageBytes| message.0.push(0);
    rows::LEGACY, "alias" => "the number of accounts is not in its shortest encoding",
        step |message: &mut MessageBytes| drop(message.0.splice(3..4, [message.0[3] | 0x80, 0]));
    rows::HEADER => "the client's account is writable", step |m: &mut Message| m.header[1] = 0;
    rows::FEE_PAYER => "the client pays the fee", step |m: &mut Message| m.accounts[0] = m.accounts[1];
    rows::CLIENT => "account 1 is another key", step |m: &mut Message| m.accounts[1] = [7; 32];
    rows::MEMO_PROGRAM => "account 2 is another program", step |m: &mut Message| m.accounts[2] = [7; 32];
    rows::THREE_ACCOUNTS => "a fourth account follows", step |m: &mut Message| m.accounts.push([7; 32]);
    rows::ONE_INSTRUCTION => "a second instruction follows", step |m: &mut Message| {
        m.instructions.push(Instruction { program: 2, accounts: vec![1], data: b"more".to_vec() });
    };
    rows::INSTRUCTION_PROGRAM => "the program is account 1", step |m: &mut Message| m.instructions[0].program = 1;
    rows::INSTRUCTION_ACCOUNTS => "the fee payer is also passed to the instruction",
        step |m: &mut Message| m.instructions[0].accounts = vec![0, 1];
    rows::BLOCKHASH => "the blockhash never existed on the chain", step |m: &mut Message| m.blockhash = [7; 32];

    submit::LANDS => "a valid signature returns 502", reply |r: &mut Answer<Landed>| {
        r.status = 502;
        r.body = Body::Json(json!({ "error": "not broadcast" }));
    };
    submit::LANDS, "early" => "the response comes before the confirmation", step |s: &mut Broadcast| {
        s.0 = |core, state, exchange, id, signature| {
            submits::broadcast(core, state, exchange, id, signature);
            Some(submits::landed(core, state, id))
        };
    };
    submit::SIGNATURE => "signature is not the fee payer's", reply |r: &mut Answer<Landed>| {
        r["signature"] = json!(bs58::encode([7; 64]).into_string());
    };
    submit::FIELDS => "a missing field counts as empty", guard;
    submit::SIGNATURE_FORM => "other alphabets, missing padding and extra bytes are accepted", guard;
    submit::SIGNATURE_VERIFIES => "the signature is not verified", guard;
    submit::STAYS_PREPARED => "a rejected signature ends the prepare",
        step |s: &mut KeepPrepared| s.0 = |core, state, id| state.step(core, id, PrepareEvent::Lifetime);
    submit::STAYS_PREPARED, "free" => "a rejected signature frees the domain", step |s: &mut KeepPrepared| {
        s.0 = |core, state, id| {
            submits::keep_prepared(core, state, id);
            let domain = state.prepares[id].domain.clone();
            State::unlock(core, state, &domain, id);
        };
    };
    submit::EXPIRY_UNCHANGED => "a rejected signature extends the prepare by a minute", step |s: &mut KeepPrepared| {
        s.0 = |core, state, id| {
            submits::keep_prepared(core, state, id);
            state.change(id, |prepare| extend(prepare, MINUTE));
            Due { at: state.prepares[id].expires_at, timer: Timer::Lifetime(id.to_owned()) }.set(core);
        };
    };
    submit::UNKNOWN => "an unknown prepareId returns 400",
        reply |r: &mut Answer<Rejected>| r.change(&submit::UNKNOWN, 400);
    submit::EXPIRED, "early" => "a prepare expires after 40 seconds", step |p: &mut Prepare| extend(p, -MINUTE / 3);
    submit::EXPIRED, "late" => "a prepare expires an hour late", step |p: &mut Prepare| extend(p, HOUR);
    submit::FOREIGN => "a prepare of another domain can be submitted", guard;
    submit::REPEAT => "a repeated submit returns 410", step |s: &mut AnswerRepeat| {
        s.0 = |_, _, id| Err(Refused { rule: &submit::REPEAT, why: format!("{id} is confirmed") });
    };
    submit::REPEAT, "any-signature" => "a confirmed publish is repeated with any signature" at SUBMIT_PUB, step |s: &mut FindRepeat| {
        s.0 = |_, state, caller, body| {
            let (id, is_same) = submits::confirmed(state, caller, body)?;
            (is_same || matches!(state.prepares[&id].wanted, Wanted::Publish { .. })).then_some(id)
        };
    };
    submit::REPEAT, "forgotten" => "a confirmed publish is forgotten once its domain is prepared again" at SUBMIT_PUB, step |s: &mut FindRepeat| {
        s.0 = |_, state, caller, body| {
            let (id, is_same) = submits::confirmed(state, caller, body)?;
            (is_same && state.bindings[&caller.domain].lock.is_none()).then_some(id)
        };
    };
    submit::NO_SECOND_RECORD => "a repeated submit lands again", step |s: &mut AnswerRepeat| {
        s.0 = |core, state, id| {
            let mut again = state.transaction(id);
            again.signatures[0] = again.signatures[0].map(|byte| byte ^ 1);
            state.chain.land(core.now(), state.chain.slot(core.now()), again);
            submits::answer_repeat(core, state, id)
        };
    };
    submit::IN_FLIGHT => "a second submit of one in flight returns 410",
        reply |r: &mut Answer<Rejected>| r.change(&submit::IN_FLIGHT, 410);
    submit::LOCK_FREED => "a confirmed publish keeps the lock", step |s: &mut FreeLock| s.0 = |_, _, _, _| ();
    submit::BLOCKHASH_EXPIRED => "an expired blockhash returns 502",
        reply |r: &mut Answer<Rejected>| r.change(&submit::BLOCKHASH_EXPIRED, 502);
    submit::REJECTED => "a rejected transaction returns 500",
        reply |r: &mut Answer<Rejected>| r.change(&submit::REJECTED, 500);
    submit::SAFETY_CEILING, "always" => "the error of each 410 names the safety ceiling", reply |r: &mut Answer<Rejected>| {
        if r.status == 410 {
            r["error"] = json!("gone: expired, unknown, or the safety ceiling was reached");
        }
    };
    submit::SAFETY_CEILING => "the error does not name the safety ceiling", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == &submit::SAFETY_CEILING {
            r["error"] = json!("expired");
        }
    };

    transfer::FREEZES => "the old key can still publish", guard;
    transfer::FREEZES, "no-cause" => "the error for a frozen key has no cause", reply |r: &mut Answer<Rejected>| {
        if let Body::Json(Value::Object(members)) = &mut r.body {
            members.shift_remove("cause");
        }
    };
    transfer::FREEZES_ONCE_CONFIRMED => "a prepared transfer freezes the key", step |s: &mut Open| {
        s.0 = |core, state, caller, wanted, record| {
            if let Some(binding) = state.bindings.get_mut(&caller.domain)
                && let Wanted::Transfer { new_key } = &wanted
            {
                binding.state = BindingState::Pending;
                binding.pending = Some(Pending { incoming_key: new_key.clone(), transfer: "none".to_owned() });
            }
            handler::open(core, state, caller, wanted, record)
        };
    };
    transfer::ACCEPT_ADMITTED => "an accept by the incoming key is rejected", step |s: &mut AdmitAccept| {
        s.0 = |core, envelope, bound_key, pending| {
            admission::admit_accept(core, envelope, bound_key, pending)?;
            Err(Refused { rule: &transfer::ACCEPT_ADMITTED, why: "accepts are rejected".to_owned() })
        };
    };
    transfer::ACCEPT_NEEDS_PENDING => "the bound key can accept", guard;
    transfer::ACCEPT_BY_INCOMING => "any key can accept", guard;
    transfer::INCOMING_ONLY_ACCEPTS => "the incoming key can publish", guard;
    transfer::ACCEPT_SAYS_SO => "the submit of an accept needs no op", guard;
    transfer::SECOND_ACCEPT => "a transfer can be accepted again", guard;

    chain::FOUND => "the chain does not know the transaction", step |found: &mut Option<Confirmed>| *found = None;
    chain::FOUND, "err" => "the transaction failed", reply |found: &mut Found| {
        let err = json!({ "InstructionError": [0, "InvalidInstructionData"] });
        found.0["meta"]["status"] = json!({ "Err": err });
        found.0["meta"]["err"] = err;
    };
    chain::MESSAGE => "the transaction holds another message", step |found: &mut Option<Confirmed>| {
        if let Some(Confirmed { transaction, .. }) = found {
            let last = transaction.message.len() - 1;
            let bytes = transaction.message.iter().enumerate();
            transaction.message = bytes.map(|(at, byte)| if at == last { byte ^ 1 } else { *byte }).collect();
        }
    };
    chain::INVOCATION => "the log does not show the invocation", step |s: &mut MemoLog| {
        s.0 = |core, found| {
            let mut lines = memo_log(core, found);
            lines.pop();
            lines.split_off(1)
        };
    };
    chain::SIGNED_BY => "the log names another signer", step |s: &mut MemoLog| {
        s.0 = |core, found| {
            let signer = &found.transaction.signer;
            memo_log(core, found).iter().map(|line| line.replace(signer, NO_ADDRESS)).collect()
        };
    };
    chain::MEMO_LINE => "the log counts one byte too many", step |s: &mut MemoLog| {
        s.0 = |core, found| {
            let length = found.transaction.record.len();
            let [counted, wrong] = [length, length + 1].map(|length| format!("Memo (len {length})"));
            memo_log(core, found).iter().map(|line| line.replace(&counted, &wrong)).collect()
        };
    };
};

/// An address that no key of a test has.
const NO_ADDRESS: &str = "11111111111111111111111111111111";

/// Admits a request, but rejects a prepare with this rule that another rule rejects if the domain's state hides that.
fn revealing(
    core: &mut Core,
    state: &State,
    request: &Request,
    rule: Id,
    hides: fn(&Binding, Id) -> bool,
) -> Result<Caller, Refused> {
    let binding = admission::named(state, request).and_then(|domain| state.bindings.get(&domain));
    let binding = binding.filter(|_| request.path() == ENDPOINT.path);
    let hides = |refused: &Refused| binding.is_some_and(|binding| hides(binding, refused.rule));
    admission::admit(core, state, request)
        .map_err(|refused| if hides(&refused) { Refused { rule, ..refused } } else { refused })
}

/// Another address for each endpoint.
fn apart(address: IpAddr, endpoint: &str) -> IpAddr {
    let address = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() ^ (endpoint.len() as u128) << 64))
}

/// Counts a prepare that one of these rules has rejected.
fn count_rejected(
    core: &Core,
    state: &mut State,
    caller: &Caller,
    done: &Result<Reply, Refused>,
    counts: fn(Id) -> bool,
) {
    if done.as_ref().is_err_and(|refused| counts(refused.rule)) {
        state.publishes(caller).push_back(core.now());
    }
}

impl State {
    /// The last prepare of the caller's domain.
    pub(super) fn last(&self, caller: &Caller) -> Option<&Prepare> {
        let of_domain = self.prepares.values().filter(|prepare| prepare.domain == caller.domain);
        of_domain.max_by_key(|prepare| prepare.expires_at).map(|prepare| &**prepare)
    }

    /// A body whose member is that of the first publish of the caller's domain, if there was one.
    fn repeating_the_first(&self, caller: &Caller, body: &[u8], member: &str) -> Vec<u8> {
        let of_domain = self.prepares.values().filter(|prepare| prepare.domain == caller.domain);
        let first = of_domain.min_by_key(|prepare| prepare.expires_at).map(|prepare| &prepare.wanted);
        let Some(Wanted::Publish { cid, version }) = first else { return body.to_vec() };
        let Ok(mut body) = serde_json::from_slice::<Value>(body) else { return body.to_vec() };
        if body.get(member).is_some() {
            body[member] = json!(if member == "cid" { cid } else { version });
        }
        body.to_string().into_bytes()
    }

    /// What counts against the rolling day of the caller's domain.
    pub(super) fn publishes(&mut self, caller: &Caller) -> &mut VecDeque<Instant> {
        &mut self.bindings.get_mut(&caller.domain).expect("admission found the binding").publishes
    }
}

/// Changes the lifetime of a prepare, with its blockhash: an expired one would hide the deviation.
fn extend(prepare: &mut Prepare, by_ms: i64) {
    prepare.expires_at = prepare.expires_at + by_ms;
    if by_ms > 0 {
        prepare.last_valid_block_height += BLOCKHASH_BLOCKS + (by_ms / SLOT_MS).unsigned_abs();
    }
}

/// The signature that names a transaction, base58.
fn signature_of(found: &Confirmed) -> String {
    bs58::encode(found.transaction.signatures[0]).into_string()
}

/// A record with its first two keys swapped.
fn swap_keys(text: &str) -> String {
    let (prefix, json) = text.split_at(text.find('{').unwrap_or_default());
    let members: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let mut members: Vec<(String, Value)> = members.into_iter().collect();
    members.swap(0, 1);
    format!("{prefix}{}", Value::Object(members.into_iter().collect()))
}

/// JSON with `\u` escapes of what is not ASCII.
pub(super) fn escape_unicode(text: &str) -> String {
    let escape = |c: char| match c {
        _ if c.is_ascii() => c.to_string(),
        _ => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    text.chars().map(escape).collect()
}
