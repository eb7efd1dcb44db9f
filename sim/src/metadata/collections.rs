//! The collections that the service knows, made from the seed.
//!
//! One collection has every member of every record and is found by content identifier and by URI. One has only a name
//! and no URI. Two are found only by URI: one URI contains two double slashes, the other none.

use std::collections::BTreeMap;

use assay_spec::cid::{self, Discard, Layout};
use assay_spec::crypto::text::hex;
use assay_spec::metadata::attribute::{Attribute, AttributeValue};
use assay_spec::metadata::contract::ContractMetadata;
use assay_spec::metadata::external::ExternalProperties;
use assay_spec::metadata::route::Address;
use assay_spec::metadata::template::TokenMetadataTemplate;
use assay_spec::metadata::token::TokenId;
use serde_json::{Map, Value, json};

use crate::rng::Rng;

/// An id that no token has.
pub(super) const UNKNOWN_TOKEN: &str = "999999999999";

/// A contract, the template of its tokens, and its tokens with their overrides.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    /// The content identifier of its metadata, if it is found by it.
    pub(super) cid: Option<String>,
    /// Its URI, if it is found by it.
    pub(super) uri: Option<String>,
    /// Its document.
    pub(super) metadata: ContractMetadata,
    /// Its tokens; if two overrides set one member, the later one wins.
    pub(super) tokens: BTreeMap<TokenId, Vec<Map<String, Value>>>,
}

impl Collection {
    /// Whether the contract is found at this address.
    pub(super) fn is_at(&self, address: &Address) -> bool {
        match address {
            Address::Cid(cid) => self.cid.as_ref() == Some(cid),
            Address::Uri(uri) => self.uri.as_ref() == Some(uri),
        }
    }

    /// Whether it has a template of its own.
    pub(super) fn has_template(&self) -> bool {
        self.metadata.default_token_template.is_some()
    }

    /// The template of its tokens: its own, or the default one.
    pub(super) fn template(&self) -> TokenMetadataTemplate {
        let named = || TokenMetadataTemplate {
            name: format!("{} {{id}}", self.metadata.name),
            ..TokenMetadataTemplate::default()
        };
        self.metadata.default_token_template.clone().unwrap_or_else(named)
    }
}

/// The collections of a seed.
pub(super) fn made_from(rng: Rng) -> Vec<Collection> {
    let word = |n: u64| hex(&rng.draw("metadata.collection", b"", n)[..4]);
    let account = |n: u64| format!("0x{}", hex(&rng.draw("metadata.account", b"", n)[..20]));
    let [first, second, third, fourth] = [0, 1, 2, 3].map(word);
    let whole = whole(&first, account(0), [account(1), account(2)]);
    let named = |name: &str| ContractMetadata { name: name.to_owned(), ..ContractMetadata::default() };
    let bare = named(&format!("Bare {second}"));
    let tagged = ContractMetadata {
        symbol: Some("TAG".to_owned()),
        owner: Some(account(3)),
        default_token_template: Some(TokenMetadataTemplate {
            name: "Tagged <n>".to_owned(),
            image: Some(format!("https://images.example/{third}/<n>.png")),
            tag: Some("<n>".to_owned()),
            ..TokenMetadataTemplate::default()
        }),
        ..named(&format!("Tagged {third}"))
    };
    let nested = ContractMetadata {
        description: Some("Found by a URI that holds another".to_owned()),
        collaborators: Some(Vec::new()),
        ..named(&format!("Nested {fourth}"))
    };
    vec![
        Collection {
            cid: Some(identifier(&whole)),
            uri: Some(format!("https://tokens-{first}.example:8443/collections/{first}")),
            metadata: whole,
            tokens: tokens(&["0", "1", "2", "3", "1000000000000000000000000000000"], &renamed(&first)),
        },
        Collection {
            cid: Some(identifier(&bare)),
            uri: None,
            metadata: bare,
            tokens: tokens(&["1", "2"], &[]),
        },
        Collection {
            cid: None,
            uri: Some(format!("chain:1:{}", account(4))),
            metadata: tagged,
            tokens: tokens(&["7", "8"], &[json!({ "name": "Seven" })]),
        },
        Collection {
            cid: None,
            uri: Some(format!("proxy://node-{fourth}.example/https://origin.example/{fourth}/")),
            metadata: nested,
            tokens: tokens(&["1", "-1"], &[]),
        },
    ]
}

/// A contract with every documented member.
fn whole(word: &str, owner: String, collaborators: [String; 2]) -> ContractMetadata {
    let text = |text: &str| Some(text.replace("<word>", word));
    let attribute =
        |trait_type: &str, value: AttributeValue| Attribute { trait_type: trait_type.to_owned(), value };
    let fallback = json!({ "kind": "image", "url": "https://images.example/none.png" });
    let template = TokenMetadataTemplate {
        name: format!("Whole {word} #{{id}}"),
        image: text("https://images.example/<word>/{id}.png"),
        animation_url: text("https://images.example/<word>/{id}.mp4"),
        description: text("Token {id} of <word>"),
        external_url: text("https://tokens.example/<word>/{id}"),
        attributes: Some(vec![
            attribute("Number", AttributeValue::Text("{id}".to_owned())),
            attribute("Edition", AttributeValue::Integer(1.into())),
            attribute("Animated", AttributeValue::Boolean(true)),
        ]),
        external_properties: Some(vec![
            ExternalProperties {
                source: format!("https://properties.example/{word}/{{id}}"),
                mandatory: Some(false),
                allowed: Some(vec!["image".to_owned(), "attributes".to_owned()]),
                fallback: fallback.as_object().cloned(),
            },
            ExternalProperties {
                source: "https://properties.example/all".to_owned(),
                ..ExternalProperties::default()
            },
        ]),
        tag: None,
    };
    ContractMetadata {
        name: format!("Whole {word}"),
        symbol: text("WHOLE"),
        description: text("A collection with every member: \u{e9}, \u{4e16}, \u{1f600}"),
        image: text("https://images.example/<word>/contract.png"),
        banner_image: text("https://images.example/<word>/banner.png"),
        featured_image: text("https://images.example/<word>/featured.png"),
        external_link: text("https://tokens.example/<word>"),
        collaborators: Some(collaborators.into()),
        reference: text("<word>"),
        owner: Some(owner),
        default_token_template: Some(template),
    }
}

/// Two overrides of one member, and one of another.
fn renamed(word: &str) -> [Value; 2] {
    [
        json!({ "name": "Renamed", "description": format!("Overridden in {word}") }),
        json!({ "name": "Renamed again" }),
    ]
}

/// Tokens; the second to last has the overrides.
fn tokens(ids: &[&str], overrides: &[Value]) -> BTreeMap<TokenId, Vec<Map<String, Value>>> {
    let overridden = ids.len().saturating_sub(2);
    let id = |text: &&str| TokenId::parse(text).expect("the ids above are integers");
    let of = |n: usize| if n == overridden { overrides } else { &[] };
    let members = |n: usize| of(n).iter().filter_map(|one| one.as_object().cloned()).collect();
    ids.iter().enumerate().map(|(n, text)| (id(text), members(n))).collect()
}

/// The content identifier of a contract's document.
fn identifier(metadata: &ContractMetadata) -> String {
    let bytes = json!(metadata).to_string().into_bytes();
    let summary = cid::of_file(&bytes.as_slice(), &Layout::default(), &Discard);
    summary.map(|summary| summary.cid.to_string()).expect("bytes in memory can be read")
}

#[cfg(test)]
mod tests {
    use assay_spec::Strict;
    use assay_spec::metadata::token::MetadataResponse;

    use super::*;

    #[test]
    fn every_document_matches_its_schema() {
        for collection in made_from(Rng::new(7)) {
            let contract = json!(collection.metadata);
            assert_eq!(ContractMetadata::read(&contract, &mut Strict), Ok(collection.metadata.clone()));
            for id in collection.tokens.keys() {
                let token = collection.template().of_token(id);
                assert_eq!(MetadataResponse::read(&json!(token), &mut Strict), Ok(token.clone()));
                assert!(!json!(token).to_string().contains("{id}"), "{token:?}");
            }
        }
    }

    #[test]
    fn another_seed_has_other_contracts() {
        let [one, other] = [1, 2].map(|seed| json!(made_from(Rng::new(seed))[0].metadata));
        assert_ne!(one, other);
        assert_eq!(one, json!(made_from(Rng::new(1))[0].metadata));
    }
}
