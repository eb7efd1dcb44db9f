//! The steps of the exchange that deviations and variations replace.

use assay_spec::Refused;
use assay_spec::publish::envelope::Envelope;
use assay_spec::publish::prepare::Wanted;
use serde_json::{Map, Value};

use super::chain::Confirmed;
use super::{Caller, Limits, Pending, State, admission, prepare, rpc, submit};
use crate::exchange::{ExchangeId, Reply, Request};
use crate::seam::steps;

steps! {
    /// Checks the envelope, and finds the caller.
    admit: Admit(state: &State, request: &Request) -> Result<Caller, Refused> = admission::admit;
    /// The `Authorization` header, as a string.
    authorization: Authorization(request: &Request) -> Result<String, Refused> = admission::authorization;
    /// Compares the envelope's time with the clock.
    check_time: CheckTime(envelope: &Envelope, limits: &Limits) -> Result<(), Refused> = admission::check_time;
    /// Admits an accept, which only the incoming key may sign.
    admit_accept: AdmitAccept(envelope: &Envelope, bound_key: &str, pending: &Pending) -> Result<(), Refused>
        = admission::admit_accept;

    /// Handles the prepare of an admitted caller.
    prepare: RunPrepare(state: &mut State, caller: &Caller, body: &[u8]) -> Result<Reply, Refused> = prepare::run;
    /// Rejects while the domain has a prepare in flight.
    lock: Lock(state: &State, caller: &Caller) -> Result<(), Refused> = prepare::lock;
    /// Counts a prepare against the rolling day of its domain.
    count: Count(state: &mut State, caller: &Caller, wanted: &Wanted) -> Result<(), Refused> = prepare::count;
    /// The id of a domain's prepare.
    prepare_id: PrepareId(domain: &str, number: u64) -> String = prepare::id;
    /// Creates the prepare and takes the lock.
    open: Open(state: &mut State, caller: &Caller, wanted: Wanted, record: Vec<u8>) -> Reply = prepare::open;

    /// Answers a repeated submit.
    answer_repeat: AnswerRepeat(state: &mut State, id: &str) -> Result<Reply, Refused> = submit::answer_repeat;
    /// The members of a submit's body.
    read_fields: ReadFields(state: &State, body: &Map<String, Value>) -> Result<(String, String), Refused>
        = submit::read_fields;
    /// The prepare that the caller may submit.
    find: Find(state: &State, caller: &Caller, id: &str) -> Result<String, Refused> = submit::find;
    /// An invalid signature leaves the prepare as it is.
    keep_prepared: KeepPrepared(state: &mut State, id: &str) = submit::keep_prepared;
    /// Sends the transaction to the chain; the response waits for the confirmation.
    broadcast: Broadcast(state: &mut State, exchange: ExchangeId, id: &str, signature: [u8; 64]) -> Option<Reply>
        = submit::broadcast;
    /// A confirmed publish frees the domain's lock.
    free_lock: FreeLock(state: &mut State, domain: &str, id: &str) = State::unlock;

    /// A prepare that ends without a record frees the domain's lock.
    free_after_failure: FreeAfterFailure(state: &mut State, domain: &str, id: &str) = State::unlock;

    /// The chain's log lines for a memo.
    memo_log: MemoLog(found: &Confirmed) -> Vec<String> = rpc::memo_log;
}
