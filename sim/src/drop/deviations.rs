//! The deviations of the drop: each entry breaks one requirement, with its code, at one seam.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use assay_spec::drop::limits::{CLAIM_WINDOW, DROP_ID_CHARACTERS};
use assay_spec::drop::machines::{DropEvent, DropState};
use assay_spec::drop::places::REMOVAL;
use assay_spec::drop::requirements::{cid, limits, response, site, upload, zip};
use assay_spec::drop::response::{DROP_ID_PREFIX, DropResponse};
use assay_spec::drop::zip::forms;
use assay_spec::instant::HOUR;
use http::HeaderValue;
use serde_json::json;

use super::callers::{Identify, prefix};
use super::live::{File, INDEX};
use super::refusal::Rejected;
use super::upload::{
    self as handler, Claim, ClaimToken, DropId, Finish, Identifier, Named, SiteName, UploadReply,
};
use super::{Deadline, State, live, moves};
use crate::deviation::{Deviation, deviations};
use crate::seam::{Answer, Body};

/// Every deviation of the drop.
pub(super) const ALL: &[Deviation] = deviations! {
    upload::UNAUTHENTICATED => "uploads require a key", guard;
    upload::ARTIFACT_REQUIRED => "a form without an artifact publishes an empty site", guard;
    upload::SOURCE_TAKEN => "a form with a source is rejected", guard;
    upload::SOURCE_IGNORED => "a malformed source is rejected", guard;
    upload::FORMS => "files whose sizes follow their data have no bytes", step |s: &mut Identifier| {
        s.0 = |core, zip, extracted| {
            let mut extracted = extracted.clone();
            if !forms::found_in(zip).is_disjoint(&[forms::DESCRIPTORS, forms::UNSIGNED_DESCRIPTORS].into()) {
                extracted.files.values_mut().for_each(|file| *file = Arc::from(&b""[..]));
            }
            handler::identifier(core, zip, &extracted)
        };
    };
    upload::ZIP64 => "a zip with 64-bit records is rejected", guard;
    upload::NO_CORS => "responses allow any origin (CORS)", reply |r: &mut UploadReply| {
        r.0.headers.insert("access-control-allow-origin", HeaderValue::from_static("*"));
    };
    upload::PUBLISH_FAILED => "a failed publish returns 422",
        reply |r: &mut Answer<Rejected>| r.change(&upload::PUBLISH_FAILED, 422);
    upload::PUBLISH_FAILED, "kept" => "a failed upload still counts as in progress", step |s: &mut Finish| {
        s.0 = |core, state, exchange, event| {
            if event == DropEvent::Failure {
                moves(core, DropState::Uploading, event);
            } else {
                handler::finish(core, state, exchange, event);
            }
        };
    };
    upload::PAUSED, "busy" => "a busy service accepts uploads", guard;
    upload::PAUSED, "budget" => "uploads are accepted beyond the day's budget", guard;
    upload::PAUSED, "disabled" => "uploads are accepted while drops are disabled", guard;

    zip::FORM => "a file that is not a zip is published as a page", guard;
    zip::TRAVERSAL => "the `..` segments of a path are dropped", guard;
    zip::ABSOLUTE => "an absolute path is treated as relative", guard;
    zip::SYMLINK => "symbolic links are silently skipped", guard;
    zip::ROOT_INDEX => "a site without an index.html is published", guard;
    zip::SIZE => "zips of any size are accepted", guard;
    zip::EXTRACTED_SIZE => "extracted files of any size are accepted", guard;
    zip::COUNTED => "the file sizes that the zip declares are trusted", guard;
    zip::FILES => "any number of files is accepted", guard;

    cid::OF_THE_FILES => "the identifier covers the zip itself as an extra file", step |s: &mut Identifier| {
        s.0 = |core, zip, extracted| {
            let mut extracted = extracted.clone();
            extracted.files.insert(".upload".to_owned(), Arc::from(zip));
            handler::identifier(core, zip, &extracted)
        };
    };
    cid::OF_THE_FILES, "names" => "characters of names that are not ASCII letters or digits are replaced" by value,
        step |name: &mut Named| name.0 = plain(&name.0);
    cid::OF_THE_FILES, "empty" => "files without bytes are left out", step |s: &mut Identifier| {
        s.0 = |core, zip, extracted| {
            let mut extracted = extracted.clone();
            extracted.files.retain(|_, file| !file.is_empty());
            handler::identifier(core, zip, &extracted)
        };
    };
    cid::OF_THE_FILES, "junk" => "files of operating systems and tools are left out", step |s: &mut Identifier| {
        s.0 = |core, zip, extracted| {
            let is_junk = |part: &str| matches!(part, ".DS_Store" | ".git" | "__MACOSX" | "node_modules");
            let mut extracted = extracted.clone();
            extracted.files.retain(|path, _| !path.split('/').any(is_junk));
            handler::identifier(core, zip, &extracted)
        };
    };
    cid::OF_THE_FILES, "blanks" => "blanks at the ends of names are cut", step |s: &mut Identifier| {
        s.0 = |core, zip, extracted| {
            let trimmed = |path: &str| path.split('/').map(|name| name.trim_matches(' ')).collect::<Vec<_>>().join("/");
            let mut extracted = extracted.clone();
            extracted.files = extracted.files.into_iter().map(|(path, file)| (trimmed(&path), file)).collect();
            handler::identifier(core, zip, &extracted)
        };
    };
    cid::VERSION => "the identifier is a CIDv0", guard;
    cid::NOT_WRAPPED => "the site is wrapped in a directory", guard;
    cid::RAW_LEAVES => "leaves are UnixFS nodes", guard;
    cid::CHUNKS => "chunks are larger", guard;
    cid::SHARDED => "directories are never sharded", guard;
    cid::DOTFILES => "dotfiles are left out", guard;
    cid::EMPTY_DIRECTORIES => "empty directories are kept", guard;

    response::DROP_ID => "the id has another prefix", step |s: &mut DropId| {
        s.0 = |core, address, number| handler::drop_id(core, address, number).replace(DROP_ID_PREFIX, "site-");
    };
    response::DROP_ID, "same" => "every drop of one address has the same id",
        step |s: &mut DropId| s.0 = |core, address, _| handler::drop_id(core, address, 0);
    response::DROP_ID, "length" => "the id is shorter", step |s: &mut DropId| {
        s.0 = |core, address, number| {
            let mut id = handler::drop_id(core, address, number);
            id.truncate(DROP_ID_PREFIX.len() + DROP_ID_CHARACTERS - 4);
            id
        };
    };
    response::CLAIM_TOKEN => "the token is empty", step |s: &mut ClaimToken| s.0 = |_, _, _| String::new();
    response::CLAIM_TOKEN, "same" => "every drop of one address has the same token",
        step |s: &mut ClaimToken| s.0 = |core, address, _| handler::claim_token(core, address, 0);
    response::CLAIM_TOKEN, "public" => "the token is the end of the drop's id", reply |r: &mut Answer<DropResponse>| {
        r["claimToken"] = r["dropId"].as_str().and_then(|id| id.get(DROP_ID_PREFIX.len()..)).into();
    };
    response::CLAIM_TOKEN, "counted" => "only a number at the end of a token differs", step |s: &mut ClaimToken| {
        s.0 = |core, address, number| format!("{}-{number}", handler::claim_token(core, address, 0));
    };
    response::URL => "the URL is only a path", reply |r: &mut Answer<DropResponse>| {
        let path = r.about.url.splitn(4, '/').last().unwrap_or_default();
        r["url"] = json!(format!("/{path}"));
    };
    response::EXPIRES_AT, "seconds" => "the deadline is in seconds",
        reply |r: &mut Answer<DropResponse>| show_deadline(r, r.about.expires_at.seconds());
    response::EXPIRES_AT, "late" => "the shown deadline is one claim window late",
        reply |r: &mut Answer<DropResponse>| show_deadline(r, r.about.expires_at.0 + CLAIM_WINDOW.value);
    response::EXPIRES_AT, "second" => "the deadline of a later drop is a minute early",
        step |s: &mut Claim| s.expires_at.0 -= if s.number > 1 { HOUR / 60 } else { 0 };
    response::CLAIM_URL, "second" => "the fragment of a later drop contains another token", step |s: &mut Claim| {
        if s.number > 1 {
            s.token.push('0');
        }
    };
    response::CLAIM_URL => "the fragment contains another deadline",
        reply |r: &mut Answer<DropResponse>| show_in_fragment(r, r.about.expires_at.0 + HOUR);
    response::MEDIA_TYPE => "the response is sent as HTML", reply |r: &mut Answer<DropResponse>| {
        if let Body::Json(body) = &r.body {
            r.body = Body::Typed("text/html", body.to_string().into());
        }
    };
    response::TOKEN_IN_FRAGMENT => "the token is also in the query", reply |r: &mut Answer<DropResponse>| {
        let (page, fragment) = r.about.claim_url.split_once('#').unwrap_or_default();
        r["claimUrl"] = json!(format!("{page}?token={}#{fragment}", r.about.claim_token));
    };
    response::TOKEN_IN_FRAGMENT, "public" => "the public URL has the token", reply |r: &mut Answer<DropResponse>| {
        r["url"] = json!(format!("{}?claim={}", r.about.url, r.about.claim_token));
    };

    site::LIVE => "the URL serves another page", step |s: &mut File| {
        s.0 = |core, files, path| {
            let found = live::file(core, files, path);
            if path == INDEX { found.map(|_| Arc::from(&b"coming soon"[..])) } else { found }
        };
    };
    site::NESTED => "nothing is served below the root", step |s: &mut File| {
        s.0 = |core, files, path| if path.contains('/') { None } else { live::file(core, files, path) };
    };
    site::NESTED, "empty" => "a file without bytes is not served", step |s: &mut File| {
        s.0 = |core, files, path| live::file(core, files, path).filter(|file| !file.is_empty());
    };
    site::NESTED, "escaped" => "a file whose name is escaped in a URL is not served", step |s: &mut File| {
        s.0 = |core, files, path| live::file(core, files, path).filter(|_| path.is_ascii() && !path.contains(' '));
    };
    site::NESTED, "percent" => "a file with a percent sign in its name is not served", step |s: &mut File| {
        s.0 = |core, files, path| live::file(core, files, path).filter(|_| !path.contains('%'));
    };
    site::NESTED, "cut" => "only the first chunk of a file is served", step |s: &mut File| {
        s.0 = |core, files, path| {
            live::file(core, files, path).map(|file| Arc::from(&file[..file.len().min(262_144)]))
        };
    };
    site::SEPARATE => "another upload replaces an existing site",
        step |s: &mut SiteName| s.0 = |core, address, _, cid| handler::site_name(core, address, 0, cid);
    site::SEPARATE, "same" => "the same files replace an existing site",
        step |s: &mut SiteName| s.0 = |core, _, _, cid| handler::site_name(core, cid, 0, cid);
    site::SEPARATE, "same-files" => "the same files are removed from every drop" at REMOVAL, step |s: &mut Deadline| {
        s.0 = |core, state, id| {
            State::deadline(core, state, id);
            let Some(gone) = state.drops.get(id).filter(|drop| drop.state == DropState::Removed) else { return };
            let cid = gone.cid.clone();
            let is_same = |drop: &super::Drop| drop.state == DropState::Published && drop.cid == cid;
            let others = state.drops.iter().filter(|(_, drop)| is_same(drop)).map(|(id, _)| id.clone());
            for other in others.collect::<Vec<String>>() {
                state.remove(core, &other);
            }
        };
    };
    site::REMOVED => "unclaimed drops are not removed", step |s: &mut Deadline| s.0 = |_, _, _| ();
    site::CLAIMED_STAYS => "claimed drops are removed too", step |s: &mut Deadline| {
        s.0 = |core, state, id| {
            State::deadline(core, state, id);
            if state.drops.get(id).is_some_and(|drop| drop.state == DropState::Owned) {
                state.remove(core, id);
            }
        };
    };

    limits::PER_ADDRESS => "all addresses share one limit",
        step |s: &mut Identify| s.0 = |_, _, _| IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    limits::IPV6_PREFIX => "each IPv6 address has its own limit",
        step |s: &mut Identify| s.0 = |_, peer, _| prefix(peer, 128);
    limits::IPV6_PREFIX, "wide" => "an IPv6 /32 shares one limit",
        step |s: &mut Identify| s.0 = |_, peer, _| prefix(peer, 32);
    limits::ONE_UPLOAD => "an address may have any number of uploads in progress", guard;
};

/// A path in lower-case letters and digits, not longer than many file systems allow.
fn plain(path: &str) -> String {
    let kept =
        |c: char| if c.is_ascii_alphanumeric() || "/.-".contains(c) { c.to_ascii_lowercase() } else { '_' };
    path.chars().map(kept).take(100).collect::<String>().replace("..", "_")
}

/// Shows another deadline, also in the claim URL.
fn show_deadline(answer: &mut Answer<DropResponse>, deadline: i64) {
    answer["expiresAt"] = json!(deadline);
    show_in_fragment(answer, deadline);
}

fn show_in_fragment(answer: &mut Answer<DropResponse>, deadline: i64) {
    let [conforming, shown] = [answer.about.expires_at.0, deadline].map(|at| format!("exp={at}"));
    answer["claimUrl"] = json!(answer.about.claim_url.replace(&conforming, &shown));
}
