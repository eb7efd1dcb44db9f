//! E, the owner's derived key, from the derivation message that the profile declares.

use assay_spec::Strict;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::SigningKey;
use assay_spec::hosting::key_e::{Sentences, message, of_wallet};

use super::found::Found;
use crate::harness::check::Stop;
use crate::harness::probe::Probe;

/// The owner's E; `None` without the wallet's key or the sentences that it signs.
pub(super) fn derived(probe: &Probe<'_>, found: &Found) -> Option<SigningKey> {
    let sentences = match &probe.settings.hosting().readings.derivation_lines {
        Some([a, b, c, d]) => Sentences::from_lines([a, b, c, d]),
        // An application that creates owners signs this project's default sentences.
        None => found.is_whole.then(Sentences::default),
    };
    let wallet = found.wallet.as_ref()?;
    let text = message(&probe.settings.dialect, &sentences?, Address::from_key(wallet));
    of_wallet(wallet, &text, &mut Strict).ok().map(|derived| derived.key)
}

/// The owner's E. Without it, the check is not testable.
pub(super) fn needed(probe: &Probe<'_>, found: &Found) -> Result<SigningKey, Stop> {
    super::sealed::wallet(found)?;
    let needs = "needs the sentences of the derivation message ([hosting.readings] derivation_lines)";
    derived(probe, found).ok_or_else(|| Stop::NotTestable(needs.to_owned()))
}
