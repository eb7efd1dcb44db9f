//! Checks of tokens, by content identifier and by URI, with and without `.json`.

use assay_spec::Place;
use assay_spec::metadata::requirements::paths;
use assay_spec::metadata::requirements::token as rows;

use super::wire::{
    Form, NAMED, Way, contracts_at, document, expect_document, expect_own, expect_unknown, fetch, fixtures,
    note_alike, parts, with_tokens,
};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::Probe;
use crate::profile::MetadataContract;

async fn found(probe: &Probe<'_>, way: Way, form: Form) -> Checked {
    for contract in with_tokens(probe, way).await? {
        let mut unknown = Vec::new();
        for id in contract.tokens_of(probe) {
            let path = contract.token_path(way, id, form);
            let answer = fetch(probe, path.clone()).await?;
            expect_document(&answer)?;
            match contract.token_documents.get(id) {
                // The same with `.json` and by the other address: other rows.
                Some(members) if form == Form::Bare && way == contract.way() => expect_own(&answer, members)?,
                Some(_) => {}
                None => unknown.push((path.unwrap_or_default(), answer.json())),
            }
        }
        note_alike(probe, &unknown);
    }
    Ok(())
}

/// Fetches tokens by content identifier with `.json`. Each must return 200 with a JSON object, with the members that are known
/// of its document. Equal documents of two tokens are noted if nothing is known of them.
#[shows(rows::BY_CID_JSON)]
async fn token_is_found_by_cid_with_json(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Cid, Form::Json).await
}

/// Fetches tokens by content identifier without `.json`. Each must return 200 with a JSON object.
#[shows(rows::BY_CID)]
async fn token_is_found_by_cid(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Cid, Form::Bare).await
}

/// Fetches tokens by URI with `.json`. Each must return 200 with a JSON object.
#[shows(rows::BY_URI_JSON, after(paths::DOUBLE_SLASH))]
async fn token_is_found_by_uri_with_json(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Uri, Form::Json).await
}

/// Fetches tokens by URI without `.json`. Each must return 200 with a JSON object.
#[shows(rows::BY_URI, after(paths::DOUBLE_SLASH))]
async fn token_is_found_by_uri(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Uri, Form::Bare).await
}

/// Fetches tokens with and without `.json`. Both bodies must be equal as JSON values, in any member order.
#[shows(rows::SAME, after(rows::BY_URI))]
async fn document_is_the_same_with_and_without_json(probe: &Probe<'_>, place: Place) -> Checked {
    let way = parts(place).0;
    for contract in with_tokens(probe, way).await? {
        for id in contract.tokens_of(probe) {
            let wanted = document(probe, contract.token_path(way, id, Form::Json)).await?.json();
            let answer = document(probe, contract.token_path(way, id, Form::Bare)).await?;
            answer.given_accepted(&[200], NAMED)?;
            let got = answer.json();
            answer.expect(got == wanted, "body", wanted.to_string(), got.to_string())?;
        }
    }
    Ok(())
}

/// Expects that ids which are that of a token in 32 bits, in 64 bits or as a float are not taken for it. In a world of the run's own they
/// are unknown.
async fn expect_no_alias(probe: &Probe<'_>, contract: &MetadataContract, place: Place) -> Checked {
    let named: Vec<u128> = contract.tokens.iter().filter_map(|id| id.parse().ok()).collect();
    let (Some(&least), Some(&most)) = (named.iter().min(), named.iter().max()) else {
        return Ok(());
    };
    let next = most.checked_add(1).filter(|_| most > 1 << f64::MANTISSA_DIGITS);
    let wrapped = [32, 64].into_iter().filter_map(|bits| least.checked_add(1 << bits));
    let aliases = wrapped.map(|alias| (least, alias)).chain(next.map(|next| (most, next)));
    for (id, alias) in aliases.filter(|(_, alias)| !named.contains(alias)) {
        let answer = fetch(probe, contract.path_at(place, &alias.to_string())).await?;
        if probe.owns_time() {
            expect_unknown(&answer)?;
            continue;
        }
        let own = fetch(probe, contract.path_at(place, &id.to_string())).await?;
        let is_its = answer.status() == 200 && answer.json() == own.json();
        answer.expect(!is_its, "body", format!("not the document of token {id}"), answer.response.text())?;
    }
    Ok(())
}

/// Fetches the token id that the profile declares as unknown, in every path form. Of a contract whose document has no template it must return a
/// 4xx, 502 or 504; from a template a server may make the document of any token (200). Ids that are those of a token in fewer bits must
/// not return its document.
#[rejects(rows::UNKNOWN)]
async fn unknown_token_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let Some(unknown) = fixtures(probe).await.unknown_token else {
        let why = "needs an id that no token has ([metadata] unknown_token)";
        return Err(Stop::NotTestable(why.to_owned()));
    };
    let mut judged = false;
    for contract in contracts_at(probe, place).await? {
        let (way, id) = (parts(place).0, contract.token().unwrap_or_default());
        let document = fetch(probe, contract.path(way)).await?;
        document.given_status(&[200])?;
        let document = document.json();
        fetch(probe, contract.path_at(place, id)).await?.counterpart_status(&[200])?;
        let answer = fetch(probe, contract.path_at(place, &unknown)).await?;
        if !document["default_token_template"].is_object() {
            expect_unknown(&answer)?;
            expect_no_alias(probe, &contract, place).await?;
            judged = true;
        } else if answer.status() == 200 {
            probe.note("a token that does not exist has a document, made from the template of its contract");
        } else {
            expect_unknown(&answer)?;
        }
    }
    if judged {
        return Ok(());
    }
    let why =
        "needs a contract without `default_token_template`: from one a server may make any token's document";
    Err(Stop::NotTestable(why.to_owned()))
}
