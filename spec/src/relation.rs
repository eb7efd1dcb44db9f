//! Relations: where the values of responses come from. The suites hold every response of a run to what its other exchanges
//! show, and the proof makes each related field wrong by a value that its type allows.

use serde_json::Value;

use crate::json;

/// Something that several responses show, such as a message.
#[derive(Debug)]
pub struct Resource {
    /// What it is.
    pub name: &'static str,
    /// Where the request that makes it holds the values of its fields: the field's name, and a JSON pointer. Empty: no request
    /// makes or changes it.
    pub sent: &'static [(&'static str, &'static str)],
}

impl Resource {
    /// Where the request that makes it holds the value of this field.
    pub fn pointer(&self, field: &str) -> Option<&'static str> {
        self.sent.iter().find(|(name, _)| *name == field).map(|(_, pointer)| *pointer)
    }
}

impl PartialEq for Resource {
    fn eq(&self, other: &Resource) -> bool {
        self.name == other.name
    }
}

/// How a field is related to other values of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// Together with the other fields of its object that have this relation, it tells the resource from all others.
    Names(&'static Resource),
    /// Wherever the resource is shown, the field has the value that the request sent, or that the first response showed. A later
    /// request that names the resource may change it.
    Of(&'static Resource, Alike),
    /// The request of the same response holds it here.
    Asked(Asked, Alike),
    /// It is made from this. The check of its row makes it again, or compares the two.
    Derived(&'static str),
    /// A parameter of a query: it selects what the response shows.
    Selects,
    /// The documents leave its value to the server, for this reason.
    Free(&'static str),
}

/// Where a request holds a value that its response repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// In this parameter of the path.
    Path(&'static str),
    /// In its JSON body, at this pointer.
    Body(&'static str),
}

/// When two values are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// The same JSON value.
    Equal,
    /// Strings that differ in letter case only: the case of an address is a checksum.
    AnyCase,
    /// All that was sent is there, in the same order; a server may add members. Two responses may differ.
    Holds,
}

impl Alike {
    /// Whether a value of a response is the one that was sent.
    pub fn is_as_sent(self, shown: &Value, sent: &Value) -> bool {
        match self {
            Alike::Equal => shown == sent,
            Alike::AnyCase => match (shown.as_str(), sent.as_str()) {
                (Some(shown), Some(sent)) => shown.eq_ignore_ascii_case(sent),
                _ => shown == sent,
            },
            Alike::Holds => json::holds_in_order(shown, sent),
        }
    }

    /// What two responses have in common. `None`: they may differ.
    pub fn shared(self, shown: &Value) -> Option<String> {
        match self {
            Alike::Equal => Some(shown.to_string()),
            Alike::AnyCase => Some(shown.to_string().to_ascii_lowercase()),
            Alike::Holds => None,
        }
    }
}

/// Whether other responses have another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// No other resource has it.
    Unique,
    /// As [`Fresh::Unique`]; requests with equal values at these JSON pointers may make one resource.
    Per(&'static [&'static str]),
    /// As [`Fresh::Unique`], and it is drawn at random: no counter.
    Random,
}

/// The fewest characters of a random string: shorter ones agree in most places by chance.
const RANDOM_LENGTH: usize = 10;

/// Whether a string can have been drawn at random after another one: it is long enough, and differs in a third of the places.
pub fn is_random_beside(earlier: &str, later: &str) -> bool {
    let [one, other]: [Vec<char>; 2] = [earlier, later].map(|text| text.chars().collect());
    let length = one.len().min(other.len());
    let differing = one.iter().zip(&other).filter(|(one, other)| one != other).count();
    length >= RANDOM_LENGTH && differing * 3 >= length
}

/// Another value of the same type and form: what a server shows that mixes two resources up, or keeps an old value.
pub fn other(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(flag) => (!flag).into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => (integer + 1).into(),
            None => (number.as_f64().unwrap_or_default() + 1.0).into(),
        },
        Value::String(text) => other_text(text).into(),
        Value::Array(items) => match items.split_last() {
            Some((last, before)) => before.iter().cloned().chain([other(last)]).collect(),
            None => vec![Value::from("another")].into(),
        },
        Value::Object(members) => {
            let mut members = members.clone();
            match members.values_mut().next() {
                Some(first) => *first = other(first),
                None => drop(members.insert("another".to_owned(), true.into())),
            }
            members.into()
        }
    }
}

/// Another value of the same type in the response with this number: what a server shows that makes a value up each time.
pub fn changed(value: &Value, response: u64) -> Value {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(integer) => (integer + response as i64).into(),
            None => (number.as_f64().unwrap_or_default() + response as f64).into(),
        },
        Value::String(text) => format!("{text}{response}").into(),
        value if response % 2 == 1 => other(value),
        value => value.clone(),
    }
}

/// The last letter or digit is another one that hex, base58 and base64 allow, too.
fn other_text(text: &str) -> String {
    let Some((at, last)) = text.char_indices().rev().find(|(_, c)| c.is_ascii_alphanumeric()) else {
        return format!("{text}a");
    };
    let new = match last {
        '1' => '2',
        '0'..='9' => '1',
        'a' => 'b',
        'A' => 'B',
        'A'..='Z' => 'A',
        _ => 'a',
    };
    format!("{}{new}{}", &text[..at], &text[at + 1..])
}

/// The same value for every string of a form: what a server returns that has forgotten to draw.
pub fn constant(text: &str) -> String {
    if text.contains("://") {
        return "https://constant.example/".to_owned();
    }
    if text.parse::<std::net::Ipv6Addr>().is_ok() {
        return "2001:db8::1".to_owned();
    }
    let start = text.find('_').map_or(0, |at| at + 1);
    let same = text[start..].chars().map(|c| if c.is_ascii_alphanumeric() { '1' } else { c });
    text[..start].chars().chain(same).collect()
}

/// A string of the same form that looks like the next of a counter: constant but for its end.
pub fn counted(text: &str) -> String {
    let constant = constant(text);
    match (constant.char_indices().next_back(), text.chars().next_back()) {
        (Some((at, _)), Some(last)) => format!("{}{last}", &constant[..at]),
        _ => constant,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn another_value_has_the_same_type_and_is_noticed() {
        for value in [
            json!(true),
            json!(7),
            json!(0.5),
            json!("0xabcdef"),
            json!("\u{e9}"),
            json!(""),
            json!([]),
            json!([1, "z"]),
            json!({}),
            json!({ "a": { "b": [1] } }),
        ] {
            let other = other(&value);
            for alike in [Alike::Equal, Alike::AnyCase] {
                assert!(!alike.is_as_sent(&other, &value), "{value}");
                assert!(alike.is_as_sent(&value, &value), "{value}");
                assert_ne!(alike.shared(&other), alike.shared(&value), "{value}");
            }
            assert_eq!(std::mem::discriminant(&other), std::mem::discriminant(&value));
        }
        let sent = json!({ "a": "b", "c": [1, 2] });
        assert!(!Alike::Holds.is_as_sent(&other(&sent), &sent));
        assert!(Alike::Holds.is_as_sent(&json!({ "a": "b", "x": 1, "c": [1, 2] }), &sent));
    }

    #[test]
    fn a_constant_and_a_counter_do_not_look_random() {
        let drawn = ["7b0c1a52-9e4f-4d43-8a6b-0f2d51c9e831", "e2c94d17-33ab-4f60-9d0e-58a7b6142fc5"];
        assert!(is_random_beside(drawn[0], drawn[1]));
        assert_eq!(constant(drawn[0]), constant(drawn[1]));
        let [one, other] = drawn.map(counted);
        assert!(one != other && !is_random_beside(&one, &other));
        assert!(!is_random_beside("1", "2"));
        assert_eq!(constant("drop_x1y2"), constant("drop_z3w4"));
    }
}
