//! The node API: messages, lists, files, the life of a STORE, FORGET, mirrors and rates.

#[allow(dead_code, reason = "each test file takes what it needs of the driver")]
mod common;
#[path = "network/deviations.rs"]
mod deviations;
#[path = "network/hostile.rs"]
mod hostile;
#[path = "network/life.rs"]
mod life;
#[path = "network/lists.rs"]
mod lists;
#[path = "network/messages.rs"]
mod messages;
#[path = "network/mirror.rs"]
mod mirror;
#[path = "network/model.rs"]
mod model;
#[path = "network/rates.rs"]
mod rates;
#[path = "network/walk.rs"]
mod walk;
