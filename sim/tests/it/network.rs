//! The node API: messages, lists, files, the life of a STORE, FORGET, mirrors and rates.

mod deviations;
mod hostile;
mod life;
mod lists;
mod messages;
mod mirror;
mod model;
mod places;
mod rates;
mod walk;
