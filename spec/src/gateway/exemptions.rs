//! Sentences of document 1 about the gateway or about both services that have no row, and why.

use crate::requirement::{Anchor, Exemption};

/// The exempted sentences, by reason.
pub static EXEMPTIONS: &[Exemption] = &[
    exemption("Inference Gateway and Token Metadata Services", 0x85e3_bad7, INTRODUCTION),
    exemption("Inference Gateway and Token Metadata Services", 0x2f75_619c, INTRODUCTION),
    exemption("Inference Gateway and Token Metadata Services", 0x599d_f061, INTRODUCTION),
    exemption("Inference gateway", 0x7c62_f17f, INTRODUCTION),
    exemption("Chat request body (`POST /v1/chat/completions`)", 0xf539_4f72, INTRODUCTION),
    exemption("Chat request body (`POST /v1/chat/completions`)", 0x74d8_1c2f, INTRODUCTION),
    exemption("Inference gateway", 0x4cf8_9f6d, CUSTOMERS),
    exemption("States and transitions", 0xf6ff_5d3b, STATELESS),
    exemption("States and transitions", 0x7a29_a63c, NOT_SHOWN),
    exemption("Limits", 0xec12_b3b6, NOT_SHOWN),
    exemption("Versioning", 0x7539_af29, NOT_SHOWN),
];

const INTRODUCTION: &str = "introduces what follows; the statements themselves have rows";
const CUSTOMERS: &str = "says how to become a customer, which no endpoint takes part in";
const STATELESS: &str = "says that resources have no states; the states of a single request have a machine";
const NOT_SHOWN: &str = "the document says that this is not shown; nothing may be asserted";

const fn exemption(heading: &'static str, hash: u32, reason: &'static str) -> Exemption {
    Exemption { document: 1, anchor: Anchor { heading, hash }, reason }
}
