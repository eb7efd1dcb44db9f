//! How ambiguous sentences about the service can be read.

use assay_spec::hosting::requirements as rows;

use crate::documents::readings::Reading;

/// What a profile can declare.
pub(super) const READINGS: &[Reading] = &[
    Reading {
        key: "hosting.readings.project_entry_schema",
        values: "1 or 2",
        default: None,
        example: "2",
        wrong: "3",
        means: "The `schemaVersion` of a project entry; the document shows two numbers. Undeclared, both are \
                accepted.",
        rows: &[&rows::projects::SCHEMA_VERSION],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.ecies_nonce_len",
        values: "16 or 12",
        default: Some("16"),
        example: "12",
        wrong: "13",
        means: "The nonce length in a wrapped key, in bytes; libraries differ. It determines the length of a wrapped \
                key and how it is decrypted.",
        rows: &[
            &rows::envelope::USER,
            &rows::envelope::ENCRYPTION,
            &rows::envelope::WALLET_OPENS,
            &rows::envelope::KEY_E_OPENS,
            &rows::bundle::VM,
            &rows::bundle::ENCRYPTION,
            &rows::bundle::KEY_E_OPENS,
            &rows::bundle::TARBALL,
        ],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.tombstone_form",
        values: "\"literal\" or \"keep-v\"",
        default: None,
        example: "\"literal\"",
        wrong: "\"empty\"",
        means: "What the envelope of a deleted project keeps: nothing, or its `v` and `alg`. Undeclared, both are \
                accepted.",
        rows: &[&rows::projects::TOMBSTONE],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.derivation_lines",
        values: "an array of four strings",
        default: None,
        example: "[\"a\", \"b\", \"c\", \"d\"]",
        wrong: "[\"a\"]",
        means: "The lines that the wallet signs to derive its key E; the document describes but does not quote them. \
                Undeclared, no check derives that key.",
        rows: &[
            &rows::security::ENCRYPTION_IS_E,
            &rows::envelope::KEY_E_OPENS,
            &rows::bundle::KEY_E_OPENS,
            &rows::bundle::TARBALL,
        ],
        silent: &[
            &rows::security::ENCRYPTION_IS_E,
            &rows::envelope::KEY_E_OPENS,
            &rows::bundle::KEY_E_OPENS,
            &rows::bundle::TARBALL,
        ],
    },
];
