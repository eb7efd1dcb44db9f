//! The readings on which cases rest: what each one means, what the alternative is, and which sentence leaves it open.

/// A way to read a sentence that can be read in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its name in cases and in the hello of a program.
    pub name: &'static str,
    /// The requirement whose sentence is read.
    pub requirement: &'static str,
    /// What a program that follows it does.
    pub meaning: &'static str,
    /// What a program that does not follow it may do.
    pub other: &'static str,
}

/// The readings of what no sentence decides at all. Witnesses do as their libraries do; their programs have the same list.
pub const OPEN: [&str; 4] =
    ["A-106/followed", "A-138/one-reading", "A-138/wide-end", "A-140/names-are-bytes"];

/// The reading with this name.
pub fn find(name: &str) -> Option<&'static Reading> {
    READINGS.iter().find(|reading| reading.name == name)
}

macro_rules! readings {
    ($($name:literal $requirement:literal $meaning:literal or $other:literal;)*) => {
        &[$(Reading { name: $name, requirement: $requirement, meaning: $meaning, other: $other }),*]
    };
}

/// Every reading, sorted by name.
#[rustfmt::skip]
pub static READINGS: &[Reading] = readings! {
    "A-006/calls-in-pieces" "gateway.tools.streamed" "A streamed call comes in pieces with `index`, `id` and a function with `name` and `arguments`." or "It has other members, or comes whole.";
    "A-007/assistant-turn" "gateway.chat.role" "The role `assistant` is accepted beside `user` and `tool`." or "Only the roles that the document names are accepted.";
    "A-009/choices-by-index" "gateway.stream.chunks" "A choice of a chunk is known by its member `index`." or "It is known by its place in the list.";
    "A-009/end-mark" "gateway.stream.furniture" "The data `[DONE]` ends the stream." or "It is an event like any other.";
    "A-009/unfinished-event" "gateway.stream.furniture" "The last event is left out if its empty line is missing." or "It is read as the others.";
    "A-016/decoded-once" "metadata.paths.text" "A path parameter is percent-decoded once; a plus sign stays a plus sign." or "It is not decoded, or decoded more often.";
    "A-016/last-double-slash" "metadata.paths.shape" "The last double slash of the path ends the contract URI." or "The first one does.";
    "A-017/minus-and-digits" "metadata.validation.integer" "An integer is an optional minus sign and ASCII digits, of any length." or "Other forms that a parser takes, such as a plus sign or white space, are integers too.";
    "A-018/not-found" "metadata.paths.shape" "A path of no listed shape is rejected." or "It is redirected or read as a similar path.";
    "A-019/extra-members" "metadata.records.token-description" "Members that the document does not list are allowed." or "They are rejected.";
    "A-019/null-is-absent" "metadata.records.token-description" "A null member counts as absent." or "A null where another type is listed is rejected.";
    "A-041/both-schemas" "hosting.projects.schema-read" "An entry of schema 1 and one of schema 2 are read in the same way." or "Only one of them is read.";
    "A-042/deleted-decides" "hosting.projects.deleted" "A deleted entry is known by `deleted` alone; its envelope is not read." or "Only some forms of the empty envelope are read.";
    "A-044/amend-of-type" "hosting.authority.post-types" "A signer that may write a type may also amend it." or "An amend needs its own entry.";
    "A-044/delegate-address" "hosting.authority.owner-address" "The address in a delegate's post may be the delegate's own." or "It is the owner's.";
    "A-044/missing-is-empty" "hosting.authority.empty-others" "A missing list of an entry is an empty list, which allows all." or "An entry without the list is malformed.";
    "A-044/missing-is-not-listed" "hosting.authority.aggregate-keys" "A message without the key or the type that a list restricts is not covered by that list." or "The list does not restrict it.";
    "A-044/wallet-writes-all" "hosting.authority.owner-posts" "The wallet itself may write every record of its address." or "Some records need a session key.";
    "A-046/own-wording" "hosting.key-e.lines" "The two sentences of the derivation message are the application's own." or "The program knows one wording.";
    "A-047/both-v" "network.signing.signature-v" "A v of 0 and 1 is read as 27 and 28." or "Only 27 and 28 are read.";
    "A-047/low-s" "network.signing.low-s" "A signature whose s is above half the group order is rejected." or "It is accepted, so that each message has two signatures.";
    "A-047/rfc6979" "network.signing.prefix" "Signatures are deterministic by RFC 6979, with a low s." or "The nonce is random, or s may be high.";
    "A-048/every-type" "network.signing.record-form" "Every type of message is signed in the form that the document shows for one." or "Types that the document does not show have a form of their own.";
    "A-048/integers" "network.signing.record-numbers" "A number that serializers write in different ways is rejected." or "It is written as the program's own serializer writes it.";
    "A-048/integers-where-signed" "network.signing.record-numbers" "Numbers outside the signed members may have any notation." or "Every number of the message is restricted.";
    "A-048/no-duplicates" "network.signing.record-duplicates" "A record in which a key appears twice is rejected." or "One of the two values counts.";
    "A-048/no-lone-surrogates" "network.signing.record-form" "An escaped surrogate without its partner is rejected." or "It is replaced, or kept in a string that is not valid UTF-8.";
    "A-048/null-is-present" "network.signing.record-optional" "A null `type`, `ref` or `key` is present and is signed." or "It is left out.";
    "A-048/raw" "network.signing.record-compact" "Only characters that JSON must escape are escaped." or "The escapes are those that were received, or more than necessary.";
    "A-048/received-order" "network.signing.record-nested" "Keys inside the content keep the order in which they were received." or "They are ordered by the program's own map.";
    "A-048/shortest-numbers" "network.signing.record-numbers" "A number is written in its shortest form." or "It is written as it was received.";
    "A-049/either-case" "network.signing.signature-text" "The hex digits of a signature may be uppercase." or "They are lowercase.";
    "A-049/without-prefix" "network.signing.signature-text" "The 0x before a signature may be missing." or "It is required.";
    "A-050/empty-refused" "hosting.forget.hashes" "A FORGET without a hash is rejected." or "It is accepted and forgets nothing.";
    "A-050/hashes" "network.signing.record-form" "In the signed form of a FORGET `hashes` takes the place of the inner content." or "The signed form is another one.";
    "A-051/nonce-12" "hosting.ecies.length" "The nonce of a wrapped key may have 12 bytes." or "It has 16 bytes.";
    "A-051/nonce-16" "hosting.ecies.length" "The nonce of a wrapped key may have 16 bytes." or "It has 12 bytes.";
    "A-052/padding-required" "hosting.base64.padding" "Base64 has its padding." or "Padding may be missing or be too long.";
    "A-052/trailing-bits-zero" "hosting.base64.trailing-bits" "The unused bits of the last base64 character are zero." or "They are ignored, so that several strings mean the same bytes.";
    "A-053/extra-ignored" "hosting.envelope.either-key" "Recipients besides the two are ignored." or "They are rejected.";
    "A-053/newer-refused" "hosting.envelope.newer" "An envelope newer than the last known version is rejected." or "It is skipped.";
    "A-053/user-alone" "hosting.envelope.either-key" "An envelope opens with the wallet's wrapped key alone." or "Both wrapped keys must be there.";
    "A-055/cycle-ends" "hosting.amends.creation" "A chain of amends ends before a hash that it already has." or "A chain with a cycle is rejected.";
    "A-055/dangling-ignored" "hosting.amends.creation" "An amend of an unknown message is ignored." or "It is rejected.";
    "A-055/older-accepted" "hosting.amends.creation" "An amend may be older than what it amends." or "It is ignored.";
    "A-055/smaller-hash" "hosting.amends.tie" "Of two amends with one time the smaller hash wins." or "Another rule breaks the tie.";
    "A-055/unreadable-ignored" "hosting.amends.content" "An amend that cannot be read is ignored." or "It is rejected.";
    "A-056/cid-without-store-ref" "hosting.deployments.legacy-cid" "The content identifier in a record counts only before schema 4 and without a `storeRef`." or "It counts in other records too, or never.";
    "A-056/newer-refused" "hosting.deployments.schema" "A record newer than the last known schema is rejected." or "It is read as far as it is known.";
    "A-057/gzip" "hosting.bundle.key-length" "The tarball of a bundle may be compressed." or "It is a plain tar.";
    "A-058/key-of-address" "hosting.claims.key-of-address" "A claimed key belongs to the claiming address." or "It may be another key.";
    "A-058/smaller-hash" "hosting.claims.tie" "Of two claims with one time the smaller hash is selected." or "Another rule breaks the tie.";
    "A-058/time-as-stated" "hosting.claims.earliest" "The time of a claim is used as the claim states it." or "It is compared with other times.";
    "A-059/status-first" "network.store.read-removed" "The status of a STORE decides, not the content that is still there; HTTP 410 means removed unless the body has another status." or "The HTTP status or the content decides.";
    "A-060/404-is-absent" "network.store.read-absent" "HTTP 404 means absent, whatever the body says." or "The body decides.";
    "A-060/other-200-is-absent" "network.store.read-not-store" "A 200 without a readable status and hash is not a STORE." or "It means that nothing is known.";
    "A-060/other-statuses" "network.store.read-absent" "Any other HTTP status says nothing about the bytes." or "It means absent.";
    "A-062/drop-22" "hosting.identifiers.drop" "A drop id is `drop_` and 22 characters of the base64url alphabet." or "It has another length or alphabet.";
    "A-068/any-instant" "publish.envelope.time-form" "Any time that means one instant is read." or "Only the form with milliseconds and Z is read.";
    "A-069/exact-word" "publish.envelope.scheme" "The scheme is written as the document writes it." or "Its case does not count.";
    "A-069/strict-signature" "publish.envelope.signature" "A signature is verified without the cofactor; keys and points of small order and coordinates that are not reduced are rejected." or "The library's own rules decide.";
    "A-071/white-space-is-blank" "publish.check.fields" "A version of white space alone counts as 0." or "It is a version.";
    "A-077/404" "publish.envelope.signature" "For an accept only the incoming key is admitted." or "The old key is counted that it is frozen.";
    "A-081/sign" "publish.check.encoding" "A message that passes the thirteen checks is signed, whatever else it holds." or "Further checks reject it.";
    "A-082/no-lone-surrogates" "publish.record.form" "An escaped surrogate without its partner is rejected." or "It is replaced.";
    "A-082/raw" "publish.record.canonical" "Only characters that JSON must escape are escaped." or "The serializer escapes more.";
    "A-094/decimal" "drop.zip.size" "A megabyte is 1,000,000 bytes." or "It is 1,048,576 bytes.";
    "A-104/block" "drop.cid.sharded" "A folder is sharded once its serialized block exceeds the limit." or "The sum of names and identifiers decides.";
    "A-104/links" "drop.cid.sharded" "A folder is sharded once the sum of names and identifiers exceeds the limit." or "The size of its serialized block decides.";
    "A-106/followed" "drop.zip.symlink" "A link that stays inside the zip is followed." or "A zip with a link is rejected.";
    "A-107/empty-directory" "drop.cid.not-wrapped" "A folder without files is a directory without links." or "It is rejected.";
    "A-108/grammar-only" "publish.domain.alphabet" "A domain is judged by its grammar alone." or "Addresses and broken punycode are rejected.";
    "A-138/one-reading" "drop.zip.faithful" "A zip whose bytes have more than one reading, or that holds what cannot be extracted as it is, is rejected." or "It is extracted as the library reads it.";
    "A-138/wide-end" "drop.zip.form" "A zip with 64-bit end records is read, even if it does not need them." or "It is rejected.";
    "A-140/names-are-bytes" "drop.cid.of-the-files" "Names are bytes: two names that look or fold alike are two files." or "Such a pair is rejected.";
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use assay_spec::catalogue;

    use super::*;

    #[test]
    fn the_witnesses_observe_the_same_readings() {
        let programs =
            [include_str!("../witness/python/verify.py"), include_str!("../witness/node/verify.mjs")];
        for (program, name) in programs.into_iter().flat_map(|program| OPEN.map(|name| (program, name))) {
            assert!(find(name).is_some() && program.contains(&format!("{name:?}")), "{name}");
        }
    }

    #[test]
    fn every_reading_of_a_case_is_explained_and_has_its_place() {
        let explained: BTreeSet<&str> = READINGS.iter().map(|reading| reading.name).collect();
        let named = crate::readings();
        assert_eq!(explained, named.iter().map(String::as_str).collect());
        assert!(READINGS.is_sorted_by_key(|reading| reading.name) && explained.len() == READINGS.len());
        for reading in READINGS {
            assert!(catalogue::requirement(reading.requirement).is_some(), "{}", reading.requirement);
            assert!(reading.meaning.ends_with('.') && reading.other.ends_with('.'), "{}", reading.name);
        }
    }
}
