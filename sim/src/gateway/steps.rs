//! The steps of the gateway that deviations and variations replace.

use http::HeaderMap;

use super::call::Call;
use super::model::{Answer, Prompt};
use super::pool::{Model, Number};
use super::servers::Work;
use super::{State, discovery, infer, payment, servers};
use crate::exchange::Request;
use crate::refusal::Refusal;
use crate::seam::steps;

steps! {
    /// Admits a caller to the lists of models. They need no key.
    admit_to_lists: AdmitToLists(state: &State, request: &Request) -> Result<(), Refusal> = discovery::admit;
    /// The servers of a model that discovery lists.
    listed_servers: ListedServers(state: &State, model: &Model) -> Vec<Number> = discovery::listed_servers;

    /// Checks the version header of the messages format. No version is required.
    check_version: CheckVersion(request: &Request) -> Result<(), Refusal> = infer::check_version;
    /// Takes a payment. It pays for one request.
    take_payment: TakePayment(state: &mut State, payment: &str) -> bool = payment::take;
    /// Whether the answer to a call is a stream.
    is_streamed: IsStreamed(call: &Call) -> bool = servers::is_streamed;
    /// Lets a model answer.
    run_model: RunModel(model: &Model, prompt: &Prompt) -> Answer = servers::run_model;
    /// Adds the sticky cookie to the headers of an answer.
    set_cookie: SetCookie(server: Number, work: &Work, headers: &mut HeaderMap) = servers::set_cookie;
}
