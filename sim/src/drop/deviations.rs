//! The drop's deviations: what is done when a requirement is switched off. The guards' lenient ways stand beside
//! the guards, those of zips and identifiers in the spec; here stand the falsified answers.

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
    upload::UNAUTHENTICATED => "a key is asked for";
    upload::ARTIFACT_REQUIRED => "a form without an artifact publishes nothing at all";
    upload::SOURCE_TAKEN => "a form with a source is refused";
    upload::SOURCE_IGNORED => "a malformed source is refused";
    upload::NO_CORS => "any origin may read the answers";
    upload::PUBLISH_FAILED => "a failure of the service is blamed on the request";
    upload::PUBLISH_FAILED, "kept" => "a failed upload still counts as being on its way";
    upload::PAUSED, "busy" => "a busy service takes uploads";
    upload::PAUSED, "budget" => "a spent budget is overdrawn";
    upload::PAUSED, "disabled" => "the switch is ignored";

    zip::FORM => "what is no zip is published as a page";
    zip::TRAVERSAL => "a path that climbs out is cut";
    zip::ABSOLUTE => "an absolute path is taken as relative";
    zip::SYMLINK => "symbolic links are left out in silence";
    zip::ROOT_INDEX => "a site without a page is published";
    zip::SIZE, "early" => "half the size is too large";
    zip::SIZE, "late" => "zips of any size are taken";
    zip::EXTRACTED_SIZE, "early" => "half the size of files is too large";
    zip::EXTRACTED_SIZE, "late" => "files of any size are taken";
    zip::COUNTED => "the zip is believed what it says of its files' sizes";
    zip::FILES, "early" => "half as many files are too many";
    zip::FILES, "late" => "any number of files is taken";

    cid::OF_THE_FILES => "the identifier is that of the files and the zip";
    cid::VERSION => "the identifier is a CIDv0";
    cid::NOT_WRAPPED => "a directory is put around the site";
    cid::RAW_LEAVES => "leaves are UnixFS nodes";
    cid::CHUNKS => "chunks are larger";
    cid::SHARDED => "folders are never sharded";
    cid::DOTFILES => "dotfiles are left out";
    cid::EMPTY_DIRECTORIES => "empty directories are kept";

    response::DROP_ID => "the id has another prefix";
    response::DROP_ID, "same" => "every drop of an address has the same id";
    response::DROP_ID, "length" => "the id is shorter";
    response::CLAIM_TOKEN => "the token is empty";
    response::CLAIM_TOKEN, "same" => "every drop of an address has the same token";
    response::URL => "the URL is a path alone";
    response::EXPIRES_AT, "seconds" => "the deadline is in seconds";
    response::EXPIRES_AT, "late" => "the deadline is shown four hours late";
    response::CLAIM_URL => "the fragment has another deadline";
    response::TOKEN_IN_FRAGMENT => "the token stands in the query as well";

    site::LIVE => "the URL shows another page";
    site::NESTED => "nothing is served below the root";
    site::SEPARATE => "another upload replaces the site";
    site::REMOVED => "drops stay";
    site::CLAIMED_STAYS => "claimed drops are removed like others";

    limits::HOURLY, "early" => "three quarters as many drops of an hour are too many";
    limits::HOURLY, "late" => "any number of drops an hour is taken";
    limits::HOUR_PASSES => "the hour lasts a day";
    limits::DAILY, "early" => "three quarters as many drops of a day are too many";
    limits::DAILY, "late" => "any number of drops a day is taken";
    limits::PER_ADDRESS => "all addresses count as one";
    limits::IPV6_PREFIX => "every IPv6 address counts alone";
    limits::IPV6_PREFIX, "wide" => "a /32 counts as one";
    limits::ONE_UPLOAD => "any number of uploads may be on their way";
};

/// An answer to an upload, for browsers of other origins or not.
pub(super) fn cors(core: &mut Core, reply: Reply) -> Reply {
    core.effect(&upload::NO_CORS, reply, |reply, _| {
        reply.header("access-control-allow-origin", HeaderValue::from_static("*"))
    })
}

/// The id of a drop: `own` are this drop's bytes, `same` those of its address.
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

/// The claim token of a drop, in 32 random bytes.
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

/// The answer's body. `response.claim_url` comes without its fragment, which `fragment` writes.
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
