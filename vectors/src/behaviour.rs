//! Behaviours: what a program does where no sentence decides, in words. A behaviour has one or more cases that ask the
//! same with other values; within one operation a program answers them alike.

use serde_json::Value;

/// A question that several programs answer differently, and the cases that ask it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// What the cases contain.
    pub input: &'static str,
    /// Their ids. Those of one operation are equivalent.
    pub cases: &'static [&'static str],
    /// Strings of a result that tell which of two values counted: the first one and the last one.
    tells: Option<(&'static str, &'static str)>,
}

/// The behaviour that a case belongs to.
pub fn of_case(id: &str) -> Option<&'static Behaviour> {
    BEHAVIOURS.iter().find(|behaviour| behaviour.cases.contains(&id))
}

impl Behaviour {
    /// Which of two values a result shows; empty if the behaviour is not about that.
    pub(crate) fn tell(&self, ok: &Value) -> &'static str {
        let Some((first, last)) = self.tells else { return "" };
        let text = ok.to_string();
        match (text.contains(first), text.contains(last)) {
            (true, true) => "both are kept",
            (true, false) => "the first counts",
            (false, true) => "the last counts",
            (false, false) => "",
        }
    }
}

macro_rules! behaviours {
    ($($input:literal $([$first:literal, $last:literal])? : $($case:literal)+;)*) => {
        &[$(Behaviour { input: $input, cases: &[$($case),+], tells: behaviours!(@ $($first $last)?) }),*]
    };
    (@) => { None };
    (@ $first:literal $last:literal) => { Some(($first, $last)) };
}

/// Every behaviour, by subject.
#[rustfmt::skip]
pub static BEHAVIOURS: &[Behaviour] = behaviours! {
    "a signature with a high s": "network/eip191-recover/high-s" "network/eip191-recover/s-above-half" "network/eip191-recover/s-last" "network/record-verify/high-s" "network/request-verify/signature-high-s";
    "a signature whose v is 0 or 1": "network/eip191-recover/v-0" "network/eip191-recover/v-1" "network/record-verify/v-0" "network/record-verify/v-1" "network/request-verify/v-bare";
    "a signature without 0x": "network/record-verify/no-prefix" "network/request-verify/no-prefix";
    "a signature in uppercase hex": "network/record-verify/upper-case";
    "a signature by RFC 6979": "network/eip191-sign/digest-as-text" "network/eip191-sign/digits" "network/eip191-sign/em-dash" "network/eip191-sign/emoji" "network/eip191-sign/hello" "network/eip191-sign/hundred" "network/eip191-sign/key-last" "network/eip191-sign/key-one" "network/eip191-sign/line-feed" "network/eip191-sign/long" "network/eip191-sign/nine" "network/eip191-sign/not-utf8" "network/eip191-sign/nothing" "network/eip191-sign/ten" "network/eip191-sign/thirty-two";
    "a key of small order": "publish/vfkey-verify/key-order-2" "publish/vfkey-verify/key-order-4" "publish/vfkey-verify/key-order-8";
    "the neutral element as key": "publish/vfkey-verify/key-identity";
    "a key whose coordinate is not reduced": "publish/vfkey-verify/key-identity-above-prime" "publish/vfkey-verify/key-order-4-above-prime";
    "the neutral element as R": "publish/vfkey-verify/r-identity";
    "a signature that holds only with the cofactor": "publish/vfkey-verify/key-mixed-order-residue" "publish/vfkey-verify/r-mixed-order";
    "the scheme in lowercase": "publish/vfkey-verify/scheme-lower-case";
    "a time with an offset": "publish/vfkey-verify/time-with-offset";
    "a key of a record that appears twice" ["\\\"name\\\":\\\"y\\\"", "\\\"name\\\":\\\"x\\\""]: "network/record-canonical/nested-twice" "network/record-canonical/time-twice";
    "a key of a record that appears twice, once escaped" ["\\\":\\\"y\\\"", "\\\"name\\\":\\\"x\\\""]: "network/record-canonical/escaped-twice";
    "a key of a plaintext that appears twice": "hosting/bundle-open/key-twice" "hosting/envelope-open/key-twice";
    "a lone surrogate": "network/record-canonical/high-surrogate-and-letter" "network/record-canonical/high-surrogate-twice" "network/record-canonical/lone-high-surrogate" "network/record-canonical/lone-low-surrogate" "network/record-canonical/surrogates-swapped" "publish/record-parse/lone-surrogate";
    "an integer of 2^53": "network/record-canonical/minus-two-to-53" "network/record-canonical/time-two-to-53" "network/record-canonical/two-to-53";
    "an integer of more than 64 bits": "network/record-canonical/beyond-64-bits";
    "characters beyond ASCII in a record": "publish/record-encode/accent" "publish/record-encode/emoji";
    "a character that is escaped without need": "publish/record-parse/escaped-accent" "publish/record-parse/escaped-emoji";
    "an escaped slash": "publish/record-parse/escaped-slash";
    "base64 without its padding": "hosting/base64-decode/padding-none" "hosting/base64-decode/padding-none-key" "hosting/base64-decode/padding-none-two";
    "base64 with too much padding": "hosting/base64-decode/padding-more" "hosting/base64-decode/padding-needless";
    "unused bits of base64 that are not zero": "hosting/base64-decode/bits-of-key" "hosting/base64-decode/bits-of-one" "hosting/base64-decode/bits-of-one-all" "hosting/base64-decode/bits-of-two" "hosting/base64-decode/bits-of-two-high";
    "a wrapped key with a nonce of 12 bytes": "hosting/ecies-decrypt/by-eciesjs-nonce-12" "hosting/ecies-decrypt/by-eciespy-nonce-12" "hosting/ecies-decrypt/nonce-12" "hosting/envelope-open/by-eciesjs-nonce-12" "hosting/envelope-open/by-eciespy-nonce-12";
    "an envelope of version 4": "hosting/envelope-open/version-4";
    "a compressed tarball": "hosting/bundle-open/by-gnu-tar" "hosting/bundle-open/by-gnu-tar-pax";
    "a chain of amends with a cycle": "hosting/amends-resolve/cycle";
    "two amends with one time": "hosting/amends-resolve/tie";
    "a server error in place of a STORE": "network/store-classify/other-500" "network/store-classify/other-502" "network/store-classify/other-503" "network/store-classify/other-504";
    "a token id with a plus sign": "metadata/route/id-plus";
    "a token id with white space": "metadata/route/id-space";
    "a token id in other digits": "metadata/route/id-other-digits";
    "a token id with leading zeros": "metadata/route/id-leading-zeros";
    "a slash at the end of a path": "metadata/route/slash-behind-an-id" "metadata/route/slash-behind-overrides";
    "a percent-encoded slash": "metadata/route/uri-encoded" "metadata/route/uri-lower-case-hex";
    "a writable account": "publish/check-message/writable-key" "publish/check-message/writable-program";
    "a domain of digits": "publish/domain/all-digits";
    "broken punycode": "publish/domain/punycode-broken";
    "a zip in which a name appears twice" ["\"bytes\":93", "\"bytes\":83"]: "drop/inspect-zip/twice";
    "two pages at index.html": "drop/inspect-zip/twice-index";
    "a path that is a file and a folder": "drop/inspect-zip/file-and-folder" "drop/inspect-zip/file-and-directory";
    "names in a zip that differ in case": "drop/inspect-zip/pair-case";
    "names in a zip that differ in normal form": "drop/inspect-zip/pair-forms";
    "a link inside a zip": "drop/inspect-zip/link" "drop/inspect-zip/link-up";
    "a link to a folder": "drop/inspect-zip/link-folder";
    "a link out of a zip": "drop/inspect-zip/link-outside" "drop/inspect-zip/link-absolute";
    "a link to nothing": "drop/inspect-zip/link-dangling";
    "a link to itself": "drop/inspect-zip/link-itself";
    "a backslash in a name": "drop/inspect-zip/name-backslash";
    "backslashes that leave the root": "drop/inspect-zip/name-backslash-dots";
    "a drive letter in a name": "drop/inspect-zip/name-drive" "drop/inspect-zip/name-drive-relative";
    "a control character in a name": "drop/inspect-zip/name-delete" "drop/inspect-zip/name-escape" "drop/inspect-zip/name-newline";
    "a name that is not UTF-8": "drop/inspect-zip/name-not-utf8" "drop/inspect-zip/name-overlong";
    "two dots inside the root": "drop/inspect-zip/name-inner-dots";
    "an encrypted entry": "drop/inspect-zip/encrypted";
    "headers with different names": "drop/inspect-zip/local-name";
    "headers with different sizes": "drop/inspect-zip/local-size";
    "headers with different methods": "drop/inspect-zip/local-method";
    "a wrong checksum": "drop/inspect-zip/crc";
    "a second name in an extra field": "drop/inspect-zip/second-name";
    "a device in a zip": "drop/inspect-zip/device";
    "bytes before the first entry": "drop/inspect-zip/before";
    "bytes between two entries": "drop/inspect-zip/between";
    "an end record with another count": "drop/inspect-zip/end-entries-less" "drop/inspect-zip/end-entries-more";
    "bytes after a zip": "drop/inspect-zip/after";
    "64-bit end records of a small zip": "drop/inspect-zip/end-wide";
    "bytes after compressed data": "drop/inspect-zip/deflate-more";
    "a zip of 10,000,001 bytes": "drop/inspect-zip/size-above";
    "files of 40,000,001 bytes": "drop/inspect-zip/extracted-above";
    "a folder at the limit, by its links": "drop/cid-directory/limit-by-links";
    "a folder at the limit, by its block": "drop/cid-directory/limit-by-block";
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::all;

    #[test]
    fn every_behaviour_has_cases_that_no_sentence_decides_and_that_expect_the_same() {
        let mut seen = BTreeSet::new();
        for behaviour in BEHAVIOURS {
            let mut verdicts = BTreeSet::new();
            for id in behaviour.cases {
                let case = all().iter().find(|case| case.id == *id).unwrap_or_else(|| panic!("{id}"));
                assert!(case.reading.is_some(), "{id} is judged for every program");
                assert!(seen.insert(*id), "{id} belongs to two behaviours");
                verdicts.insert(case.is_reject());
            }
            assert_eq!(verdicts.len(), 1, "{}", behaviour.input);
        }
    }

    #[test]
    fn a_result_tells_which_of_two_values_counted() {
        let twice = of_case("network/record-canonical/nested-twice").expect("a behaviour");
        for (canonical, counted) in [
            (r#"{"name":"x"}"#, "the last counts"),
            (r#"{"name":"y"}"#, "the first counts"),
            (r#"{"name":"y","name":"x"}"#, "both are kept"),
            ("{}", ""),
        ] {
            assert_eq!(twice.tell(&serde_json::json!({ "canonical": canonical })), counted);
        }
    }
}
