//! Plain data of the harness: what a check costs and how it ends, what a verdict rests on, outcomes and runs. Decisions
//! match on these types; words are made in `report/`.

pub mod control_error;
pub mod cost;
pub mod outcome;
pub mod reason;
pub mod run;
pub mod stop;
pub mod verdict;

pub use control_error::ControlError;
pub use cost::{Cost, Costs, Depth, Sums, Weight};
pub use outcome::{Account, AtPlace, OtherReading, Outcome};
pub use reason::{At, Failure, Part, Reason, RestsOn, Statuses, Want, Why};
pub use run::{Conditions, Run, Sent, Shards, Worlds};
pub use stop::{Checked, Stop};
pub use verdict::Verdict;
