//! Bundle envelopes: the files of live deployments to machines.

use std::collections::BTreeSet;
use std::io::Read;

use assay_spec::hosting::requirements::{bundle as rows, instances, security};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use tar::Archive;

use super::found::found;
use super::judge::{Form, OBJECT, exactly, is, number};
use super::scene::{Pinned, pinned};
use super::sealed::{BASE64, IV, TAG, bytes, is_formed, open, unwrap};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

members! {
    /// Downloads the files of live deployments to machines. `deks` of each must be an object.
    FORM bundles_are_objects_with_keys: every("/deks"), OBJECT, rests!(instances::BUNDLE_WRAPPED);
    /// Downloads the files of live deployments to machines. `v` of each must be 1.
    VERSION bundles_have_version_1: every("/v"), number(1), FORM;
    /// Downloads the files of live deployments to machines. `alg` of each must be `aes-256-gcm`.
    ALGORITHM bundles_name_their_cipher: every("/alg"), exactly("aes-256-gcm"), FORM;
    /// Downloads the files of live deployments to machines. `ct` of each must be base64.
    CIPHERTEXT ciphertexts_of_bundles_are_base64: every("/ct"), BASE64, FORM;
    /// Downloads the files of live deployments to machines. `iv` of each must be base64 of 12 bytes.
    IV ivs_of_bundles_have_12_bytes: every("/iv"), IV, FORM;
    /// Downloads the files of live deployments to machines. `tag` of each must be base64 of 16 bytes.
    TAG tags_of_bundles_have_16_bytes: every("/tag"), TAG, FORM;
    /// Downloads the files of live deployments to machines. `deks` of each must have exactly `vm` and `encryption`.
    TWO_RECIPIENTS bundles_have_two_recipients:
        every("/deks"), Form::new("exactly vm and encryption", has_two_recipients), RECIPIENTS;
}

const FORM: &[assay_spec::Id] = rests!(instances::BUNDLE_WRAPPED, rows::FORM);
const RECIPIENTS: &[assay_spec::Id] =
    rests!(instances::BUNDLE_WRAPPED, rows::FORM, rows::VM, rows::ENCRYPTION);
const OPENS: &[assay_spec::Id] = rests!(
    instances::BUNDLE_WRAPPED,
    rows::FORM,
    rows::CIPHERTEXT,
    rows::IV,
    rows::TAG,
    rows::ENCRYPTION,
    security::ENCRYPTION_IS_E
);

/// The longest tarball that is unpacked, in bytes.
const TARBALL_BYTES: u64 = 256 * 1024 * 1024;
/// The most bytes of a manifest.
const MANIFEST_BYTES: u64 = 1024 * 1024;

/// Judges a member of every bundle.
async fn every(
    probe: &Probe<'_>,
    pointer: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    for Pinned { message, answer } in pinned(probe, &found).await? {
        let bundle = answer.json();
        let value = bundle.pointer(pointer);
        let got = value.map_or_else(|| "missing".to_owned(), ToString::to_string);
        let place = format!("{pointer} of the bundle that {} names", message.hash());
        answer.expect(holds(value), &place, want, got)?;
    }
    Ok(())
}

/// Downloads the files of live deployments to machines. `kind` of each must be the kind of bundles.
#[shows(rows::KIND, after = FORM)]
async fn bundles_name_their_kind(probe: &Probe<'_>) -> Checked {
    let kind = &probe.settings.dialect.bundle_kind;
    every(probe, "/kind", kind, is(kind)).await
}

/// Downloads the files of live deployments to machines. `deks.vm` of each must be base64 with the length of a wrapped
/// key.
#[shows(rows::VM, after = FORM)]
async fn bundles_have_a_key_for_the_machine(probe: &Probe<'_>) -> Checked {
    every(probe, "/deks/vm", "a wrapped key in base64", super::envelope::is_wrapped(probe)).await
}

/// Downloads the files of live deployments to machines. `deks.encryption` of each must be base64 with the length of a
/// wrapped key.
#[shows(rows::ENCRYPTION, after = FORM)]
async fn bundles_have_a_key_for_e(probe: &Probe<'_>) -> Checked {
    every(probe, "/deks/encryption", "a wrapped key in base64", super::envelope::is_wrapped(probe)).await
}

/// Exactly `vm` and `encryption`.
fn has_two_recipients(deks: Option<&Value>) -> bool {
    let names: Option<BTreeSet<&str>> =
        deks.and_then(Value::as_object).map(|deks| deks.keys().map(String::as_str).collect());
    names.is_some_and(|names| names.into_iter().eq(["encryption", "vm"]))
}

/// Opens every well-formed bundle with E, the owner's derived key. `deks.encryption` must unwrap to a key that decrypts
/// it.
#[shows(rows::KEY_E_OPENS, after = OPENS)]
async fn e_opens_every_bundle(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let key = super::key_e::needed(probe, &found)?;
    let mut count = 0;
    for Pinned { message, answer } in pinned(probe, &found).await? {
        let bundle = answer.json();
        let wrapped = &bundle["deks"]["encryption"];
        if !is_formed(&bundle) || bytes(wrapped).is_none() {
            continue;
        }
        count += 1;
        let is_open = unwrap(probe, &key, wrapped).is_some_and(|dek| open(&bundle, &dek).is_some());
        let place = format!("/deks/encryption of the bundle that {} names", message.hash());
        answer.expect(is_open, &place, "a key that opens the bundle", "E does not open it")?;
    }
    probe.given(count > 0, "no bundle is well-formed, so E cannot open any")
}

/// Opens every bundle with E, the owner's derived key. The plaintext must be a tarball that contains `manifest.json`, which must
/// be JSON.
#[shows(rows::TARBALL, after = rests!(instances::BUNDLE_WRAPPED, rows::FORM, rows::KEY_E_OPENS))]
async fn bundles_hold_a_tarball_with_a_manifest(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let key = super::key_e::needed(probe, &found)?;
    let mut count = 0;
    for Pinned { message, answer } in pinned(probe, &found).await? {
        let bundle = answer.json();
        let dek = unwrap(probe, &key, &bundle["deks"]["encryption"]);
        let Some(tarball) = dek.and_then(|dek| open(&bundle, &dek)) else { continue };
        count += 1;
        if PACKED.iter().any(|magic| tarball.starts_with(magic)) {
            return Err(Stop::Inconclusive(
                "the tarball has a compression that this check cannot read".to_owned(),
            ));
        }
        let files = files(&tarball);
        let named = |(name, _): &&(String, Vec<u8>)| name.trim_start_matches("./") == "manifest.json";
        let manifest = files.iter().flatten().find(named);
        let is_json = manifest.is_some_and(|(_, bytes)| serde_json::from_slice::<Value>(bytes).is_ok());
        let got = match (&files, manifest) {
            (None, _) => "not a tarball".to_owned(),
            (Some(files), None) => format!("{} files, but no manifest.json", files.len()),
            (Some(_), Some((_, bytes))) => {
                format!("manifest.json with {:.80}", String::from_utf8_lossy(bytes))
            }
        };
        let place = format!("inside the bundle that {} names", message.hash());
        answer.expect(is_json, &place, "a tarball with the file manifest.json, which is JSON", got)?;
    }
    probe.given(count > 0, "no bundle opens with E")
}

/// Compressions of a tarball that this check cannot read: xz, zstd, bzip2. The document names none.
const PACKED: [&[u8]; 3] = [b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh"];

/// The names of the files in a tarball, compressed by gzip or not, and the content of the manifest; `None` if it is not a
/// tarball.
fn files(tarball: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let unpacked: Box<dyn Read> = if tarball.starts_with(&[0x1f, 0x8b]) {
        Box::new(MultiGzDecoder::new(tarball).take(TARBALL_BYTES))
    } else {
        Box::new(tarball)
    };
    let mut files = Vec::new();
    for entry in Archive::new(unpacked).entries().ok()? {
        let entry = entry.ok()?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let mut content = Vec::new();
        if name.ends_with("manifest.json") {
            entry.take(MANIFEST_BYTES).read_to_end(&mut content).ok()?;
        }
        files.push((name, content));
    }
    (!files.is_empty()).then_some(files)
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, GzBuilder};

    use super::*;

    /// A tarball of one file as `tar` writes it.
    fn tarball(name: &str, content: &[u8]) -> Vec<u8> {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[148..156].fill(b' ');
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut tarball = header.to_vec();
        tarball.extend_from_slice(content);
        tarball.resize(tarball.len().next_multiple_of(512) + 1024, 0);
        tarball
    }

    #[test]
    fn files_are_read_and_invalid_tarballs_are_rejected() {
        let good = tarball("manifest.json", b"{}");
        assert_eq!(files(&good), Some(vec![("manifest.json".to_owned(), b"{}".to_vec())]));
        let head = GzBuilder::new().filename("x");
        let mut packed = Vec::new();
        head.read(good.as_slice(), Compression::default()).read_to_end(&mut packed).unwrap();
        assert_eq!(files(&packed), files(&good), "with a file name in the gzip header");
        assert_eq!(files(&packed[..packed.len() / 2]), None, "cut short");
        let mut bad = good.clone();
        bad[0] = b'x';
        assert_eq!(files(&bad), None, "the checksum covers the name");
        for nonsense in [&b""[..], b"{}", &[0x1f, 0x8b, 1], &[0; 1024], &good[..600]] {
            assert_eq!(files(nonsense), None);
        }
    }
}
