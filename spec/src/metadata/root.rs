//! The root path, and the version of the interface.

use crate::metadata::endpoint;
use crate::shape::Reply;

endpoint! {
    /// An HTML document.
    ROOT "root" "/" [200]
    group: "Root", reply: Reply::Html
}

/// The version of the interface. Where it is declared is not shown.
pub const VERSION: &str = "0.1.0";
