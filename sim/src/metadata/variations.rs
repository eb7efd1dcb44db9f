//! What the document leaves open, varied. Each entry has its code at one seam.

use assay_spec::Refused;
use assay_spec::metadata::requirements::validation::INTEGER;
use assay_spec::metadata::requirements::{contract, paths, token as tokens};
use assay_spec::metadata::template::TAG;
use serde_json::{Value, json};

use super::contract::{Document, TEMPLATE};
use super::overrides::Overrides;
use super::refusal::{Rejected, invalid};
use super::root::Page;
use super::token;
use super::token::{CheckId, Known};
use crate::seam::{Answer, Body};
use crate::variation::{Variation, variations};

/// Integers with this many digits always fit 64 bits.
const DIGITS_64: usize = 18;

/// Every variation of token metadata.
pub(super) const ALL: &[Variation] = variations! {
    "metadata.nulls" => "absent optional members are null", reply |r: &mut Answer<Document>| {
        let Body::Json(document) = &mut r.body else { return };
        if !r.about.is_contract {
            fill_token(document);
            return;
        }
        fill(document, OF_CONTRACTS);
        if document[TEMPLATE].is_object() {
            fill_token(&mut document[TEMPLATE]);
        }
    };
    "metadata.tag-shown" => "a template shows its default tag", reply |r: &mut Answer<Document>| {
        if r.about.is_contract && r[TEMPLATE].is_object() && r[TEMPLATE].get("tag").is_none() {
            r[TEMPLATE]["tag"] = json!(TAG);
        }
    };
    "metadata.overrides-empty" => "no token has overrides", step |s: &mut Known| {
        s.0 = |core, of, id| token::known(core, of, id).map(|_| Vec::new());
    };
    "metadata.overrides-named" => "an override is an object with a member's name and value",
        reply |r: &mut Answer<Overrides>| {
            if let Body::Json(Value::Array(elements)) = &mut r.body {
                let members = elements.iter().filter_map(Value::as_object).flatten();
                *elements = members.map(|(name, value)| json!({ "field": name, "value": value })).collect();
            }
        };
    "metadata.unknown-410" => "an unknown contract or token returns 410", reply |r: &mut Answer<Rejected>| {
        r.unknown(410, json!({ "detail": "Gone" }));
    };
    "metadata.unknown-422" => "an unknown contract or token returns 422", reply |r: &mut Answer<Rejected>| {
        r.unknown(422, invalid("Input should be a valid integer"));
    };
    "metadata.unknown-504" => "an unknown contract or token returns 504, as one that cannot be fetched",
        reply |r: &mut Answer<Rejected>| r.unknown(504, json!({ "detail": "Gateway Timeout" }));
    "metadata.empty-422" => "an empty path parameter returns 422", reply |r: &mut Answer<Rejected>| {
        if r.about.rule == Some(&paths::REQUIRED) {
            (r.status, r.body) = (422, Body::Json(invalid("Field required")));
        }
    };
    "metadata.error-text" => "errors other than 422 are plain text", reply |r: &mut Answer<Rejected>| {
        if r.status != 422 {
            r.body = Body::Text(r["detail"].as_str().unwrap_or_default().to_owned());
        }
    };
    "metadata.html-bare" => "the root page is an HTML fragment without a charset",
        reply |r: &mut Answer<Page>| r.body = Body::Typed("text/html", "<p>Token metadata".into());
    "metadata.loc-index" => "`loc` names a rejected parameter by its index", reply |r: &mut Answer<Rejected>| {
        if r.status == 422 {
            r["detail"][0]["loc"][1] = json!(1);
        }
    };
    "metadata.integers-64" => "ids that do not fit 64 bits return 422", step |s: &mut CheckId| {
        s.0 = |_, id| {
            if id.as_str().trim_start_matches('-').len() <= DIGITS_64 {
                return Ok(());
            }
            Err(Refused { rule: &INTEGER, why: "the id does not fit 64 bits".to_owned() })
        };
    };
    "metadata.by-template" => "the document of any token of a contract with a template is made from it",
        step |s: &mut Known| {
            s.0 = |core, of, id| match of.tokens.get(id) {
                None if of.has_template() => Ok(Vec::new()),
                _ => token::known(core, of, id),
            };
        };
};

impl Answer<Rejected> {
    /// Changes the reply to an unknown contract or token.
    fn unknown(&mut self, status: u16, body: Value) {
        if [&contract::UNKNOWN, &tokens::UNKNOWN].into_iter().any(|rule| self.about.rule == Some(rule)) {
            (self.status, self.body) = (status, Body::Json(body));
        }
    }
}

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
    TEMPLATE,
];
const OF_TOKENS: &[&str] =
    &["image", "animation_url", "description", "external_url", "attributes", "external_properties"];
const OF_EXTERNAL: &[&str] = &["mandatory", "allowed", "fallback"];

fn fill_token(document: &mut Value) {
    fill(document, OF_TOKENS);
    let properties = document["external_properties"].as_array_mut();
    properties.into_iter().flatten().for_each(|property| fill(property, OF_EXTERNAL));
}

fn fill(document: &mut Value, names: &[&str]) {
    let Some(members) = document.as_object_mut() else { return };
    for name in names {
        members.entry(*name).or_insert(Value::Null);
    }
}
