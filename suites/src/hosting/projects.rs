//! Writes to the aggregate `projects`: the message, its entries, and the contents of their envelopes.

use assay_spec::hosting::requirements::{envelope, projects as rows, records, security};
use serde_json::Value;

use super::found::{Found, found};
use super::judge::{
    Seen, each, every, expect, is, is_address_of, is_moment, is_number_or_null, is_object, is_text,
    is_text_or_null, some, with,
};
use super::message::{Message, MessageKind};
use super::sealed::{Opened, opened};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::profile::TombstoneForm;
use crate::shows;

pub(super) const RECORD: &[Check] = &[
    shows!(rows::TYPE, writes_to_projects_are_aggregates).costs(1, 0, 0).elsewhere(4).after(rests!()),
    shows!(rows::KEY, writes_to_projects_have_their_key).costs(1, 0, 0).elsewhere(4).after(rests!()),
    shows!(rows::OWNER, projects_belong_to_the_owners_address)
        .costs(2, 0, 0)
        .elsewhere(4)
        .after(rests!(records::ADDRESS)),
    shows!(rows::SIGNER, projects_are_written_by_wallet_or_session_key).costs(1, 0, 0).elsewhere(4).after(
        rests!(
            records::ADDRESS,
            security::AUTHORIZATIONS,
            security::ENTRY,
            security::ENTRY_ADDRESS,
            security::SIGNER
        ),
    ),
    shows!(rows::MAP, projects_are_an_object).costs(1, 0, 0).elsewhere(4).after(rests!()),
    shows!(rows::ENTRY, entries_are_objects_with_a_public_part)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::MAP)),
    shows!(rows::ID, entries_have_their_identifiers_as_keys)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
    shows!(rows::SCHEMA_VERSION, entries_have_the_schema_of_their_time)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
    shows!(rows::FRAMEWORK, frameworks_are_strings).costs(1, 0, 0).elsewhere(4).after(rests!(rows::ENTRY)),
    shows!(rows::DEPLOY_TARGET, projects_are_deployed_to_one_of_two_targets)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
    shows!(rows::CREATED_AT, projects_name_when_they_were_created)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
    shows!(rows::UPDATED_AT, projects_name_when_they_were_changed)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
    shows!(rows::DELETED, deleted_is_a_boolean).costs(1, 0, 0).elsewhere(4).after(rests!(rows::ENTRY)),
    shows!(rows::ENCRYPTED, living_projects_hold_an_envelope)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
    shows!(rows::TOMBSTONE, deleted_projects_hold_five_empty_strings)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(rests!(rows::ENTRY)),
];

pub(super) const PLAINTEXT: &[Check] = &[
    shows!(rows::PLAINTEXT_FORM, project_envelopes_hold_an_object).costs(1, 0, 0).elsewhere(4).after(rests!(
        rows::ENTRY,
        rows::ENCRYPTED,
        envelope::WALLET_OPENS,
        envelope::KEY_E_OPENS
    )),
    shows!(rows::PLAINTEXT_NAME, names_are_strings).costs(1, 0, 0).elsewhere(4).after(SEALED),
    shows!(rows::PLAINTEXT_SOURCE, sources_are_hosted_or_uploaded).costs(1, 0, 0).elsewhere(4).after(SEALED),
    shows!(rows::PLAINTEXT_REPO, repositories_are_an_owner_and_a_name_or_null)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(SEALED),
    shows!(rows::PLAINTEXT_BRANCH, branches_are_strings_or_null).costs(1, 0, 0).elsewhere(4).after(SEALED),
    shows!(rows::PLAINTEXT_INSTALLATION, installations_are_numbers_or_null)
        .costs(1, 0, 0)
        .elsewhere(4)
        .after(SEALED),
    shows!(rows::PLAINTEXT_BUILD, build_commands_are_strings).costs(1, 0, 0).elsewhere(4).after(SEALED),
    shows!(rows::PLAINTEXT_OUTPUT, output_folders_are_strings).costs(1, 0, 0).elsewhere(4).after(SEALED),
];

const SEALED: &[assay_spec::Id] =
    rests!(rows::ENTRY, rows::ENCRYPTED, rows::PLAINTEXT_FORM, envelope::WALLET_OPENS, envelope::KEY_E_OPENS);

/// Reads every write to `projects`. `type` must be `AGGREGATE`.
async fn writes_to_projects_are_aggregates(probe: &Probe<'_>) -> Checked {
    every(probe, MessageKind::Projects, "/type", "AGGREGATE", is("AGGREGATE")).await
}

/// Reads every write to `projects`. `content.key` must be `projects`.
async fn writes_to_projects_have_their_key(probe: &Probe<'_>) -> Checked {
    every(probe, MessageKind::Projects, "/content/key", "projects", is("projects")).await
}

/// Reads every write to `projects`. `content.address` must be the owner's.
async fn projects_belong_to_the_owners_address(probe: &Probe<'_>) -> Checked {
    let owner = found(probe).await?.owner;
    let want = format!("the owner's address, {owner}");
    every(probe, MessageKind::Projects, "/content/address", &want, is_address_of(owner)).await
}

/// Reads every write to `projects`. `sender` must be the owner, or a session key that `security` allows to write
/// `projects`.
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

/// Reads every write to `projects`. `content.content` must be an object without arrays as entries.
async fn projects_are_an_object(probe: &Probe<'_>) -> Checked {
    let is_map = |value: Option<&Value>| {
        let entries = value.and_then(Value::as_object);
        entries.is_some_and(|entries| !entries.values().any(Value::is_array))
    };
    every(probe, MessageKind::Projects, "/content/content", "an object of entries", is_map).await
}

/// Reads every entry of `projects`. It must be an object with the object `public`.
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

/// Reads every entry of `projects`. `id` must be the key of the entry.
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
async fn entries_have_the_schema_of_their_time(probe: &Probe<'_>) -> Checked {
    let declared = probe.settings.hosting.readings.project_entry_schema;
    let want = declared.map_or_else(|| "1 or 2".to_owned(), |schema| schema.to_string());
    let holds = |schema: u64| declared.map_or(schema == 1 || schema == 2, |declared| schema == declared);
    entries(probe, "schemaVersion", &want, |value| value.and_then(Value::as_u64).is_some_and(holds)).await
}

/// Reads every entry of `projects`. `public.framework` must be a string.
async fn frameworks_are_strings(probe: &Probe<'_>) -> Checked {
    entries(probe, "public/framework", "a string", is_text).await
}

/// Reads every entry of `projects`. `public.deployTarget` must be `ipfs` or `instance`.
async fn projects_are_deployed_to_one_of_two_targets(probe: &Probe<'_>) -> Checked {
    let is_target = |value: Option<&Value>| is("ipfs")(value) || is("instance")(value);
    entries(probe, "public/deployTarget", "ipfs or instance", is_target).await
}

/// Reads every entry of `projects`. `public.createdAt` must be an ISO 8601 time.
async fn projects_name_when_they_were_created(probe: &Probe<'_>) -> Checked {
    entries(probe, "public/createdAt", "an ISO 8601 time", is_moment).await
}

/// Reads every entry of `projects`. `public.updatedAt` must be an ISO 8601 time.
async fn projects_name_when_they_were_changed(probe: &Probe<'_>) -> Checked {
    entries(probe, "public/updatedAt", "an ISO 8601 time", is_moment).await
}

/// Reads every entry of `projects`. `public.deleted` must be a boolean.
async fn deleted_is_a_boolean(probe: &Probe<'_>) -> Checked {
    entries(probe, "public/deleted", "a boolean", |value| value.is_some_and(Value::is_boolean)).await
}

/// Reads the entries of projects that are not deleted. `encrypted` must be an object.
async fn living_projects_hold_an_envelope(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = members(&found, "encrypted", |public| public["deleted"] != true);
    each(probe, &found, "living project", seen, "an object", is_object)
}

/// The fields of a deleted project's envelope that are empty strings.
const EMPTIED: [&str; 5] = ["/ct", "/iv", "/tag", "/deks/user", "/deks/encryption"];

/// Reads the entries of deleted projects. `ct`, `iv`, `tag`, `deks.user` and `deks.encryption` of the envelope must be
/// empty strings; `deks` itself may be an empty string instead.
async fn deleted_projects_hold_five_empty_strings(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = members(&found, "encrypted", |public| public["deleted"] == true);
    let form = probe.settings.hosting.readings.tombstone_form;
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
async fn project_envelopes_hold_an_object(probe: &Probe<'_>) -> Checked {
    let (found, opened) = plaintexts(probe).await?;
    super::sealed::objects(probe, &found, &opened)
}

/// Opens the envelopes of projects. `name` must be a string.
async fn names_are_strings(probe: &Probe<'_>) -> Checked {
    inside(probe, "name", "a string", is_text).await
}

/// Opens the envelopes of projects. `source` must be the hosted source or `upload`.
async fn sources_are_hosted_or_uploaded(probe: &Probe<'_>) -> Checked {
    let hosted = probe.settings.dialect.hosted_source.clone();
    let want = format!("{hosted} or upload");
    inside(probe, "source", &want, |value| is(&hosted)(value) || is("upload")(value)).await
}

/// Opens the envelopes of projects. `repo` must be an owner, a slash and a name, or null.
async fn repositories_are_an_owner_and_a_name_or_null(probe: &Probe<'_>) -> Checked {
    inside(probe, "repo", "an owner, a slash and a name, or null", |value| match value {
        Some(Value::Null) => true,
        Some(Value::String(text)) => text
            .split_once('/')
            .is_some_and(|(owner, name)| !owner.is_empty() && !name.is_empty() && !name.contains('/')),
        _ => false,
    })
    .await
}

/// Opens the envelopes of projects. `branch` must be a string or null.
async fn branches_are_strings_or_null(probe: &Probe<'_>) -> Checked {
    inside(probe, "branch", "a string or null", is_text_or_null).await
}

/// Opens the envelopes of projects. `installationId` must be a number or null.
async fn installations_are_numbers_or_null(probe: &Probe<'_>) -> Checked {
    inside(probe, "installationId", "a number or null", is_number_or_null).await
}

/// Opens the envelopes of projects. `buildCommand` must be a string.
async fn build_commands_are_strings(probe: &Probe<'_>) -> Checked {
    inside(probe, "buildCommand", "a string", is_text).await
}

/// Opens the envelopes of projects. `outputDir` must be a string.
async fn output_folders_are_strings(probe: &Probe<'_>) -> Checked {
    inside(probe, "outputDir", "a string", is_text).await
}
