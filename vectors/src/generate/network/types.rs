//! One record of each of the ten message types. `canonical` uses its canonical JSON, `record` its signature.

use assay_spec::network::message::MessageType;

/// The reading for the types whose form the document does not show.
const OTHERS: Option<&str> = Some("A-048/every-type");

/// A record of one type.
pub(super) struct Sample {
    /// The case's name.
    pub(super) name: String,
    /// The message. `"A"` is a placeholder for the wallet's address.
    pub(super) message: String,
    /// The case's reason.
    pub(super) why: &'static str,
    /// The case's reading.
    pub(super) reading: Option<&'static str>,
}

/// One record of each type, in the document's order, with content of its type.
pub(super) fn samples() -> Vec<Sample> {
    MessageType::ALL.into_iter().map(sample).collect()
}

fn sample(kind: MessageType) -> Sample {
    let inner = |content: &str| format!(r#""address":"A","content":{content},"time":1700000000"#);
    let why = "A record of this type has the form of an aggregate. Its type is a string like the channel.";
    let (content, why, reading) = match kind {
        MessageType::Aggregate => {
            let content = r#""address":"A","key":"security","content":{"authorizations":[{"address":"0x0000000000000000000000000000000000000001","types":["POST","AGGREGATE"],"channels":["SVC_CHANNEL_V1"],"aggregate_keys":["projects","deployments"],"post_types":[]}],"encryptionKey":null},"time":1700000000"#;
            (content.to_owned(), "The form shown in the document.", None)
        }
        MessageType::Post => {
            let content = r#""address":"A","type":"svc-cloud-deployment","content":{"deploymentId":"deploy_AAAAAAAAAAAA","projectId":"proj_AAAAAAAAAAAA","schemaVersion":4,"public":{"status":"queued","storeRef":null,"url":null,"runId":null,"runAttempt":null,"createdAt":"2026-03-04T05:06:07.345Z","finishedAt":null}},"time":1700000000"#;
            (content.to_owned(), "A post has a second type inside its content.", None)
        }
        MessageType::Forget => (
            r#""address":"A","hashes":["h2","h1"],"time":1700000000"#.to_owned(),
            "A FORGET has hashes in place of the inner content, in the received order.",
            Some("A-050/hashes"),
        ),
        MessageType::Store => (
            inner(
                r#"{"item_type":"ipfs","item_hash":"bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"}"#,
            ),
            why,
            OTHERS,
        ),
        MessageType::Program => (
            inner(r#"{"name":"n","description":"d","code":"c","runtime":"r","memory":128,"timeout":30}"#),
            why,
            OTHERS,
        ),
        MessageType::Instance => (
            inner(
                r#"{"name":"n","description":"d","cpu":1,"memory":2048,"disk":20,"image":"i","ssh_key":"s","firewall":{"allowedPorts":[443,22]}}"#,
            ),
            why,
            OTHERS,
        ),
        MessageType::InstanceUpdate => (
            inner(r#"{"instance_id":"i","name":"n","description":"","firewall":{"allowedPorts":[]}}"#),
            why,
            OTHERS,
        ),
        MessageType::InstanceControl => (inner(r#"{"instance_id":"i","action":"restart"}"#), why, OTHERS),
        MessageType::IpfsPin => {
            (inner(r#"{"hash":"QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"}"#), why, OTHERS)
        }
        MessageType::Webhook => (
            inner(
                r#"{"url":"https://hook.example/a","events":["program.executed","message.new"],"secret":"s"}"#,
            ),
            why,
            OTHERS,
        ),
    };
    let name = format!("type-{}", kind.name().to_lowercase().replace('_', "-"));
    let message =
        format!(r#"{{"type":"{}","channel":"SVC_CHANNEL_V1","content":{{{content}}}}}"#, kind.name());
    Sample { name, message, why, reading }
}
