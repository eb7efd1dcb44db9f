//! The largest records and bundles that readers accept. The documents show none, so nothing asserts them.

use crate::Service::Hosting;
use crate::limit::{Limit, Unit};

/// The largest record.
pub static RECORD: Limit = Limit::own(Hosting, "record_bytes", 64 << 20, Unit::Byte, "the bytes of a record");
/// The largest bundle file.
pub static BUNDLE: Limit =
    Limit::own(Hosting, "bundle_bytes", 1 << 30, Unit::Byte, "the bytes of a bundle file");

/// Every limit of stored records.
pub static LIMITS: &[&Limit] = &[&RECORD, &BUNDLE];
