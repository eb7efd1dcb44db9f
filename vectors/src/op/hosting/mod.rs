//! The stored records of a hosting application: keys, envelopes, amend chains, claims, authority.

pub(super) mod keys;
pub(super) mod records;
pub(super) mod recover;
pub(super) mod sealed;

use assay_spec::Refused;
use assay_spec::hosting::stage::stage;

use super::OpError;

fn staged(refused: Refused) -> OpError {
    let stage = stage(refused.rule);
    (refused, stage).into()
}

fn bad(why: &str) -> OpError {
    OpError::BadRequest(why.to_owned())
}
