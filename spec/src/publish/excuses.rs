//! Sentences of document 3 that no row of this service stands for, and why.

use crate::requirement::{Anchor, Excuse};

/// The excused sentences, by reason.
pub static EXCUSES: &[Excuse] = &[
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 1, 0x05e8_1c87, INTRODUCTION),
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 2, 0x072e_e02c, INTRODUCTION),
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 3, 0x1bef_644b, INTRODUCTION),
    excuse("Signed Publishing Exchange and Anonymous Site Drop", 4, 0x77c7_d540, INTRODUCTION),
    excuse("Signed publishing exchange", 1, 0x57c4_f1ce, INTRODUCTION),
    excuse("Signed publishing exchange", 4, 0x37d3_8086, INTRODUCTION),
    excuse("Signed publishing exchange", 6, 0xf569_c5fb, INTRODUCTION),
    excuse("Endpoints", 1, 0x283a_7043, INTRODUCTION),
    excuse("Exchange (both endpoints)", 2, 0x3d82_8092, INTRODUCTION),
    excuse("Checks the client runs before signing", 1, 0xe705_c1f8, INTRODUCTION),
    excuse("Transfer and accept", 1, 0x8fd2_7eba, INTRODUCTION),
    excuse("Errors", 10, 0x45ee_bf14, INTRODUCTION),
    excuse("Limits", 1, 0xd384_9c4f, INTRODUCTION),
    excuse("Domain binding", 2, 0xe72a_8131, NOT_SHOWN),
    excuse("Drop response", 7, 0x34d5_87f6, NOT_SHOWN),
    excuse("States and transitions", 11, 0xc18f_f2ec, NOT_SHOWN),
    excuse("Transfer and accept", 4, 0x1b91_4e12, NOT_SHOWN),
    excuse("Events", 1, 0x4eca_57d7, NOT_SHOWN),
    excuse("Endpoints", 3, 0x921b_57d0, CALLER),
    excuse("Anonymous drop", 1, 0x059a_d993, DROP),
    excuse("Anonymous drop", 2, 0x61d1_93b1, DROP),
    excuse("Anonymous drop", 3, 0x372d_e4af, DROP),
    excuse("Anonymous drop", 4, 0xb4b3_05a6, DROP),
    excuse("Drop response", 1, 0x8ebd_60c0, DROP),
    excuse("Drop response", 2, 0xaa92_ff69, DROP),
    excuse("Drop response", 3, 0x9576_3872, DROP),
    excuse("Drop response", 4, 0xc5b1_3c74, DROP),
    excuse("Drop response", 5, 0x098d_3193, DROP),
    excuse("Drop response", 6, 0x5a73_112f, DROP),
    excuse("States and transitions", 9, 0x08b2_8281, DROP),
    excuse("States and transitions", 10, 0xaf71_ff9d, DROP),
    excuse("POST /api/drop", 1, 0xeaf9_69a0, DROP),
    excuse("POST /api/drop", 2, 0xb2f7_ca1c, DROP),
    excuse("POST /api/drop", 3, 0x1848_0cff, DROP),
    excuse("POST /api/drop", 4, 0x28c1_77f0, DROP),
    excuse("POST /api/drop", 5, 0x5539_9035, DROP),
    excuse("POST /api/drop", 6, 0x4436_0aaf, DROP),
    excuse("Computing the content identifier", 1, 0x8956_e154, DROP),
    excuse("Computing the content identifier", 2, 0x1804_26d9, DROP),
    excuse("Computing the content identifier", 3, 0x4c00_cbc8, DROP),
    excuse("Computing the content identifier", 4, 0x7496_3d19, DROP),
    excuse("Drop", 1, 0x116c_2fea, DROP),
    excuse("Drop", 2, 0x07e7_f346, DROP),
    excuse("Errors", 11, 0xde37_904f, DROP),
    excuse("Errors", 12, 0xa5bc_a90b, DROP),
    excuse("Errors", 13, 0xa041_441d, DROP),
    excuse("Errors", 14, 0x8d82_50a2, DROP),
    excuse("Errors", 15, 0x295e_10fa, DROP),
    excuse("Limits", 10, 0xe2aa_200c, DROP),
    excuse("Limits", 11, 0x03f5_65df, DROP),
    excuse("Limits", 12, 0x990f_2976, DROP),
    excuse("Limits", 13, 0x8ac0_a772, DROP),
    excuse("Limits", 14, 0xc90c_ba1d, DROP),
    excuse("Versioning", 2, 0xb02b_5b26, DROP),
];

const INTRODUCTION: &str = "introduces what follows; the statements themselves stand in rows";
const NOT_SHOWN: &str = "the document says that this is not shown: nothing may be asserted";
const CALLER: &str = "advice to the caller; its effect is the body hash, which has a row";
const DROP: &str = "speaks of the anonymous drop, a service that does not stand yet";

const fn excuse(heading: &'static str, ordinal: u16, hash: u32, reason: &'static str) -> Excuse {
    Excuse { document: 3, anchor: Anchor { heading, ordinal, hash }, reason }
}
