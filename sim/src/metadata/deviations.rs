//! The deviations of token metadata: each entry breaks one requirement, with its code, at one seam.

use assay_spec::metadata::requirements::{contract, overrides, paths, records, root, token, validation};
use assay_spec::metadata::route::{Address, Resource, route};
use assay_spec::metadata::token::TokenId;
use assay_spec::{Id, Without};
use serde_json::{Value, json};

use super::Route as RouteStep;
use super::contract::{Document, Shown, TEMPLATE};
use super::overrides::Overrides;
use super::refusal::Rejected;
use super::root::{self as root_page, Interface, Page};
use super::token::{self as tokens, Filled, Known};
use super::{Find, State};
use crate::deviation::{Deviation, deviations};
use crate::seam::{Answer, Body};

/// Every deviation of token metadata.
pub(super) const ALL: &[Deviation] = deviations! {
    root::HTML => "the root returns JSON",
        reply |r: &mut Answer<Page>| r.body = Body::Json(json!({ "status": "ok" }));
    root::HTML, "type" => "the page is plain text",
        reply |r: &mut Answer<Page>| r.body = Body::Text(root_page::PAGE.to_owned());
    root::HTML, "missing" => "the root returns 404", reply |r: &mut Answer<Page>| {
        (r.status, r.body) = (404, Body::Json(json!({ "detail": "Not Found" })));
    };
    root::VERSION => "the interface description declares another version",
        reply |r: &mut Answer<Interface>| r["info"]["version"] = json!("0.2.0");

    contract::BY_CID => "contracts are not found by their content identifier", guard;
    contract::BY_CID, "list" => "a contract's document is wrapped in an array",
        reply |r: &mut Answer<Document>| r.wrap(&contract::BY_CID);
    contract::BY_URI => "contracts are not found by their URI", guard;
    contract::BY_URI, "list" => "a contract's document is wrapped in an array",
        reply |r: &mut Answer<Document>| r.wrap(&contract::BY_URI);
    contract::BY_CID, "first" => "every content identifier returns the first contract's document",
        step |s: &mut Shown| s.index *= usize::from(s.by_uri);
    contract::BY_URI, "first" => "every URI returns the first contract's document",
        step |s: &mut Shown| s.index *= usize::from(!s.by_uri);
    contract::UNKNOWN => "an unknown contract returns another contract's document", step |s: &mut Find| {
        s.0 = |core, state, at| State::find(core, state, at).or(Ok(0));
    };
    contract::SAME => "a document has another description when found by URI", reply |r: &mut Answer<Document>| {
        if r.about.by_uri
            && let Body::Json(document) = &mut r.body
        {
            set(document, "description", "Another");
        }
    };

    token::BY_CID_JSON => "paths that end in .json are not found", guard;
    token::BY_CID_JSON, "list" => "a token's document is wrapped in an array",
        reply |r: &mut Answer<Document>| r.wrap(&token::BY_CID_JSON);
    token::BY_CID => "tokens are found only with .json", guard;
    token::BY_CID, "list" => "a token's document is wrapped in an array",
        reply |r: &mut Answer<Document>| r.wrap(&token::BY_CID);
    token::BY_URI_JSON => "paths that end in .json are not found", guard;
    token::BY_URI_JSON, "list" => "a token's document is wrapped in an array",
        reply |r: &mut Answer<Document>| r.wrap(&token::BY_URI_JSON);
    token::BY_URI => "tokens are found only with .json", guard;
    token::BY_URI, "list" => "a token's document is wrapped in an array",
        reply |r: &mut Answer<Document>| r.wrap(&token::BY_URI);
    token::BY_CID, "other" => "each token of a contract with a content identifier has the document of token 7",
        step |s: &mut Filled| {
            if s.has_cid {
                s.id = TokenId::parse("7").expect("an integer is an id");
            }
        };
    token::BY_URI, "other" => "each token of a contract without a content identifier has the document of token 7",
        step |s: &mut Filled| {
            if !(s.has_cid || s.suffix) {
                s.id = TokenId::parse("7").expect("an integer is an id");
            }
        };
    token::SAME => "a document has another name at a path with .json", reply |r: &mut Answer<Document>| {
        if [&token::BY_CID_JSON, &token::BY_URI_JSON].contains(&r.about.row)
            && let Body::Json(document) = &mut r.body
        {
            set(document, "name", "Another");
        }
    };
    token::SAME, "overrides" => "documents at paths with .json lack the overrides", step |s: &mut Filled| {
        if s.suffix {
            s.overrides.clear();
        }
    };
    token::UNKNOWN => "every integer returns a token", guard;
    token::UNKNOWN, "bits" => "ids are kept in 32 bits", step |s: &mut Known| s.0 = |core, of, id| {
        let low = id.to_string().parse::<u128>().map(|id| (id & 0xffff_ffff).to_string());
        let low = low.ok().and_then(|id| TokenId::parse(&id));
        tokens::known(core, of, low.as_ref().filter(|low| of.tokens.contains_key(low)).unwrap_or(id))
    };

    overrides::BY_CID => "overrides are not found", guard;
    overrides::BY_CID, "object" => "overrides are wrapped in an object", reply |r: &mut Answer<Overrides>| {
        r.at(&overrides::BY_CID, |list| *list = json!({ "overrides": list.take() }));
    };
    overrides::BY_CID, "elements" => "overrides are strings", reply |r: &mut Answer<Overrides>| {
        r.at(&overrides::BY_CID, |list| *list = json!(["wrong"]));
    };
    overrides::BY_URI => "overrides are not found", guard;
    overrides::BY_URI, "empty" => "a token found by URI has no overrides",
        reply |r: &mut Answer<Overrides>| r.at(&overrides::BY_URI, |list| *list = json!([]));
    overrides::BY_URI, "object" => "overrides are wrapped in an object", reply |r: &mut Answer<Overrides>| {
        r.at(&overrides::BY_URI, |list| *list = json!({ "overrides": list.take() }));
    };
    overrides::BY_URI, "elements" => "overrides are strings", reply |r: &mut Answer<Overrides>| {
        r.at(&overrides::BY_URI, |list| *list = json!(["wrong"]));
    };

    paths::DOUBLE_SLASH => "repeated slashes are merged", guard;
    paths::REQUIRED => "an empty contract returns any contract", step |s: &mut RouteStep| {
        s.0 = |core, state, path| match State::route(core, state, path) {
            Err(refused) if refused.rule == &paths::REQUIRED => {
                let any = state.collections[0].cid.clone().unwrap_or_default();
                Ok(at_contract(route(path, &mut Without(&paths::REQUIRED))?, Address::Cid(any)))
            }
            found => found,
        };
    };

    validation::INTEGER => "an id that is not an integer is an unknown token", guard;
    validation::ODD_ID => "an odd id returns an internal error", guard;
    validation::DETAIL => "`detail` is a string",
        reply |r: &mut Answer<Rejected>| r.invalid(|i| set(i, "detail", "wrong"));
    validation::DETAIL, "elements" => "`detail` is an array of strings",
        reply |r: &mut Answer<Rejected>| r.invalid(|i| set(i, "detail", json!(["wrong"])));
    validation::DETAIL, "absent" => "`detail` is missing",
        reply |r: &mut Answer<Rejected>| r.invalid(|i| remove(i, "detail"));
    validation::LOC => "`loc` is a string",
        reply |r: &mut Answer<Rejected>| r.errors(|e| set(e, "loc", "token_id"));
    validation::LOC, "elements" => "`loc` contains null",
        reply |r: &mut Answer<Rejected>| r.errors(|e| set(e, "loc", json!([null])));
    validation::LOC, "absent" => "`loc` is missing",
        reply |r: &mut Answer<Rejected>| r.errors(|e| remove(e, "loc"));
    validation::MSG => "`msg` is a number", reply |r: &mut Answer<Rejected>| r.errors(|e| set(e, "msg", 7));
    validation::MSG, "absent" => "`msg` is missing",
        reply |r: &mut Answer<Rejected>| r.errors(|e| remove(e, "msg"));
    validation::TYPE => "`type` is a number",
        reply |r: &mut Answer<Rejected>| r.errors(|e| set(e, "type", 7));
    validation::TYPE, "absent" => "`type` is missing",
        reply |r: &mut Answer<Rejected>| r.errors(|e| remove(e, "type"));

    records::TRAIT_TYPE => "an attribute's `trait_type` is a number",
        reply |r: &mut Answer<Document>| r.attributes(|a| set(a, "trait_type", 7));
    records::TRAIT_TYPE, "absent" => "an attribute has no `trait_type`",
        reply |r: &mut Answer<Document>| r.attributes(|a| remove(a, "trait_type"));
    records::VALUE => "an attribute's `value` is an object",
        reply |r: &mut Answer<Document>| r.attributes(|a| set(a, "value", json!({ "wrong": 7 })));
    records::VALUE, "float" => "an attribute's `value` is not an integer",
        reply |r: &mut Answer<Document>| r.attributes(|a| set(a, "value", 7.5));
    records::VALUE, "absent" => "an attribute has no `value`",
        reply |r: &mut Answer<Document>| r.attributes(|a| remove(a, "value"));

    records::CONTRACT_NAME => "a contract's name is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "name", 7));
    records::CONTRACT_NAME, "absent" => "a contract has no name",
        reply |r: &mut Answer<Document>| r.contract(|c| remove(c, "name"));
    records::CONTRACT_SYMBOL => "a contract's symbol is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "symbol", 7));
    records::CONTRACT_DESCRIPTION => "a contract's description is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "description", 7));
    records::CONTRACT_IMAGE => "a contract's image is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "image", 7));
    records::CONTRACT_BANNER_IMAGE => "a contract's banner image is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "banner_image", 7));
    records::CONTRACT_FEATURED_IMAGE => "a contract's featured image is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "featured_image", 7));
    records::CONTRACT_EXTERNAL_LINK => "a contract's external link is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "external_link", 7));
    records::CONTRACT_COLLABORATORS => "a contract's collaborators are a string",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "collaborators", "wrong"));
    records::CONTRACT_COLLABORATORS, "elements" => "a contract's collaborators are numbers",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "collaborators", json!([7])));
    records::CONTRACT_REF => "a contract's `ref` is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "ref", 7));
    records::CONTRACT_OWNER => "a contract's owner is a number",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "owner", 7));
    records::CONTRACT_TEMPLATE => "a contract's token template is a string",
        reply |r: &mut Answer<Document>| r.contract(|c| set(c, "default_token_template", "wrong"));

    records::TEMPLATE_NAME => "a template's name is a number",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "name", 7));
    records::TEMPLATE_NAME, "absent" => "a template has no name",
        reply |r: &mut Answer<Document>| r.template(|t| remove(t, "name"));
    records::TEMPLATE_IMAGE => "a template's image is a number",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "image", 7));
    records::TEMPLATE_ANIMATION_URL => "a template's animation URL is a number",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "animation_url", 7));
    records::TEMPLATE_DESCRIPTION => "a template's description is a number",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "description", 7));
    records::TEMPLATE_EXTERNAL_URL => "a template's external URL is a number",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "external_url", 7));
    records::TEMPLATE_ATTRIBUTES => "a template's attributes are a string",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "attributes", "wrong"));
    records::TEMPLATE_ATTRIBUTES, "elements" => "a template's attributes are strings",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "attributes", json!(["wrong"])));
    records::TEMPLATE_EXTERNAL_PROPERTIES => "a template's external properties are a string",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "external_properties", "wrong"));
    records::TEMPLATE_EXTERNAL_PROPERTIES, "elements" => "a template's external properties are strings",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "external_properties", json!(["wrong"])));
    records::TEMPLATE_TAG => "a template's tag is a number",
        reply |r: &mut Answer<Document>| r.template(|t| set(t, "tag", 7));

    records::TOKEN_NAME => "a token's name is a number",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "name", 7));
    records::TOKEN_NAME, "absent" => "a token has no name",
        reply |r: &mut Answer<Document>| r.token(|t| remove(t, "name"));
    records::TOKEN_IMAGE => "a token's image is a number",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "image", 7));
    records::TOKEN_ANIMATION_URL => "a token's animation URL is a number",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "animation_url", 7));
    records::TOKEN_DESCRIPTION => "a token's description is a number",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "description", 7));
    records::TOKEN_EXTERNAL_URL => "a token's external URL is a number",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "external_url", 7));
    records::TOKEN_ATTRIBUTES => "a token's attributes are a string",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "attributes", "wrong"));
    records::TOKEN_ATTRIBUTES, "elements" => "a token's attributes are strings",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "attributes", json!(["wrong"])));
    records::TOKEN_EXTERNAL_PROPERTIES => "a token's external properties are a string",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "external_properties", "wrong"));
    records::TOKEN_EXTERNAL_PROPERTIES, "elements" => "a token's external properties are strings",
        reply |r: &mut Answer<Document>| r.token(|t| set(t, "external_properties", json!(["wrong"])));

    records::SOURCE => "an external property's `source` is a number",
        reply |r: &mut Answer<Document>| r.properties(|p| set(p, "source", 7));
    records::SOURCE, "absent" => "an external property has no `source`",
        reply |r: &mut Answer<Document>| r.properties(|p| remove(p, "source"));
    records::MANDATORY => "an external property's `mandatory` is a string",
        reply |r: &mut Answer<Document>| r.properties(|p| set(p, "mandatory", "wrong"));
    records::ALLOWED => "an external property's `allowed` is a string",
        reply |r: &mut Answer<Document>| r.properties(|p| set(p, "allowed", "wrong"));
    records::ALLOWED, "elements" => "an external property's `allowed` contains numbers",
        reply |r: &mut Answer<Document>| r.properties(|p| set(p, "allowed", json!([7])));
    records::FALLBACK => "an external property's `fallback` is a string",
        reply |r: &mut Answer<Document>| r.properties(|p| set(p, "fallback", "wrong"));
};

impl Answer<Document> {
    /// Edits a contract's document.
    fn contract(&mut self, edit: impl FnOnce(&mut Value)) {
        if self.about.is_contract
            && let Body::Json(document) = &mut self.body
        {
            edit(document);
        }
    }

    /// Edits a contract's template.
    fn template(&mut self, edit: impl FnOnce(&mut Value)) {
        self.contract(|document| {
            if let Some(template) = document.get_mut(TEMPLATE).filter(|one| one.is_object()) {
                edit(template);
            }
        });
    }

    /// Edits a token's document.
    fn token(&mut self, edit: impl FnOnce(&mut Value)) {
        if !self.about.is_contract
            && let Body::Json(document) = &mut self.body
        {
            edit(document);
        }
    }

    /// Edits every attribute of a token or a template.
    fn attributes(&mut self, edit: fn(&mut Value)) {
        self.template(|template| each(template, "attributes", edit));
        self.token(|token| each(token, "attributes", edit));
    }

    /// Edits every external property of a token or a template.
    fn properties(&mut self, edit: fn(&mut Value)) {
        self.template(|template| each(template, "external_properties", edit));
        self.token(|token| each(token, "external_properties", edit));
    }

    /// Wraps a document in an array, if it was found by this row.
    fn wrap(&mut self, row: Id) {
        if self.about.row == row
            && let Body::Json(document) = &mut self.body
        {
            *document = json!([document.take()]);
        }
    }
}

impl Answer<Overrides> {
    /// Edits overrides that were found by this row.
    fn at(&mut self, row: Id, edit: impl FnOnce(&mut Value)) {
        if self.about.row == row
            && let Body::Json(list) = &mut self.body
        {
            edit(list);
        }
    }
}

impl Answer<Rejected> {
    /// Edits the body of a 422.
    fn invalid(&mut self, edit: impl FnOnce(&mut Value)) {
        if self.status == 422
            && let Body::Json(body) = &mut self.body
        {
            edit(body);
        }
    }

    /// Edits every error of a 422.
    fn errors(&mut self, edit: fn(&mut Value)) {
        self.invalid(|body| each(body, "detail", edit));
    }
}

/// The same resource of another contract.
fn at_contract(resource: Resource, contract: Address) -> Resource {
    match resource {
        Resource::Root => Resource::Root,
        Resource::Contract(_) => Resource::Contract(contract),
        Resource::Token { id, suffix, .. } => Resource::Token { contract, id, suffix },
        Resource::Overrides { id, .. } => Resource::Overrides { contract, id },
    }
}

fn each(document: &mut Value, list: &str, edit: fn(&mut Value)) {
    let items = document.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(edit);
}

fn set(document: &mut Value, member: &str, value: impl Into<Value>) {
    if let Some(members) = document.as_object_mut() {
        members.insert(member.to_owned(), value.into());
    }
}

fn remove(document: &mut Value, member: &str) {
    if let Some(members) = document.as_object_mut() {
        members.shift_remove(member);
    }
}
