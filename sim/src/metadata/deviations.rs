//! The deviations of token metadata: what is done when a requirement is switched off. Lenient ways of reading paths
//! stand in the spec, what becomes of unknown contracts and of the page beside the conforming handlers; here stand the
//! falsified documents.

use assay_spec::metadata::requirements::{contract, overrides, paths, records, root, token, validation};
use assay_spec::metadata::route::Address;
use assay_spec::{Id, Rules};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::{Deviation, deviations};
use crate::refusal::Refusal;

/// Every deviation of token metadata.
pub(super) const ALL: &[Deviation] = deviations! {
    root::HTML => "the root answers JSON";
    root::HTML, "type" => "the page is plain text";
    root::HTML, "missing" => "there is no page";
    root::VERSION => "another version is declared";

    contract::BY_CID => "contracts are not found by their content identifier";
    contract::BY_CID, "list" => "a contract's document stands in an array";
    contract::BY_URI => "contracts are not found by their URI";
    contract::BY_URI, "list" => "a contract's document stands in an array";
    contract::UNKNOWN => "an unknown contract is another";
    contract::SAME => "by its URI a contract has another name";

    token::BY_CID_JSON => "nothing ends in .json";
    token::BY_CID_JSON, "list" => "a token's document stands in an array";
    token::BY_CID => "tokens are found with .json alone";
    token::BY_CID, "list" => "a token's document stands in an array";
    token::BY_URI_JSON => "nothing ends in .json";
    token::BY_URI_JSON, "list" => "a token's document stands in an array";
    token::BY_URI => "tokens are found with .json alone";
    token::BY_URI, "list" => "a token's document stands in an array";
    token::UNKNOWN => "every integer is a token";

    overrides::BY_CID => "there are no overrides";
    overrides::BY_CID, "object" => "overrides stand in an object";
    overrides::BY_CID, "elements" => "overrides are texts";
    overrides::BY_URI => "there are no overrides";
    overrides::BY_URI, "object" => "overrides stand in an object";
    overrides::BY_URI, "elements" => "overrides are texts";

    paths::DOUBLE_SLASH => "slashes in a row are one";
    paths::REQUIRED => "an empty contract is any";

    validation::INTEGER => "an id that is no integer is a token that nobody knows";
    validation::DETAIL => "the detail is a text";
    validation::DETAIL, "elements" => "the detail is an array of texts";
    validation::DETAIL, "absent" => "there is no detail";
    validation::LOC => "the place is a text";
    validation::LOC, "elements" => "the place holds null";
    validation::LOC, "absent" => "there is no place";
    validation::MSG => "the message is a number";
    validation::MSG, "absent" => "there is no message";
    validation::TYPE => "the type is a number";
    validation::TYPE, "absent" => "there is no type";

    records::TRAIT_TYPE => "a trait is a number";
    records::TRAIT_TYPE, "absent" => "an attribute has no trait";
    records::VALUE => "a value is an object";
    records::VALUE, "float" => "a value is no integer";
    records::VALUE, "absent" => "an attribute has no value";

    records::CONTRACT_NAME => "a contract's name is a number";
    records::CONTRACT_NAME, "absent" => "a contract has no name";
    records::CONTRACT_SYMBOL => "a contract's symbol is a number";
    records::CONTRACT_DESCRIPTION => "a contract's description is a number";
    records::CONTRACT_IMAGE => "a contract's image is a number";
    records::CONTRACT_BANNER_IMAGE => "a contract's banner image is a number";
    records::CONTRACT_FEATURED_IMAGE => "a contract's featured image is a number";
    records::CONTRACT_EXTERNAL_LINK => "a contract's external link is a number";
    records::CONTRACT_COLLABORATORS => "collaborators are a text";
    records::CONTRACT_COLLABORATORS, "elements" => "collaborators are numbers";
    records::CONTRACT_REF => "a contract's reference is a number";
    records::CONTRACT_OWNER => "a contract's owner is a number";
    records::CONTRACT_TEMPLATE => "a contract's template is a text";

    records::TEMPLATE_NAME => "a template's name is a number";
    records::TEMPLATE_NAME, "absent" => "a template has no name";
    records::TEMPLATE_IMAGE => "a template's image is a number";
    records::TEMPLATE_ANIMATION_URL => "a template's animation is a number";
    records::TEMPLATE_DESCRIPTION => "a template's description is a number";
    records::TEMPLATE_EXTERNAL_URL => "a template's page is a number";
    records::TEMPLATE_ATTRIBUTES => "a template's attributes are a text";
    records::TEMPLATE_ATTRIBUTES, "elements" => "a template's attributes are texts";
    records::TEMPLATE_EXTERNAL_PROPERTIES => "a template's external properties are a text";
    records::TEMPLATE_EXTERNAL_PROPERTIES, "elements" => "a template's external properties are texts";
    records::TEMPLATE_TAG => "a template's tag is a number";

    records::TOKEN_NAME => "a token's name is a number";
    records::TOKEN_NAME, "absent" => "a token has no name";
    records::TOKEN_IMAGE => "a token's image is a number";
    records::TOKEN_ANIMATION_URL => "a token's animation is a number";
    records::TOKEN_DESCRIPTION => "a token's description is a number";
    records::TOKEN_EXTERNAL_URL => "a token's page is a number";
    records::TOKEN_ATTRIBUTES => "a token's attributes are a text";
    records::TOKEN_ATTRIBUTES, "elements" => "a token's attributes are texts";
    records::TOKEN_EXTERNAL_PROPERTIES => "a token's external properties are a text";
    records::TOKEN_EXTERNAL_PROPERTIES, "elements" => "a token's external properties are texts";

    records::SOURCE => "a source is a number";
    records::SOURCE, "absent" => "an external property has no source";
    records::MANDATORY => "whether a property is mandatory is a text";
    records::ALLOWED => "what a property may hold is a text";
    records::ALLOWED, "elements" => "what a property may hold are numbers";
    records::FALLBACK => "a fallback is a text";
};

/// Members by the rows that speak of them.
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

/// A contract's document, or one with a wrong member.
pub(super) fn contract(core: &mut Core, mut document: Value) -> Value {
    deviate(core, CONTRACT, &mut document, &json!(7), &json!(7));
    if document[TEMPLATE].is_object() {
        deviate(core, TEMPLATE_TEXTS, &mut document[TEMPLATE], &json!(7), &json!(7));
        parts(core, TEMPLATE_LISTS, &mut document[TEMPLATE]);
    }
    deviate(core, CONTRACT_OTHERS, &mut document, &json!("wrong"), &json!([7]));
    document
}

/// A token's document, or one with a wrong member.
pub(super) fn token(core: &mut Core, mut document: Value) -> Value {
    deviate(core, TOKEN_TEXTS, &mut document, &json!(7), &json!(7));
    parts(core, TOKEN_LISTS, &mut document);
    document
}

/// The body of a 422, or a wrong one.
pub(super) fn validation(core: &mut Core, mut body: Value) -> Value {
    let errors = body["detail"].as_array_mut();
    for error in errors.into_iter().flatten() {
        deviate(core, &[(&validation::LOC, "loc")], error, &json!("token_id"), &json!([null]));
        deviate(core, ERROR_TEXTS, error, &json!(7), &json!(7));
    }
    deviate(core, &[(&validation::DETAIL, "detail")], &mut body, &json!("wrong"), &json!(["wrong"]));
    body
}

/// A document as it is found, or not at all, or in an array.
pub(super) fn found(core: &mut Core, row: Id, document: Value) -> Result<Value, Refusal> {
    match core.violated(row) {
        None => Ok(document),
        Some("list") => Ok(json!([document])),
        Some(_) => Err(Refusal::new(row, "switched off: it is not found")),
    }
}

/// Overrides as they are found, or not at all, or in another form.
pub(super) fn overrides(core: &mut Core, row: Id, elements: Vec<Value>) -> Result<Value, Refusal> {
    match core.violated(row) {
        None => Ok(Value::Array(elements)),
        Some("object") => Ok(json!({ "overrides": elements })),
        Some("elements") => Ok(json!(["wrong"])),
        Some(_) => Err(Refusal::new(row, "switched off: there are none")),
    }
}

/// The document that an address leads to; the two addresses of a contract may lead to different ones.
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

/// The lists of a token's document or of a template, and what stands in them.
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

/// Makes members wrong whose rows are switched off: gone, `other` for the variants of elements and numbers, else
/// `wrong`.
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
