//! Every statement of document 1 about the token metadata service, one row each.

crate::requirements! {
    service Metadata;
}
