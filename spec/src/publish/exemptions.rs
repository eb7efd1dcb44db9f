//! Sentences of document 3 that have no row in this service, and why.

use crate::requirement::{Anchor, Exemption};

/// The exempted sentences, by reason.
pub static EXEMPTIONS: &[Exemption] = &[
    exemption("Signed Publishing Exchange and Anonymous Site Drop", 0x05e8_1c87, INTRODUCTION),
    exemption("Signed Publishing Exchange and Anonymous Site Drop", 0x072e_e02c, INTRODUCTION),
    exemption("Signed Publishing Exchange and Anonymous Site Drop", 0x1bef_644b, INTRODUCTION),
    exemption("Signed Publishing Exchange and Anonymous Site Drop", 0x77c7_d540, INTRODUCTION),
    exemption("Signed publishing exchange", 0x57c4_f1ce, INTRODUCTION),
    exemption("Signed publishing exchange", 0x37d3_8086, INTRODUCTION),
    exemption("Signed publishing exchange", 0xf569_c5fb, INTRODUCTION),
    exemption("Endpoints", 0x283a_7043, INTRODUCTION),
    exemption("Exchange (both endpoints)", 0x3d82_8092, INTRODUCTION),
    exemption("Checks the client runs before signing", 0xe705_c1f8, INTRODUCTION),
    exemption("Transfer and accept", 0x8fd2_7eba, INTRODUCTION),
    exemption("Errors", 0x45ee_bf14, INTRODUCTION),
    exemption("Limits", 0xd384_9c4f, INTRODUCTION),
    exemption("Domain binding", 0xe72a_8131, NOT_SHOWN),
    exemption("Drop response", 0x34d5_87f6, NOT_SHOWN),
    exemption("States and transitions", 0xc18f_f2ec, NOT_SHOWN),
    exemption("Transfer and accept", 0x1b91_4e12, NOT_SHOWN),
    exemption("Events", 0x4eca_57d7, NOT_SHOWN),
    exemption("Endpoints", 0x921b_57d0, CALLER),
];

const INTRODUCTION: &str = "introduces what follows; the statements themselves have rows";
const NOT_SHOWN: &str = "the document says that this is not shown; nothing may be asserted";
const CALLER: &str = "advice to the caller; its effect is the body hash, which has a row";

const fn exemption(heading: &'static str, hash: u32, reason: &'static str) -> Exemption {
    Exemption { document: 3, anchor: Anchor { heading, hash }, reason }
}
