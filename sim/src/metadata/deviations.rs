//! The deviations of token metadata: what the service does while a requirement is switched off. Lenient ways of
//! reading paths are in the spec; unknown contracts and the root page are next to the conforming handlers; this file
//! falsifies documents.

use assay_spec::metadata::requirements::{contract, overrides, paths, records, root, token, validation};
use assay_spec::metadata::route::Address;
use assay_spec::{Id, Rules};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::{Deviation, deviations};
use crate::refusal::Refusal;

/// Every deviation of token metadata.
pub(super) const ALL: &[Deviation] = deviations! {
    root::HTML => "the root returns JSON";
    root::HTML, "type" => "the page is plain text";
    root::HTML, "missing" => "the root returns 404";
    root::VERSION => "the interface description declares another version";

    contract::BY_CID => "contracts are not found by their content identifier";
    contract::BY_CID, "list" => "a contract's document is wrapped in an array";
    contract::BY_URI => "contracts are not found by their URI";
    contract::BY_URI, "list" => "a contract's document is wrapped in an array";
    contract::UNKNOWN => "an unknown contract returns another contract's document";
    contract::SAME => "a contract has another name when found by URI";

    token::BY_CID_JSON => "paths that end in .json are not found";
    token::BY_CID_JSON, "list" => "a token's document is wrapped in an array";
    token::BY_CID => "tokens are found only with .json";
    token::BY_CID, "list" => "a token's document is wrapped in an array";
    token::BY_URI_JSON => "paths that end in .json are not found";
    token::BY_URI_JSON, "list" => "a token's document is wrapped in an array";
    token::BY_URI => "tokens are found only with .json";
    token::BY_URI, "list" => "a token's document is wrapped in an array";
    token::UNKNOWN => "every integer returns a token";

    overrides::BY_CID => "overrides are not found";
    overrides::BY_CID, "object" => "overrides are wrapped in an object";
    overrides::BY_CID, "elements" => "overrides are strings";
    overrides::BY_URI => "overrides are not found";
    overrides::BY_URI, "object" => "overrides are wrapped in an object";
    overrides::BY_URI, "elements" => "overrides are strings";

    paths::DOUBLE_SLASH => "repeated slashes are merged";
    paths::REQUIRED => "an empty contract returns any contract";

    validation::INTEGER => "an id that is not an integer is an unknown token";
    validation::DETAIL => "`detail` is a string";
    validation::DETAIL, "elements" => "`detail` is an array of strings";
    validation::DETAIL, "absent" => "`detail` is missing";
    validation::LOC => "`loc` is a string";
    validation::LOC, "elements" => "`loc` contains null";
    validation::LOC, "absent" => "`loc` is missing";
    validation::MSG => "`msg` is a number";
    validation::MSG, "absent" => "`msg` is missing";
    validation::TYPE => "`type` is a number";
    validation::TYPE, "absent" => "`type` is missing";

    records::TRAIT_TYPE => "an attribute's `trait_type` is a number";
    records::TRAIT_TYPE, "absent" => "an attribute has no `trait_type`";
    records::VALUE => "an attribute's `value` is an object";
    records::VALUE, "float" => "an attribute's `value` is not an integer";
    records::VALUE, "absent" => "an attribute has no `value`";

    records::CONTRACT_NAME => "a contract's name is a number";
    records::CONTRACT_NAME, "absent" => "a contract has no name";
    records::CONTRACT_SYMBOL => "a contract's symbol is a number";
    records::CONTRACT_DESCRIPTION => "a contract's description is a number";
    records::CONTRACT_IMAGE => "a contract's image is a number";
    records::CONTRACT_BANNER_IMAGE => "a contract's banner image is a number";
    records::CONTRACT_FEATURED_IMAGE => "a contract's featured image is a number";
    records::CONTRACT_EXTERNAL_LINK => "a contract's external link is a number";
    records::CONTRACT_COLLABORATORS => "a contract's collaborators are a string";
    records::CONTRACT_COLLABORATORS, "elements" => "a contract's collaborators are numbers";
    records::CONTRACT_REF => "a contract's `ref` is a number";
    records::CONTRACT_OWNER => "a contract's owner is a number";
    records::CONTRACT_TEMPLATE => "a contract's token template is a string";

    records::TEMPLATE_NAME => "a template's name is a number";
    records::TEMPLATE_NAME, "absent" => "a template has no name";
    records::TEMPLATE_IMAGE => "a template's image is a number";
    records::TEMPLATE_ANIMATION_URL => "a template's animation URL is a number";
    records::TEMPLATE_DESCRIPTION => "a template's description is a number";
    records::TEMPLATE_EXTERNAL_URL => "a template's external URL is a number";
    records::TEMPLATE_ATTRIBUTES => "a template's attributes are a string";
    records::TEMPLATE_ATTRIBUTES, "elements" => "a template's attributes are strings";
    records::TEMPLATE_EXTERNAL_PROPERTIES => "a template's external properties are a string";
    records::TEMPLATE_EXTERNAL_PROPERTIES, "elements" => "a template's external properties are strings";
    records::TEMPLATE_TAG => "a template's tag is a number";

    records::TOKEN_NAME => "a token's name is a number";
    records::TOKEN_NAME, "absent" => "a token has no name";
    records::TOKEN_IMAGE => "a token's image is a number";
    records::TOKEN_ANIMATION_URL => "a token's animation URL is a number";
    records::TOKEN_DESCRIPTION => "a token's description is a number";
    records::TOKEN_EXTERNAL_URL => "a token's external URL is a number";
    records::TOKEN_ATTRIBUTES => "a token's attributes are a string";
    records::TOKEN_ATTRIBUTES, "elements" => "a token's attributes are strings";
    records::TOKEN_EXTERNAL_PROPERTIES => "a token's external properties are a string";
    records::TOKEN_EXTERNAL_PROPERTIES, "elements" => "a token's external properties are strings";

    records::SOURCE => "an external property's `source` is a number";
    records::SOURCE, "absent" => "an external property has no `source`";
    records::MANDATORY => "an external property's `mandatory` is a string";
    records::ALLOWED => "an external property's `allowed` is a string";
    records::ALLOWED, "elements" => "an external property's `allowed` contains numbers";
    records::FALLBACK => "an external property's `fallback` is a string";
};

/// Members and their requirements.
type Table = &'static [(Id, &'static str)];

static CONTRACT: Table = &[
    (&records::CONTRACT_NAME, "name"),
    (&records::CONTRACT_SYMBOL, "symbol"),
    (&records::CONTRACT_DESCRIPTION, "description"),
    (&records::CONTRACT_IMAGE, "image"),
    (&records::CONTRACT_BANNER_IMAGE, "banner_image"),
    (&records::CONTRACT_FEATURED_IMAGE, "featured_image"),
    (&records::CONTRACT_EXTERNAL_LINK, "external_link"),
    (&records::CONTRACT_REF, "ref"),
    (&records::CONTRACT_OWNER, "owner"),
];
static CONTRACT_OTHERS: Table =
    &[(&records::CONTRACT_COLLABORATORS, "collaborators"), (&records::CONTRACT_TEMPLATE, TEMPLATE)];
static TEMPLATE_TEXTS: Table = &[
    (&records::TEMPLATE_NAME, "name"),
    (&records::TEMPLATE_IMAGE, "image"),
    (&records::TEMPLATE_ANIMATION_URL, "animation_url"),
    (&records::TEMPLATE_DESCRIPTION, "description"),
    (&records::TEMPLATE_EXTERNAL_URL, "external_url"),
    (&records::TEMPLATE_TAG, "tag"),
];
static TEMPLATE_LISTS: Table =
    &[(&records::TEMPLATE_ATTRIBUTES, ATTRIBUTES), (&records::TEMPLATE_EXTERNAL_PROPERTIES, EXTERNAL)];
static TOKEN_TEXTS: Table = &[
    (&records::TOKEN_NAME, "name"),
    (&records::TOKEN_IMAGE, "image"),
    (&records::TOKEN_ANIMATION_URL, "animation_url"),
    (&records::TOKEN_DESCRIPTION, "description"),
    (&records::TOKEN_EXTERNAL_URL, "external_url"),
];
static TOKEN_LISTS: Table =
    &[(&records::TOKEN_ATTRIBUTES, ATTRIBUTES), (&records::TOKEN_EXTERNAL_PROPERTIES, EXTERNAL)];
static EXTERNAL_OTHERS: Table =
    &[(&records::MANDATORY, "mandatory"), (&records::ALLOWED, "allowed"), (&records::FALLBACK, "fallback")];
static ERROR_TEXTS: Table = &[(&validation::MSG, "msg"), (&validation::TYPE, "type")];

const TEMPLATE: &str = "default_token_template";
const ATTRIBUTES: &str = "attributes";
const EXTERNAL: &str = "external_properties";

/// A contract's document, possibly with a wrong member.
pub(super) fn contract(core: &mut Core, mut document: Value) -> Value {
    deviate(core, CONTRACT, &mut document, &json!(7), &json!(7));
    if document[TEMPLATE].is_object() {
        deviate(core, TEMPLATE_TEXTS, &mut document[TEMPLATE], &json!(7), &json!(7));
        parts(core, TEMPLATE_LISTS, &mut document[TEMPLATE]);
    }
    deviate(core, CONTRACT_OTHERS, &mut document, &json!("wrong"), &json!([7]));
    document
}

/// A token's document, possibly with a wrong member.
pub(super) fn token(core: &mut Core, mut document: Value) -> Value {
    deviate(core, TOKEN_TEXTS, &mut document, &json!(7), &json!(7));
    parts(core, TOKEN_LISTS, &mut document);
    document
}

/// The body of a 422, possibly wrong.
pub(super) fn validation(core: &mut Core, mut body: Value) -> Value {
    let errors = body["detail"].as_array_mut();
    for error in errors.into_iter().flatten() {
        deviate(core, &[(&validation::LOC, "loc")], error, &json!("token_id"), &json!([null]));
        deviate(core, ERROR_TEXTS, error, &json!(7), &json!(7));
    }
    deviate(core, &[(&validation::DETAIL, "detail")], &mut body, &json!("wrong"), &json!(["wrong"]));
    body
}

/// A document: as found, missing, or in an array.
pub(super) fn found(core: &mut Core, row: Id, document: Value) -> Result<Value, Refusal> {
    match core.violated(row) {
        None => Ok(document),
        Some("list") => Ok(json!([document])),
        Some(_) => Err(Refusal::new(row, "switched off: the document is not found")),
    }
}

/// Overrides: as found, missing, or in another form.
pub(super) fn overrides(core: &mut Core, row: Id, elements: Vec<Value>) -> Result<Value, Refusal> {
    match core.violated(row) {
        None => Ok(Value::Array(elements)),
        Some("object") => Ok(json!({ "overrides": elements })),
        Some("elements") => Ok(json!(["wrong"])),
        Some(_) => Err(Refusal::new(row, "switched off: there are no overrides")),
    }
}

/// The document at an address; the two addresses of a contract may return different ones.
pub(super) fn same(core: &mut Core, at: &Address, document: Value) -> Value {
    if !at.is_uri() {
        return document;
    }
    core.effect(&contract::SAME, document, |mut document, _| {
        if document["name"].is_string() {
            document["name"] = json!("Another");
        }
        document
    })
}

/// The lists of a token's document or template, and their items.
fn parts(core: &mut Core, lists: Table, document: &mut Value) {
    each(document, ATTRIBUTES, |attribute| {
        deviate(core, &[(&records::TRAIT_TYPE, "trait_type")], attribute, &json!(7), &json!(7));
        deviate(core, &[(&records::VALUE, "value")], attribute, &json!({ "wrong": 7 }), &json!(7.5));
    });
    each(document, EXTERNAL, |property| {
        deviate(core, &[(&records::SOURCE, "source")], property, &json!(7), &json!(7));
        deviate(core, EXTERNAL_OTHERS, property, &json!("wrong"), &json!([7]));
    });
    deviate(core, lists, document, &json!("wrong"), &json!(["wrong"]));
}

fn each(document: &mut Value, list: &str, mut with: impl FnMut(&mut Value)) {
    let items = document.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(&mut with);
}

/// Changes the members whose requirements are switched off: removed, `other` for the variants `elements` and `float`,
/// otherwise `wrong`.
fn deviate(core: &mut Core, table: &[(Id, &str)], document: &mut Value, wrong: &Value, other: &Value) {
    for (row, name) in table {
        let Some(members) = document.as_object_mut() else { return };
        match core.violated(row) {
            None => {}
            Some("absent") => drop(members.shift_remove(*name)),
            Some("elements" | "float") => drop(members.insert((*name).to_owned(), other.clone())),
            Some(_) => drop(members.insert((*name).to_owned(), wrong.clone())),
        }
    }
}
