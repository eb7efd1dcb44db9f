//! Writes to the aggregate `projects`: the message, its entries, and the contents of their envelopes.

use assay_spec::hosting::requirements::{envelope, projects as rows, records, security};
use serde_json::Value;

use super::found::{Found, found};
use super::judge::{
    BOOLEAN, Form, MOMENT, NUMBER_OR_NULL, Seen, TEXT, TEXT_OR_NULL, each, either, every, exactly, expect,
    is, is_address_of, is_object, some, with,
};
use super::message::{Message, MessageKind};
use super::sealed::{Opened, opened};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;
use crate::profile::TombstoneForm;

members! {
    /// Reads every write to `projects`. `type` must be `AGGREGATE`.
    TYPE writes_to_projects_are_aggregates: every(Projects, "/type"), exactly("AGGREGATE"), rests!();
    /// Reads every write to `projects`. `content.key` must be `projects`.
    KEY writes_to_projects_have_their_key: every(Projects, "/content/key"), exactly("projects"), rests!();
    /// Reads every write to `projects`. `content.content` must be an object without arrays as entries.
    MAP projects_are_an_object:
        every(Projects, "/content/content"), Form::new("an object of entries", is_map), rests!();
    /// Reads every entry of `projects`. `public.framework` must be a string.
    FRAMEWORK frameworks_are_strings: living("public/framework"), TEXT, rests!(rows::ENTRY);
    /// Reads every entry of `projects`. `public.deployTarget` must be `ipfs` or `instance`.
    DEPLOY_TARGET projects_are_deployed_to_one_of_two_targets:
        living("public/deployTarget"), either("ipfs", "instance"), rests!(rows::ENTRY);
    /// Reads every entry of `projects`. `public.createdAt` must be an ISO 8601 time.
    CREATED_AT projects_name_when_they_were_created: living("public/createdAt"), MOMENT, rests!(rows::ENTRY);
    /// Reads every entry of `projects`. `public.updatedAt` must be an ISO 8601 time.
    UPDATED_AT projects_name_when_they_were_changed: living("public/updatedAt"), MOMENT, rests!(rows::ENTRY);
    /// Reads every entry of `projects`. `public.deleted` must be a boolean.
    DELETED deleted_is_a_boolean: entries("public/deleted"), BOOLEAN, rests!(rows::ENTRY);
}

members! {
    /// Opens the envelopes of projects. `name` must be a string.
    PLAINTEXT_NAME names_are_strings: inside("name"), TEXT, SEALED;
    /// Opens the envelopes of projects. `repo` must be an owner, a slash and a name, or null.
    PLAINTEXT_REPO repositories_are_an_owner_and_a_name_or_null:
        inside("repo"), Form::new("an owner, a slash and a name, or null", is_repo_or_null), SEALED;
    /// Opens the envelopes of projects. `branch` must be a string or null.
    PLAINTEXT_BRANCH branches_are_strings_or_null: inside("branch"), TEXT_OR_NULL, SEALED;
    /// Opens the envelopes of projects. `installationId` must be a number or null.
    PLAINTEXT_INSTALLATION installations_are_numbers_or_null:
        inside("installationId"), NUMBER_OR_NULL, SEALED;
    /// Opens the envelopes of projects. `buildCommand` must be a string.
    PLAINTEXT_BUILD build_commands_are_strings: inside("buildCommand"), TEXT, SEALED;
    /// Opens the envelopes of projects. `outputDir` must be a string.
    PLAINTEXT_OUTPUT output_folders_are_strings: inside("outputDir"), TEXT, SEALED;
}

const SEALED: &[assay_spec::Id] =
    rests!(rows::ENTRY, rows::ENCRYPTED, rows::PLAINTEXT_FORM, envelope::WALLET_OPENS, envelope::KEY_E_OPENS);

/// An object without arrays as entries.
fn is_map(value: Option<&Value>) -> bool {
    let entries = value.and_then(Value::as_object);
    entries.is_some_and(|entries| !entries.values().any(Value::is_array))
}

/// An owner, a slash and a name, or null.
fn is_repo_or_null(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Null) => true,
        Some(Value::String(text)) => text
            .split_once('/')
            .is_some_and(|(owner, name)| !owner.is_empty() && !name.is_empty() && !name.contains('/')),
        _ => false,
    }
}

/// Reads every write to `projects`. `content.address` must be the owner's.
#[shows(rows::OWNER, after = rests!(records::ADDRESS))]
async fn projects_belong_to_the_owners_address(probe: &Probe<'_>) -> Checked {
    let owner = found(probe).await?.owner;
    let want = format!("the owner's address, {owner}");
    every(probe, MessageKind::Projects, "/content/address", &want, is_address_of(owner)).await
}

/// Reads every write to `projects`. `sender` must be the owner, or a session key that `security` allows to write
/// `projects`.
#[shows(
    rows::SIGNER,
    after = rests!(
        records::ADDRESS, security::AUTHORIZATIONS, security::ENTRY, security::ENTRY_ADDRESS,
        security::SIGNER,
    ),
)]
async fn projects_are_written_by_wallet_or_session_key(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let session = super::security::may_write_projects(&found);
    let want = format!("{} or a session key whose authorization allows it", found.owner);
    each(
        probe,
        &found,
        "write",
        found.of_kind(MessageKind::Projects).into_iter().map(|one| one.at("/sender")),
        &want,
        |sender| {
            let sender = sender.and_then(Value::as_str).and_then(assay_spec::crypto::address::Address::parse);
            sender.is_some_and(|sender| sender == found.owner || session.contains(&sender))
        },
    )
}

/// Reads every entry of `projects`. It must be an object with the object `public`.
#[shows(rows::ENTRY, after = rests!(rows::MAP))]
async fn entries_are_objects_with_a_public_part(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let is_entry = |entry: Option<&Value>| entry.is_some_and(|entry| entry["public"].is_object());
    let want = "an object with the object `public`";
    let writes = found.of_kind(MessageKind::Projects);
    let seen = writes.iter().flat_map(|write| {
        let entries = write.body().as_object().into_iter().flatten();
        entries.map(move |(id, entry)| Seen {
            message: write,
            place: format!("/content/content/{id}"),
            value: Some(entry),
        })
    });
    each(probe, &found, "project", seen, want, is_entry)
}

/// The values of `member` in the entries that `is_wanted` selects.
fn members<'a>(found: &'a Found, member: &str, is_wanted: impl Fn(&Value) -> bool) -> Vec<Seen<'a>> {
    let entries = found
        .of_kind(MessageKind::Projects)
        .into_iter()
        .flat_map(|write: &Message| write.entries().into_iter().map(move |(id, entry)| (write, id, entry)));
    let wanted = entries.filter(|(_, _, entry)| is_wanted(entry.get("public").unwrap_or(&Value::Null)));
    let seen = |(message, id, entry): (&'a Message, &'a str, &'a serde_json::Map<String, Value>)| {
        let (outer, inner) = member.split_once('/').unwrap_or((member, ""));
        let value = entry.get(outer);
        let value = if inner.is_empty() { value } else { value.and_then(|value| value.get(inner)) };
        Seen { message, place: format!("/content/content/{id}/{member}"), value }
    };
    wanted.map(seen).collect()
}

/// Judges a member of every entry.
async fn entries(
    probe: &Probe<'_>,
    member: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    each(probe, &found, "project", members(&found, member, |_| true), want, holds)
}

/// As [`entries`], without tombstones: what else is in `public` of a deleted project has a row of its own.
async fn living(
    probe: &Probe<'_>,
    member: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    each(probe, &found, "project", members(&found, member, |public| public["deleted"] != true), want, holds)
}

/// Reads every entry of `projects`. `id` must be the key of the entry.
#[shows(rows::ID, after = rests!(rows::ENTRY))]
async fn entries_have_their_identifiers_as_keys(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = members(&found, "id", |_| true);
    some(&found, seen.len(), "project")?;
    for Seen { message, place, value } in seen {
        let key = place.trim_start_matches("/content/content/").trim_end_matches("/id");
        let got = value.map_or_else(|| "missing".to_owned(), ToString::to_string);
        expect(probe, &found, message, is(key)(value), &place, key, &got)?;
    }
    Ok(())
}

/// Reads every entry of `projects`. `schemaVersion` must be the one that the profile declares, or 1 or 2.
#[shows(rows::SCHEMA_VERSION, after = rests!(rows::ENTRY))]
async fn entries_have_the_schema_of_their_time(probe: &Probe<'_>) -> Checked {
    let declared = probe.settings.hosting().readings.project_entry_schema;
    let want = declared.map_or_else(|| "1 or 2".to_owned(), |schema| schema.to_string());
    let holds = |schema: u64| declared.map_or(schema == 1 || schema == 2, |declared| schema == declared);
    entries(probe, "schemaVersion", &want, |value| value.and_then(Value::as_u64).is_some_and(holds)).await
}

/// Reads the entries of projects that are not deleted. `encrypted` must be an object.
#[shows(rows::ENCRYPTED, after = rests!(rows::ENTRY))]
async fn living_projects_hold_an_envelope(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = members(&found, "encrypted", |public| public["deleted"] != true);
    each(probe, &found, "living project", seen, "an object", is_object)
}

/// The fields of a deleted project's envelope that are empty strings.
const EMPTIED: [&str; 5] = ["/ct", "/iv", "/tag", "/deks/user", "/deks/encryption"];

/// Reads the entries of deleted projects. `ct`, `iv`, `tag`, `deks.user` and `deks.encryption` of the envelope must be
/// empty strings; `deks` itself may be an empty string instead.
#[shows(rows::TOMBSTONE, after = rests!(rows::ENTRY))]
async fn deleted_projects_hold_five_empty_strings(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = members(&found, "encrypted", |public| public["deleted"] == true);
    let form = probe.settings.hosting().readings.tombstone_form;
    let want = match form {
        None => "ct, iv, tag, deks.user and deks.encryption empty",
        Some(TombstoneForm::Literal) => "v, alg, ct, iv, tag, deks.user and deks.encryption empty",
        Some(TombstoneForm::KeepV) => "v and alg kept; ct, iv, tag, deks.user and deks.encryption empty",
    };
    each(probe, &found, "deleted project", seen, want, |value| {
        let deks_are_empty = value.is_some_and(|value| value["deks"] == "");
        let keeps = |value: &Value| match form {
            None => true,
            Some(TombstoneForm::Literal) => value["v"] == "" && value["alg"] == "",
            Some(TombstoneForm::KeepV) => value["v"].is_u64() && value["alg"] != "",
        };
        value.is_some_and(|value| {
            keeps(value)
                && EMPTIED.iter().all(|field| {
                    (deks_are_empty && field.starts_with("/deks"))
                        || value.pointer(field).is_some_and(|field| field == "")
                })
        })
    })
}

/// Opens the envelopes of projects.
async fn plaintexts(probe: &Probe<'_>) -> Result<(std::sync::Arc<Found>, Vec<Opened>), Stop> {
    let found = with(probe, MessageKind::Projects).await?;
    let opened = opened(probe, &found, &[MessageKind::Projects])?;
    Ok((found, opened))
}

/// Judges a member of every plaintext.
async fn inside(
    probe: &Probe<'_>,
    member: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let (found, opened) = plaintexts(probe).await?;
    super::sealed::members(probe, &found, &opened, member, want, holds)
}

/// Opens the envelopes of projects. Each plaintext must be a JSON object.
#[shows(
    rows::PLAINTEXT_FORM,
    after = rests!(rows::ENTRY, rows::ENCRYPTED, envelope::WALLET_OPENS, envelope::KEY_E_OPENS),
)]
async fn project_envelopes_hold_an_object(probe: &Probe<'_>) -> Checked {
    let (found, opened) = plaintexts(probe).await?;
    super::sealed::objects(probe, &found, &opened)
}

/// Opens the envelopes of projects. `source` must be the hosted source or `upload`.
#[shows(rows::PLAINTEXT_SOURCE, after = SEALED)]
async fn sources_are_hosted_or_uploaded(probe: &Probe<'_>) -> Checked {
    let hosted = probe.settings.dialect.hosted_source.clone();
    let want = format!("{hosted} or upload");
    inside(probe, "source", &want, |value| is(&hosted)(value) || is("upload")(value)).await
}
