//! The mistakes that programs make with the stored records of the application (document 2). The files beside this one
//! say only what the document says. An entry says which program does otherwise at one place of them, and why that is
//! tempting, with its code.
//!
//! It takes hold if its rule is violated: in the proof of the vectors that one rule alone rejects a case, or that an
//! answer rests on it. A violated rule without an entry is not asked.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::crypto::address::Address;
use crate::crypto::aead::{self, Key, Nonce, Tag};
use crate::crypto::base64::decode_lossy;
use crate::crypto::ecies::Parts;
use crate::crypto::keccak::{keccak256, sha3_256};
use crate::crypto::secp256k1::{self, PublicKey, Signature, SigningKey};
use crate::crypto::text::prefixed_hex;
use crate::hosting::amends::{Amend, Amends, Chain, End};
use crate::hosting::authority::{Act, Standing, lists};
use crate::hosting::bundle::Contents;
use crate::hosting::claim::{self, Claim};
use crate::hosting::deployment::{Public, SCHEMA, Status};
use crate::hosting::envelope::{Keys, Reader, Recipient, VERSION};
use crate::hosting::fields::short;
use crate::hosting::key_e::LINES_COUNT;
use crate::hosting::project::{self, DeployTarget, NAMES, Source};
use crate::hosting::record::Record;
use crate::hosting::requirements;
use crate::hosting::sealed::{ALGORITHM, Ciphertext, unwrap_key};
use crate::hosting::wrapping::Unwrapped;
use crate::json;
use crate::network::store::Reading;
use crate::rules::mistakes;
use crate::{Dialect, Refused, Strict};

mistakes! {
    /// Every record.
    mod records {
        FORM as NOT_JSON => "A reader takes null for a record that does not parse, and finds no members in it.",
            |_text: &str| -> Result<Value, String> { Ok(Value::Null) }
        FORM as TEXT => "A reader reads a missing string as an empty one, and takes each string, as its language does.",
            |sent: Option<&Value>| -> Result<&str, String> { Ok(sent.and_then(short).unwrap_or_default()) }
        FORM as TEXT_OR_NULL => "A reader takes null for what is not a string, because null is allowed there.",
            |_sent: Option<&Value>| -> Result<Option<&str>, String> { Ok(None) }
        FORM as NUMBER_OR_NULL => "A reader takes null for what is not a number, because null is allowed there.",
            |_sent: Option<&Value>| -> Result<Option<Number>, String> { Ok(None) }
        FORM as OBJECT => "A reader asks any value for members, because its language returns nothing for those that a string lacks.",
            |_sent: Option<&Value>| -> Result<&Map<String, Value>, String> { Ok(&NO_MEMBERS) }
        FORM as TEXTS => "A reader takes an empty list for what is not a list of strings, because the list may be empty.",
            |_sent: Option<&Value>| -> Result<Vec<String>, String> { Ok(Vec::new()) }
        ADDRESS as NO_ADDRESS => "A reader takes the zero address for one that it cannot read, as contracts do.",
            |_sent: Option<&Value>| -> Result<Address, String> { Ok(Address([0; 20])) }
        TIME => "A reader takes zero for a time that it cannot read, and orders such records first.",
            |_sent: Option<&Value>| -> Result<i64, String> { Ok(0) }
        DUPLICATES => "A reader uses the parser of its platform, where the last of two members with one name wins.",
            |text: &str| -> Result<Value, String> { Ok(serde_json::from_str(text).unwrap_or_default()) }
        RETIRED => "A reader searches by sender and type, because it writes to one channel only.",
            |_record: (&Record, &Dialect)| -> bool { true }
        UNSIGNED => "A reader relies on the node, which verified each signature before it stored the message.",
            |_verified: &Result<(), Refused>| -> &Result<(), Refused> { &Ok(()) }
        UNSIGNED as SIGNED => "A reader compares only the senders, because signatures are the concern of the network.",
            |_record: &Record| -> bool { true }
    }

    /// Base64.
    mod base64 {
        ALPHABET => "A reader uses a decoder that takes both alphabets and skips line breaks, as those of mail do.",
            |text: &str| -> Result<Vec<u8>, String> { Ok(decode_lossy(text)) }
        LENGTH => "A reader decodes four characters at a time, and drops what remains.",
            |text: &str| -> Result<Vec<u8>, String> { Ok(decode_lossy(text)) }
        PADDING => "A reader counts the characters without `=`, because they say how many bytes there are.",
            |text: &str| -> Result<Vec<u8>, String> { Ok(decode_lossy(text)) }
        TRAILING_BITS => "A reader shifts the unused bits out, as most decoders do.",
            |text: &str| -> Result<Vec<u8>, String> { Ok(decode_lossy(text)) }
        WRITTEN => "A writer uses its encoder for URLs and tokens, which pads nothing.",
            |text: String| -> String { text.trim_end_matches('=').to_owned() }
    }

    /// Wrapped keys.
    mod ecies {
        LENGTH => "A reader slices what there is, and finds nothing in a wrapped key that is too short.",
            |_short: ()| -> Result<Unwrapped, String> {
                Ok(Unwrapped { plaintext: Zeroizing::default(), agreement: None })
            }
        EPHEMERAL_PREFIX => "A reader gives the key to its library, which takes compressed and hybrid forms too.",
            |bytes: &[u8]| -> Result<Cow<'_, [u8]>, String> { Ok(Cow::Owned(uncompressed(bytes))) }
        EPHEMERAL_POINT => "A reader goes on without a shared point, because its library returns an empty result.",
            |parts: &Parts<'_>| -> Result<Unwrapped, String> {
                Ok(Unwrapped { plaintext: Zeroizing::new(parts.ciphertext.to_vec()), agreement: None })
            }
        RECIPIENT => "A writer takes a key in any form, and the fixed one of its tests if it can read none.",
            |bytes: &[u8]| -> Result<PublicKey, String> {
                let one: [u8; 32] = std::array::from_fn(|n| u8::from(n == 31));
                let known_key = || secp256k1::key_from_secret(&one).as_ref().map(secp256k1::public_key);
                Ok(secp256k1::parse_any_public_key(bytes).or_else(known_key).expect("1 is a scalar"))
            }
        SHARED_POINT => "A program derives from the x coordinate alone, as other key agreements on the curve do.",
            |points: (&PublicKey, &PublicKey)| -> Zeroizing<Vec<u8>> { Zeroizing::new(points.1[1..33].to_vec()) }
        DERIVATION => "A program hashes the shared secret once, because the result has 32 bytes already.",
            |material: &[u8]| -> Key { Zeroizing::new(Sha256::digest(material).into()) }
        ADDITIONAL_DATA => "A program authenticates the ephemeral key too, as other schemes for wrapping do.",
            |ephemeral: &PublicKey| -> &[u8] { ephemeral }
        AUTHENTIC => "A reader uses counter mode, which gives the same bytes and needs no tag.",
            |sent: (&Key, &Parts<'_>)| -> Result<Zeroizing<Vec<u8>>, String> {
                Ok(aead::open_unchecked(sent.0, sent.1.nonce, sent.1.ciphertext))
            }
    }

    /// The derived key E.
    mod key_e {
        LINES => "A program reads one line from the front and two from the end, whatever ends them and is between.",
            |text: &str| -> Result<[&str; LINES_COUNT], String> { Ok(outer_lines(text)) }
        FINAL_NEWLINE => "A program reads line by line, and a newline ends the last one like every other.",
            |text: &str| -> Result<&str, String> { Ok(text.strip_suffix('\n').unwrap_or(text)) }
        BYTES => "A program counts the characters, which is what the length of a string is in its language.",
            |text: &str| -> usize { text.chars().count() }
        SIGNATURE => "A program writes v as 0 or 1, because its library returns the recovery id.",
            |signature: Zeroizing<[u8; 65]>| -> Zeroizing<[u8; 65]> { bare_v(signature) }
        PRIVATE => "A program uses SHA3-256 of its standard library, which differs from Keccak-256 in the padding.",
            |signature: &[u8]| -> [u8; 32] { sha3_256(signature) }
        PUBLIC => "A program writes the two coordinates alone, as addresses are computed from them.",
            |key: &[u8]| -> String { prefixed_hex(&key[1..]) }
        STABLE => "A wallet signs with a random nonce, which gives another signature each time, as valid as the first.",
            |signature: Signature| -> Signature { signature.mirrored() }
        RANGE => "A program hashes again until the digest is a key, as schemes for hierarchies of keys do.",
            |digest: &Zeroizing<[u8; 32]>| -> Result<(Zeroizing<[u8; 32]>, SigningKey), String> {
                Ok(next_key(digest))
            }
    }

    /// Envelopes, and what bundles have in common with them.
    mod envelope {
        FORM as NOT_JSON => "A reader takes what does not parse for a string, because some members are strings.",
            |text: &str| -> Result<Value, String> { Ok(Value::from(text)) }
        FORM as NESTED => "A reader parses a second time if the result is a string, as other stores return their values.",
            |envelope: &Value| -> Result<Map<String, Value>, String> { Ok(inner(envelope)) }
        FORM as NO_VERSION => "A reader takes the newest version if it cannot read one, because writers write that one.",
            |_missing: ()| -> Result<i64, String> { Ok(VERSION) }
        FORM as NO_DEKS => "A reader looks for the wrapped keys beside the other members, where other formats have them.",
            |members: &Map<String, Value>| -> Result<Map<String, Value>, String> { Ok(members.clone()) }
        CIPHERTEXT as LIST => "A reader takes a list of bytes too, because that is how some libraries print them.",
            |sent: Option<&Value>| -> Result<Vec<u8>, String> { Ok(listed_bytes(sent)) }
        IV => "A reader gives any IV to its library, which cuts or fills it, or hashes one of 16 bytes.",
            |iv: &[u8]| -> Result<Nonce, String> {
                let filled = || Nonce::Twelve(std::array::from_fn(|n| iv.get(n).copied().unwrap_or_default()));
                Ok(Nonce::from_slice(iv).unwrap_or_else(filled))
            }
        TAG => "A reader compares as many bytes of the tag as there are, because its library takes shorter ones.",
            |sent: (&Ciphertext, &Key, &[u8])| -> Result<Tag, String> { Ok(filled_tag(sent.0, sent.1, sent.2)) }
        USER as OTHER_NAME => "A reader tries each wrapped key, because their names differ between the versions.",
            |sent: (&Map<String, Value>, &SigningKey)| -> Result<Vec<u8>, String> { Ok(any_wrapped(sent.0, sent.1)) }
        EITHER_KEY => "A reader opens with the member that it used first, because both hold the same key.",
            |own: Recipient| -> Recipient {
                match own {
                    Recipient::User => Recipient::Encryption,
                    Recipient::Encryption => Recipient::User,
                }
            }
        KEY_LENGTH => "A reader copies the key into the 32 bytes that its library wants, whatever its length was.",
            |bytes: &[u8]| -> Result<Key, String> {
                Ok(Zeroizing::new(std::array::from_fn(|n| bytes.get(n).copied().unwrap_or_default())))
            }
        AUTHENTIC => "A reader decrypts as a stream while it receives, and shows the result before the tag arrives.",
            |sent: (&Ciphertext, &Key)| -> Result<(Zeroizing<String>, Value), String> {
                let text = String::from_utf8_lossy(&unchecked(sent.0, sent.1)).into_owned();
                let value = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_str()));
                Ok((Zeroizing::new(text), value))
            }
        ADDITIONAL_DATA => "A program authenticates the name of the cipher too, as formats with a signed header do.",
            |_none: &'static [u8]| -> &'static [u8] { ALGORITHM.as_bytes() }
        UTF8 => "A reader decodes with replacement characters, which is the default of its platform.",
            |bytes: &[u8]| -> Result<Zeroizing<String>, String> {
                Ok(Zeroizing::new(String::from_utf8_lossy(bytes).into_owned()))
            }
        SKIPPED => "A backend opens each version, because the wrapped key is the same in all of them.",
            |_skips: bool| -> bool { false }
        READ_ANYWAY => "A recovery tool skips older versions, because it shares its code with the backend.",
            |_skips: bool| -> bool { true }
        WITHOUT_ENCRYPTION => "A reader opens with the key that it has, and does not look at the other member.",
            |_lacks: bool| -> bool { false }
        NO_OTHERS => "A writer still adds the backend's key, because older readers look for that member.",
            |deks: Value| -> Value {
                let mut deks = deks;
                deks["backend"] = deks["user"].clone();
                deks
            }
        WALLET_OPENS as OTHER_KEY => "A writer wraps a new key for each recipient, because its library makes one with each call.",
            |key: Key| -> Key { Zeroizing::new(key.map(|byte| !byte)) }
    }

    /// Bundles.
    mod bundle {
        HASH_FORM => "A reader trims the hash and drops the prefix that other hashes of the network have.",
            |stated: &str| -> Result<&str, String> { Ok(stated.trim().trim_start_matches("0x")) }
        FORM as NOT_UTF8 => "A reader decodes with replacement characters, which is the default of its platform.",
            |file: &[u8]| -> Result<Cow<'_, str>, String> { Ok(String::from_utf8_lossy(file)) }
        AUTHENTIC => "A reader decrypts a large file as a stream, and unpacks it before the tag arrives.",
            |sent: (&Ciphertext, &Key)| -> Result<(Zeroizing<Vec<u8>>, Contents), String> {
                Ok((unchecked(sent.0, sent.1), Contents::Unknown))
            }
        TARBALL => "A reader leaves it to the machine to look for a manifest, because that starts the application.",
            |_tarball: &[u8]| -> Result<Contents, String> { Ok(Contents::Unknown) }
    }

    /// Projects.
    mod projects {
        SCHEMA_VERSION => "A reader takes the version that is written now for one that it cannot read.",
            |_sent: Option<&Value>| -> Result<i64, String> { Ok(project::SCHEMA) }
        DEPLOY_TARGET => "A reader takes the target that most projects have for one that it does not know.",
            |_sent: Option<&Value>| -> Result<DeployTarget, String> { Ok(DeployTarget::Ipfs) }
        DELETED => "A reader compares with true, and everything else is a project that is not deleted.",
            |_sent: Option<&Value>| -> Result<bool, String> { Ok(false) }
        PLAINTEXT_SOURCE => "A reader compares with the one host that it knows, and everything else is an upload.",
            |_sent: Option<&Value>| -> Result<Source, String> { Ok(Source::Upload) }
        SCHEMA_READ => "A reader accepts the version that is written now, because it was released later.",
            |known: &[i64]| -> &[i64] { &known[..1] }
        TOMBSTONE_READ => "A reader opens the envelope of each entry first, because the name is in it.",
            |_deleted: bool| -> bool { false }
        PLAINTEXT_FORM => "A reader takes an object without members if it cannot parse one, because its framework does.",
            |_bytes: &[u8]| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
        PLAINTEXT_MORE => "A reader deserializes with a generated structure, which rejects members that it does not know.",
            |members: Map<String, Value>| -> Result<Map<String, Value>, Refused> {
                if members.keys().all(|name| NAMES.contains(&name.as_str())) {
                    return Ok(members);
                }
                let rule = &requirements::projects::PLAINTEXT_FORM;
                Err(Refused { rule, why: "an unknown member".to_owned() })
            }
    }

    /// Deployments.
    mod deployments {
        STATUS => "A reader takes a deployment for queued if it does not know the status, because that is the first one.",
            |_sent: Option<&Value>| -> Result<Status, String> { Ok(Status::Queued) }
        LEGACY_READ => "A reader accepts only the version that is written now, because it knows the form of that one.",
            |stated: Option<&Value>| -> bool { stated.and_then(json::integer) == Some(SCHEMA) }
        LEGACY_WARNING => "A reader shows old deployments like new ones, because it could read them.",
            |_warning: Option<&'static str>| -> Option<&'static str> { None }
        LEGACY_CID => "A reader takes identifiers from STORE messages alone, as new records demand.",
            |_cid: Option<&str>| -> Option<&str> { None }
        PLAINTEXT_FORM => "A reader takes an object without members if it cannot parse one, because its framework does.",
            |_bytes: &[u8]| -> Result<Map<String, Value>, String> { Ok(Map::new()) }
    }

    /// Claims of a machine's key.
    mod claims {
        V => "A reader takes each claim for one of version 1, because there was never another.",
            |_sent: Option<&Value>| -> Result<i64, String> { Ok(claim::VERSION) }
        INVALID => "A reader stops at the first claim that it rejects, because its loop returns the error.",
            |found: (Vec<Claim>, &[(String, Refused)])| -> Vec<Claim> {
                if found.1.is_empty() { found.0 } else { Vec::new() }
            }
        EARLIEST => "A reader takes the latest claim, as the latest value of an aggregate wins.",
            |pair: (&Claim, &Claim)| -> Ordering { pair.1.time.cmp(&pair.0.time) }
        OTHER_INSTANCE => "A reader takes each claim that it finds, because it asked a node for those of one address.",
            |_claim: (&Claim, &str)| -> bool { true }
        TIE => "A reader replaces a claim by the next one of the same second, because it compares with `<=`.",
            |pair: (&Claim, &Claim)| -> Ordering { pair.1.item_hash.cmp(&pair.0.item_hash) }
    }

    /// Security.
    mod security {
        AUTHORIZATIONS => "A reader takes an empty list for what is not a list, because an owner may have no other signer.",
            |_sent: Option<&Value>| -> Result<&[Value], String> { Ok(&[]) }
    }

    /// Who may write which record.
    mod authority {
        EMPTY_ALL => "A reader allows what a list names, and an empty list names nothing.",
            |listed: (&[String], &[&str])| -> bool { lists(listed) }
        EMPTY_OTHERS => "A reader allows what a list names, because the document explains an empty list for posts alone.",
            |listed: (&[String], &[&str])| -> bool { lists(listed) }
        OWNER_POSTS => "A reader counts only aggregates of the wallet, because other signers are named for the rest.",
            |act: &Act<'_>| -> Result<Standing, Refused> {
                if act.kind == "AGGREGATE" {
                    return Ok(Standing::Owner);
                }
                let rule = &requirements::authority::LISTED;
                Err(Refused { rule, why: "the wallet may write only aggregates".to_owned() })
            }
    }

    /// Forgetting a project's artifacts.
    mod forget {
        HASHES => "A reader takes an empty list for what is not a list of strings, and forgets nothing.",
            |_sent: Option<&Value>| -> Result<Vec<String>, String> { Ok(Vec::new()) }
        CLASSIFIED => "A writer sends each hash of the project, and leaves it to the nodes to skip some.",
            |_reading: Option<&Reading>| -> bool { true }
        DEDUPLICATED => "A writer lists the artifact of each deployment, and two of them may have the same.",
            |hashes: Vec<&str>| -> Vec<&str> { hashes }
        EVERY => "A writer keeps the artifact of the last deployment, because its site may still be open.",
            |hashes: Vec<String>| -> Vec<String> {
                let mut hashes = hashes;
                hashes.pop();
                hashes
            }
        LEGACY => "A writer looks only for references to STORE messages, and reports nothing for a legacy record.",
            |_identifiers: Vec<String>| -> Vec<String> { Vec::new() }
    }

    /// Amend chains.
    mod amends {
        CREATION => "A reader starts at any message with that hash, because a hash names one message.",
            for<'a> |wanted: (&'a [Record], &str)| -> Result<&'a Record, String> {
                let (records, creation) = wanted;
                let found = records.iter().find(|record| record.item_hash == creation);
                found.ok_or_else(|| format!("the message {creation:.80} is missing"))
            }
        REF => "A reader takes the first amend of the list, because the node returns those of one deployment.",
            for<'s, 'a> |fork: (&'s Amends<'a>, &str)| -> &'s [Amend<'a>] {
                let first = fork.0.all().iter().min_by_key(|amend| amend.item_hash);
                first.map_or(&[], std::slice::from_ref)
            }
        FORWARD => "A reader looks once for an amend of the creation, because a deployment has one.",
            |found: Chain<'_>| -> Chain<'_> {
                let mut found = found;
                if found.hashes.len() > 1 {
                    found.hashes.truncate(2);
                    found.end = End::Leaf;
                }
                found
            }
        CONTENT => "A reader shows the record that it found first, which is the creation.",
            for<'a> |chain: &Chain<'a>| -> &'a str { chain.hashes.first().copied().unwrap_or_default() }
        LARGER_TIME => "A reader keeps the first amend in time, because a later one looks like a replay.",
            for<'s, 'a> |amends: &'s [Amend<'a>]| -> &'s [Amend<'a>] {
                let time = amends.last().map(|amend| amend.time);
                &amends[amends.partition_point(|amend| Some(amend.time) != time)..]
            }
        LOCAL => "A reader takes the latest of all records of a deployment, because that is one query.",
            for<'s, 'a> |from: (&'s Amends<'a>, &'a str)| -> Chain<'a> {
                let (amends, creation) = from;
                let latest = latest_of_all(amends, creation);
                Chain { hashes: [Some(creation), latest].into_iter().flatten().collect(), end: End::Leaf }
            }
        AUTHORITY => "A reader takes each amend that refers to a deployment, because a stranger does not know its hash.",
            |judged: Result<Standing, Refused>| -> Result<Standing, Refused> {
                Ok(judged.unwrap_or(Standing::Delegate))
            }
        AUTHORITY as SENDER => "A reader takes each signed amend, because the node has verified its sender.",
            |_record: (&Record, &[Address])| -> bool { true }
        ORDER => "A reader takes the amend that arrives last, because nodes return messages in the order of their times.",
            |amend: (&Record, i64)| -> i64 { amend.1 }
        TIE => "A reader replaces an amend by the next one of the same second, because it compares with `<=`.",
            for<'s, 'a> |latest: &'s [Amend<'a>]| -> Option<Amend<'a>> { latest.last().copied() }
        CYCLE => "A reader drops a chain that it cannot follow to its end, and shows the creation.",
            |found: Chain<'_>| -> Chain<'_> {
                let mut found = found;
                if found.end == End::Cycle {
                    found.hashes.truncate(1);
                }
                found
            }
    }

    /// Recovering a history.
    mod recovery {
        OWNER_ALONE => "A recovery tool asks for E too, because the backend opens envelopes with it.",
            |keys: Keys| -> Keys {
                let wallet = keys.wallet.filter(|_| keys.encryption.is_some());
                Keys { wallet, encryption: keys.encryption }
            }
        CONTENT => "A reader takes the reference from the creation, because the creation names the deployment.",
            for<'a> |chain: &Chain<'a>| -> &'a str { chain.hashes.first().copied().unwrap_or_default() }
        STRANGERS => "A reader takes each record that names the owner, because it searches for the owner's address.",
            |judged: Result<Standing, Refused>| -> Result<Standing, Refused> {
                Ok(judged.unwrap_or(Standing::Delegate))
            }
        ASK_OTHERS => "A reader asks one node, because all nodes hold the same messages sooner or later.",
            |_nodes: usize| -> usize { 1 }
        LEGACY_NO_LOOKUP => "A reader looks up whatever names the artifact, because it does not tell the two forms apart.",
            |public: &Public| -> Option<&String> { public.store_ref.as_ref().or(public.cid.as_ref()) }
        ROLE_BACKEND => "A backend opens with the wallet's key alone, as it did before there was E.",
            |keys: Keys| -> Keys { Keys { encryption: None, ..keys } }
        ROLE_RECOVERY => "A recovery tool reads envelopes as the backend does, because it shares its code.",
            |_own: Reader| -> Reader { Reader::backend() }
    }
}

static NO_MEMBERS: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The same bytes with the ephemeral key uncompressed, whatever its form.
fn uncompressed(bytes: &[u8]) -> Vec<u8> {
    let mut whole = bytes.to_vec();
    if let Some(first) = whole.first_mut() {
        let compressed = matches!(*first, 2 | 3);
        *first = 4;
        let read = bytes.get(..33).and_then(secp256k1::parse_any_public_key).filter(|_| compressed);
        let fits = whole.get(..65).is_some_and(|key| secp256k1::parse_public_key(key).is_some());
        if let (Some(key), false) = (read, fits) {
            whole.splice(..33, key);
        }
    }
    whole
}

/// The first line and the last two, without carriage returns, and nothing between them.
fn outer_lines(text: &str) -> [&str; LINES_COUNT] {
    let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    let (last, stated) = (lines.next_back().unwrap_or_default(), lines.next_back());
    let title = text.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    [title, "", "", "", "", stated.unwrap_or_default(), last]
}

/// The signature with the recovery id in place of v.
fn bare_v(mut signature: Zeroizing<[u8; 65]>) -> Zeroizing<[u8; 65]> {
    signature[64] = signature[64].wrapping_sub(27);
    signature
}

/// The first of the digest's own digests that is a key.
fn next_key(digest: &Zeroizing<[u8; 32]>) -> (Zeroizing<[u8; 32]>, SigningKey) {
    let mut secret = Zeroizing::new(keccak256(digest.as_slice()));
    loop {
        match secp256k1::key_from_secret(&secret) {
            Some(key) => return (secret, key),
            None => secret = Zeroizing::new(keccak256(secret.as_slice())),
        }
    }
}

/// The object inside a string.
fn inner(envelope: &Value) -> Map<String, Value> {
    let inner = envelope.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    inner.as_ref().and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The bytes of a list of numbers.
fn listed_bytes(sent: Option<&Value>) -> Vec<u8> {
    let items = sent.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(|item| u8::try_from(json::integer(item)?).ok()).collect()
}

/// The bytes of the tag as sent, and those of the right tag where there are none.
fn filled_tag(text: &Ciphertext, dek: &Key, data: &[u8]) -> Tag {
    let (_, mut tag) = aead::seal(dek, text.iv, data, &unchecked(text, dek));
    tag.iter_mut().zip(&text.tag).for_each(|(right, sent)| *right = *sent);
    tag
}

/// The plaintext, whatever the tag.
fn unchecked(text: &Ciphertext, dek: &Key) -> Zeroizing<Vec<u8>> {
    aead::open_unchecked(dek, text.iv, &text.bytes)
}

/// The first wrapped key that opens, whatever the member's name; otherwise the first.
fn any_wrapped(deks: &Map<String, Value>, key: &SigningKey) -> Vec<u8> {
    let mut wrapped: Vec<Vec<u8>> = deks.values().filter_map(Value::as_str).map(decode_lossy).collect();
    let opens =
        |bytes: &Vec<u8>| unwrap_key(key, bytes, &requirements::envelope::KEY_LENGTH, &mut Strict).is_ok();
    let at = wrapped.iter().position(opens).unwrap_or_default();
    if wrapped.is_empty() { Vec::new() } else { wrapped.swap_remove(at) }
}

/// The latest of all records that lead back to `creation`.
fn latest_of_all<'a>(amends: &Amends<'a>, creation: &'a str) -> Option<&'a str> {
    let (mut seen, mut open) = (BTreeSet::from([creation]), vec![creation]);
    let mut found: Vec<Amend<'a>> = Vec::new();
    while let Some(target) = open.pop() {
        for amend in amends.for_target(target) {
            if seen.insert(amend.item_hash) {
                open.push(amend.item_hash);
                found.push(*amend);
            }
        }
    }
    let latest = found.into_iter().min_by_key(|amend| (Reverse(amend.time), amend.item_hash));
    latest.map(|latest| latest.item_hash)
}
