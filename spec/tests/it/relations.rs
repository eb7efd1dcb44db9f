//! Every declared field of every response says where its value comes from.

use assay_spec::{catalogue, field};

#[test]
fn every_field_of_a_response_says_where_its_value_comes_from() {
    let unknown: Vec<String> = catalogue::endpoints()
        .flat_map(|endpoint| {
            let free = field::free(endpoint).into_iter().filter(|(.., why)| why.is_none());
            free.map(move |(status, path, _)| {
                format!("{} {} {status} {path}", endpoint.method, endpoint.path)
            })
        })
        .collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
