//! The deviations of the application: each entry breaks one requirement, with its code, at one seam.

use assay_spec::hosting::machines::{ProjectEvent, ProjectState};
use assay_spec::hosting::requirements::{
    bundle, claims, deployments, envelope, forget, history, identifiers, instances, projects, records,
    recovery, security,
};
use assay_spec::network::message::MessageType;
use serde_json::{Value, json};

use super::accounts::{self, DeploymentId, Project, ProjectId};
use super::done::{Batches, Following};
use super::keys;
use super::plan::Deletion;
use super::step::{Authorship, Step};
use super::write::artifacts::{self, Pinner, Store};
use super::write::deployments::NO_HASH;
use super::write::document::{Document, DocumentKind, put};
use super::write::machines::{ClaimBody, Tarball, Wrap, tarball};
use super::write::messages::{Deployer, Secure, Targets, WriteAmend};
use super::write::projects::{Emptied, EntryTimes, ProjectsMap};
use super::write::seal::{Bundle, BundleKeys, Envelope, EnvelopeKeys};
use super::write::security::{DelegateEdits, SecurityBody};
use super::write::sign::{Draft, Record, send};
use super::write::{Amend, Amends, Edit};
use crate::deviation::{Deviation, deviations};

const ENTRY: &[DocumentKind] = &[DocumentKind::Entry, DocumentKind::Tombstone];
const TOMBSTONE: &[DocumentKind] = &[DocumentKind::Tombstone];
const LIVING: &[DocumentKind] = &[DocumentKind::Entry];
const PROJECT: &[DocumentKind] = &[DocumentKind::Project];
const CREATION: &[DocumentKind] = &[DocumentKind::Creation];
const TERMINAL: &[DocumentKind] = &[DocumentKind::Terminal];
const BOTH: &[DocumentKind] = &[DocumentKind::Creation, DocumentKind::Terminal];
const DEPLOYMENT: &[DocumentKind] = &[DocumentKind::Deployment];

/// Every deviation of the application.
pub(super) const ALL: &[Deviation] = deviations! {
    records::CHANNEL => "records are on the default channel", step |d: &mut Draft| {
        // The network accepts nothing from a session key there.
        if !d.is_by_session() && !matches!(d.record, Record::Instance) {
            d.channel.clone_from(&d.default_channel);
        }
    };
    records::SIGNATURE => "records are signed like requests, over their own text",
        step |d: &mut Draft| d.as_request |= !matches!(d.record, Record::Claim { .. });
    records::ADDRESS => "records have no address", step |d: &mut Draft| {
        // The network treats the sender as the owner of such an AGGREGATE. It rejects one with an invalid address.
        if let (false, Value::Object(content)) = (matches!(d.record, Record::Instance), &mut d.content) {
            content.shift_remove("address");
        }
    };
    records::TIME => "the time of records is in milliseconds", step |d: &mut Draft| {
        // In milliseconds it is still an integer, which a signature can cover.
        if !matches!(d.record, Record::Instance) {
            d.content["time"] = json!(d.time_s.saturating_mul(1000));
        }
    };

    identifiers::PROJECT => "a project's id has one character too few", step |s: &mut ProjectId| {
        s.0 = |core, n| {
            let mut id = accounts::project_id(core, n);
            id.pop();
            id
        };
    };
    identifiers::DEPLOYMENT => "a deployment's id has one character too many",
        step |s: &mut DeploymentId| s.0 = |core, n| accounts::deployment_id(core, n) + "a";

    envelope::FORM => "`v` is a string", step |e: &mut Envelope| put(&mut e.0, "/v", json!("3"));
    envelope::VERSION => "`v` is 2", step |e: &mut Envelope| put(&mut e.0, "/v", json!(2));
    envelope::ALGORITHM => "`alg` names another cipher",
        step |e: &mut Envelope| put(&mut e.0, "/alg", json!("aes-256-cbc"));
    envelope::CIPHERTEXT => "`ct` is not base64",
        step |e: &mut Envelope| put(&mut e.0, "/ct", json!("not~base64"));
    envelope::IV => "`iv` has 16 bytes",
        step |e: &mut Envelope| put(&mut e.0, "/iv", json!("AAAAAAAAAAAAAAAAAAAAAA=="));
    envelope::TAG => "`tag` has 12 bytes",
        step |e: &mut Envelope| put(&mut e.0, "/tag", json!("AAAAAAAAAAAAAAAA"));
    envelope::USER => "`deks.user` is not base64",
        step |e: &mut Envelope| put(&mut e.0, "/deks/user", json!("not~base64"));
    envelope::ENCRYPTION => "`deks.encryption` is not base64",
        step |e: &mut Envelope| put(&mut e.0, "/deks/encryption", json!("not~base64"));
    envelope::NO_OTHERS => "`deks.backend` is also written", step |e: &mut Envelope| {
        let user = e.0["deks"]["user"].clone();
        put(&mut e.0, "/deks/backend", user);
    };
    envelope::WALLET_OPENS => "`deks.user` is wrapped to an unrelated key",
        step |k: &mut EnvelopeKeys| k.user = k.stranger;
    envelope::KEY_E_OPENS => "`deks.encryption` is wrapped to an unrelated key",
        step |k: &mut EnvelopeKeys| k.encryption = k.stranger;

    bundle::FORM => "`deks` is an array", step |b: &mut Bundle| put(&mut b.0, "/deks", json!([]));
    bundle::VERSION => "`v` is 2", step |b: &mut Bundle| put(&mut b.0, "/v", json!(2));
    bundle::KIND => "`kind` has another value", step |b: &mut Bundle| put(&mut b.0, "/kind", json!("bundle"));
    bundle::ALGORITHM => "`alg` names another cipher",
        step |b: &mut Bundle| put(&mut b.0, "/alg", json!("aes-256-cbc"));
    bundle::CIPHERTEXT => "`ct` is not base64",
        step |b: &mut Bundle| put(&mut b.0, "/ct", json!("not~base64"));
    bundle::IV => "`iv` has 16 bytes",
        step |b: &mut Bundle| put(&mut b.0, "/iv", json!("AAAAAAAAAAAAAAAAAAAAAA=="));
    bundle::TAG => "`tag` has 12 bytes",
        step |b: &mut Bundle| put(&mut b.0, "/tag", json!("AAAAAAAAAAAAAAAA"));
    bundle::VM => "`deks.vm` is not base64",
        step |b: &mut Bundle| put(&mut b.0, "/deks/vm", json!("not~base64"));
    bundle::ENCRYPTION => "`deks.encryption` is not base64",
        step |b: &mut Bundle| put(&mut b.0, "/deks/encryption", json!("not~base64"));
    bundle::TWO_RECIPIENTS => "`deks.user` is also present", step |b: &mut Bundle| {
        let encryption = b.0["deks"]["encryption"].clone();
        put(&mut b.0, "/deks/user", encryption);
    };
    bundle::KEY_E_OPENS => "`deks.encryption` is wrapped to an unrelated key",
        step |k: &mut BundleKeys| k.encryption = k.stranger;
    bundle::TARBALL => "the bundle contains only the manifest",
        step |t: &mut Tarball| t.bytes = t.manifest.clone().into_bytes();
    bundle::TARBALL, "text" => "the manifest is not JSON",
        step |t: &mut Tarball| t.bytes = tarball(&[("manifest.json", b"framework = express")]);

    projects::TYPE => "projects are sent as a POST", step |d: &mut Draft| {
        if matches!(d.record, Record::Projects { .. }) {
            d.kind = MessageType::Post;
        }
    };
    projects::KEY => "the key is `project`", step |e: &mut Edit| e.key = "project";
    projects::OWNER => "the session key writes under its own address", step |d: &mut Draft| {
        if let Record::Projects { session } = &d.record {
            d.sender = session.clone();
            d.content["address"] = json!(d.sender.address());
        }
    };
    projects::SIGNER => "the delegate signs and is authorized to",
        step |s: &mut DelegateEdits| s.0 = true;
    projects::MAP => "the map has only the key `entries`, with an array", step |d: &mut Draft| {
        if let (Record::Projects { .. }, Value::Object(entries)) = (&d.record, &d.content["content"]) {
            d.content["content"] = json!({ "entries": entries.values().collect::<Vec<_>>() });
        }
    };
    projects::ENTRY => "`public` is an array", step |d: &mut Document| d.put(ENTRY, "/public", json!([]));
    projects::ID => "the `id` of an entry is not its key in the map",
        step |d: &mut Document| d.put(ENTRY, "/id", json!("proj_000000000000"));
    projects::SCHEMA_VERSION => "`schemaVersion` is a string",
        step |d: &mut Document| d.put(ENTRY, "/schemaVersion", json!("1"));
    projects::FRAMEWORK => "`framework` is a number",
        step |d: &mut Document| d.put(ENTRY, "/public/framework", json!(7));
    projects::DEPLOY_TARGET => "`deployTarget` is neither `ipfs` nor `instance`",
        step |d: &mut Document| d.put(ENTRY, "/public/deployTarget", json!("moon"));
    projects::CREATED_AT => "`createdAt` is not a valid time",
        step |d: &mut Document| d.put(ENTRY, "/public/createdAt", json!("yesterday"));
    projects::UPDATED_AT => "`updatedAt` is not a valid time",
        step |d: &mut Document| d.put(ENTRY, "/public/updatedAt", json!("today"));
    projects::DELETED => "`deleted` is a string",
        step |d: &mut Document| d.put(ENTRY, "/public/deleted", json!("false"));
    projects::ENCRYPTED => "`encrypted` is an empty string",
        step |d: &mut Document| d.put(LIVING, "/encrypted", json!(""));
    projects::PLAINTEXT_FORM => "the plaintext is an array",
        step |d: &mut Document| d.put(PROJECT, "", json!([]));
    projects::PLAINTEXT_NAME => "`name` is a number",
        step |d: &mut Document| d.put(PROJECT, "/name", json!(7));
    projects::PLAINTEXT_SOURCE => "`source` is neither `codehost` nor `upload`",
        step |d: &mut Document| d.put(PROJECT, "/source", json!("elsewhere"));
    projects::PLAINTEXT_REPO => "`repo` has no slash",
        step |d: &mut Document| d.put(PROJECT, "/repo", json!("repository"));
    projects::PLAINTEXT_BRANCH => "`branch` is a number",
        step |d: &mut Document| d.put(PROJECT, "/branch", json!(7));
    projects::PLAINTEXT_INSTALLATION => "`installationId` is a string",
        step |d: &mut Document| d.put(PROJECT, "/installationId", json!("7"));
    projects::PLAINTEXT_BUILD => "`buildCommand` is null",
        step |d: &mut Document| d.put(PROJECT, "/buildCommand", json!(null));
    projects::PLAINTEXT_OUTPUT => "`outputDir` is a number",
        step |d: &mut Document| d.put(PROJECT, "/outputDir", json!(7));
    projects::TOMBSTONE => "the envelope of a deleted project is not emptied",
        step |e: &mut Emptied| e.after = e.before.clone();

    deployments::TYPE => "records are an AGGREGATE under the delegate's own address", step |d: &mut Draft| {
        if matches!(d.record, Record::Creation | Record::Terminal { .. }) {
            // An AGGREGATE that the network accepts: under the delegate's own address.
            d.kind = MessageType::Aggregate;
            d.content["key"] = json!("deployments");
            d.content["address"] = json!(d.sender.address());
        }
    };
    deployments::CONTENT_TYPE => "a creation has another content type", step |d: &mut Draft| {
        if matches!(d.record, Record::Creation) {
            d.content["type"] = json!("deployment");
        }
    };
    deployments::DELEGATE => "records are sent by an unrelated address",
        step |s: &mut Deployer| s.0 = |core| keys::stranger(core);
    deployments::BODY => "the body is a string", step |d: &mut Document| {
        let text = d.value.to_string();
        d.put(BOTH, "", json!(text));
    };
    deployments::DEPLOYMENT_ID => "`deploymentId` is a number",
        step |d: &mut Document| d.put(BOTH, "/deploymentId", json!(7));
    deployments::PROJECT_ID => "`projectId` names no project",
        step |d: &mut Document| d.put(BOTH, "/projectId", json!("proj_000000000000"));
    deployments::SCHEMA => "`schemaVersion` is 3, with a `storeRef`",
        step |d: &mut Document| d.put(BOTH, "/schemaVersion", json!(3));
    deployments::PUBLIC => "`public` is an array", step |d: &mut Document| d.put(BOTH, "/public", json!([]));
    deployments::RUN_ID => "`runId` is a string",
        step |d: &mut Document| d.put(BOTH, "/public/runId", json!("7"));
    deployments::RUN_ATTEMPT => "`runAttempt` is a string",
        step |d: &mut Document| d.put(BOTH, "/public/runAttempt", json!("1"));
    deployments::CREATED_AT => "`createdAt` is not a valid time",
        step |d: &mut Document| d.put(BOTH, "/public/createdAt", json!("yesterday"));
    deployments::ENCRYPTED => "`encrypted` is null",
        step |d: &mut Document| d.put(BOTH, "/encrypted", json!(null));
    deployments::CREATION_QUEUED => "the status of a creation is `live`",
        step |d: &mut Document| d.put(CREATION, "/public/status", json!("live"));
    deployments::CREATION_STORE_REF => "a creation has a `storeRef`",
        step |d: &mut Document| d.put(CREATION, "/public/storeRef", json!(NO_HASH));
    deployments::CREATION_URL => "a creation has a `url`",
        step |d: &mut Document| d.put(CREATION, "/public/url", json!("https://soon.example/"));
    deployments::CREATION_FINISHED => "a creation has a `finishedAt`", step |d: &mut Document| {
        let created = d.value["public"]["createdAt"].clone();
        d.put(CREATION, "/public/finishedAt", created);
    };
    deployments::AMEND_TYPE => "a terminal record has another type", step |d: &mut Draft| {
        if matches!(d.record, Record::Terminal { .. }) {
            d.content["type"] = json!("amendment");
        }
    };
    deployments::AMEND_REF => "`ref` of a terminal record is the deployment id", step |d: &mut Draft| {
        if let Record::Terminal { deployment, .. } = &d.record {
            d.content["ref"] = json!(&**deployment);
        }
    };
    deployments::SAME_DEPLOYMENT => "a terminal record names another deployment",
        step |d: &mut Document| d.put(TERMINAL, "/deploymentId", json!("deploy_000000000000"));
    deployments::SAME_PROJECT => "a terminal record names another project", step |d: &mut Document| {
        let other = d.about.other_project.clone().unwrap_or_else(|| "proj_000000000000".into());
        d.put(TERMINAL, "/projectId", json!(&*other));
    };
    deployments::TERMINAL_STATUS => "the status of a terminal record is `queued`",
        step |d: &mut Document| d.put(TERMINAL, "/public/status", json!("queued"));
    deployments::LIVE_STORE_REF => "`storeRef` of a live deployment is the CID", step |d: &mut Document| {
        if let Some(cid) = d.about.cid.clone().filter(|_| d.about.is_live) {
            d.put(TERMINAL, "/public/storeRef", json!(&*cid));
        }
    };
    deployments::FAILED_STORE_REF => "a failed deployment has a `storeRef`", step |d: &mut Document| {
        if !d.about.is_live {
            d.put(TERMINAL, "/public/storeRef", json!(NO_HASH));
        }
    };
    deployments::URL => "`url` of a terminal record is a number",
        step |d: &mut Document| d.put(TERMINAL, "/public/url", json!(7));
    deployments::FINISHED_AT => "`finishedAt` of a terminal record is not a valid time",
        step |d: &mut Document| d.put(TERMINAL, "/public/finishedAt", json!("just now"));
    deployments::PLAINTEXT_FORM => "the plaintext is an array",
        step |d: &mut Document| d.put(DEPLOYMENT, "", json!([]));
    deployments::PLAINTEXT_COMMIT => "`commit` is a number",
        step |d: &mut Document| d.put(DEPLOYMENT, "/commit", json!(7));
    deployments::PLAINTEXT_MESSAGE => "`commitMessage` is a number",
        step |d: &mut Document| d.put(DEPLOYMENT, "/commitMessage", json!(7));
    deployments::PLAINTEXT_BRANCH => "`branch` is a number",
        step |d: &mut Document| d.put(DEPLOYMENT, "/branch", json!(7));
    deployments::PLAINTEXT_RUN => "`actionsRunUrl` is a number",
        step |d: &mut Document| d.put(DEPLOYMENT, "/actionsRunUrl", json!(7));
    deployments::PLAINTEXT_ERROR => "`error` is a number",
        step |d: &mut Document| d.put(DEPLOYMENT, "/error", json!(7));

    instances::BUNDLE_HASH => "`bundleHash` has 63 digits", step |d: &mut Document| {
        if let Some(hash) = d.value["public"]["bundleHash"].as_str().map(|hash| hash[1..].to_owned()) {
            d.put(TERMINAL, "/public/bundleHash", json!(hash));
        }
    };
    instances::BUNDLE_HASH_VALUE => "`bundleHash` is another hash", step |d: &mut Document| {
        if d.about.is_machine && d.about.is_live {
            d.put(TERMINAL, "/public/bundleHash", json!(NO_HASH));
        }
    };
    instances::BUNDLE_WRAPPED => "the tarball is pinned without encryption",
        step |s: &mut Wrap| s.0 = |_, _, _, _, tar| tar.to_vec();

    claims::TYPE => "a claim is sent as an AGGREGATE", step |d: &mut Draft| {
        if matches!(d.record, Record::Claim { .. }) {
            d.kind = MessageType::Aggregate;
            d.content["key"] = json!("vm");
        }
    };
    claims::CONTENT_TYPE => "a claim has another content type", step |d: &mut Draft| {
        if matches!(d.record, Record::Claim { .. }) {
            d.content["type"] = json!("vm-key");
        }
    };
    claims::SENDER => "`content.address` of a claim is the owner's address", step |d: &mut Draft| {
        if let Record::Claim { owner } = &d.record {
            d.content["address"] = json!(&**owner);
        }
    };
    claims::SIGNATURE => "a claim is signed like a request, over its own text",
        step |d: &mut Draft| d.as_request |= matches!(d.record, Record::Claim { .. });
    claims::BODY => "the body of a claim is a string",
        step |c: &mut ClaimBody| c.body = json!(c.body.to_string());
    claims::V => "`v` is 2", step |c: &mut ClaimBody| put(&mut c.body, "/v", json!(2));
    claims::INSTANCE_HASH => "`instanceHash` is the hash of another message",
        step |c: &mut ClaimBody| put(&mut c.body, "/instanceHash", json!(c.other));
    claims::PUBKEY => "`pubkey` has no `0x`",
        step |c: &mut ClaimBody| {
        let key = bare(&c.body["pubkey"]);
        put(&mut c.body, "/pubkey", key);
    };
    claims::KEY_OF_ADDRESS => "the claimed key is an unrelated key",
        step |c: &mut ClaimBody| put(&mut c.body, "/pubkey", json!(c.strange_pubkey));
    claims::REGISTERED_AT => "`registeredAt` is not a valid time",
        step |c: &mut ClaimBody| put(&mut c.body, "/registeredAt", json!("today"));
    claims::ONCE => "a machine writes two claims", step |f: &mut Following| {
        if let (Step::Claim { machine }, true) = (&f.after, f.is_first) {
            f.steps.push(Step::Claim { machine: machine.clone() });
        }
    };

    security::TYPE => "`security` is sent as a POST", step |d: &mut Draft| {
        if matches!(d.record, Record::Security) {
            d.kind = MessageType::Post;
        }
    };
    security::KEY => "the aggregate key is `safety`", step |d: &mut Draft| {
        if matches!(d.record, Record::Security) {
            d.content["key"] = json!("safety");
        }
    };
    security::OWNER => "the wallet also posts `security` under the session key's address",
        step |f: &mut Following| {
            if matches!(f.after, Step::Security { by: Authorship::Own }) && f.is_first {
                f.steps.push(Step::Security { by: Authorship::Elsewhere });
            }
        };
    security::SIGNER => "the delegate also posts `security`", step |f: &mut Following| {
        if matches!(f.after, Step::Security { by: Authorship::Own }) && f.is_first {
            f.steps.push(Step::Security { by: Authorship::ByDelegate });
        }
    };
    security::AUTHORIZATIONS => "`authorizations` is an object", step |s: &mut SecurityBody| {
        let all = json!({ "all": s.body["authorizations"] });
        put(&mut s.body, "/authorizations", all);
    };
    security::ENTRY => "the first authorization is a string (its address)", step |s: &mut SecurityBody| {
        if let Some(entry) = s.body.pointer_mut("/authorizations/0") {
            *entry = entry.get("address").cloned().unwrap_or_default();
        }
    };
    security::ENTRY_ADDRESS => "the session key's `address` has no `0x`",
        step |s: &mut SecurityBody| s.session("address", bare);
    security::ENTRY_PUBKEY => "the session key's `pubkey` has no `0x`",
        step |s: &mut SecurityBody| s.session("pubkey", bare);
    security::ENTRY_PUBKEY_ADDRESS => "the session key's `pubkey` is another key",
        step |s: &mut SecurityBody| {
            let other = s.body["encryptionKey"]["pubkey"].clone();
            s.session("pubkey", |_| other);
        };
    security::SESSION_TYPES => "a session key is authorized for FORGET",
        step |s: &mut SecurityBody| s.session("types", |_| json!(["POST", "AGGREGATE", "FORGET"]));
    security::SESSION_CHANNELS => "a session key is authorized for every channel",
        step |s: &mut SecurityBody| s.session("channels", |_| json!([]));
    security::SESSION_AGGREGATE_KEYS => "a session key is authorized for `security`",
        step |s: &mut SecurityBody| {
            s.session("aggregate_keys", |_| json!(["projects", "deployments", "security"]));
        };
    security::SESSION_POST_TYPES => "a session key is authorized only for amends",
        step |s: &mut SecurityBody| s.session("post_types", |_| json!(["amend"]));
    security::DELEGATE_NO_PUBKEY => "the delegate's authorization has a `pubkey`",
        step |s: &mut SecurityBody| {
            put(&mut s.body, "/authorizations/1/pubkey", json!(s.delegate_pubkey));
        };
    security::ENCRYPTION_KEY => "`encryptionKey` is a string", step |s: &mut SecurityBody| {
        let key = s.body["encryptionKey"]["pubkey"].clone();
        put(&mut s.body, "/encryptionKey", key);
    };
    security::ENCRYPTION_PUBKEY => "`encryptionKey.pubkey` has no `0x`", step |s: &mut SecurityBody| {
        let key = bare(&s.body["encryptionKey"]["pubkey"]);
        put(&mut s.body, "/encryptionKey/pubkey", key);
    };
    security::ENCRYPTION_SCHEME => "`encryptionKey.scheme` has another value", step |s: &mut SecurityBody| {
        put(&mut s.body, "/encryptionKey/scheme", json!("wallet-sig-v0"));
    };
    security::ENCRYPTION_REGISTERED_AT => "`encryptionKey.registeredAt` is not a valid time",
        step |s: &mut SecurityBody| {
            put(&mut s.body, "/encryptionKey/registeredAt", json!("today"));
        };
    security::ENCRYPTION_IS_E => "an unrelated key is registered as `encryptionKey`",
        step |s: &mut SecurityBody| {
            put(&mut s.body, "/encryptionKey/pubkey", json!(s.strange_pubkey));
        };
    security::NOT_A_SIGNER => "the encryption key is in `authorizations`", step |s: &mut SecurityBody| {
        let mut entry = s.body["authorizations"][0].clone();
        put(&mut entry, "/address", json!(s.encryption_address));
        put(&mut entry, "/pubkey", s.body["encryptionKey"]["pubkey"].clone());
        s.body["authorizations"].as_array_mut().into_iter().for_each(|all| all.push(entry.clone()));
    };

    forget::TYPE => "a FORGET is sent as a POST", step |d: &mut Draft| {
        if matches!(d.record, Record::Forget) {
            d.kind = MessageType::Post;
        }
    };
    forget::DELEGATE => "the wallet signs the STORE and FORGET of artifacts",
        step |s: &mut Pinner| s.0 = |_, owner| owner.wallet.clone();
    forget::ADDRESS => "`content.address` is the delegate's address", step |d: &mut Draft| {
        if matches!(d.record, Record::Forget) {
            d.content["address"] = json!(d.sender.address());
        }
    };
    forget::STORES => "the hashes include a creation",
        step |t: &mut Targets| t.hashes.extend(t.creation.clone());
    forget::CLASSIFIED => "the hashes include a STORE that cannot be forgotten", step |t: &mut Targets| {
        let others = t.artifacts.iter().filter(|hash| !t.hashes.contains(hash));
        let others: Vec<String> = others.cloned().collect();
        t.hashes.extend(others);
    };
    forget::EVERY => "the first hash is missing", step |t: &mut Targets| {
        if t.hashes.len() > 1 {
            t.hashes.remove(0);
        }
    };
    forget::OWN => "the hashes include an artifact of another project",
        step |t: &mut Targets| t.hashes.extend(t.foreign.clone());
    forget::ONE => "each hash has its own FORGET", step |b: &mut Batches| {
        b.0 = b.0.drain(..).flatten().map(|hash| vec![hash]).collect();
    };

    history::QUEUED_FIRST => "a terminal record is one second older than its creation", step |d: &mut Draft| {
        if let Record::Terminal { created_s, .. } = d.record {
            d.time_s = created_s - 1;
            d.content["time"] = json!(d.time_s);
        }
    };
    history::QUEUED_AT_KEPT => "a terminal record names its own time as `createdAt`", step |d: &mut Document| {
        let ended = d.value["public"]["finishedAt"].clone();
        d.put(TERMINAL, "/public/createdAt", ended);
    };
    history::ONE_CREATION => "a deployment has two creations", step |f: &mut Following| {
        if let Step::Create { deployment, again: false } = &f.after {
            f.steps.push(Step::Create { deployment: deployment.clone(), again: true });
        }
    };
    history::ONE_AMEND => "a deployment has two terminal records",
        step |f: &mut Following| f.amend_again(Amends::CreationAgain);
    history::FINISHES => "a deployment has no terminal record",
        step |s: &mut WriteAmend| s.0 = |_, _, _, _, _| None;
    history::SECURITY_ONCE => "`security` is written again with each further project",
        step |f: &mut Following| {
            if matches!(f.after, Step::Projects { event: ProjectEvent::Create, .. }) && !f.is_first {
                f.steps.push(Step::Security { by: Authorship::Own });
            }
        };
    history::SECURITY_EXISTS => "`security` is never written", step |s: &mut Secure| s.0 = |_, _, _, _| None;
    history::CREATED_AT_KEPT => "a change of a project changes `createdAt`",
        step |t: &mut EntryTimes| t.created_s = t.now_s;
    history::UPDATED_AT_MOVES => "a change of a project sets `updatedAt` back", step |t: &mut EntryTimes| {
        if t.is_edit {
            t.updated_s = t.created_s - 1;
        }
    };
    history::ENTRY_STAYS => "deleted projects are missing from the map", step |m: &mut ProjectsMap| {
        let is_deleted = |one: &Project| {
            one.state == ProjectState::Deleted || (m.event == ProjectEvent::Tombstone && one.id == m.changed)
        };
        m.entries.retain(|(one, _)| !is_deleted(one));
    };
    history::PUBLIC_KEPT => "a tombstone has another framework",
        step |d: &mut Document| d.put(TOMBSTONE, "/public/framework", json!("none"));
    history::DELETED_STAYS => "a later map contains a deleted project unchanged", step |m: &mut ProjectsMap| {
        for (project, entry) in m.entries.iter_mut().filter(|(one, _)| one.state == ProjectState::Deleted) {
            entry.clone_from(&project.living);
        }
    };
    history::TOMBSTONE_FIRST => "artifacts are forgotten before the tombstone is written",
        step |d: &mut Deletion| d.0.reverse();
    history::FRESH_IV => "all envelopes share one IV", step |k: &mut EnvelopeKeys| k.iv_n = 0;
    history::FRESH_KEY => "all envelopes share one key", step |k: &mut EnvelopeKeys| k.key_n = 0;

    recovery::LIVE_RESOLVES => "`storeRef` of a live deployment names a STORE without a file",
        step |s: &mut Store| {
            s.0 = |core, owner, _| {
                let (sender, time_s) = (artifacts::pinner(core, owner), core.now().seconds());
                let content = json!({ "address": sender.address(), "item_type": "storage", "time": time_s });
                // Channel and time are those of any record.
                let draft = Draft::new(core, Record::Creation, content, sender, time_s);
                send(core, &Draft { kind: MessageType::Store, as_request: true, ..draft })
            };
        };
};

impl SecurityBody {
    /// Changes a member of the session key's authorization.
    fn session(&mut self, member: &str, change: impl FnOnce(&Value) -> Value) {
        let value = change(&self.body["authorizations"][0][member]);
        put(&mut self.body, &format!("/authorizations/0/{member}"), value);
    }
}

impl Following {
    /// Writes another terminal record after the first.
    pub(super) fn amend_again(&mut self, amends: Amends) {
        if let Step::Amend(first @ Amend { amends: Amends::Creation, .. }) = &self.after {
            self.steps.push(Step::Amend(Amend { amends, ..first.clone() }));
        }
    }
}

/// A string without its prefix `0x`.
fn bare(text: &Value) -> Value {
    json!(text.as_str().unwrap_or_default().trim_start_matches("0x"))
}
