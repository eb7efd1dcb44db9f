//! Checks of the stored records of a hosting application (document 2).
//!
//! The records are messages of the network: `[network]` of the profile says where to read them, `[hosting]` whose they
//! are.

/// The rows that a check of records depends on: the node returns messages and files as they were written. More rows may
/// be added.
macro_rules! rests {
    ($($row:expr),* $(,)?) => {
        const {
            use assay_spec::network::requirements as node;
            &[
                &node::messages::FOUND, &node::messages::WRAPPER, &node::messages::WRAPPER_HASH,
                &node::messages::ITEM_HASH, &node::messages::SENDER, &node::messages::TYPE,
                &node::messages::CHANNEL, &node::messages::CONTENT, &node::messages::SIGNATURE,
                &node::messages::UNKNOWN, &node::messages::SAME_TWICE,
                &node::listing::LISTED, &node::listing::FINDS, &node::listing::ADDRESSES,
                &node::listing::ANY_OF, &node::listing::ALL_OF,
                &node::paging::LIMIT, &node::paging::MAXIMUM, &node::paging::PAGES, &node::paging::PAST_END,
                &node::store::STATUS, &node::store::PROCESSED, &node::store::TYPE, &node::store::FORGOTTEN,
                &node::store::REMOVED, &node::storage::STORED, &node::storage::CONTENT, &node::storage::RAW,
                &node::storage::ADDRESS, &node::storage::CHANNEL, &node::forget::APPLIES,
                &node::forget::POSTS_REMAIN,
                $(&$row),*
            ]
        }
    };
}

/// The members of records, a row each: a doc comment, the requirement, the check, the function that judges the member in
/// every record with the kind and the place, its form, and the rows that the check depends on.
macro_rules! members {
    ($($(#[$doc:meta])* $row:ident $fact:ident:
        $judge:ident($($kind:ident,)? $place:literal), $form:expr, $after:expr;)*) => {
        $($(#[$doc])*
        #[shows(rows::$row, after = $after)]
        async fn $fact(probe: &Probe<'_>) -> Checked {
            let form = $form;
            $judge(probe, $(MessageKind::$kind,)? $place, &form.want, form.holds).await
        })*
    };
}

mod bundle;
mod claims;
pub mod collect;
mod deployments;
mod envelope;
mod forget;
mod found;
mod history;
mod identifiers;
mod instances;
mod judge;
mod key_e;
mod lists;
mod message;
mod node;
mod projects;
mod readings;
mod records;
mod recovery;
mod scene;
mod sealed;
mod security;
mod simulated;
mod suite;
pub(crate) mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::parse_hex;

use tokio::sync::Mutex;

pub use suite::SUITE;

use crate::harness::check::Core;
use crate::profile::{Hosting, HostingReadings};

/// Whether checks may run beside each other at a shared target. Checks only read what one of them has fetched.
pub(crate) const PARALLEL: bool = true;

/// What the service must have shown.
pub const CORE: Core = {
    use assay_spec::hosting::requirements::records as rows;
    Core::new(
        "a record can be read",
        const { &[&rows::CHANNEL, &rows::SIGNATURE, &rows::ADDRESS, &rows::TIME] },
    )
};

/// What a profile declares for this service.
#[derive(Clone, Default)]
pub struct Fixtures {
    /// The owner whose records are judged. Without one, a check lets the application write a history.
    pub owner: Option<Address>,
    /// The owner's key, which opens envelopes. Without it, they are not opened.
    pub wallet: Option<SigningKey>,
    /// From when on records are new, in seconds; by default from the start of the run.
    pub new_since: Option<i64>,
    /// How the target's records look where the document leaves it open.
    pub readings: HostingReadings,
    /// The owner's records, once a check has read them from a shared target.
    found: Arc<Mutex<Option<Arc<found::Found>>>>,
}

/// Does not show the key.
impl fmt::Debug for Fixtures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixtures").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl Fixtures {
    /// The fixtures of a profile. `key` is the secret that it names, 64 hex digits; without `owner`, the owner is the
    /// key's address.
    pub fn new(profile: &Hosting, key: Option<&str>) -> Result<Fixtures, String> {
        let wallet = key.map(wallet).transpose()?;
        let named = profile.owner.as_deref().and_then(Address::parse);
        let of_key = wallet.as_ref().map(Address::from_key);
        if let (Some(named), Some(of_key)) = (named, of_key)
            && named != of_key
        {
            return Err(format!("it is the key of {of_key}, but the owner is {named}"));
        }
        Ok(Fixtures {
            owner: named.or(of_key),
            wallet,
            new_since: profile.new_since.as_deref().and_then(Instant::parse_iso).map(Instant::seconds),
            readings: profile.readings.clone(),
            found: Arc::default(),
        })
    }
}

impl Fixtures {
    /// The hashes of the owner's records that the checks of a run have read from a shared target, by kind.
    pub async fn records_read(&self) -> BTreeMap<&'static str, BTreeSet<String>> {
        let kept = self.found.lock().await;
        let mut read: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        for message in kept.iter().flat_map(|found| &found.messages) {
            read.entry(judge::name(message.kind)).or_default().insert(message.hash().to_owned());
        }
        read
    }
}

/// The key of a wallet, from 64 hex digits.
pub(crate) fn wallet(text: &str) -> Result<SigningKey, String> {
    let bytes = parse_hex(text.strip_prefix("0x").unwrap_or(text)).and_then(|bytes| bytes.try_into().ok());
    let key = bytes.and_then(|bytes: [u8; 32]| key_from_secret(&bytes));
    key.ok_or_else(|| {
        "not a private key: it must be 64 hex digits, not zero, and below the curve's order".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "0000000000000000000000000000000000000000000000000000000000000001";
    const OWNER: &str = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf";

    fn owned_by(owner: Option<&str>) -> Hosting {
        Hosting {
            url: None,
            owner: owner.map(str::to_owned),
            wallet_key: None,
            new_since: None,
            readings: HostingReadings::default(),
        }
    }

    #[test]
    fn owner_is_the_keys_address() {
        let fixtures = Fixtures::new(&owned_by(None), Some(KEY)).expect("a valid key");
        assert_eq!(fixtures.owner.map(|owner| owner.to_string()).as_deref(), Some(OWNER));
        assert!(Fixtures::new(&owned_by(Some(OWNER)), Some(KEY)).is_ok());
        assert!(Fixtures::new(&owned_by(Some(OWNER)), None).expect("a key is not needed").wallet.is_none());
    }

    #[test]
    fn invalid_or_foreign_key_is_rejected_and_not_shown() {
        let zero = "0".repeat(64);
        let other = format!("{}2", &KEY[..63]);
        for key in ["", "xy", zero.as_str(), &KEY[1..], other.as_str()] {
            let error =
                Fixtures::new(&owned_by(Some(OWNER)), Some(key)).expect_err("not a key of this owner");
            assert!(error.contains("key"), "{error}");
            assert!(key.is_empty() || !error.contains(key), "{error}");
        }
        let shown = format!("{:?}", Fixtures::new(&owned_by(None), Some(KEY)));
        assert!(!shown.contains("0001") && !shown.contains("SigningKey"), "{shown}");
    }
}
