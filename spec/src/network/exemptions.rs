//! Sentences of document 2 without a row in this service, each with the reason.

use crate::requirement::{Anchor, Exemption};

/// The exempted sentences, by reason.
pub static EXEMPTIONS: &[Exemption] = &[
    exemption(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x05f9_b720,
        INTRODUCTION,
    ),
    exemption(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x072e_e02c,
        INTRODUCTION,
    ),
    exemption(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x599d_f061,
        INTRODUCTION,
    ),
    exemption(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x6675_747c,
        INTRODUCTION,
    ),
    exemption("What the service does", 0x4a6f_9258, INTRODUCTION),
    exemption("What the service does", 0xfb05_d280, INTRODUCTION),
    exemption("What the service does", 0x1dfc_49d7, REVISION),
    exemption("Instance", 0xda26_b53f, NOT_SHOWN),
    exemption("Instance", 0x4654_a83d, NOT_SHOWN),
    exemption("Endpoints", 0xef2c_f334, NOT_SHOWN),
    exemption("General request signing", 0x8a1d_f187, NOT_SHOWN),
    exemption("Events", 0x4216_a14c, NOT_SHOWN),
    exemption("Errors", 0xfe92_c967, NOT_SHOWN),
    exemption("Versioning", 0x7539_af29, NOT_SHOWN),
];

const INTRODUCTION: &str = "introduces the sentences that follow; the statements have their own rows";
const REVISION: &str =
    "says that the reference is under revision; a profile declares which endpoints a target offers";
const NOT_SHOWN: &str = "the document says that this is not shown; nothing may be asserted";

const fn exemption(heading: &'static str, hash: u32, reason: &'static str) -> Exemption {
    Exemption { document: 2, anchor: Anchor { heading, hash }, reason }
}
