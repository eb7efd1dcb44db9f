//! The parameters of a query string.

use crate::network::limits::FILTER_VALUES;
use crate::{Id, Refused, Rules};

/// Names and values, in the order sent. An empty value counts as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads a query string; this never fails.
    pub fn parse(query: &str) -> Params {
        Params(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        )
    }

    /// The first value with that name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The values with that name: separated by commas, or repeated. Surrounding blanks are ignored.
    pub fn list(&self, name: &str) -> Option<Vec<String>> {
        let given = self.0.iter().filter(|(key, _)| key == name).flat_map(|(_, value)| value.split(','));
        let values: Vec<String> = given
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .take(FILTER_VALUES.usize())
            .map(str::to_owned)
            .collect();
        (!values.is_empty()).then_some(values)
    }

    /// The integer with that name. `rule` rejects anything else; when it is violated, the value is ignored.
    pub fn integer(&self, name: &str, rule: Id, rules: &mut dyn Rules) -> Result<Option<i64>, Refused> {
        let Some(text) = self.text(name) else { return Ok(None) };
        rules.parse(
            rule,
            || text.parse().map(Some).map_err(|_| format!("{name} is {text:?}, not an integer")),
            || Ok(text.parse().ok()),
        )
    }

    /// Without the parameters of these names.
    #[must_use]
    pub fn without(self, names: &[&str]) -> Params {
        Params(self.0.into_iter().filter(|(name, _)| !names.contains(&name.as_str())).collect())
    }

    /// Keeps only the first parameter among those that `filters` names, and all other parameters.
    #[must_use]
    pub fn with_first_of(self, filters: &[&str]) -> Params {
        let is_filter = |name: &str| filters.contains(&name);
        let first = self.0.iter().map(|(name, _)| name).find(|name| is_filter(name)).cloned();
        Params(
            self.0.into_iter().filter(|(name, _)| !is_filter(name) || Some(name) == first.as_ref()).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strict;
    use crate::network::requirements::flat::START_DATE;

    #[test]
    fn values_are_decoded_and_lists_split() {
        let params = Params::parse("a=1%2C2&b=x+y&a=3,,%20&c=&d");
        assert_eq!(params.list("a"), Some(["1", "2", "3"].map(str::to_owned).to_vec()));
        assert_eq!(params.text("b"), Some("x y"));
        assert_eq!((params.text("c"), params.text("d"), params.list("e")), (None, None, None));
    }

    #[test]
    fn integers_are_parsed_completely() {
        let params = Params::parse("good=-5&big=99999999999999999999&float=1.0&text=x&blank=%20");
        let integer = |name| params.integer(name, &START_DATE, &mut Strict);
        assert_eq!((integer("good"), integer("absent")), (Ok(Some(-5)), Ok(None)));
        for bad in ["big", "float", "text", "blank"] {
            assert_eq!(integer(bad).expect_err(bad).rule, &START_DATE);
        }
    }

    #[test]
    fn any_bytes_are_accepted() {
        assert_eq!(Params::parse("%ff=%zz&=&&a=%").text("a"), Some("%"));
    }
}
