//! What the document leaves open, varied.

use assay_spec::metadata::template::TAG;
use serde_json::{Value, json};

use crate::core::Core;
use crate::variation::Variation;

/// Absent optional members.
pub(super) const NULLS: Variation = Variation::named("metadata.nulls", "absent optional members are null");
/// The default tag of a template.
pub(super) const TAG_SHOWN: Variation =
    Variation::named("metadata.tag-shown", "a template shows its default tag");
/// No overrides.
pub(super) const OVERRIDES_EMPTY: Variation =
    Variation::named("metadata.overrides-empty", "no token has overrides");
/// Another form of overrides.
pub(super) const OVERRIDES_NAMED: Variation =
    Variation::named("metadata.overrides-named", "an override is an object with a member's name and value");
/// Unknown contracts and tokens.
pub(super) const UNKNOWN_410: Variation =
    Variation::named("metadata.unknown-410", "an unknown contract or token returns 410");
/// Unknown contracts and tokens.
pub(super) const UNKNOWN_422: Variation =
    Variation::named("metadata.unknown-422", "an unknown contract or token returns 422");
/// Metadata that cannot be fetched.
pub(super) const UNKNOWN_504: Variation = Variation::named(
    "metadata.unknown-504",
    "an unknown contract or token returns 504, as one that cannot be fetched",
);
/// Plain-text errors.
pub(super) const ERROR_TEXT: Variation =
    Variation::named("metadata.error-text", "errors other than 422 are plain text");
/// Another root page.
pub(super) const HTML_BARE: Variation =
    Variation::named("metadata.html-bare", "the root page is an HTML fragment without a charset");
/// Another `loc` in a 422.
pub(super) const LOC_INDEX: Variation =
    Variation::named("metadata.loc-index", "`loc` names a rejected parameter by its index");
/// 64-bit integers.
pub(super) const INTEGERS_64: Variation =
    Variation::named("metadata.integers-64", "ids that do not fit 64 bits return 422");

/// Tokens that do not exist.
pub(super) const BY_TEMPLATE: Variation = Variation {
    name: "metadata.by-template",
    about: "the document of any token of a contract with a template is made from it",
};

/// Every variation of token metadata.
pub(super) const ALL: &[Variation] = &[
    NULLS,
    TAG_SHOWN,
    OVERRIDES_EMPTY,
    OVERRIDES_NAMED,
    UNKNOWN_410,
    UNKNOWN_422,
    UNKNOWN_504,
    ERROR_TEXT,
    HTML_BARE,
    LOC_INDEX,
    INTEGERS_64,
    BY_TEMPLATE,
];

const OF_CONTRACTS: &[&str] = &[
    "symbol",
    "description",
    "image",
    "banner_image",
    "featured_image",
    "external_link",
    "collaborators",
    "ref",
    "owner",
    "default_token_template",
];
const OF_TOKENS: &[&str] =
    &["image", "animation_url", "description", "external_url", "attributes", "external_properties"];
const OF_EXTERNAL: &[&str] = &["mandatory", "allowed", "fallback"];

/// A contract's document with the variations of documents.
pub(super) fn contract(core: &Core, mut document: Value) -> Value {
    if let Some(template) = document.get_mut("default_token_template").filter(|one| one.is_object()) {
        if core.varies(TAG_SHOWN) && template.get("tag").is_none() {
            template["tag"] = json!(TAG);
        }
        *template = token(core, template.take());
    }
    if core.varies(NULLS) {
        fill(&mut document, OF_CONTRACTS);
    }
    document
}

/// A token's document, or a template, with the variations of documents.
pub(super) fn token(core: &Core, mut document: Value) -> Value {
    if core.varies(NULLS) {
        fill(&mut document, OF_TOKENS);
        let properties = document["external_properties"].as_array_mut();
        properties.into_iter().flatten().for_each(|property| fill(property, OF_EXTERNAL));
    }
    document
}

fn fill(document: &mut Value, names: &[&str]) {
    let Some(members) = document.as_object_mut() else { return };
    for name in names {
        members.entry(*name).or_insert(Value::Null);
    }
}
