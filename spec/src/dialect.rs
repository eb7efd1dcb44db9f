//! The dialect: every literal that the documents replace with a neutral word, in one value.
//!
//! The documents write `svc` for product names and `chain` for the name of the chain, and omit a few addresses. The
//! profile of a real target gives the real words. They take effect *before* anything is signed.

use serde::{Deserialize, Serialize};

/// The literals of one family of services. The default is what the documents print.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dialect {
    /// Document 1: prefix of discovery and key check.
    pub discovery_prefix: String,
    /// Document 1: the version header of the messages endpoint.
    pub version_header: String,
    /// Document 1: scheme of a confidential server in discovery.
    pub confidential_scheme: String,
    /// Document 2: the default channel.
    pub channel: String,
    /// Document 2: the channel of the hosting application's records.
    pub records_channel: String,
    /// Document 2: the retired channel.
    pub retired_channel: String,
    /// Document 2: content type of a deployment.
    pub deployment_type: String,
    /// Document 2: content type of a VM key claim.
    pub vm_claim_type: String,
    /// Document 2: kind of a bundle envelope.
    pub bundle_kind: String,
    /// Document 2: `source` of a project that has a hosted repository.
    pub hosted_source: String,
    /// Document 2: title line of the derivation message.
    pub derivation_title: String,
    /// Document 2: content type of published measurements.
    pub scoring_type: String,
    /// Document 2: content type used to query measurements.
    pub metrics_type: String,
    /// Document 2: channel of the measurements.
    pub scoring_channel: String,
    /// Document 3: the scheme of the `Authorization` header.
    pub auth_scheme: String,
    /// Document 3: the prefix of an envelope message.
    pub auth_prefix: String,
    /// Document 3: the prefix of a record.
    pub record_prefix: String,
    /// Document 3: the prefix of a base58 key in `newAuthority`.
    pub key_scheme: String,
    /// Document 3: the label of the TXT record.
    pub txt_label: String,
    /// Document 3: the chain's memo program, base58. The document omits it; this is the public program's address.
    pub memo_program: String,
}

impl Dialect {
    /// The path that the documents print for a path of the gateway.
    pub fn documented(&self, path: &str) -> String {
        match path.strip_prefix(self.discovery_prefix.as_str()) {
            Some(rest) if rest.starts_with('/') => format!("{DISCOVERY_PREFIX}{rest}"),
            _ => path.to_owned(),
        }
    }
}

/// The prefix of discovery and key check, as the documents print it.
const DISCOVERY_PREFIX: &str = "/svc";

impl Default for Dialect {
    fn default() -> Self {
        Self {
            discovery_prefix: DISCOVERY_PREFIX.into(),
            version_header: "svc-version".into(),
            confidential_scheme: "tee://".into(),
            channel: "SVC".into(),
            records_channel: "SVC_CHANNEL_V1".into(),
            retired_channel: "SVC_CHANNEL_V0".into(),
            deployment_type: "svc-cloud-deployment".into(),
            vm_claim_type: "svc-vm-pubkey".into(),
            bundle_kind: "svc-bundle".into(),
            hosted_source: "codehost".into(),
            derivation_title: "Svc Cloud \u{2014} encryption key".into(),
            scoring_type: "svc-scoring-metrics".into(),
            metrics_type: "svc-network-metrics".into(),
            scoring_channel: "svc-scoring".into(),
            auth_scheme: "VfKey".into(),
            auth_prefix: "svc-vf:1:auth:".into(),
            record_prefix: "svc-vf:1:".into(),
            key_scheme: "chain:".into(),
            txt_label: "_svc-vf".into(),
            memo_program: "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr".into(),
        }
    }
}
