//! The root path, and the interface version.

use crate::metadata::endpoint;
use crate::metadata::requirements::root::HTML as HTML_ROW;
use crate::shape::Reply;

endpoint! {
    /// Returns an HTML document.
    ROOT "root" "/" [200]
    group: "Root", reply: Reply::Html, row: Some(&HTML_ROW)
}

/// The interface version. The document does not show where it is declared.
pub const VERSION: &str = "0.1.0";
