//! The uncommon valid values that the row of a check accepts.

use assay_spec::value::ValueKind;
use serde_json::Value;

use super::{Answer, Probe};
use crate::harness::check::Stop;
use crate::harness::data::Depth;

impl Probe<'_> {
    /// The uncommon valid values that the check's requirement accepts and that are sent: all in a world of its own. What is
    /// accepted may use up limits of a shared target.
    pub(crate) fn uncommon_values(&self) -> impl Iterator<Item = &'static ValueKind> {
        let all = self.owns_time()
            || match self.settings.depth {
                Depth::Quick => false,
                Depth::Standard => !self.check.uses_up,
                Depth::Full => true,
            };
        self.check.requirement.accepted.iter().filter(move |value| all || !value.is_beyond_quick)
    }

    /// The uncommon valid values with one property each. They are sent after the first value, which has all of them, was rejected:
    /// so the report names the property.
    pub(crate) fn single_values(&self) -> impl Iterator<Item = &'static ValueKind> {
        self.check.requirement.accepted.iter().filter(|value| value.is_beyond_quick)
    }

    /// A value of all kinds that the check's row keeps: strings are joined, of other values there is one. `None`: it keeps none.
    pub(crate) fn kept_value(&self) -> Option<Value> {
        let kept = self.check.requirement.kept.iter().filter_map(|kind| kind.instead_of(&Value::Null));
        kept.reduce(|all, next| match (&all, &next) {
            (Value::String(all), Value::String(next)) => format!("{all} {next}").into(),
            _ => all,
        })
    }

    /// Sends each uncommon valid value of the check's row, and judges the answers. If the first one, which has all properties, is
    /// rejected, those with one property each are sent: the report names the property.
    pub(crate) async fn each_value<'a>(
        &'a self,
        send: impl AsyncFn(&'static ValueKind) -> Result<Answer<'a>, Stop>,
        judge: impl Fn(&Answer<'a>, &'static ValueKind) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let judge = |answer: &Answer<'a>, value| {
            answer.expect_not_malformed("a value", value)?;
            judge(answer, value)
        };
        for value in self.uncommon_values() {
            let answer = send(value).await?;
            if answer.is_malformed() && !value.is_beyond_quick {
                for value in self.single_values() {
                    judge(&send(value).await?, value)?;
                }
            }
            judge(&answer, value)?;
        }
        Ok(())
    }
}
