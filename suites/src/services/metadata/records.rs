//! Checks of the members of each document and their types. Optional members may be absent or null.

use assay_spec::Place;
use assay_spec::json::is_integer;
use assay_spec::metadata::requirements::records as rows;
use serde_json::Value;

use super::wire::{NAMED, contracts_at, document, parts};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::{Answer, Probe};

/// The kind of object that has the member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Contract,
    Template,
    Token,
    Attribute,
    External,
}

/// The type of a member.
#[derive(Clone, Copy, Debug)]
enum Type {
    Text,
    Strings,
    Boolean,
    /// A boolean, an integer or a string.
    Value,
    Object,
    Objects,
}

/// A member, and whether it is required.
#[derive(Clone, Copy, Debug)]
struct Member {
    of: Of,
    name: &'static str,
    kind: Type,
    required: bool,
}

macro_rules! members {
    ($($(#[$about:meta])* $row:ident $fact:ident: $of:ident $name:literal $kind:ident $required:literal;)*) => {
        $($(#[$about])*
        #[shows(rows::$row)]
        async fn $fact(probe: &Probe<'_>, place: Place) -> Checked {
            let member = Member { of: Of::$of, name: $name, kind: Type::$kind, required: $required };
            member.judge(probe, place).await
        })*
    };
}

members! {
    /// Fetches the documents with attributes. `trait_type` of each attribute must be a string.
    TRAIT_TYPE attribute_trait_type_is_a_string: Attribute "trait_type" Text true;
    /// Fetches the documents with attributes. `value` of each attribute must be a boolean, an integer or a string.
    VALUE attribute_value_is_a_boolean_integer_or_string: Attribute "value" Value true;

    /// Fetches the contract documents of each path form. `name` must be a string.
    CONTRACT_NAME contract_name_is_a_string: Contract "name" Text true;
    /// Fetches the contract documents of each path form. `symbol`, if present, must be a string.
    CONTRACT_SYMBOL contract_symbol_is_a_string: Contract "symbol" Text false;
    /// Fetches the contract documents of each path form. `description`, if present, must be a string.
    CONTRACT_DESCRIPTION contract_description_is_a_string: Contract "description" Text false;
    /// Fetches the contract documents of each path form. `image`, if present, must be a string.
    CONTRACT_IMAGE contract_image_is_a_string: Contract "image" Text false;
    /// Fetches the contract documents of each path form. `banner_image`, if present, must be a string.
    CONTRACT_BANNER_IMAGE contract_banner_image_is_a_string: Contract "banner_image" Text false;
    /// Fetches the contract documents of each path form. `featured_image`, if present, must be a string.
    CONTRACT_FEATURED_IMAGE contract_featured_image_is_a_string: Contract "featured_image" Text false;
    /// Fetches the contract documents of each path form. `external_link`, if present, must be a string.
    CONTRACT_EXTERNAL_LINK contract_external_link_is_a_string: Contract "external_link" Text false;
    /// Fetches the contract documents of each path form. `collaborators`, if present, must be an array of strings.
    CONTRACT_COLLABORATORS contract_collaborators_is_an_array_of_strings: Contract "collaborators" Strings false;
    /// Fetches the contract documents of each path form. `ref`, if present, must be a string.
    CONTRACT_REF contract_ref_is_a_string: Contract "ref" Text false;
    /// Fetches the contract documents of each path form. `owner`, if present, must be a string.
    CONTRACT_OWNER contract_owner_is_a_string: Contract "owner" Text false;
    /// Fetches the contract documents of each path form. `default_token_template`, if present, must be an object.
    CONTRACT_TEMPLATE contract_template_is_an_object: Contract "default_token_template" Object false;

    /// Fetches the contract documents of each path form. `name` of the template must be a string.
    TEMPLATE_NAME template_name_is_a_string: Template "name" Text true;
    /// Fetches the contract documents of each path form. `image` of the template, if present, must be a string.
    TEMPLATE_IMAGE template_image_is_a_string: Template "image" Text false;
    /// Fetches the contract documents of each path form. `animation_url` of the template, if present, must be a string.
    TEMPLATE_ANIMATION_URL template_animation_url_is_a_string: Template "animation_url" Text false;
    /// Fetches the contract documents of each path form. `description` of the template, if present, must be a string.
    TEMPLATE_DESCRIPTION template_description_is_a_string: Template "description" Text false;
    /// Fetches the contract documents of each path form. `external_url` of the template, if present, must be a string.
    TEMPLATE_EXTERNAL_URL template_external_url_is_a_string: Template "external_url" Text false;
    /// Fetches the contract documents of each path form. `attributes` of the template, if present, must be an array of objects.
    TEMPLATE_ATTRIBUTES template_attributes_is_an_array_of_objects: Template "attributes" Objects false;
    /// Fetches the contract documents of each path form. `external_properties` of the template, if present, must be an array of
    /// objects.
    TEMPLATE_EXTERNAL_PROPERTIES template_external_properties_is_an_array_of_objects:
        Template "external_properties" Objects false;
    /// Fetches the contract documents of each path form. `tag` of the template, if present, must be a string.
    TEMPLATE_TAG template_tag_is_a_string: Template "tag" Text false;

    /// Fetches the token documents of each path form. `name` must be a string.
    TOKEN_NAME token_name_is_a_string: Token "name" Text true;
    /// Fetches the token documents of each path form. `image`, if present, must be a string.
    TOKEN_IMAGE token_image_is_a_string: Token "image" Text false;
    /// Fetches the token documents of each path form. `animation_url`, if present, must be a string.
    TOKEN_ANIMATION_URL token_animation_url_is_a_string: Token "animation_url" Text false;
    /// Fetches the token documents of each path form. `description`, if present, must be a string.
    TOKEN_DESCRIPTION token_description_is_a_string: Token "description" Text false;
    /// Fetches the token documents of each path form. `external_url`, if present, must be a string.
    TOKEN_EXTERNAL_URL token_external_url_is_a_string: Token "external_url" Text false;
    /// Fetches the token documents of each path form. `attributes`, if present, must be an array of objects.
    TOKEN_ATTRIBUTES token_attributes_is_an_array_of_objects: Token "attributes" Objects false;
    /// Fetches the token documents of each path form. `external_properties`, if present, must be an array of objects.
    TOKEN_EXTERNAL_PROPERTIES token_external_properties_is_an_array_of_objects:
        Token "external_properties" Objects false;

    /// Fetches the documents with external properties. `source` of each external property must be a string.
    SOURCE property_source_is_a_string: External "source" Text true;
    /// Fetches the documents with external properties. `mandatory` of each external property, if present, must be a
    /// boolean.
    MANDATORY property_mandatory_is_a_boolean: External "mandatory" Boolean false;
    /// Fetches the documents with external properties. `allowed` of each external property, if present, must be an
    /// array of strings.
    ALLOWED property_allowed_is_an_array_of_strings: External "allowed" Strings false;
    /// Fetches the documents with external properties. `fallback` of each external property, if present, must be an
    /// object.
    FALLBACK property_fallback_is_an_object: External "fallback" Object false;
}

impl Of {
    /// The objects of this kind in a document, with their JSON pointers.
    fn parts(self, document: &Value, is_token: bool) -> Vec<(String, &Value)> {
        const TEMPLATE: &str = "default_token_template";
        let whole = || vec![(String::new(), document)];
        let template = || document.get(TEMPLATE).filter(|template| template.is_object());
        let (place, holder) =
            if is_token { (String::new(), Some(document)) } else { (format!("/{TEMPLATE}"), template()) };
        let list = |name: &str| {
            let items = holder.and_then(|holder| holder.get(name)?.as_array()).into_iter().flatten();
            let items = items.enumerate().filter(|(_, item)| item.is_object());
            items.map(|(n, item)| (format!("{place}/{name}/{n}"), item)).collect()
        };
        match (self, is_token) {
            (Of::Contract, false) | (Of::Token, true) => whole(),
            (Of::Contract | Of::Template, true) | (Of::Token, false) => Vec::new(),
            (Of::Template, false) => holder.map(|holder| (place, holder)).into_iter().collect(),
            (Of::Attribute, _) => list("attributes"),
            (Of::External, _) => list("external_properties"),
        }
    }
}

impl Type {
    fn holds(self, value: &Value) -> bool {
        let all = |holds: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(holds));
        match self {
            Type::Text => value.is_string(),
            Type::Strings => all(Value::is_string),
            Type::Boolean => value.is_boolean(),
            Type::Value => value.is_boolean() || value.is_string() || is_integer(value),
            Type::Object => value.is_object(),
            Type::Objects => all(Value::is_object),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Type::Text => "a string",
            Type::Strings => "an array of strings",
            Type::Boolean => "a boolean",
            Type::Value => "a boolean, an integer or a string",
            Type::Object => "an object",
            Type::Objects => "an array of objects",
        }
    }
}

impl Member {
    async fn judge(self, probe: &Probe<'_>, place: Place) -> Checked {
        let (mut seen, mut there) = (0, 0);
        let is_token = parts(place).1.is_some();
        for answer in documents(probe, place).await? {
            let document = answer.json();
            if !self.required {
                // An absent member shows nothing unless this is a document at all.
                answer.given_accepted(&[200], NAMED)?;
            }
            for (pointer, part) in self.of.parts(&document, is_token) {
                let value = part.get(self.name);
                let is_absent = value.is_none_or(Value::is_null);
                let holds =
                    if is_absent { !self.required } else { value.is_some_and(|it| self.kind.holds(it)) };
                let optional = if self.required { "" } else { ", null or absent" };
                let want = format!("{}{optional}", self.kind.name());
                let got = value.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                answer.expect(holds, &format!("{pointer}/{}", self.name), want, got)?;
                seen += 1;
                there += usize::from(!is_absent);
            }
        }
        if seen == 0 {
            return Err(Stop::NotTestable(format!(
                "no document of the fixtures has an object that can contain `{}`",
                self.name
            )));
        }
        if there == 0 {
            probe.note(format!("no document has `{}`", self.name));
        }
        Ok(())
    }
}

/// The documents at a place.
async fn documents<'p>(probe: &'p Probe<'_>, place: Place) -> Result<Vec<Answer<'p>>, Stop> {
    let mut documents = Vec::new();
    for contract in contracts_at(probe, place).await? {
        let ids = if parts(place).1.is_some() { contract.tokens_of(probe) } else { vec![""] };
        for id in ids {
            documents.push(document(probe, contract.path_at(place, id)).await?);
        }
    }
    Ok(documents)
}
