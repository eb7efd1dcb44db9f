//! The members of every document, each by its type. What is optional may be absent or null.

use assay_spec::metadata::requirements::records as rows;
use serde_json::Value;

use super::wire::{Form, MOST_CONTRACTS, Way, document, fixtures};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::shows;

/// What a member stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Contract,
    Template,
    Token,
    Attribute,
    External,
}

/// What a member may be.
#[derive(Clone, Copy, Debug)]
enum Type {
    Text,
    Texts,
    Boolean,
    /// A boolean, an integer or a text.
    Value,
    Object,
    Objects,
}

/// A member, and whether it must be there.
#[derive(Clone, Copy, Debug)]
struct Member {
    of: Of,
    name: &'static str,
    kind: Type,
    required: bool,
}

macro_rules! members {
    ($($row:ident $fact:ident: $of:ident $name:literal $kind:ident $required:literal;)*) => {
        pub(super) const CHECKS: &[Check] =
            &[$(shows!(rows::$row, $fact).costs(Of::$of.sends(), 0, 0).elsewhere(Of::$of.requests())),*];

        $(async fn $fact(probe: &Probe<'_>) -> Checked {
            let member = Member { of: Of::$of, name: $name, kind: Type::$kind, required: $required };
            member.judge(probe).await
        })*
    };
}

members! {
    TRAIT_TYPE trait_types_are_texts: Attribute "trait_type" Text true;
    VALUE values_are_booleans_integers_or_texts: Attribute "value" Value true;

    CONTRACT_NAME contracts_have_names: Contract "name" Text true;
    CONTRACT_SYMBOL symbols_are_texts: Contract "symbol" Text false;
    CONTRACT_DESCRIPTION descriptions_of_contracts_are_texts: Contract "description" Text false;
    CONTRACT_IMAGE images_of_contracts_are_texts: Contract "image" Text false;
    CONTRACT_BANNER_IMAGE banner_images_are_texts: Contract "banner_image" Text false;
    CONTRACT_FEATURED_IMAGE featured_images_are_texts: Contract "featured_image" Text false;
    CONTRACT_EXTERNAL_LINK external_links_are_texts: Contract "external_link" Text false;
    CONTRACT_COLLABORATORS collaborators_are_texts: Contract "collaborators" Texts false;
    CONTRACT_REF references_are_texts: Contract "ref" Text false;
    CONTRACT_OWNER owners_are_texts: Contract "owner" Text false;
    CONTRACT_TEMPLATE templates_are_objects: Contract "default_token_template" Object false;

    TEMPLATE_NAME templates_have_names: Template "name" Text true;
    TEMPLATE_IMAGE images_of_templates_are_texts: Template "image" Text false;
    TEMPLATE_ANIMATION_URL animations_of_templates_are_texts: Template "animation_url" Text false;
    TEMPLATE_DESCRIPTION descriptions_of_templates_are_texts: Template "description" Text false;
    TEMPLATE_EXTERNAL_URL external_urls_of_templates_are_texts: Template "external_url" Text false;
    TEMPLATE_ATTRIBUTES attributes_of_templates_are_objects: Template "attributes" Objects false;
    TEMPLATE_EXTERNAL_PROPERTIES external_properties_of_templates_are_objects:
        Template "external_properties" Objects false;
    TEMPLATE_TAG tags_are_texts: Template "tag" Text false;

    TOKEN_NAME tokens_have_names: Token "name" Text true;
    TOKEN_IMAGE images_of_tokens_are_texts: Token "image" Text false;
    TOKEN_ANIMATION_URL animations_of_tokens_are_texts: Token "animation_url" Text false;
    TOKEN_DESCRIPTION descriptions_of_tokens_are_texts: Token "description" Text false;
    TOKEN_EXTERNAL_URL external_urls_of_tokens_are_texts: Token "external_url" Text false;
    TOKEN_ATTRIBUTES attributes_of_tokens_are_objects: Token "attributes" Objects false;
    TOKEN_EXTERNAL_PROPERTIES external_properties_of_tokens_are_objects:
        Token "external_properties" Objects false;

    SOURCE sources_are_texts: External "source" Text true;
    MANDATORY whether_a_property_is_mandatory_is_a_boolean: External "mandatory" Boolean false;
    ALLOWED what_a_property_may_hold_are_texts: External "allowed" Texts false;
    FALLBACK fallbacks_are_objects: External "fallback" Object false;
}

impl Of {
    /// How many requests it takes to see some in a world of one's own.
    const fn sends(self) -> u32 {
        match self {
            Of::Contract | Of::Template | Of::Token => 5,
            Of::Attribute | Of::External => 10,
        }
    }

    /// How many requests it takes to see some, at most.
    const fn requests(self) -> u32 {
        let contracts = 2 * MOST_CONTRACTS as u32;
        match self {
            Of::Contract | Of::Template | Of::Token => contracts,
            Of::Attribute | Of::External => 2 * contracts,
        }
    }

    /// The parts of a document in which such a member stands, by their places.
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
            Type::Texts => all(Value::is_string),
            Type::Boolean => value.is_boolean(),
            Type::Value => value.is_boolean() || value.is_string() || is_integer(value),
            Type::Object => value.is_object(),
            Type::Objects => all(Value::is_object),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Type::Text => "a text",
            Type::Texts => "an array of texts",
            Type::Boolean => "a boolean",
            Type::Value => "a boolean, an integer or a text",
            Type::Object => "an object",
            Type::Objects => "an array of objects",
        }
    }
}

/// An integer of any size, however JSON writes it.
fn is_integer(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

impl Member {
    async fn judge(self, probe: &Probe<'_>) -> Checked {
        let (mut seen, mut there) = (0, 0);
        for (answer, is_token) in self.documents(probe).await? {
            let document = answer.json();
            for (place, part) in self.of.parts(&document, is_token) {
                let value = part.get(self.name);
                let is_absent = value.is_none_or(Value::is_null);
                let holds =
                    if is_absent { !self.required } else { value.is_some_and(|it| self.kind.holds(it)) };
                let optional = if self.required { "" } else { ", null or nothing" };
                let want = format!("{}{optional}", self.kind.name());
                let got = value.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                answer.expect(holds, &format!("{place}/{}", self.name), want, got)?;
                seen += 1;
                there += usize::from(!is_absent);
            }
        }
        if seen == 0 {
            return Err(Stop::NotTestable(format!(
                "no document of the fixtures has one to look for `{}` in",
                self.name
            )));
        }
        if there == 0 {
            probe.note(format!("no document has `{}`", self.name));
        }
        Ok(())
    }

    /// The documents in which such a member may stand, and whether each is a token's.
    async fn documents<'p>(self, probe: &'p Probe<'_>) -> Result<Vec<(Answer<'p>, bool)>, Stop> {
        let contracts = fixtures(probe).await.contracts;
        if contracts.is_empty() {
            return Err(Stop::NotTestable("needs a contract ([[metadata.contracts]])".to_owned()));
        }
        let mut documents = Vec::new();
        for contract in contracts.iter().take(MOST_CONTRACTS) {
            if self.of != Of::Token {
                for way in Way::BOTH.into_iter().filter(|way| contract.path(*way).is_some()) {
                    documents.push((document(probe, contract.path(way)).await?, false));
                }
            }
            if !matches!(self.of, Of::Contract | Of::Template) {
                let way = contract.way();
                for id in contract.some_tokens() {
                    let path = contract.token_path(way, id, Form::Bare);
                    documents.push((document(probe, path).await?, true));
                }
            }
        }
        Ok(documents)
    }
}
