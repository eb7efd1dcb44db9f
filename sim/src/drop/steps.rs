//! The steps of the drop that deviations and variations replace.

use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::Refused;
use assay_spec::drop::machines::DropEvent;
use assay_spec::drop::zip::{self, Extracted};

use super::{Files, Limits, State, callers, live, upload};
use crate::exchange::{ExchangeId, Reply, Request};
use crate::seam::steps;

steps! {
    /// The caller of an address.
    identify: Identify(peer: IpAddr, limits: &Limits) -> IpAddr = callers::identify;
    /// Extracts a zip.
    inspect: Inspect(zip: &[u8], limits: &zip::Limits) -> Result<Extracted, Refused> = upload::inspect;
    /// The content identifier of the files.
    identifier: Identifier(zip: &[u8], extracted: &Extracted) -> Result<String, Refused> = upload::identifier;
    /// Ends an upload: frees the slot of its caller.
    finish: Finish(state: &mut State, exchange: ExchangeId, event: DropEvent) = upload::finish;

    /// The id of a drop.
    drop_id: DropId(address: &str, number: u64) -> String = upload::drop_id;
    /// The claim token of a drop.
    claim_token: ClaimToken(address: &str, number: u64) -> String = upload::claim_token;
    /// The name of a drop's site.
    site_name: SiteName(address: &str, number: u64, cid: &str) -> String = upload::site_name;
    /// The path of a site.
    root: Root(name: &str) -> String = upload::root;

    /// A file of a site.
    file: File(files: &Files, path: &str) -> Option<Arc<[u8]>> = live::file;
    /// The reply to a request for a folder: its page.
    page: Page(files: &Files, request: &Request, folder: &str) -> Reply = live::page;
    /// The claim window of a drop ends.
    deadline: Deadline(state: &mut State, id: &str) = State::deadline;
}
