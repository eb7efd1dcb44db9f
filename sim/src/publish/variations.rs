//! What the document leaves open, varied. Each entry has its code at one seam.

use assay_spec::instant::{DAY, MINUTE, SECOND};
use assay_spec::publish::limits::ENVELOPE_PAST;
use assay_spec::publish::machines::PrepareState;
use assay_spec::publish::prepare::Wanted;
use assay_spec::publish::requirements::{envelope, exchange, submit, transfer};
use assay_spec::{Instant, Refused};
use http::header::RETRY_AFTER;
use serde_json::{Value, json};

use super::admission::{AdmitAccept, Authorization, CheckTime};
use super::deviations::escape_unicode;
use super::prepare::{self, Asked, Count, Prepared, RecordBytes};
use super::refusal::{NOT_FOUND, Rejected};
use super::rpc::{Finality, MemoLog, memo_log, units};
use super::submit::{AnswerRepeat, Find, ReadFields};
use super::{FreeAfterFailure, Limits, RateWindow, Timer, admission, submit as submits, timer};
use crate::core::http_date;
use crate::seam::{Answer, Body};
use crate::variation::{Variation, variations};
use crate::window::Window;

/// Every variation of the exchange.
pub(super) const ALL: &[Variation] = variations! {
    "publish.txt-absent" => "txtObserved is omitted if it was never observed", reply |r: &mut Answer<Prepared>| {
        if let Body::Json(Value::Object(members)) = &mut r.body
            && members["txtObserved"].is_null()
        {
            members.shift_remove("txtObserved");
        }
    };
    "publish.blank-version-kept" => "a version of only spaces is kept, not replaced by 0", step |asked: &mut Asked| {
        if let Wanted::Publish { version, .. } = &mut asked.wanted
            && let Some(Value::String(sent)) = asked.body.get("version")
            && !sent.is_empty()
        {
            version.clone_from(sent);
        }
    };
    "publish.exact-time-only" => "envelope times need milliseconds and Z", step |s: &mut CheckTime| {
        s.0 = |core, envelope, limits| {
            if envelope.time().and_then(Instant::parse_exact).is_none() {
                let why = "the time is not in the exact form".to_owned();
                return Err(Refused { rule: &envelope::TIME_FORM, why });
            }
            admission::check_time(core, envelope, limits)
        };
    };
    "publish.scheme-case" => "the scheme word is accepted in any case", step |s: &mut Authorization| {
        s.0 = |core, request| {
            let header = admission::authorization(core, request)?;
            let scheme = &core.dialect.auth_scheme;
            Ok(match header.split_once(' ') {
                Some((word, rest)) if word.eq_ignore_ascii_case(scheme) => format!("{scheme} {rest}"),
                _ => header,
            })
        };
    };
    "publish.not-found-newline" => "a newline follows `404 Not Found`", reply |r: &mut Answer<Rejected>| {
        if let (404, Body::Text(text)) = (r.status, &mut r.body) {
            text.push('\n');
        }
    };
    "publish.memo-quoted" => "the log shows the memo quoted, and compute units, as the public program does",
        step |s: &mut MemoLog| {
            s.0 = |core, found| {
                let record = String::from_utf8_lossy(&found.transaction.record);
                let mut lines = memo_log(core, found);
                if let [_, _, memo, success] = &mut lines[..] {
                    *memo = format!("Program log: Memo (len {}): {record:?}", record.len());
                    let used = format!("consumed {} of 200000 compute units", units(found));
                    let consumed = success.replace("success", &used);
                    lines.insert(3, consumed);
                }
                lines
            };
        };
    "publish.repeat-long" => "a confirmed submit can be repeated for ten minutes",
        limits |l: &mut Limits| l.repeat_window_ms = ENVELOPE_PAST.value;
    "publish.repeat-conflicts" => "a repeated submit of a transfer or accept returns 409", step |s: &mut AnswerRepeat| {
        s.0 = |core, state, id| {
            let rule = match state.prepares[id].wanted {
                Wanted::Publish { .. } => return submits::answer_repeat(core, state, id),
                Wanted::Transfer { .. } => &transfer::FREEZES,
                Wanted::Accept => &transfer::SECOND_ACCEPT,
            };
            Err(Refused { rule, why: format!("{id} is confirmed") })
        };
    };
    "publish.foreign-404" => "a prepareId of another domain returns 404", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == &submit::FOREIGN {
            (r.status, r.body) = (404, Body::Text(NOT_FOUND.to_owned()));
        }
    };
    "publish.malformed-id-400" => "a prepareId that is not a UUID returns 400", step |s: &mut Find| {
        s.0 = |core, state, caller, id| {
            if uuid::Uuid::parse_str(id).is_err() {
                return Err(Refused { rule: &submit::FIELDS, why: format!("{id:?} is not a UUID") });
            }
            submits::find(core, state, caller, id)
        };
    };
    "publish.old-key-accept-409" => "an accept by the old key returns 409", step |s: &mut AdmitAccept| {
        s.0 = |core, envelope, bound_key, pending| {
            if envelope.signed_by(bound_key) {
                return Err(Refused { rule: &transfer::FREEZES, why: "the old key signed the accept".to_owned() });
            }
            admission::admit_accept(core, envelope, bound_key, pending)
        };
    };
    "publish.rate-fixed" => "requests of an address are counted by the minute of the clock",
        step |w: &mut RateWindow| w.0 = Window::Fixed;
    "publish.rate-bucket" => "requests of an address are limited by a bucket that is refilled steadily",
        step |w: &mut RateWindow| w.0 = Window::Bucket;
    "publish.rate-insistent" => "a request that is rejected for the limit of its address counts against it",
        step |w: &mut RateWindow| w.0 = Window::Insistent;
    "publish.retry-after-date" => "Retry-After is an HTTP date", reply |r: &mut Answer<Rejected>| {
        let wait_s = r.headers.get(RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()?.parse::<i64>().ok());
        if let Some(wait_s) = wait_s {
            let date = http_date(r.about.at + wait_s * SECOND).parse();
            r.headers.insert(RETRY_AFTER, date.expect("an HTTP date is a header value"));
        }
    };
    "publish.record-ascii" => "a record escapes slashes and what is not ASCII", step |record: &mut RecordBytes| {
        record.edit(|text| escape_unicode(&text.replace('/', "\\/")));
    };
    "publish.record-526" => "records over 526 bytes are rejected", limits |l: &mut Limits| l.record_bytes = 526;
    "publish.lands-late" => "a transaction lands 4 seconds after it was sent",
        limits |l: &mut Limits| l.confirmation_slots = 10;
    "publish.finality" => "the chain shows a transaction 13 seconds after its confirmation, unless it is asked for what is confirmed",
        step |s: &mut Finality| s.0 = 32;
    "publish.height-far" => "`lastValidBlockHeight` is far beyond the transaction's end", reply |r: &mut Answer<Prepared>| {
        let height = r.about.last_valid_block_height;
        r["lastValidBlockHeight"] = json!(height + 10_000);
    };
    "publish.unknown-first" => "an unknown prepareId with a malformed signature returns 410", step |s: &mut ReadFields| {
        s.0 = |core, state, body| {
            let id = body.get("prepareId").and_then(Value::as_str);
            match id {
                Some(id) if !state.prepares.contains_key(id) && body.contains_key("signature") => {
                    Err(Refused { rule: &submit::UNKNOWN, why: format!("{id:?} is unknown") })
                }
                _ => submits::read_fields(core, state, body),
            }
        };
    };
    "publish.lock-kept" => "after a transaction that the chain rejects, the domain stays locked for a minute",
        step |s: &mut FreeAfterFailure| s.0 = |core, _, domain, id| {
            timer(core, core.now() + MINUTE, Timer::Unlock(domain.to_owned(), id.to_owned()));
        };
    "publish.daily-publishes" => "transfers and accepts do not count against the daily limit", step |s: &mut Count| {
        s.0 = |core, state, caller, wanted| match wanted {
            Wanted::Publish { .. } => prepare::count(core, state, caller, wanted),
            Wanted::Transfer { .. } | Wanted::Accept => Ok(()),
        };
    };
    "publish.daily-submitted" => "a prepare that expired does not count against the daily limit", step |s: &mut Count| {
        s.0 = |core, state, caller, wanted| {
            if state.last(caller).is_some_and(|last| last.state == PrepareState::Expired) {
                state.publishes(caller).pop_back();
            }
            prepare::count(core, state, caller, wanted)
        };
    };
    "publish.signature-spelling" => "a signature without padding, with blanks around it or in the other alphabet is accepted",
        step |s: &mut ReadFields| s.0 = |core, state, body| {
            let (id, signature) = submits::read_fields(core, state, body)?;
            let plain = signature.trim().trim_end_matches('=').replace('-', "+").replace('_', "/");
            let is_whole = plain.len() == 86;
            Ok((id, if is_whole { format!("{plain}==") } else { signature }))
        };
    "publish.repeat-ever" => "a confirmed submit can be repeated for a day",
        limits |l: &mut Limits| l.repeat_window_ms = DAY;
    "publish.daily-retry-after" => "the daily limit sends Retry-After", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == &exchange::DAILY_LIMIT {
            r.headers.insert(RETRY_AFTER, 3600.into());
        }
    };
};
