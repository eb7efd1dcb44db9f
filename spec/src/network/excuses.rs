//! Sentences of document 2 without a row in this service, each with the reason.

use crate::requirement::{Anchor, Excuse};

/// The excused sentences, by reason.
pub static EXCUSES: &[Excuse] = &[
    excuse(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x05f9_b720,
        INTRODUCTION,
    ),
    excuse(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x072e_e02c,
        INTRODUCTION,
    ),
    excuse(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x599d_f061,
        INTRODUCTION,
    ),
    excuse(
        "Decentralized Network REST API, Stored Record Formats and Node Metrics",
        0x6675_747c,
        INTRODUCTION,
    ),
    excuse("What the service does", 0x4a6f_9258, INTRODUCTION),
    excuse("What the service does", 0xfb05_d280, INTRODUCTION),
    excuse("What the service does", 0x1dfc_49d7, REVISION),
    excuse("Instance", 0xda26_b53f, NOT_SHOWN),
    excuse("Instance", 0x4654_a83d, NOT_SHOWN),
    excuse("Endpoints", 0xef2c_f334, NOT_SHOWN),
    excuse("General request signing", 0x8a1d_f187, NOT_SHOWN),
    excuse("Events", 0x4216_a14c, NOT_SHOWN),
    excuse("Errors", 0xfe92_c967, NOT_SHOWN),
    excuse("Versioning", 0x7539_af29, NOT_SHOWN),
];

const INTRODUCTION: &str = "introduces the sentences that follow; the statements have their own rows";
const REVISION: &str =
    "says that the reference is under revision; a profile declares which endpoints a target offers";
const NOT_SHOWN: &str = "the document says that this is not shown; nothing may be asserted";

const fn excuse(heading: &'static str, hash: u32, reason: &'static str) -> Excuse {
    Excuse { document: 2, anchor: Anchor { heading, hash }, reason }
}
