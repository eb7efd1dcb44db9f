//! Every statement of document 1 about the inference gateway, one row each.

crate::requirements! {
    service Gateway;
}
