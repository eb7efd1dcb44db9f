//! How ambiguous sentences about the service can be read.

use assay_spec::drop::requirements as rows;

use crate::documents::readings::Reading;

/// What a profile can declare.
pub(super) const READINGS: &[Reading] = &[
    Reading {
        key: "drop.readings.drop_id_len",
        values: "characters, 1 or more",
        default: Some("22"),
        example: "30",
        wrong: "0",
        means: "The number of characters of a drop id after its prefix: document 2 says 22; set this for a server that \
                differs. Ids of another length fail.",
        rows: &[&rows::response::DROP_ID],
        silent: &[],
    },
    Reading {
        key: "drop.readings.hamt_size",
        values: "\"links\" or \"block\"",
        default: Some("\"links\""),
        example: "\"block\"",
        wrong: "\"bytes\"",
        means: "How the size of a folder is measured to decide whether it is sharded: by the bytes of names and \
                identifiers, or by its block. Sites between the two limits have a different identifier in each \
                reading.",
        rows: &[&rows::cid::SHARDED],
        silent: &[],
    },
    Reading {
        key: "drop.readings.buffered_uploads",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"true\"",
        means: "Whether a proxy in front of the target buffers uploads until they are complete. Then two uploads \
                never overlap, and the rejection of the second one cannot be tested.",
        rows: &[&rows::limits::ONE_UPLOAD],
        silent: &[],
    },
];
