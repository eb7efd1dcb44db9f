//! The drop's deviations: what the service does while a requirement is switched off. Lenient guards are next to the
//! guards, those of zips and content identifiers in the spec; this file falsifies responses.

use assay_spec::crypto::text;
use assay_spec::drop::limits::DROP_ID_CHARACTERS;
use assay_spec::drop::requirements::{cid, limits, response, site, upload, zip};
use assay_spec::drop::response::{DROP_ID_PREFIX, DropResponse};
use assay_spec::instant::HOUR;
use assay_spec::{Instant, Rules};
use http::HeaderValue;
use serde_json::{Value, json};

use super::variations;
use crate::core::Core;
use crate::deviation::{Deviation, deviations};
use crate::world::Reply;

/// Every deviation of the drop.
pub(super) const ALL: &[Deviation] = deviations! {
    upload::UNAUTHENTICATED => "uploads require a key";
    upload::ARTIFACT_REQUIRED => "a form without an artifact publishes an empty site";
    upload::SOURCE_TAKEN => "a form with a source is rejected";
    upload::SOURCE_IGNORED => "a malformed source is rejected";
    upload::NO_CORS => "responses allow any origin (CORS)";
    upload::PUBLISH_FAILED => "a failed publish returns 422";
    upload::PUBLISH_FAILED, "kept" => "a failed upload still counts as in progress";
    upload::PAUSED, "busy" => "a busy service accepts uploads";
    upload::PAUSED, "budget" => "uploads are accepted beyond the day's budget";
    upload::PAUSED, "disabled" => "uploads are accepted while drops are disabled";

    zip::FORM => "a file that is not a zip is published as a page";
    zip::TRAVERSAL => "the `..` segments of a path are dropped";
    zip::ABSOLUTE => "an absolute path is treated as relative";
    zip::SYMLINK => "symbolic links are silently skipped";
    zip::ROOT_INDEX => "a site without an index.html is published";
    zip::SIZE, "early" => "zips over half the limit are rejected";
    zip::SIZE, "late" => "zips of any size are accepted";
    zip::EXTRACTED_SIZE, "early" => "extracted files over half the limit are rejected";
    zip::EXTRACTED_SIZE, "late" => "extracted files of any size are accepted";
    zip::COUNTED => "the file sizes that the zip declares are trusted";
    zip::FILES, "early" => "zips with more than half the limit of files are rejected";
    zip::FILES, "late" => "any number of files is accepted";

    cid::OF_THE_FILES => "the identifier covers the zip itself as an extra file";
    cid::VERSION => "the identifier is a CIDv0";
    cid::NOT_WRAPPED => "the site is wrapped in a directory";
    cid::RAW_LEAVES => "leaves are UnixFS nodes";
    cid::CHUNKS => "chunks are larger";
    cid::SHARDED => "directories are never sharded";
    cid::DOTFILES => "dotfiles are left out";
    cid::EMPTY_DIRECTORIES => "empty directories are kept";

    response::DROP_ID => "the id has another prefix";
    response::DROP_ID, "same" => "every drop of one address has the same id";
    response::DROP_ID, "length" => "the id is shorter";
    response::CLAIM_TOKEN => "the token is empty";
    response::CLAIM_TOKEN, "same" => "every drop of one address has the same token";
    response::URL => "the URL is only a path";
    response::EXPIRES_AT, "seconds" => "the deadline is in seconds";
    response::EXPIRES_AT, "late" => "the shown deadline is one claim window late";
    response::CLAIM_URL => "the fragment contains another deadline";
    response::TOKEN_IN_FRAGMENT => "the token is also in the query";

    site::LIVE => "the URL serves another page";
    site::NESTED => "nothing is served below the root";
    site::SEPARATE => "another upload replaces an existing site";
    site::REMOVED => "unclaimed drops are not removed";
    site::CLAIMED_STAYS => "claimed drops are removed too";

    limits::HOURLY, "early" => "the hourly limit is three quarters of the documented one";
    limits::HOURLY, "late" => "any number of drops per hour is accepted";
    limits::HOUR_PASSES => "the hour lasts a day";
    limits::DAILY, "early" => "the daily limit is three quarters of the documented one";
    limits::DAILY, "late" => "any number of drops per day is accepted";
    limits::PER_ADDRESS => "all addresses share one limit";
    limits::IPV6_PREFIX => "each IPv6 address has its own limit";
    limits::IPV6_PREFIX, "wide" => "an IPv6 /32 shares one limit";
    limits::ONE_UPLOAD => "an address may have any number of uploads in progress";
};

/// A response to an upload, possibly with a CORS header.
pub(super) fn cors(core: &mut Core, reply: Reply) -> Reply {
    core.effect(&upload::NO_CORS, reply, |reply, _| {
        reply.header("access-control-allow-origin", HeaderValue::from_static("*"))
    })
}

/// The id of a drop. `own`: random bytes of this drop; `same`: of its address.
pub(super) fn id(core: &mut Core, own: [u8; 32], same: [u8; 32]) -> String {
    let written = |bytes: [u8; 32], characters: usize| {
        format!("{DROP_ID_PREFIX}{}", &text::base64url(&bytes)[..characters])
    };
    let conforming = written(own, DROP_ID_CHARACTERS);
    core.effect(&response::DROP_ID, conforming, |conforming, variant| match variant {
        "same" => written(same, DROP_ID_CHARACTERS),
        "length" => written(own, DROP_ID_CHARACTERS - 4),
        _ => conforming.replace(DROP_ID_PREFIX, "site-"),
    })
}

/// The claim token of a drop, from 32 random bytes.
pub(super) fn token(core: &mut Core, own: [u8; 32], same: [u8; 32]) -> String {
    let bytes = core.effect(&response::CLAIM_TOKEN, Some(own), |_, variant| match variant {
        "same" => Some(same),
        _ => None,
    });
    let padded = core.varies(variations::TOKEN_ENCODED);
    bytes.map_or_else(
        String::new,
        |bytes| {
            if padded { text::base64(&bytes) } else { text::base64url(&bytes) }
        },
    )
}

/// The response body. `response.claim_url` has no fragment yet; `fragment` writes it.
pub(super) fn response(
    core: &mut Core,
    mut response: DropResponse,
    now: Instant,
    fragment: impl Fn(&str, Instant) -> String,
) -> Value {
    response.expires_at = core.effect(&response::EXPIRES_AT, response.expires_at, |deadline, variant| {
        if variant == "seconds" { Instant(deadline.0 / 1000) } else { deadline + (deadline - now) }
    });
    let token = response.claim_token.clone();
    let page = core.effect(&response::TOKEN_IN_FRAGMENT, response.claim_url, |page, _| {
        let sign = if page.contains('?') { '&' } else { '?' };
        format!("{page}{sign}token={token}")
    });
    let deadline = core.effect(&response::CLAIM_URL, response.expires_at, |deadline, _| deadline + HOUR);
    response.claim_url = format!("{page}#{}", fragment(&token, deadline));
    response.url = core.effect(&response::URL, response.url, |url, _| {
        url.splitn(4, '/').last().map_or_else(String::new, |path| format!("/{path}"))
    });
    json!(response)
}
