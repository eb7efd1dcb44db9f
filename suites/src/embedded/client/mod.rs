//! `assay client`: runs a client in conforming and deviating worlds, and judges what it sends.
//!
//! [`publish`] tests clients of the signed publishing exchange, [`gateway`] clients of the inference gateway, [`node`]
//! programs that use a node of the network, [`recovery`] tools that recover stored records. They share
//! what is in this folder: the stage (a world on sockets, and the client's process), the front (a listener that can
//! alter what passes), the trace (requests and answers from the world's journal) and the judge (cases, their
//! conforming counterparts and their outcomes). Each service has its scenes, its cases and its judges.

mod ability;
mod front;
pub mod gateway;
mod judge;
pub mod node;
mod printed;
pub mod publish;
pub mod recovery;
mod stage;
mod trace;
mod watch;

use assay_spec::Id;

pub use ability::{Ability, Without};
pub use judge::{Case, Client, Hold};

/// The worlds of a requirement: the program of `assay client`, and the fact of each world.
pub fn worlds_of(requirement: Id) -> Vec<(&'static str, &'static str)> {
    let publishing = publish::all().into_iter().map(|case| ("publish", case.requirement, case.fact));
    let gateway = gateway::all().into_iter().map(|case| ("gateway", case.requirement, case.fact));
    let node = node::all().into_iter().map(|case| ("node", case.requirement, case.fact));
    let recovery = recovery::all().into_iter().map(|case| ("recovery", case.requirement, case.fact));
    let own = publishing.chain(gateway).chain(node).chain(recovery).filter(|(_, of, _)| *of == requirement);
    own.map(|(program, _, fact)| (program, fact)).collect()
}
