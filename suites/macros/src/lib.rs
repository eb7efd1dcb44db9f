//! `#[shows(ROW, …)]` and `#[rejects(ROW, …)]` make a function a check.
//!
//! The attributes read what a `macro_rules` macro at a function cannot: its name, its parameters and its doc comment. They
//! leave the function as it is, and pass the rest to `check!` in `suites/src/harness/check.rs`. A parser of whole items would
//! cost more build time than it saves lines here.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A check that something is accepted: `#[shows(ROW, setting, …)]` at `async fn fact(probe: &Probe<'_>) -> Checked`, or with
/// the parameter `place: Place` at a check that runs at each place of the row. `check!` describes the settings.
#[proc_macro_attribute]
pub fn shows(settings: TokenStream, function: TokenStream) -> TokenStream {
    check("shows", settings, function)
}

/// A check that something is rejected, with a valid counterpart; else as [`macro@shows`]. The row names the statuses, and the
/// sentence that demands them.
#[proc_macro_attribute]
pub fn rejects(settings: TokenStream, function: TokenStream) -> TokenStream {
    check("rejects", settings, function)
}

/// The function, and `crate::harness::check::check! { kind (once|each) fact "doc" settings }`.
fn check(kind: &str, settings: TokenStream, function: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = function.clone().into_iter().collect();
    let Some(at) = tokens.iter().position(|token| is_word(token, "fn")) else {
        return error("a check is a function");
    };
    let (Some(TokenTree::Ident(fact)), Some(parameters)) = (tokens.get(at + 1), tokens.get(at + 2)) else {
        return error("a check is a function without type parameters");
    };
    let TokenTree::Group(parameters) = parameters else {
        return error("a check is a function without type parameters");
    };
    let has_place = parameters.stream().into_iter().any(|token| is_word(&token, "place"));
    let run = if has_place { "each" } else { "once" };
    let mut item = function;
    item.extend(path(&["crate", "harness", "check", "check"]));
    item.extend([TokenTree::Punct(Punct::new('!', Spacing::Alone))]);
    let mut call = TokenStream::from_iter([
        word(kind),
        word(run),
        TokenTree::Ident(fact.clone()),
        TokenTree::Literal(Literal::string(&doc(&tokens[..at]))),
    ]);
    call.extend(settings);
    item.extend([TokenTree::Group(Group::new(Delimiter::Brace, call))]);
    item
}

/// The doc comment among the attributes of an item, in paragraphs: lines are joined, an empty line ends a paragraph.
fn doc(attributes: &[TokenTree]) -> String {
    let mut doc = String::new();
    for attribute in attributes {
        let TokenTree::Group(attribute) = attribute else { continue };
        let [name, _, TokenTree::Literal(line)] = &flat(attribute.stream())[..] else { continue };
        if !is_word(name, "doc") {
            continue;
        }
        let line = unquoted(&line.to_string());
        doc += match (doc.is_empty() || doc.ends_with('\n'), line.is_empty()) {
            (_, true) => "\n\n",
            (true, false) => "",
            (false, false) => " ",
        };
        doc += &line;
    }
    doc
}

/// Tokens without the invisible groups in which a macro passes on what it matched.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let of = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => flat(group.stream()),
        token => vec![token],
    };
    tokens.into_iter().flat_map(of).collect()
}

/// The content of a literal of a string, without blanks around it.
fn unquoted(literal: &str) -> String {
    let raw = literal.strip_prefix('r').map(|raw| raw.trim_matches('#'));
    let is_raw = raw.is_some();
    let content = raw.unwrap_or(literal).trim_matches('"').trim();
    if is_raw {
        content.to_owned()
    } else {
        content.replace("\\\"", "\"").replace("\\'", "'").replace("\\\\", "\\")
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

fn word(text: &str) -> TokenTree {
    TokenTree::Ident(Ident::new(text, Span::call_site()))
}

/// `a::b::c`
fn path(parts: &[&str]) -> TokenStream {
    let mut path = TokenStream::new();
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            path.extend(
                [Punct::new(':', Spacing::Joint), Punct::new(':', Spacing::Alone)].map(TokenTree::Punct),
            );
        }
        path.extend([word(part)]);
    }
    path
}

/// An error of the compiler at the attribute.
fn error(message: &str) -> TokenStream {
    let mut call = path(&["core", "compile_error"]);
    let text = TokenStream::from_iter([TokenTree::Literal(Literal::string(message))]);
    call.extend([
        TokenTree::Punct(Punct::new('!', Spacing::Alone)),
        TokenTree::Group(Group::new(Delimiter::Brace, text)),
    ]);
    call
}
