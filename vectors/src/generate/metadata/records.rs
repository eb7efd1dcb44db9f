//! `metadata.record`: the three kinds of documents, each with all members, with only the required members, and with
//! one wrong member.

use assay_spec::Id;
use assay_spec::metadata::requirements::{records as rows, validation};
use serde_json::{Value, json};

use crate::case::Case;
use crate::generate::group::{Group, set};

const OP: &str = "metadata.record";
const SOURCE: &str = "src/generate/metadata/records.rs";
/// The reading by which a member without a value may be null or absent.
const NULL: &str = "A-019/null-is-absent";
/// The reading by which unlisted members are allowed.
const EXTRA: &str = "A-019/extra-members";

static CONTRACT: &[Id] = &[
    &rows::CONTRACT_NAME,
    &rows::CONTRACT_SYMBOL,
    &rows::CONTRACT_DESCRIPTION,
    &rows::CONTRACT_IMAGE,
    &rows::CONTRACT_BANNER_IMAGE,
    &rows::CONTRACT_FEATURED_IMAGE,
    &rows::CONTRACT_EXTERNAL_LINK,
    &rows::CONTRACT_COLLABORATORS,
    &rows::CONTRACT_REF,
    &rows::CONTRACT_OWNER,
    &rows::CONTRACT_TEMPLATE,
    &rows::TEMPLATE_NAME,
    &rows::TEMPLATE_IMAGE,
    &rows::TEMPLATE_ANIMATION_URL,
    &rows::TEMPLATE_DESCRIPTION,
    &rows::TEMPLATE_EXTERNAL_URL,
    &rows::TEMPLATE_ATTRIBUTES,
    &rows::TEMPLATE_EXTERNAL_PROPERTIES,
    &rows::TEMPLATE_TAG,
];
static TOKEN: &[Id] = &[
    &rows::TOKEN_NAME,
    &rows::TOKEN_IMAGE,
    &rows::TOKEN_ANIMATION_URL,
    &rows::TOKEN_DESCRIPTION,
    &rows::TOKEN_EXTERNAL_URL,
    &rows::TOKEN_ATTRIBUTES,
    &rows::TOKEN_EXTERNAL_PROPERTIES,
    &rows::TRAIT_TYPE,
    &rows::VALUE,
    &rows::SOURCE,
    &rows::MANDATORY,
    &rows::ALLOWED,
    &rows::FALLBACK,
];
static ERROR: &[Id] = &[&validation::DETAIL, &validation::LOC, &validation::MSG, &validation::TYPE];

/// The document of a contract.
pub(in crate::generate) fn contract_cases() -> Vec<Case> {
    let mut g = Group::new("metadata/contract", OP, SOURCE, CONTRACT);
    let whole = contract();
    g.accept("whole", input("contract", &whole), "The document has every member.");
    shared(&mut g, "contract", &whole);
    let template = json!({"name": "a", "default_token_template": {"name": "b"}});
    g.accept("bare-template", input("contract", &template), "A template requires only its name.");
    let tag = json!({"name": "a", "default_token_template": {"name": "b", "tag": ""}});
    g.accept("empty-tag", input("contract", &tag), "An empty string is a string.");
    let document = &whole;
    for (row, name) in [
        (&rows::CONTRACT_NAME, "name"),
        (&rows::CONTRACT_SYMBOL, "symbol"),
        (&rows::CONTRACT_DESCRIPTION, "description"),
        (&rows::CONTRACT_IMAGE, "image"),
        (&rows::CONTRACT_BANNER_IMAGE, "banner_image"),
        (&rows::CONTRACT_FEATURED_IMAGE, "featured_image"),
        (&rows::CONTRACT_EXTERNAL_LINK, "external_link"),
        (&rows::CONTRACT_REF, "ref"),
        (&rows::CONTRACT_OWNER, "owner"),
    ] {
        wrong(&mut g, document, &format!("/{name}"), &json!(7), row, "A number is not a string.");
    }
    wrong(&mut g, document, "/name", &Value::Null, &rows::CONTRACT_NAME, "A contract has a name.");
    let list = &rows::CONTRACT_COLLABORATORS;
    wrong(
        &mut g,
        document,
        "/collaborators",
        &json!("0xab"),
        list,
        "A single string is not an array of strings.",
    );
    wrong(&mut g, document, "/collaborators/1", &json!(7), list, "Every collaborator is a string.");
    wrong(&mut g, document, "/collaborators/0", &Value::Null, list, "A collaborator is not null.");
    let template = "/default_token_template";
    let row = &rows::CONTRACT_TEMPLATE;
    wrong(&mut g, document, template, &json!("{id}"), row, "A string is not a template.");
    wrong(
        &mut g,
        document,
        template,
        &json!([{"name": "a"}]),
        row,
        "An array of one template is not a template.",
    );
    for (row, name) in [
        (&rows::TEMPLATE_NAME, "name"),
        (&rows::TEMPLATE_IMAGE, "image"),
        (&rows::TEMPLATE_ANIMATION_URL, "animation_url"),
        (&rows::TEMPLATE_DESCRIPTION, "description"),
        (&rows::TEMPLATE_EXTERNAL_URL, "external_url"),
        (&rows::TEMPLATE_TAG, "tag"),
    ] {
        wrong(
            &mut g,
            document,
            &format!("{template}/{name}"),
            &json!(false),
            row,
            "A boolean is not a string.",
        );
    }
    let row = &rows::TEMPLATE_NAME;
    wrong(&mut g, document, &format!("{template}/name"), &Value::Null, row, "A template has a name.");
    for (row, name) in [
        (&rows::TEMPLATE_ATTRIBUTES, "attributes"),
        (&rows::TEMPLATE_EXTERNAL_PROPERTIES, "external_properties"),
    ] {
        let path = format!("{template}/{name}");
        wrong(&mut g, document, &path, &json!({}), row, "An object is not an array.");
        wrong(&mut g, document, &format!("{path}/0"), &json!("a"), row, "A string is not an object.");
    }
    g.cases
}

/// The document of a token.
pub(in crate::generate) fn token_cases() -> Vec<Case> {
    let mut g = Group::new("metadata/token", OP, SOURCE, TOKEN);
    let whole = token();
    g.accept("whole", input("token", &whole), "The document has every member.");
    shared(&mut g, "token", &whole);
    for (name, value) in [
        ("value-boolean", json!(false)),
        ("value-zero", json!(0)),
        ("value-negative", json!(-5)),
        ("value-large", json!(9_007_199_254_740_993_i64)),
        ("value-empty", json!("")),
    ] {
        let document = json!({"name": "a", "attributes": [{"trait_type": "b", "value": value}]});
        g.accept(name, input("token", &document), "A value is a boolean, an integer or a string.");
    }
    let empty = json!({"name": "", "attributes": [], "external_properties": []});
    g.accept("empty", input("token", &empty), "Strings and arrays may be empty.");
    let source = json!({"name": "a", "external_properties": [{"source": "b"}]});
    g.accept("bare-property", input("token", &source), "An external property requires only its source.");
    let document = &whole;
    for (row, name) in [
        (&rows::TOKEN_NAME, "name"),
        (&rows::TOKEN_IMAGE, "image"),
        (&rows::TOKEN_ANIMATION_URL, "animation_url"),
        (&rows::TOKEN_DESCRIPTION, "description"),
        (&rows::TOKEN_EXTERNAL_URL, "external_url"),
    ] {
        wrong(
            &mut g,
            document,
            &format!("/{name}"),
            &json!(["a"]),
            row,
            "An array of one string is not a string.",
        );
    }
    wrong(&mut g, document, "/name", &Value::Null, &rows::TOKEN_NAME, "A token has a name.");
    for (row, name) in
        [(&rows::TOKEN_ATTRIBUTES, "attributes"), (&rows::TOKEN_EXTERNAL_PROPERTIES, "external_properties")]
    {
        wrong(&mut g, document, &format!("/{name}"), &json!({}), row, "An object is not an array.");
        wrong(&mut g, document, &format!("/{name}/0"), &json!("a"), row, "A string is not an object.");
        wrong(&mut g, document, &format!("/{name}/1"), &Value::Null, row, "An element is not null.");
    }
    let all = "All members of an attribute are required.";
    let first = "/attributes/0";
    wrong(
        &mut g,
        document,
        &format!("{first}/trait_type"),
        &json!(7),
        &rows::TRAIT_TYPE,
        "A number is not a string.",
    );
    wrong(&mut g, document, &format!("{first}/trait_type"), &Value::Null, &rows::TRAIT_TYPE, all);
    wrong(&mut g, document, &format!("{first}/value"), &Value::Null, &rows::VALUE, all);
    for (value, why) in [
        (json!(7.5), "A fraction is not an integer."),
        (json!(["a"]), "An array is not a valid value."),
        (json!({"a": 1}), "An object is not a valid value."),
    ] {
        wrong(&mut g, document, &format!("{first}/value"), &value, &rows::VALUE, why);
    }
    let property = "/external_properties/0";
    let required = "An external property has a source.";
    wrong(
        &mut g,
        document,
        &format!("{property}/source"),
        &json!(7),
        &rows::SOURCE,
        "A number is not a string.",
    );
    wrong(&mut g, document, &format!("{property}/source"), &Value::Null, &rows::SOURCE, required);
    for (value, why) in
        [(json!("true"), "A string is not a boolean."), (json!(1), "A number is not a boolean.")]
    {
        wrong(&mut g, document, &format!("{property}/mandatory"), &value, &rows::MANDATORY, why);
    }
    for (value, why) in [(json!("a"), "A string is not an array."), (json!([1]), "A number is not a string.")]
    {
        wrong(&mut g, document, &format!("{property}/allowed"), &value, &rows::ALLOWED, why);
    }
    for (value, why) in [
        (json!("a"), "A string is not an object."),
        (json!([{}]), "An array of one object is not an object."),
    ] {
        wrong(&mut g, document, &format!("{property}/fallback"), &value, &rows::FALLBACK, why);
    }
    g.cases
}

/// The body of a 422.
pub(in crate::generate) fn error_cases() -> Vec<Case> {
    let mut g = Group::new("metadata/validation-error", OP, SOURCE, ERROR);
    let kind = "validation-error";
    let whole = json!({"detail": [
        {"loc": ["path", "token_id"], "msg": "no integer", "type": "int_parsing"},
        {"loc": ["body", 0], "msg": "", "type": ""},
    ]});
    g.accept("whole", input(kind, &whole), "Two errors. Their loc contains strings and an integer.");
    g.accept("empty", input(kind, &json!({"detail": []})), "An array may be empty.");
    let nowhere = json!({"detail": [{"loc": [], "msg": "a", "type": "b"}]});
    g.accept("empty-loc", input(kind, &nowhere), "An array may be empty.");
    let extra = json!({"detail": [{"loc": ["path"], "msg": "a", "type": "b", "input": "abc"}], "more": 1});
    g.accept("extra-members", input(kind, &extra), "Members besides the listed ones are allowed.")
        .read_as(EXTRA);
    let document = &whole;
    let row = &validation::DETAIL;
    wrong(
        &mut g,
        document,
        "/detail",
        &json!("no integer"),
        row,
        "A single string is not an array of errors.",
    );
    wrong(&mut g, document, "/detail", &Value::Null, row, "detail is an array, not null.");
    wrong(&mut g, document, "/detail/1", &json!("a"), row, "A string is not an error.");
    let row = &validation::LOC;
    let all = "All members of an error are required.";
    wrong(
        &mut g,
        document,
        "/detail/0/loc",
        &json!("path"),
        row,
        "A single string is not an array of strings.",
    );
    wrong(&mut g, document, "/detail/0/loc", &Value::Null, row, all);
    wrong(
        &mut g,
        document,
        "/detail/0/loc/1",
        &Value::Null,
        row,
        "An element of loc is a string or an integer.",
    );
    wrong(
        &mut g,
        document,
        "/detail/1/loc/1",
        &json!(0.5),
        row,
        "An element of loc is a string or an integer.",
    );
    for (row, name) in [(&validation::MSG, "msg"), (&validation::TYPE, "type")] {
        wrong(&mut g, document, &format!("/detail/0/{name}"), &json!(7), row, "A number is not a string.");
        wrong(&mut g, document, &format!("/detail/1/{name}"), &Value::Null, row, all);
    }
    g.cases
}

fn input(kind: &str, document: &Value) -> Value {
    json!({"kind": kind, "document": document})
}

/// Adds the cases that both kinds of documents share.
fn shared(g: &mut Group, kind: &str, whole: &Value) {
    g.accept("bare", input(kind, &json!({"name": "a"})), "Only the name is required.");
    let mut nulls = whole.clone();
    let members = nulls.as_object_mut().into_iter().flatten().filter(|(name, _)| *name != "name");
    members.for_each(|(_, value)| *value = Value::Null);
    g.accept("nulls", input(kind, &nulls), "A member without a value may be null.").read_as(NULL);
    let extra = json!({"name": "a", "version": 2, "tokens": [null]});
    g.accept("extra-members", input(kind, &extra), "Members besides the listed ones are allowed.")
        .read_as(EXTRA);
}

/// Adds the whole document with one wrong member. The case's name says which member and which wrong type.
fn wrong(g: &mut Group, whole: &Value, place: &str, new: &Value, row: Id, why: &str) {
    let old = whole.pointer(place).cloned().unwrap_or_default();
    let kind = match new {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "fraction",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let name = format!("{}-{kind}", place.trim_start_matches('/').replace(['/', '_'], "-"));
    g.reject(&name, "whole", [set(&format!("/in/document{place}"), old, new.clone())], row, why);
}

fn contract() -> Value {
    let mut template = token();
    template["tag"] = json!("{id}");
    json!({
        "name": "Collection", "symbol": "COL", "description": "All of it", "image": "https://i.example/c.png",
        "banner_image": "https://i.example/b.png", "featured_image": "https://i.example/f.png",
        "external_link": "https://tokens.example/", "collaborators": ["0xab", "0xcd"], "ref": "a-ref",
        "owner": "0xef", "default_token_template": template,
    })
}

fn token() -> Value {
    json!({
        "name": "Token {id}", "image": "https://i.example/{id}.png",
        "animation_url": "https://i.example/{id}.mp4", "description": "One of them",
        "external_url": "https://tokens.example/{id}",
        "attributes": [
            {"trait_type": "Colour", "value": "red"},
            {"trait_type": "Edition", "value": 1},
            {"trait_type": "Animated", "value": true},
        ],
        "external_properties": [
            {"source": "https://p.example/{id}", "mandatory": true, "allowed": ["image"], "fallback": {"image": null}},
            {"source": "https://p.example/all"},
        ],
    })
}
