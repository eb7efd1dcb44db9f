//! Places: where a row applies. An endpoint, the operation that a request asks for, the state of what it acts on, and the
//! kind of wrong value that it rejects.

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
    /// The kind of wrong value that is judged.
    pub value: &'static str,
}

impl Place {
    /// Every place.
    pub const ANY: Place = Place { endpoint: "", op: "", state: "", value: "" };

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

    /// For this kind of wrong value.
    #[must_use]
    pub const fn value(self, value: &'static str) -> Place {
        Place { value, ..self }
    }

    /// Its parts with their names; an empty part is left out.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let parts =
            [("endpoint", self.endpoint), ("op", self.op), ("state", self.state), ("value", self.value)];
        parts.into_iter().filter(|(_, value)| !value.is_empty())
    }

    /// Whether `place` is this place, or one of these places.
    pub fn contains(&self, place: &Place) -> bool {
        let covers = |mine: &str, other: &str| mine.is_empty() || mine == other;
        covers(self.endpoint, place.endpoint)
            && covers(self.op, place.op)
            && covers(self.state, place.state)
            && covers(self.value, place.value)
    }

    /// The part of `name`, such as `op`.
    pub(crate) fn part(&mut self, name: &str) -> Option<&mut &'static str> {
        match name {
            "endpoint" => Some(&mut self.endpoint),
            "op" => Some(&mut self.op),
            "state" => Some(&mut self.state),
            "value" => Some(&mut self.value),
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
pub const fn last<T>(lists: &[&'static [T]]) -> &'static [T] {
    lists[lists.len() - 1]
}

/// These places, one list after another.
pub const fn join<const N: usize>(lists: &[&[Place]]) -> [Place; N] {
    let mut all = [Place::ANY; N];
    let (mut count, mut list) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            all[count] = lists[list][at];
            (count, at) = (count + 1, at + 1);
        }
        list += 1;
    }
    assert!(count == N, "as many places as the type says");
    all
}
