//! Tests of the documents' rules through the public API: one program, one module per subject.

mod cid_entries;
mod cid_known;
mod cid_properties;
mod cid_reading;
mod gateway_properties;
mod hosting_envelopes;
mod hosting_records;
mod reads_alone;
mod relations;
mod unpack;
mod zip;
