//! The generators of the golden cases. Their output is the same on every machine.

mod drop;
mod gateway;
mod group;
mod hosting;
pub mod keys;
mod metadata;
mod network;
mod publish;

use rayon::prelude::*;

use crate::case::{Case, canonical};
use crate::manifest::Manifest;

/// What makes the cases of a file.
type Generator = fn() -> Vec<Case>;

/// A file of cases. It is embedded, so an installed program needs no files.
pub(crate) struct File {
    /// Its path below `data`.
    pub(crate) path: &'static str,
    /// Its content when the program was built.
    pub(crate) text: &'static str,
    cases: Generator,
}

macro_rules! files {
    ($($path:literal $cases:path;)*) => {
        &[$(File { path: $path, text: include_str!(concat!("../../data/", $path)), cases: $cases }),*]
    };
}

/// The files of cases, each with its generator.
pub(crate) static FILES: &[File] = files! {
    "gateway/validate-chat.json" gateway::chat::cases;
    "gateway/validate-messages.json" gateway::messages::cases;
    "gateway/read-stream.json" gateway::stream::cases;
    "metadata/route.json" metadata::route::cases;
    "metadata/contract.json" metadata::records::contract_cases;
    "metadata/token.json" metadata::records::token_cases;
    "metadata/validation-error.json" metadata::records::error_cases;
    "network/keccak256.json" network::keccak::cases;
    "network/eip191-sign.json" network::personal::sign_cases;
    "network/eip191-recover.json" network::personal::recover_cases;
    "network/address.json" network::address::cases;
    "network/record-canonical.json" network::canonical::cases;
    "network/record-verify.json" network::record::cases;
    "network/request-verify.json" network::request::cases;
    "network/store-classify.json" network::classify::cases;
    "hosting/base64-decode.json" hosting::base64::cases;
    "hosting/key-e-derive.json" hosting::derive::cases;
    "hosting/ecies-encrypt.json" hosting::ecies::encrypt_cases;
    "hosting/ecies-decrypt.json" hosting::ecies::decrypt_cases;
    "hosting/envelope-seal.json" hosting::envelope::seal_cases;
    "hosting/envelope-open.json" hosting::open::cases;
    "hosting/bundle-seal.json" hosting::bundle::seal_cases;
    "hosting/bundle-open.json" hosting::bundle::open_cases;
    "hosting/amends-resolve.json" hosting::amends::cases;
    "hosting/vm-claim-select.json" hosting::claims::cases;
    "hosting/authority.json" hosting::authority::cases;
    "hosting/record.json" hosting::read::cases;
    "hosting/recover.json" hosting::recover::cases;
    "publish/domain.json" publish::domain::cases;
    "publish/vfkey-sign.json" publish::sign::cases;
    "publish/vfkey-verify.json" publish::verify_header::cases;
    "publish/record-encode.json" publish::record::encode_cases;
    "publish/record-parse.json" publish::record::parse_cases;
    "publish/transaction-encode.json" publish::encode::cases;
    "publish/transaction-decode.json" publish::decode::cases;
    "publish/check-message.json" publish::check_message::cases;
    "publish/verify-transaction.json" publish::verify_transaction::cases;
    "drop/cid-file.json" drop::cid_file::cases;
    "drop/cid-directory.json" drop::cid_directory::cases;
    "drop/inspect-zip.json" drop::inspect_zip::cases;
};

/// Every generated file with its path below `data`. The manifest is last.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    files_matching(&[])
}

/// As [`files`], but only the files whose path contains one of these strings, and no manifest, which covers all files.
/// Without strings, all files and the manifest.
pub fn files_matching(only: &[String]) -> Vec<(&'static str, Vec<u8>)> {
    let is_wanted = |path: &str| only.is_empty() || only.iter().any(|part| path.contains(part.as_str()));
    let groups: Vec<(&'static str, Vec<Case>)> = FILES
        .par_iter()
        .filter(|file| is_wanted(file.path))
        .map(|file| (file.path, (file.cases)()))
        .collect();
    let cases: Vec<&Case> = groups.iter().flat_map(|(_, cases)| cases).collect();
    let mut files: Vec<(&'static str, Vec<u8>)> =
        groups.par_iter().map(|(path, cases)| (*path, canonical(cases).into_bytes())).collect();
    if only.is_empty() {
        let manifest = Manifest::from_files(&files, &cases);
        files.push(("manifest.json", canonical(&manifest).into_bytes()));
    }
    files
}
