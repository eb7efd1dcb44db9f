//! Indexed chain data: the members of events and transactions, and their filters. Bounds lie between listed values, so
//! that it does not matter whether they are inclusive.

mod events;
mod transactions;

use std::ops::RangeInclusive;

use assay_spec::endpoint::Endpoint;
use assay_spec::json::is_integer;
use assay_spec::network::indexer::{EVENTS, TRANSACTIONS};
use serde_json::Value;

use super::given;
use super::replies::is_address;
use super::scene::List;
use super::wire::{Call, path_with};
use crate::harness::check::{Checked, Stop};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Evidence, Probe};

/// One of the two lists.
#[derive(Clone, Copy, Debug)]
struct IndexedList {
    endpoint: &'static Endpoint,
    /// The name of the array, and the end of the path.
    name: &'static str,
}

const OF_EVENTS: IndexedList = IndexedList { endpoint: &EVENTS, name: "events" };
const OF_TRANSACTIONS: IndexedList = IndexedList { endpoint: &TRANSACTIONS, name: "transactions" };

/// An indexed network: the one that the profile names, or one that a control API reports.
async fn network(probe: &Probe<'_>) -> Result<String, Stop> {
    if let Some(network) = given(probe, "indexer_network", |given| &given.indexer_network)? {
        return Ok(network.clone());
    }
    let why = "needs the name of an indexed network ([network.fixtures] indexer_network)";
    let named = probe.view("network").await["indexed"][0].as_str().map(str::to_owned);
    named.ok_or_else(|| Stop::NotTestable(why.to_owned()))
}

/// The path of events or of transactions, by the name of the list.
pub(super) async fn path(probe: &Probe<'_>, name: &str) -> Result<String, Stop> {
    Ok(format!("/indexer/{}/{name}", network(probe).await?))
}

/// The call for a page of events or of transactions, by the name of the list.
pub(super) async fn whole(probe: &Probe<'_>, name: &str) -> Result<Call, Stop> {
    let list = if name == OF_EVENTS.name { OF_EVENTS } else { OF_TRANSACTIONS };
    Ok(Call::get(list.endpoint, &path(probe, name).await?))
}

impl IndexedList {
    /// The call for a page of a hundred under these filters.
    fn call(self, probe: &Probe<'_>, network: &str, filters: &[(&str, &str)]) -> Call {
        let page = probe.settings.network().first_page.to_string();
        let query = [filters, &[("page", page.as_str()), ("limit", "100")]].concat();
        Call::get(self.endpoint, &path_with(&format!("/indexer/{network}/{}", self.name), &query)).shared()
    }

    /// A page under these filters with at least one element: every rule holds for an empty list.
    async fn some<'p>(
        self,
        probe: &'p Probe<'_>,
        network: &str,
        filters: &[(&str, &str)],
    ) -> Result<List<'p>, Stop> {
        let answer = self.call(probe, network, filters).send(probe).await?;
        answer.given_status(&[200])?;
        let items = answer.json()[self.name].as_array().cloned().unwrap_or_default();
        probe.found(!items.is_empty(), format!("the answer has no {}", self.name))?;
        Ok(List { answer, items })
    }

    /// Filters by the middle third of the listed values of `member`, and expects only elements within it.
    async fn expect_between(self, probe: &Probe<'_>, member: &str, [from, to]: [&str; 2]) -> Checked {
        let network = network(probe).await?;
        let all = self.some(probe, &network, &[]).await?;
        let middle = middle(&numbers(probe, &all, member)?);
        probe.found(middle.is_some(), format!("the listed values of {member} are too close together"))?;
        let (low, high) = middle.unwrap_or(0..=0).into_inner();
        let [low_text, high_text] = [low, high].map(|number| number.to_string());
        let filters = [(from, low_text.as_str()), (to, high_text.as_str())];
        // An element at a bound may be listed or not.
        let inside = |item: &Value| item[member].as_i64().is_some_and(|number| low < number && number < high);
        let known: Vec<&Value> = all.items.iter().filter(|item| inside(item)).collect();
        let want = format!("{member} from {low} to {high}");
        let selected = self.select(probe, &network, &filters, &known, &want, |item| {
            item[member].as_i64().is_some_and(|number| (low..=high).contains(&number))
        });
        selected.await.map(drop)
    }

    /// A page under these filters. Every element must satisfy `holds`, and the elements of `known` must be among them.
    async fn select<'p>(
        self,
        probe: &'p Probe<'_>,
        network: &str,
        filters: &[(&str, &str)],
        known: &[&Value],
        want: &str,
        holds: impl Fn(&Value) -> bool,
    ) -> Result<List<'p>, Stop> {
        let answer = self.call(probe, network, filters).send(probe).await?;
        answer.given_status(&[200])?;
        let items = answer.json()[self.name].as_array().cloned();
        let items = probe.given_some(items, format!("the answer has no array `{}`", self.name))?;
        let selected = List { answer, items };
        selected.expect_each(want, holds)?;
        let lost = known.iter().find(|one| !selected.items.contains(one));
        // The others of a full page are on later pages.
        let is_whole = selected.items.len() >= PAGE || lost.is_none();
        let want = lost.map_or_else(String::new, ToString::to_string);
        let got = format!("{} others", selected.items.len());
        selected.answer.expect(is_whole, &format!("/{}", self.name), want, got)?;
        probe.found(!selected.items.is_empty(), format!("the answer has no {}", self.name))?;
        Ok(selected)
    }

    /// The second page of one element under these filters. What is there must satisfy `holds`.
    async fn expect_on_second_page(
        self,
        probe: &Probe<'_>,
        network: &str,
        filters: &[(&str, &str)],
        want: &str,
        holds: impl Fn(&Value) -> bool,
    ) -> Checked {
        let page = (probe.settings.network().first_page + 1).to_string();
        let query = [filters, &[("page", page.as_str()), ("limit", "1")]].concat();
        let path = path_with(&format!("/indexer/{network}/{}", self.name), &query);
        let answer = Call::get(self.endpoint, &path).shared().send(probe).await?;
        answer.given_status(&[200])?;
        let items = answer.json()[self.name].as_array().cloned().unwrap_or_default();
        List { answer, items }.expect_each(want, holds)
    }

    /// Selects by every pair of these conditions, each with the values of one listed element.
    async fn expect_pairs(self, probe: &Probe<'_>, strings: &[&'static str]) -> Checked {
        let network = network(probe).await?;
        let listed = self.some(probe, &network, &[]).await?;
        // An element in the middle: bounds on either side of it exclude others.
        let element = &listed.items[listed.items.len() / 2];
        let conditions = conditions(probe, element, strings)?;
        for (at, one) in conditions.iter().enumerate() {
            for other in conditions[at + 1..].iter().filter(|other| other.member != one.member) {
                let both = |item: &Value| one.holds(item) && other.holds(item);
                let known: Vec<&Value> = listed.items.iter().filter(|item| both(item)).collect();
                let filters = [(one.name, one.value.as_str()), (other.name, other.value.as_str())];
                let want = format!("{}={} and {}={}", one.name, one.value, other.name, other.value);
                self.select(probe, &network, &filters, &known, &want, both).await?;
            }
        }
        Ok(())
    }
}

/// The number of elements on a page.
const PAGE: usize = 100;

/// A filter of a list.
struct Condition {
    /// The parameter.
    name: &'static str,
    /// The member that it selects by.
    member: &'static str,
    value: String,
}

impl Condition {
    fn holds(&self, item: &Value) -> bool {
        let found = &item[self.member];
        let bound = || found.as_i64().zip(self.value.parse().ok());
        match self.name {
            "address" => is_address(&item["from"], &self.value) || is_address(&item["to"], &self.value),
            "from" | "to" | "contract" => is_address(found, &self.value),
            "from_block" | "from_timestamp" => bound().is_some_and(|(found, from): (i64, i64)| found >= from),
            "to_block" | "to_timestamp" => bound().is_some_and(|(found, to): (i64, i64)| found <= to),
            _ => *found == *self.value,
        }
    }
}

/// The conditions that an element satisfies: by these members, and by bounds a unit below and above.
fn conditions(probe: &Probe<'_>, element: &Value, strings: &[&'static str]) -> Result<Vec<Condition>, Stop> {
    let mut conditions = Vec::new();
    for name in strings.iter().copied() {
        let member = if name == "address" { "from" } else { name };
        let value = probe.given_some(element[member].as_str(), format!("{member} is not a string"))?;
        // Not the pair of `address` and `from`: one implies the other.
        conditions.push(Condition { name, member, value: value.to_owned() });
    }
    for (member, from, to) in
        [("block_number", "from_block", "to_block"), ("timestamp", "from_timestamp", "to_timestamp")]
    {
        let number = probe.given_some(element[member].as_i64(), format!("{member} is not an integer"))?;
        conditions.push(Condition { name: from, member, value: (number - 1).to_string() });
        conditions.push(Condition { name: to, member, value: (number + 1).to_string() });
    }
    Ok(conditions)
}

/// The values of a member. If one is not an integer, the check is inconclusive.
fn numbers(probe: &Probe<'_>, list: &List<'_>, member: &str) -> Result<Vec<i64>, Stop> {
    let numbers: Vec<i64> = list.items.iter().filter_map(|item| item[member].as_i64()).collect();
    probe.given(numbers.len() == list.items.len(), format!("a {member} is not an integer"))?;
    Ok(numbers)
}

/// The middle third between the least and the greatest value; both lie outside of it.
fn middle(numbers: &[i64]) -> Option<RangeInclusive<i64>> {
    let (low, high) = (*numbers.iter().min()?, *numbers.iter().max()?);
    let third = (high - low) / 3;
    (third > 0).then(|| low + third..=high - third)
}

/// Expects every element to have these members as strings and those as integers.
fn expect_members(list: &List<'_>, strings: &[&str], integers: &[&str]) -> Checked {
    let want = format!("{} as strings, {} as integers", strings.join(", "), integers.join(", "));
    list.expect_each(&want, |item| {
        strings.iter().all(|name| item[*name].is_string())
            && integers.iter().all(|name| is_integer(&item[*name]))
    })
}

/// A string member of the first element. If it is not a string, or empty, the check is inconclusive.
fn first_text(probe: &Probe<'_>, list: &List<'_>, member: &str) -> Result<String, Stop> {
    let text = list.items[0][member].as_str().unwrap_or_default().to_owned();
    probe.given(!text.is_empty(), format!("the first {member} is not a string, or is empty"))?;
    Ok(text)
}

/// A list of indexed data.
const LISTED: Evidence = Evidence {
    what: "an array `events` or `transactions`",
    shows: |body| body["events"].is_array() || body["transactions"].is_array(),
};

/// Expects each of these parameters to be rejected or ignored if it is not an integer, and accepted if it is.
async fn expect_integers(probe: &Probe<'_>, kind: IndexedList) -> Checked {
    let network = network(probe).await?;
    kind.call(probe, &network, &[("from_block", "1"), ("from_timestamp", "1")])
        .send(probe)
        .await?
        .counterpart_accepted(&[200], LISTED)?;
    for (name, value) in
        [("from_block", "x"), ("to_block", "1.5"), ("from_timestamp", "yesterday"), ("to_timestamp", "true")]
    {
        let answer = kind.call(probe, &network, &[(name, value)]).attempt(probe).await?;
        let (status, rejection) = (answer.status(), probe.rejection());
        let is_allowed = status == 200 || rejection.statuses.contains(&status);
        answer.expect(is_allowed, At::status(), Want::rejected(rejection), status.to_string())?;
        probe.note(format!("{name}={value} returns {status}"));
    }
    Ok(())
}
