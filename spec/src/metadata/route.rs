//! Finds the resource that a path names, from the path's bytes as sent, and builds the paths of a resource.
//!
//! A contract's URI usually has colons and slashes itself. The last double slash ends it. Forms with a URI are tried
//! before those with a content identifier, and an id with `.json` before one without. A parameter is percent-decoded
//! once, after the path is split.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};
use serde_json::json;

use super::mistakes::paths::{DECODED, DOUBLE_SLASH, LAST, REQUIRED, SHAPE, TEXT};
use super::mistakes::validation::INTEGER;
use super::token::TokenId;
use super::{contract, overrides, root, token};
use crate::endpoint::Endpoint;
use crate::{Refused, Rules, Strict};

/// The address of a contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Address {
    /// The content identifier of its metadata.
    Cid(String),
    /// Its URI.
    Uri(String),
}

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The root.
    Root,
    /// A contract's document.
    Contract(Address),
    /// A token's document.
    Token {
        /// The contract.
        contract: Address,
        /// The token.
        id: TokenId,
        /// Whether the id ends in `.json`.
        suffix: bool,
    },
    /// A token's overrides.
    Overrides {
        /// The contract.
        contract: Address,
        /// The token.
        id: TokenId,
    },
}

/// How a contract's URI is encoded in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Only what a path cannot contain is encoded.
    Raw,
    /// All reserved characters are encoded, slashes and colons too.
    Encoded,
}

/// The resource that a path names. `path` is a request target without its query, as bytes.
pub fn route(path: &[u8], rules: &mut dyn Rules) -> Result<Resource, Refused> {
    let path = rules.derive(&DOUBLE_SLASH, path, Cow::Borrowed);
    let found = find(&path, rules);
    let seen = || format!("{:.80?} has none of the listed forms", String::from_utf8_lossy(&path));
    rules.read(&SHAPE, &*path, |_| found.ok_or_else(seen))?.read(rules)
}

/// The endpoint of a path, whether its parameters are valid or not.
pub fn endpoint(path: &[u8]) -> Option<&'static Endpoint> {
    find(path, &mut Strict).map(|found| found.kind.endpoint(found.by_uri))
}

/// A contract's URI, encoded for a path.
pub fn written(uri: &str, form: Form) -> String {
    let encoded = match form {
        Form::Raw => NOT_IN_PATHS,
        Form::Encoded => RESERVED,
    };
    utf8_percent_encode(uri, encoded).to_string()
}

impl Resource {
    /// The endpoint that serves the resource.
    pub fn endpoint(&self) -> &'static Endpoint {
        match self {
            Resource::Root => RouteKind::Root.endpoint(false),
            Resource::Contract(contract) => RouteKind::Contract.endpoint(contract.is_uri()),
            Resource::Token { contract, suffix: true, .. } => {
                RouteKind::TokenJson.endpoint(contract.is_uri())
            }
            Resource::Token { contract, .. } => RouteKind::Token.endpoint(contract.is_uri()),
            Resource::Overrides { contract, .. } => RouteKind::Overrides.endpoint(contract.is_uri()),
        }
    }

    /// The contract and the token, if it has them.
    pub fn parameters(&self) -> (Option<&Address>, Option<&TokenId>) {
        match self {
            Resource::Root => (None, None),
            Resource::Contract(contract) => (Some(contract), None),
            Resource::Token { contract, id, .. } | Resource::Overrides { contract, id } => {
                (Some(contract), Some(id))
            }
        }
    }

    /// A path of the resource.
    pub fn path(&self, form: Form) -> String {
        match self {
            Resource::Root => "/".to_owned(),
            Resource::Contract(contract @ Address::Cid(_)) => format!("/{}", contract.written(form)),
            Resource::Contract(contract) => format!("/{}//", contract.written(form)),
            Resource::Token { contract, id, suffix } => {
                let suffix = if *suffix { JSON } else { "" };
                format!("/{}{}{id}{suffix}", contract.written(form), contract.separator())
            }
            Resource::Overrides { contract, id } => {
                format!("/{}{}{id}/{OVERRIDES}", contract.written(form), contract.separator())
            }
        }
    }
}

impl Address {
    /// Whether this is a URI.
    pub fn is_uri(&self) -> bool {
        matches!(self, Address::Uri(_))
    }

    /// The address as a string.
    pub fn text(&self) -> &str {
        match self {
            Address::Cid(text) | Address::Uri(text) => text,
        }
    }

    fn written(&self, form: Form) -> String {
        match self {
            Address::Cid(cid) => written(cid, Form::Encoded),
            Address::Uri(uri) => written(uri, form),
        }
    }

    fn separator(&self) -> &'static str {
        if self.is_uri() { "//" } else { "/" }
    }
}

const JSON: &str = ".json";
const OVERRIDES: &str = "overrides";
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const NOT_IN_PATHS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// What the form of a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteKind {
    /// The root.
    Root,
    /// A contract.
    Contract,
    /// A token, with `.json`.
    TokenJson,
    /// A token.
    Token,
    /// The overrides of a token.
    Overrides,
}

impl RouteKind {
    fn endpoint(self, by_uri: bool) -> &'static Endpoint {
        match (self, by_uri) {
            (RouteKind::Root, _) => &root::ROOT,
            (RouteKind::Contract, false) => &contract::BY_CID,
            (RouteKind::Contract, true) => &contract::BY_URI,
            (RouteKind::TokenJson, false) => &token::BY_CID_JSON,
            (RouteKind::TokenJson, true) => &token::BY_URI_JSON,
            (RouteKind::Token, false) => &token::BY_CID,
            (RouteKind::Token, true) => &token::BY_URI,
            (RouteKind::Overrides, false) => &overrides::BY_CID,
            (RouteKind::Overrides, true) => &overrides::BY_URI,
        }
    }
}

/// A path that is split, but not decoded.
#[derive(Clone, Copy, Debug)]
pub struct Found<'p> {
    pub(super) kind: RouteKind,
    pub(super) by_uri: bool,
    pub(super) contract: &'p [u8],
    pub(super) id: &'p [u8],
}

fn find<'p>(path: &'p [u8], rules: &mut dyn Rules) -> Option<Found<'p>> {
    let rest = path.strip_prefix(b"/")?;
    if rest.is_empty() {
        return Some(Found { kind: RouteKind::Root, by_uri: false, contract: b"", id: b"" });
    }
    let at = rules.derive(&LAST, rest, |rest| rest.windows(2).rposition(|two| two == b"//"));
    let by_uri = at.and_then(|at| {
        let (contract, id) = (&rest[..at], &rest[at + 2..]);
        if id.is_empty() {
            return Some(Found { kind: RouteKind::Contract, by_uri: true, contract, id });
        }
        let (kind, id) = of_token(id)?;
        Some(Found { kind, by_uri: true, contract, id })
    });
    by_uri.or_else(|| {
        let Some(at) = rest.iter().position(|byte| *byte == b'/') else {
            return Some(Found { kind: RouteKind::Contract, by_uri: false, contract: rest, id: b"" });
        };
        let (kind, id) = of_token(&rest[at + 1..])?;
        Some(Found { kind, by_uri: false, contract: &rest[..at], id })
    })
}

/// The part after the contract: the kind of its resource, and the token's id.
fn of_token(rest: &[u8]) -> Option<(RouteKind, &[u8])> {
    let slash = rest.iter().position(|byte| *byte == b'/');
    match slash.map(|at| (&rest[..at], &rest[at + 1..])) {
        Some((id, rest)) => (rest == OVERRIDES.as_bytes()).then_some((RouteKind::Overrides, id)),
        None => match rest.strip_suffix(JSON.as_bytes()) {
            Some(id) if !id.is_empty() => Some((RouteKind::TokenJson, id)),
            _ => Some((RouteKind::Token, rest)),
        },
    }
}

impl Found<'_> {
    fn read(self, rules: &mut dyn Rules) -> Result<Resource, Refused> {
        if self.kind == RouteKind::Root {
            return Ok(Resource::Root);
        }
        let whole = rules.read(&REQUIRED, self, |found| {
            let is_whole =
                !found.contract.is_empty() && (found.kind == RouteKind::Contract || !found.id.is_empty());
            if is_whole { Ok(found) } else { Err("a parameter is empty".to_owned()) }
        })?;
        let Found { kind, by_uri, contract, id } = whole;
        let contract = text(contract, rules)?;
        let contract = if by_uri { Address::Uri(contract) } else { Address::Cid(contract) };
        if kind == RouteKind::Contract {
            return Ok(Resource::Contract(contract));
        }
        let id = text(id, rules)?;
        let id = rules.read_value(
            &INTEGER,
            id.as_str(),
            || (Some(json!(id)), None),
            |id| TokenId::parse(id).ok_or_else(|| format!("{id:.80?} is not an integer")),
        )?;
        Ok(match kind {
            RouteKind::Overrides => Resource::Overrides { contract, id },
            kind => Resource::Token { contract, id, suffix: matches!(kind, RouteKind::TokenJson) },
        })
    }
}

/// A parameter as a string.
fn text(parameter: &[u8], rules: &mut dyn Rules) -> Result<String, Refused> {
    let decoded = rules.derive(&DECODED, parameter, |parameter| percent_decode(parameter).into());
    rules.read(&TEXT, &*decoded, |bytes| String::from_utf8(bytes.to_vec()).map_err(|e| e.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metadata::ENDPOINTS;

    fn named(path: &str) -> Result<Resource, &'static str> {
        route(path.as_bytes(), &mut Strict).map_err(|refused| refused.rule.rule)
    }

    fn id(text: &str) -> TokenId {
        TokenId::parse(text).expect("an integer")
    }

    #[test]
    fn every_listed_form_is_found() {
        let cid = || Address::Cid("bafy".into());
        let uri = || Address::Uri("https://a.example/c".into());
        for (path, resource, endpoint) in [
            ("/", Resource::Root, &root::ROOT),
            ("/bafy", Resource::Contract(cid()), &contract::BY_CID),
            ("/https://a.example/c//", Resource::Contract(uri()), &contract::BY_URI),
            ("/bafy/7", Resource::Token { contract: cid(), id: id("7"), suffix: false }, &token::BY_CID),
            (
                "/bafy/7.json",
                Resource::Token { contract: cid(), id: id("7"), suffix: true },
                &token::BY_CID_JSON,
            ),
            ("/bafy/7/overrides", Resource::Overrides { contract: cid(), id: id("7") }, &overrides::BY_CID),
            (
                "/https://a.example/c//7",
                Resource::Token { contract: uri(), id: id("7"), suffix: false },
                &token::BY_URI,
            ),
            (
                "/https://a.example/c//7.json",
                Resource::Token { contract: uri(), id: id("7"), suffix: true },
                &token::BY_URI_JSON,
            ),
            (
                "/https://a.example/c//7/overrides",
                Resource::Overrides { contract: uri(), id: id("7") },
                &overrides::BY_URI,
            ),
        ] {
            assert_eq!(named(path).as_ref(), Ok(&resource), "{path}");
            assert_eq!(resource.path(Form::Raw), path);
            assert!(std::ptr::eq(resource.endpoint(), endpoint));
            assert!(ENDPOINTS.iter().any(|one| std::ptr::eq(*one, endpoint)));
            assert!(super::endpoint(path.as_bytes()).is_some_and(|found| std::ptr::eq(found, endpoint)));
        }
    }

    #[test]
    fn last_double_slash_ends_a_uri() {
        let uri =
            |path: &str| named(path).map(|found| found.parameters().0.map(Address::text).map(str::to_owned));
        let is = |uri: &str| Ok(Some(uri.to_owned()));
        assert_eq!(uri("/a://b//7"), is("a://b"));
        assert_eq!(uri("/a:b//7"), is("a:b"));
        assert_eq!(uri("/a/b//7"), is("a/b"));
        assert_eq!(uri("/a///7"), is("a/"));
        assert_eq!(uri("//a//7"), is("/a"));
        assert_eq!(uri("/a//b//"), is("a//b"));
        assert_eq!(uri("/a%2F%2Fb//7"), is("a//b"));
        assert_eq!(uri("/a%252Fb//7"), is("a%2Fb"), "decoded once");
        assert_eq!(uri("/a%zz//7"), is("a%zz"));
        assert_eq!(uri("/a://b"), Err("route.integer"), "without its slashes, the rest is an id");
        assert_eq!(uri("/a://b/c"), Err("route.shape"));
    }

    #[test]
    fn id_that_is_not_an_integer_is_rejected_in_every_form() {
        for id in
            ["abc", "1x", "7.txt", "1.0", "+7", "%207", ".json", "7.json.json", "%2e%2e", "7%2Ejson", "--7"]
        {
            for path in ["/bafy/{}", "/bafy/{}.json", "/bafy/{}/overrides", "/a:b//{}", "/a:b//{}/overrides"]
            {
                assert_eq!(named(&path.replace("{}", id)), Err("route.integer"), "{path} {id}");
            }
        }
        assert_eq!(named("/bafy/overrides"), Err("route.integer"));
        assert_eq!(named("/a//overrides"), Err("route.integer"));
    }

    #[test]
    fn path_of_no_listed_form_is_rejected() {
        for path in
            ["", "*", "bafy", "/bafy/7/", "/bafy/7/other", "/a/b/c", "/a//7/other", "/bafy/7/overrides/"]
        {
            assert_eq!(named(path), Err("route.shape"), "{path}");
        }
        for path in ["/bafy/", "//7", "//", "///", "///7", "///7/overrides", "//7/overrides"] {
            assert_eq!(named(path), Err("route.required"), "{path}");
        }
        assert_eq!(named("/%ff"), Err("route.text"));
        assert_eq!(named("/bafy/%ff"), Err("route.text"));
    }

    fn addresses() -> impl Strategy<Value = Address> {
        let text = prop_oneof![
            "\\PC{1,12}",
            "[a-z0-9:/.%?#]{1,16}",
            "[/:]{1,5}",
            any::<char>().prop_map(String::from)
        ];
        (text, any::<bool>()).prop_map(
            |(text, by_uri)| {
                if by_uri { Address::Uri(text) } else { Address::Cid(text) }
            },
        )
    }

    fn resources() -> impl Strategy<Value = Resource> {
        let ids = prop_oneof![
            "-?[0-9]{1,30}".prop_map(|text| id(&text)),
            any::<i64>().prop_map(|n| id(&n.to_string()))
        ];
        prop_oneof![
            Just(Resource::Root),
            addresses().prop_map(Resource::Contract),
            (addresses(), ids.clone(), any::<bool>()).prop_map(|(contract, id, suffix)| Resource::Token {
                contract,
                id,
                suffix
            }),
            (addresses(), ids).prop_map(|(contract, id)| Resource::Overrides { contract, id }),
        ]
    }

    proptest! {
        #[test]
        fn a_resource_is_found_at_its_paths(resource in resources()) {
            for form in [Form::Raw, Form::Encoded] {
                let path = resource.path(form);
                prop_assert_eq!(route(path.as_bytes(), &mut Strict), Ok(resource.clone()), "{}", path);
                prop_assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{}", path);
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(resource) = route(&bytes, &mut Strict) {
                let again = resource.path(Form::Encoded);
                prop_assert_eq!(route(again.as_bytes(), &mut Strict), Ok(resource));
            }
        }

        #[test]
        fn paths_of_slashes_and_dots_are_read(path in "/[/.%a-c0-9]{0,12}(//)?[0-9]{0,3}(\\.json|/overrides|/)?") {
            if let Ok(resource) = route(path.as_bytes(), &mut Strict) {
                prop_assert_eq!(route(resource.path(Form::Raw).as_bytes(), &mut Strict), Ok(resource));
            }
        }
    }
}
