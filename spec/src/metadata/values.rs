//! What the rows of token metadata reject in place of a valid value.

use crate::value::{ValueKind, strings};

/// A token id that no notation reads as an integer. Of notations such as `+7` or `1.0` the document says nothing.
pub const IDS: &[ValueKind] = strings! {
    "word": "abc",
    "digit-and-letter": "1x",
    "fraction-and-letter": "1.0x";
    deep
    "fraction": "1.5",
    "letter-and-digit": "x1",
    "minus-alone": "-",
    "range": "1-2",
    "not-a-number": "NaN",
    "null-as-word": "null",
    "true-as-word": "true",
    "star": "*",
};
