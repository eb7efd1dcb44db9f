//! Sentences of document 3 that have no row in this service, and why.

use crate::requirement::{Anchor, Excuse};

/// The excused sentences, by reason.
pub static EXCUSES: &[Excuse] = &[
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 0x05e8_1c87, INTRODUCTION),
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 0x072e_e02c, INTRODUCTION),
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 0x1bef_644b, INTRODUCTION),
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 0x77c7_d540, INTRODUCTION),
    excuse("Signed publishing exchange", 0x57c4_f1ce, INTRODUCTION),
    excuse("Signed publishing exchange", 0x37d3_8086, INTRODUCTION),
    excuse("Signed publishing exchange", 0xf569_c5fb, INTRODUCTION),
    excuse("Endpoints", 0x283a_7043, INTRODUCTION),
    excuse("Exchange (both endpoints)", 0x3d82_8092, INTRODUCTION),
    excuse("Checks the client runs before signing", 0xe705_c1f8, INTRODUCTION),
    excuse("Transfer and accept", 0x8fd2_7eba, INTRODUCTION),
    excuse("Errors", 0x45ee_bf14, INTRODUCTION),
    excuse("Limits", 0xd384_9c4f, INTRODUCTION),
    excuse("Domain binding", 0xe72a_8131, NOT_SHOWN),
    excuse("Drop response", 0x34d5_87f6, NOT_SHOWN),
    excuse("States and transitions", 0xc18f_f2ec, NOT_SHOWN),
    excuse("Transfer and accept", 0x1b91_4e12, NOT_SHOWN),
    excuse("Events", 0x4eca_57d7, NOT_SHOWN),
    excuse("Endpoints", 0x921b_57d0, CALLER),
];

const INTRODUCTION: &str = "introduces what follows; the statements themselves have rows";
const NOT_SHOWN: &str = "the document says that this is not shown; nothing may be asserted";
const CALLER: &str = "advice to the caller; its effect is the body hash, which has a row";

const fn excuse(heading: &'static str, hash: u32, reason: &'static str) -> Excuse {
    Excuse { document: 3, anchor: Anchor { heading, hash }, reason }
}
