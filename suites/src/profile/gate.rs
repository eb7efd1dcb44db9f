//! What a run needs to conform: how much of each service is tested, and the least severe verdict that fails it.

use assay_spec::Service;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The least severe verdict that fails a run; each includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// What the table of verdicts says: a failure of a MUST, and an inconclusive check whose reason is the target's.
    #[default]
    Must,
    /// Also a warning: a failure of a SHOULD.
    Should,
    /// Also every other inconclusive check, such as one that met a rate limit.
    Inconclusive,
}

impl FailOn {
    /// Every value, the most severe first.
    pub const ALL: [FailOn; 3] = [FailOn::Must, FailOn::Should, FailOn::Inconclusive];

    /// Its name in a profile and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            FailOn::Must => "must",
            FailOn::Should => "should",
            FailOn::Inconclusive => "inconclusive",
        }
    }
}

/// A whole number of percent, 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
#[schemars(extend("maximum" = 100))]
pub struct Percent(pub u8);

impl TryFrom<i64> for Percent {
    type Error = &'static str;

    fn try_from(percent: i64) -> Result<Self, Self::Error> {
        let percent = u8::try_from(percent).ok().filter(|percent| *percent <= 100);
        percent.map(Percent).ok_or("must be a percentage: a whole number from 0 to 100")
    }
}

impl std::str::FromStr for Percent {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Percent::try_from(text.parse::<i64>().unwrap_or(-1))
    }
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        /// The share of the applicable checks of a service that must give a result, in percent, and what fails a run.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Gate {
            /// The minimum for every service without its own.
            #[serde(skip_serializing_if = "super::is_default")]
            pub min_coverage: Percent,
            /// The least severe verdict that fails a run.
            #[serde(skip_serializing_if = "super::is_default")]
            pub fail_on: FailOn,
            $(
                #[doc = concat!("The minimum for `", stringify!($module), "`.")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $module: Option<Percent>,
            )*
        }

        impl Gate {
            /// The minimum for a service.
            pub fn minimum(&self, service: Service) -> Percent {
                let own = match service { $(Service::$variant => self.$module),* };
                own.unwrap_or(self.min_coverage)
            }

            /// The same gate, with at least this minimum for every service, and at least this strict.
            #[must_use]
            pub fn at_least(&self, least: Percent, fail_on: FailOn) -> Gate {
                Gate {
                    min_coverage: self.min_coverage.max(least),
                    fail_on: self.fail_on.max(fail_on),
                    $($module: self.$module.map(|own| own.max(least))),*
                }
            }

            /// The stricter of two gates for each service.
            #[must_use]
            pub fn stricter(&self, other: &Gate) -> Gate {
                let of = |service| Some(self.minimum(service).max(other.minimum(service)));
                if self == other {
                    return self.clone();
                }
                Gate {
                    min_coverage: self.min_coverage.max(other.min_coverage),
                    fail_on: self.fail_on.max(other.fail_on),
                    $($module: of(Service::$variant)),*
                }
            }
        }
    };
}

assay_spec::for_each_service!(declare);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    #[test]
    fn the_flag_raises_every_minimum_and_lowers_none() {
        let text = "[gate]\nmin_coverage = 50\nnetwork = 80\ndrop = 20\n";
        let gate = Profile::parse(text, "p.toml").expect("a profile").gate;
        let minimums = |gate: &Gate| Service::ALL.iter().map(|one| gate.minimum(*one).0).collect::<Vec<_>>();
        assert_eq!(minimums(&gate), [50, 50, 80, 50, 50, 20]);
        assert_eq!(minimums(&gate.at_least(Percent(60), FailOn::Must)), [60, 60, 80, 60, 60, 60]);
        assert_eq!(gate.at_least(Percent(0), FailOn::Should).stricter(&gate).fail_on, FailOn::Should);
        let other = Gate { min_coverage: Percent(30), ..Gate::default() };
        assert_eq!(minimums(&other.stricter(&gate)), [50, 50, 80, 50, 50, 30]);
        assert_eq!(
            Profile::parse(&Profile { gate: gate.clone(), ..Profile::default() }.to_toml(), "p")
                .expect("a profile")
                .gate,
            gate
        );
    }

    #[test]
    fn invalid_minimums_are_rejected_with_their_place() {
        for (text, message) in [
            ("[gate]\nmin_coverage = 101\n", "p.toml:2:16: gate.min_coverage: must be a percentage"),
            ("[gate]\ndrop = -1\n", "p.toml:2:8: gate.drop: must be a percentage"),
            ("[gate]\nmin_coverage = 0.5\n", "p.toml:2:16: gate.min_coverage"),
            (
                "[gate]\nmin_covrage = 5\n",
                "p.toml:2:1: gate.min_covrage: unknown key `min_covrage`; did you mean `min_coverage`?",
            ),
            ("[gate]\nfail_on = \"warn\"\n", "unknown value `warn`; known here: must, should, inconclusive"),
            ("gate = [50]\n", "wanted a table: [gate]"),
        ] {
            let error = Profile::parse(text, "p.toml").expect_err(text).to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
