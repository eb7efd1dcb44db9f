//! The steps of the network that deviations and variations replace.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use assay_spec::Refused;
use assay_spec::network::aggregate::{Record, Write};
use assay_spec::network::forget::Targets;
use assay_spec::network::instance::Control;
use assay_spec::network::limits::Rate;
use assay_spec::network::message::{Message, MessageType};
use assay_spec::network::paging::Page;
use assay_spec::network::params::Params;
use assay_spec::network::vrf::Claim;
use assay_spec::network::webhook::Registration;
use bytes::Bytes;
use serde_json::Value;

use super::aggregates::{AddressQuery, Aggregates, Kept, Writing};
use super::call::Call;
use super::create::{Admit, Created};
use super::indexer::Chain;
use super::instances::{Instances, Shown};
use super::limits::Limits;
use super::measure::Measured;
use super::nodes::NodeKind;
use super::rates::Rates;
use super::storage::Content;
use super::store::Number;
use super::{
    Replica, State, aggregates, call, create, forget, indexer, instances, lifecycle, messages, metrics,
    mirror, paging, pins, probes, rates, storage, vrf, webhooks,
};
use crate::exchange::{Reply, Site};
use crate::form::Part;
use crate::refusal::Refusal;
use crate::seam::steps;

steps! {
    /// Checks a query before it is read.
    check_query: CheckQuery(query: &str) -> Result<(), Refused> = call::check_query;
    /// The state that the node at a site shows.
    seen: Seen(state: &State, site: Site) -> Replica = mirror::seen;

    /// An address has reached the limit of a class.
    reached: Reached(rates: &mut Rates, limits: &Limits, class: Rate, peer: IpAddr) = rates::reached;

    /// Reads `page` and `limit`.
    page: ReadPage(limits: &Limits, params: &Params) -> Result<Page, Refusal> = paging::read;
    /// The positions on a page of a list, sorted newest first.
    positions: Positions(page: Page, total: u64) -> Result<Range<u64>, Refusal> = paging::positions;
    /// The items of a page, in the order in which they are returned.
    arrange: Arrange(items: Vec<Value>) -> Vec<Value> = paging::arrange;

    /// Stores the message of a create call, or rejects it.
    take: Take(state: &mut State, call: &Call<'_>, expected: Option<MessageType>, admit: &Admit<'_>)
        -> Result<Created, Refusal> = create::take;
    /// Takes a message that is already stored.
    known: Known(state: &mut State, message: &Message, number: Number) -> Result<Number, Refusal> = create::known;
    /// What others do beside a message that was stored.
    beside: Beside(state: &mut State, number: Number) = create::beside;
    /// Answers for a hash that no message of this node has.
    missing: Missing(state: &State, hash: &str) -> Result<Reply, Refusal> = messages::missing;

    /// The parts of an upload.
    parts: Parts(call: &Call<'_>) -> Result<Vec<Part>, Refused> = storage::parts;
    /// The hash of a file.
    name: FileName(file: &Bytes) -> Result<String, Refused> = storage::name;
    /// The file with a hash.
    find_file: FindFile(replica: &Replica, hash: &str, site: Site) -> Option<Content> = storage::find;
    /// The content with a hash, pinned or not.
    find_content: FindContent(replica: &Replica, hash: &str, site: Site) -> Result<Content, Refusal> = pins::find;

    /// The aggregate after a write.
    write: WriteAggregate(before: Option<Kept>, writing: &Writing<'_>, write: &Write) -> Kept = aggregates::written;
    /// The aggregate of an address with a key.
    find_aggregate: FindAggregate(aggregates: &Aggregates, address: &str, key: &str) -> Result<Record, Refusal>
        = aggregates::find;
    /// The aggregates of an address.
    find_of_address: FindOfAddress(aggregates: &Aggregates, query: &AddressQuery) -> Result<Vec<Record>, Refusal>
        = aggregates::find_of_address;

    /// The instance with an identifier.
    find_instance: FindInstance(instances: &Instances, id: &str) -> Result<Shown, Refusal> = instances::find;
    /// Admits an action on an instance.
    admit_control: AdmitControl(call: &Call<'_>, control: &Control) -> Result<(), Refusal> = instances::admit_control;
    /// Applies an action on an instance.
    controlled: Controlled(state: &mut State, control: &Control) = instances::controlled;

    /// The indexed chain with a name.
    chain: FindChain(state: &State, network: &str) -> Result<Chain, Refusal> = indexer::chain;
    /// Whether a claim about a random number is valid.
    is_valid: IsValid(state: &State, claim: &Claim) -> Result<bool, Refusal> = vrf::valid;
    /// Checks whether a webhook is accepted.
    judge_webhook: JudgeWebhook(state: &State, registration: &Registration) -> Result<(), Refusal> = webhooks::judge;
    /// The records of the node with a hash.
    records: FindRecords(state: &State, kind: NodeKind, id: &str) -> Result<Vec<Arc<Measured>>, Refusal>
        = metrics::records;
    /// Answers a login without credentials.
    log_in: LogIn(call: &Call<'_>) -> Reply = probes::log_in;

    /// Begins the grace period of a STORE in `removing`.
    begin_grace: BeginGrace(state: &mut State, number: Number) = lifecycle::begin_grace;
    /// Releases the file of a removed STORE.
    release_removed: ReleaseRemoved(state: &mut State, number: Number) = lifecycle::release_removed;
    /// Releases the file of a forgotten STORE.
    release_forgotten: ReleaseForgotten(state: &mut State, number: Number) = lifecycle::release_forgotten;
    /// Forgets the targets of a FORGET.
    forget: Forget(state: &mut State, number: Number, targets: &Targets) = forget::apply;
}
