//! `hosting.recover`: recovers an owner's history from messages, nodes' responses and keys.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::SigningKey;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::hosting::recovery::{Deployment, Lookup, Project, Reader, Recovery, Warning};
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use super::bad;
use super::keys::private_key;
use crate::op::{Members, OpError};

/// The recovered history, and the STORE lookups sent to each node. A node without a response in the input did not
/// respond.
pub(in crate::op) fn recover(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let owner = Address::parse(input.text("owner")?).ok_or_else(|| bad("owner: an address is missing"))?;
    let role = match input.text("role")? {
        "backend" => Role::Backend,
        "recovery" => Role::RecoveryTool,
        _ => return Err(bad("role: backend or recovery is missing")),
    };
    let keys =
        Keys { wallet: key(input, "wallet_key", rules)?, encryption: key(input, "encryption_key", rules)? };
    let mut reader = Reader::new(owner, dialect.clone(), role, input.number("nodes")?.into());
    for message in input.list("messages")? {
        reader.message(&message.to_string(), rules);
    }
    let asked = look_up(&mut reader, input.list("answers")?, rules)?;
    Ok(output(&reader.finish(&keys, rules), &asked))
}

fn key(input: &Members<'_>, name: &str, rules: &mut dyn Rules) -> Result<Option<SigningKey>, OpError> {
    input.value(name).map(|_| private_key(input, name, rules)).transpose()
}

/// Performs lookups until none is needed, and returns them sorted by node and hash.
fn look_up(reader: &mut Reader, answers: &[Value], rules: &mut dyn Rules) -> Result<Vec<Lookup>, OpError> {
    let mut asked = Vec::new();
    loop {
        let needs = reader.needs(rules);
        if needs.is_empty() {
            asked.sort();
            return Ok(asked);
        }
        for lookup in needs {
            let (mut status, mut body) = (0, None);
            for answer in answers {
                let answer = Members::within(answer, "answers")?;
                if usize::from(answer.number("node")?) == lookup.node && answer.text("hash")? == lookup.hash {
                    (status, body) = (answer.number("status")?, answer.value("body"));
                }
            }
            reader.answer(&lookup, status, body, rules);
            asked.push(lookup);
        }
    }
}

fn output(recovery: &Recovery, asked: &[Lookup]) -> Value {
    let project = |project: &Project| json!({"id": project.id, "deleted": project.deleted, "plaintext": project.plaintext});
    let deployment = |deployment: &Deployment| {
        json!({
            "deployment_id": deployment.deployment_id, "leaf": deployment.leaf, "status": deployment.status,
            "store_ref": deployment.store_ref, "cid": deployment.cid, "store": deployment.store,
            "plaintext": deployment.plaintext,
        })
    };
    let warning = |warning: &Warning| json!({"item_hash": warning.item_hash, "warning": warning.warning, "subject": warning.subject});
    json!({
        "asked": asked.iter().map(|each| json!({"node": each.node, "hash": each.hash})).collect::<Vec<_>>(),
        "projects": recovery.projects.iter().map(project).collect::<Vec<_>>(),
        "deployments": recovery.deployments.iter().map(deployment).collect::<Vec<_>>(),
        "warnings": recovery.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}
