//! What the document leaves open, varied. Each entry has its code at one seam.

use assay_spec::crypto::text::{hex, parse_hex};
use assay_spec::hosting::machines::ProjectState;
use serde_json::{Value, json};

use super::done::Following;
use super::plan::Beginning;
use super::write::document::{Document, DocumentKind, put};
use super::write::machines::Manifest;
use super::write::messages::{Editor, Targets};
use super::write::projects::{self, Emptied, ProjectsMap, SealEntry};
use super::write::seal;
use super::write::security::SecurityBody;
use super::write::sign::{Draft, Record, Signature};
use super::write::{Amends, Time};
use crate::variation::{Variation, variations};

/// Every variation of the application.
pub(super) const ALL: &[Variation] = variations! {
    "hosting.signature-bit" => "the last byte of a signature is 0 or 1", step |s: &mut Signature| {
        let prefix = if s.0.starts_with("0x") { "0x" } else { "" };
        let mut bytes = parse_hex(&s.0[prefix.len()..]).unwrap_or_default();
        bytes.last_mut().into_iter().for_each(|v| *v -= 27);
        s.0 = format!("{prefix}{}", hex(&bytes));
    };
    "hosting.signature-bare" => "a signature has no `0x`",
        step |s: &mut Signature| s.0 = s.0.trim_start_matches("0x").to_owned();
    "hosting.tombstone-keeps" => "the envelope of a deleted project keeps `v` and `alg`",
        step |e: &mut Emptied| {
            for name in ["v", "alg"] {
                e.after[name] = e.before[name].clone();
            }
        };
    "hosting.project-schema-2" => "`schemaVersion` of project entries is 2", step |d: &mut Document| {
        d.put(&[DocumentKind::Entry], "/schemaVersion", json!(2));
    };
    "hosting.delegate-address" => "`content.address` of deployment records is the delegate's address",
        step |d: &mut Draft| {
            if matches!(d.record, Record::Creation | Record::Terminal { .. } | Record::Legacy) {
                d.content["address"] = json!(d.sender.address());
            }
        };
    "hosting.wallet-edits" => "the wallet signs instead of a session key",
        step |s: &mut Editor| s.0 = |_, owner, _, _| owner.wallet.clone();
    "hosting.url-null" => "`url` of a live deployment is null",
        step |d: &mut Document| d.put(&[DocumentKind::Terminal], "/public/url", Value::Null);
    "hosting.finished-null" => "`finishedAt` of a terminal record is null", step |d: &mut Document| {
        d.put(&[DocumentKind::Terminal], "/public/finishedAt", Value::Null);
    };
    "hosting.run-null" => "`runId` and `runAttempt` are null", step |d: &mut Document| {
        for name in ["/public/runId", "/public/runAttempt"] {
            d.put(&[DocumentKind::Creation, DocumentKind::Terminal], name, Value::Null);
        }
    };
    "hosting.hash-queued" => "a queued deployment to a machine has a `bundleHash` of null",
        step |d: &mut Document| {
            if d.about.is_machine {
                d.put(&[DocumentKind::Creation], "/public/bundleHash", Value::Null);
            }
        };
    "hosting.more-members" => "entries, bodies and plaintexts have an undocumented member",
        step |d: &mut Document| put(&mut d.value, "/more", json!({ "of": ["this", 1, null] }));
    "hosting.security-after" => "`security` is written after the first project",
        step |b: &mut Beginning| b.0.swap(0, 1);
    "hosting.map-reversed" => "the newest project comes first in the map",
        step |m: &mut ProjectsMap| m.entries.reverse();
    "hosting.forget-twice" => "the first hash of a FORGET is in it twice",
        step |t: &mut Targets| t.hashes.extend(t.hashes.first().cloned());
    "hosting.no-pubkey" => "the authorization of a session key has no `pubkey`", step |s: &mut SecurityBody| {
        s.body["authorizations"][0].as_object_mut().map(|session| session.shift_remove("pubkey"));
    };
    "hosting.uploaded" => "projects are uploads, without repository and branch", step |d: &mut Document| {
        for name in ["/repo", "/branch", "/installationId"] {
            d.put(&[DocumentKind::Project], name, Value::Null);
        }
        d.put(&[DocumentKind::Project], "/source", json!("upload"));
    };
    "hosting.pending-workflow" => "the plaintext of a project contains a pending workflow request",
        step |d: &mut Document| {
            let url = json!("https://code.example/owner/name/pull/3");
            d.put(&[DocumentKind::Project], "/pendingWorkflowPrUrl", url);
            d.put(&[DocumentKind::Project], "/pendingWorkflowPrNumber", json!(3));
        };
    "hosting.manifest-other" => "the manifest of a bundle uses other member names", step |m: &mut Manifest| {
        let names = ["type", "node", "run", "environment"];
        m.0.iter_mut().zip(names).for_each(|((name, _), other)| *name = other);
    };
    "hosting.times-offset" => "times have no fraction and use the offset +00:00",
        step |t: &mut Time| t.0 = t.0.replace(".000Z", "+00:00");
    "hosting.plaintext-null" => "every member of a deployment's plaintext is null", step |d: &mut Document| {
        let is_deployment = matches!(d.kind, DocumentKind::Deployment | DocumentKind::Earlier);
        if let (true, Value::Object(members)) = (is_deployment, &mut d.value) {
            members.values_mut().for_each(|value| *value = Value::Null);
        }
    };
    "hosting.amend-chain" => "a terminal record is amended by another one, which refers to it",
        step |f: &mut Following| f.amend_again(Amends::Terminal);
    "hosting.legacy-entry" => "the entry of the first project has an envelope of version 2",
        step |s: &mut SealEntry| {
            s.0 = |core, accounts, owner, project, plaintext| {
                let is_first = owner.projects.front().is_none_or(|first| *first == project.id);
                if is_first && project.state == ProjectState::None {
                    return seal::earlier(core, accounts, owner, 2, plaintext);
                }
                projects::seal(core, accounts, owner, project, plaintext)
            };
        };
};
