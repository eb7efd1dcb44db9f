//! What the document leaves open, varied. Each entry has its code at one seam.

use assay_spec::Refused;
use assay_spec::cid::{Estimate, Layout};
use assay_spec::crypto::text;
use assay_spec::drop::machines::DropEvent;
use assay_spec::drop::requirements::{site, zip};
use assay_spec::drop::response::DropResponse;
use serde_json::json;

use super::callers::DropWindow;
use super::live::Page;
use super::refusal::Rejected;
use super::upload::{ClaimToken, Finish, Inspect, Root};
use super::{Limits, live, upload as handler};
use crate::seam::{Answer, Body};
use crate::variation::{Variation, variations};
use crate::window::Window;

/// Every variation of the drop.
pub(super) const ALL: &[Variation] = variations! {
    "drop.status-201" => "an upload returns 201", reply |r: &mut Answer<DropResponse>| r.status = 201;
    "drop.error-text" => "errors are plain text", reply |r: &mut Answer<Rejected>| {
        r.body = Body::Text(r["error"].as_str().unwrap_or_default().to_owned());
    };
    "drop.url-shape" => "live URLs have another form",
        step |s: &mut Root| s.0 = |_, name| format!("/sites/{name}.site");
    "drop.redirect" => "the live URL has no trailing slash and redirects", reply |r: &mut Answer<DropResponse>| {
        r["url"] = json!(r.about.url.trim_end_matches('/'));
    };
    "drop.redirect-page" => "a folder redirects to its page by name", step |s: &mut Page| {
        s.0 = |core, files, request, folder| if files.contains_key(&format!("{folder}{}", live::INDEX)) {
            live::redirect(core, request, live::INDEX)
        } else {
            live::page(core, files, request, folder)
        };
    };
    "drop.removed-page" => "a removed site returns a page that says so", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == Some(&site::REMOVED) {
            r.status = 200;
            r.body = Body::Typed("text/html", "<p>This drop has ended.".into());
        }
    };
    "drop.claim-elsewhere" => "the claim page has another URL with a query",
        reply |r: &mut Answer<DropResponse>| {
            r["claimUrl"] = json!(r.about.claim_url.replace("/claim#", "/app/claim?from=drop#"));
        };
    "drop.token-encoded" => "tokens need percent-encoding in the fragment", step |s: &mut ClaimToken| {
        s.0 = |core, address, number| text::base64(&handler::draw_token(core, address, number));
    };
    "drop.gone" => "a removed site returns 410", reply |r: &mut Answer<Rejected>| r.change(&site::REMOVED, 410);
    "drop.live-later" => "a site is live three seconds after its upload",
        limits |l: &mut Limits| l.live_after_ms = 3_000;
    "drop.symlink-refused" => "a zip with a symbolic link is rejected as unsafe", step |s: &mut Inspect| {
        s.0 = |core, zip, limits| {
            let extracted = handler::inspect(core, zip, limits)?;
            if extracted.links == 0 {
                return Ok(extracted);
            }
            Err(Refused { rule: &zip::FAITHFUL, why: "the zip contains a symbolic link".to_owned() })
        };
    };
    "drop.inside-400" => "too many files or bytes inside a zip return 400", reply |r: &mut Answer<Rejected>| {
        for rule in [&zip::EXTRACTED_SIZE, &zip::COUNTED, &zip::FILES] {
            r.change(rule, 400);
        }
    };
    "drop.retry-after" => "429 and 503 send Retry-After", reply |r: &mut Answer<Rejected>| {
        if matches!(r.status, 429 | 503) {
            r.headers.insert(http::header::RETRY_AFTER, r.about.retry_after_s.unwrap_or(60).into());
        }
    };
    "drop.calendar" => "drops are counted by the hour and the day of the calendar",
        step |w: &mut DropWindow| w.0 = Window::Fixed;
    "drop.failed-count" => "uploads that fail count like drops", step |s: &mut Finish| {
        s.0 = |core, state, exchange, event| {
            if event != DropEvent::Publish
                && let Some(caller) = state.callers.uploading(exchange)
            {
                state.count(core, caller);
            }
            handler::finish(core, state, exchange, event);
        };
    };
    "drop.hamt-block" => "directories are sharded by the size of their block",
        step |layout: &mut Layout| layout.estimate = Estimate::Block;
};
