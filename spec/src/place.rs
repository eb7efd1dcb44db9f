//! Places: where a row applies. An endpoint, the operation that a request asks for, and the state of what it acts on.

use std::fmt;

/// A place, or several: an empty part means any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The endpoint's short name, or what happens besides requests, such as the removal of a drop.
    pub endpoint: &'static str,
    /// The operation that the request asks for.
    pub op: &'static str,
    /// The state of what the request acts on.
    pub state: &'static str,
}

impl Place {
    /// Every place.
    pub const ANY: Place = Place { endpoint: "", op: "", state: "" };

    /// An endpoint.
    pub const fn at(endpoint: &'static str) -> Place {
        Place { endpoint, ..Place::ANY }
    }

    /// An operation at this endpoint.
    #[must_use]
    pub const fn op(self, op: &'static str) -> Place {
        Place { op, ..self }
    }

    /// In this state.
    #[must_use]
    pub const fn state(self, state: &'static str) -> Place {
        Place { state, ..self }
    }

    /// Its parts with their names; an empty part is left out.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let parts = [("endpoint", self.endpoint), ("op", self.op), ("state", self.state)];
        parts.into_iter().filter(|(_, value)| !value.is_empty())
    }

    /// Whether `place` is this place, or one of these places.
    pub fn contains(&self, place: &Place) -> bool {
        let covers = |mine: &str, other: &str| mine.is_empty() || mine == other;
        covers(self.endpoint, place.endpoint) && covers(self.op, place.op) && covers(self.state, place.state)
    }

    /// The part of `name`, such as `op`.
    pub(crate) fn part(&mut self, name: &str) -> Option<&mut &'static str> {
        match name {
            "endpoint" => Some(&mut self.endpoint),
            "op" => Some(&mut self.op),
            "state" => Some(&mut self.state),
            _ => None,
        }
    }
}

/// `prepare transfer`
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.parts().map(|(_, value)| value).collect();
        f.pad(&words.join(" "))
    }
}

/// The last list.
pub const fn last(lists: &[&'static [Place]]) -> &'static [Place] {
    lists[lists.len() - 1]
}
