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

use std::collections::BTreeMap;

use assay_spec::requirement::{Evidence, Subject};
use assay_spec::{Id, catalogue};

pub use ability::{Ability, Without};
pub use judge::{Case, Client, Hold};

/// Every world: the program of `assay client`, the requirement and the fact.
fn worlds() -> Vec<(&'static str, Id, &'static str)> {
    let publish = publish::all().into_iter().map(|case| ("publish", case.requirement, case.fact));
    let gateway = gateway::all().into_iter().map(|case| ("gateway", case.requirement, case.fact));
    let node = node::all().into_iter().map(|case| ("node", case.requirement, case.fact));
    let recovery = recovery::all().into_iter().map(|case| ("recovery", case.requirement, case.fact));
    publish.chain(gateway).chain(node).chain(recovery).collect()
}

/// The worlds of a requirement: the program of `assay client`, and the fact of each world.
pub fn worlds_of(requirement: Id) -> Vec<(&'static str, &'static str)> {
    let own = worlds().into_iter().filter(|(_, of, _)| *of == requirement);
    own.map(|(program, _, fact)| (program, fact)).collect()
}

/// The duties of clients and readers, as tables in Markdown: those with worlds by program, then those that the documents
/// leave open.
pub fn duties() -> String {
    let mut by_program: BTreeMap<&str, BTreeMap<Id, Vec<String>>> = BTreeMap::new();
    for (program, requirement, fact) in worlds() {
        by_program.entry(program).or_default().entry(requirement).or_default().push(format!("`{fact}`"));
    }
    let mut text = String::new();
    for (program, rows) in by_program {
        text += &format!(
            "\n## `assay client {program}`\n\n| requirement | level | duty | worlds |\n|---|---|---|---|\n"
        );
        for (row, worlds) in rows {
            let (level, duty) = (row.level.name().to_uppercase(), row.statement());
            text += &format!("| `{row}` | {level} | {duty} | {} |\n", worlds.join(", "));
        }
    }
    text += "\n## Left open\n\n| requirement | what is left open | why |\n|---|---|---|\n";
    for row in catalogue::requirements().filter(|row| row.subject == Subject::Client) {
        if let Evidence::Open(why) = row.evidence {
            text += &format!("| `{row}` | {} | {why} |\n", row.statement());
        }
    }
    text
}
