//! The worlds of a program that uses a node, by requirement.

use assay_spec::Id;
use assay_spec::network::requirements::client;

use super::scene::{Scene, Task, Wire};
use super::{Case, Trace, judge};
use crate::harness::check::Checked;

/// A world in which the program must do something.
const fn shows(
    requirement: Id,
    fact: &'static str,
    (task, wire): (Task, Wire),
    judge: fn(&Trace) -> Checked,
) -> Case {
    Case { requirement, fact, scene: Scene { task, wire }, judge, counterpart: None }
}

/// A world in which the program must not do something, while it creates what it is asked for in the conforming one.
const fn forbids(
    requirement: Id,
    fact: &'static str,
    (task, wire): (Task, Wire),
    judge: fn(&Trace) -> Checked,
) -> Case {
    Case { requirement, fact, scene: Scene { task, wire }, judge, counterpart: Some(judge::creates) }
}

/// Every case.
pub(super) static CASES: &[Case] = &[
    shows(&client::SIGNS, "post_is_signed_and_accepted", (Task::Post, Wire::Plain), judge::creates),
    shows(&client::SIGNS, "aggregate_is_signed_and_accepted", (Task::Aggregate, Wire::Plain), judge::creates),
    shows(&client::SIGNS, "pin_is_signed_and_accepted", (Task::Pin, Wire::Plain), judge::creates),
    shows(&client::SIGNS, "instance_is_signed_and_accepted", (Task::Instance, Wire::Plain), judge::creates),
    shows(&client::UPLOADS, "file_is_uploaded", (Task::Upload, Wire::Plain), judge::creates),
    forbids(&client::ONCE, "post_whose_response_is_lost_exists_once", (Task::Post, Wire::Lost), judge::once),
    forbids(&client::ONCE, "post_that_returns_500_exists_once", (Task::Post, Wire::Fails), judge::once),
    forbids(
        &client::ONCE,
        "aggregate_whose_response_is_lost_exists_once",
        (Task::Aggregate, Wire::Lost),
        judge::once,
    ),
    forbids(
        &client::ONCE,
        "aggregate_that_returns_500_exists_once",
        (Task::Aggregate, Wire::Fails),
        judge::once,
    ),
    forbids(&client::ONCE, "pin_whose_response_is_lost_exists_once", (Task::Pin, Wire::Lost), judge::once),
    forbids(&client::ONCE, "pin_that_returns_500_exists_once", (Task::Pin, Wire::Fails), judge::once),
    forbids(
        &client::ONCE,
        "instance_whose_response_is_lost_exists_once",
        (Task::Instance, Wire::Lost),
        judge::once,
    ),
    forbids(
        &client::ONCE,
        "instance_that_returns_500_exists_once",
        (Task::Instance, Wire::Fails),
        judge::once,
    ),
    forbids(
        &client::ONCE,
        "instance_whose_response_is_late_exists_once",
        (Task::Instance, Wire::Late),
        judge::once,
    ),
    forbids(
        &client::ONCE,
        "file_whose_response_is_lost_is_stored_once",
        (Task::Upload, Wire::Lost),
        judge::once,
    ),
    forbids(&client::ONCE, "file_that_returns_500_is_stored_once", (Task::Upload, Wire::Fails), judge::once),
    shows(&client::RESULT, "late_response_to_a_post_is_waited_for", (Task::Post, Wire::Late), judge::creates),
    shows(
        &client::RESULT,
        "late_response_to_an_upload_is_waited_for",
        (Task::Upload, Wire::Late),
        judge::creates,
    ),
    forbids(
        &client::REJECTED,
        "rejected_post_is_not_repeated",
        (Task::Post, Wire::Rejected),
        judge::does_not_repeat,
    ),
    forbids(
        &client::REJECTED,
        "rejected_instance_is_not_repeated",
        (Task::Instance, Wire::Rejected),
        judge::does_not_repeat,
    ),
    forbids(&client::RETRY_AFTER, "retry_after_of_a_post_is_kept", (Task::Post, Wire::Limited), judge::waits),
    forbids(
        &client::RETRIES_LATER,
        "failing_node_is_not_hammered",
        (Task::Post, Wire::Down),
        judge::comes_back_later,
    ),
    shows(
        &client::PAGES,
        "list_of_several_pages_is_read_to_its_end",
        (Task::List, Wire::Plain),
        judge::lists_all,
    ),
    shows(
        &client::OTHER_NODE,
        "message_that_the_first_node_lacks_is_read",
        (Task::Read, Wire::Plain),
        judge::reads,
    ),
];
