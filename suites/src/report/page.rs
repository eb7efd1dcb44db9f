//! An HTML page that needs nothing else: the frame, style and script of the report and of the golden vectors.
//!
//! A content security policy allows only the page's own style and script, by hash.

use assay_spec::crypto::text::base64;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What a page has of its own. Its body has the controls `search`, `count` and `theme`.
pub(super) struct Page<'a> {
    /// The title, as markup.
    pub title: &'a str,
    /// The style, after the shared one.
    pub style: &'a str,
    /// The markup.
    pub body: &'a str,
    /// The data for the script.
    pub data: &'a Value,
    /// The script, after the shared one.
    pub script: &'a str,
}

const FRAME: &str = include_str!("page/frame.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

impl Page<'_> {
    pub(super) fn write(&self) -> String {
        let (style, script) = ([STYLE, self.style].concat(), [SCRIPT, self.script].concat());
        let parts = [
            ("@STYLE-HASH@", hash(&style)),
            ("@SCRIPT-HASH@", hash(&script)),
            ("@TITLE@", self.title.to_owned()),
            ("@STYLE@", style),
            ("@BODY@", self.body.to_owned()),
            ("@DATA@", inert(self.data)),
            ("@SCRIPT@", script),
        ];
        fill(FRAME, parts)
    }
}

/// Replaces the marks of a template, which has every one, in this order. Inserted content is left as it is.
pub(super) fn fill<const COUNT: usize>(template: &str, parts: [(&str, String); COUNT]) -> String {
    let mut page = String::new();
    let mut rest = template;
    for (mark, part) in parts {
        let (before, after) = rest.split_once(mark).expect("the template has every mark, in this order");
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    page + rest
}

/// JSON that does not end the element around it.
fn inert(value: &Value) -> String {
    value.to_string().replace("</", "<\\/").replace("<!", "\\u003c!").replace("<s", "\\u003cs")
}

/// The hash of a script or style for a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markup_in_data_is_inert() {
        let hostile = json!({"why": "</script><script>alert(1)</script><!--\u{2028}"});
        let safe = inert(&hostile);
        assert!(!safe.contains("<s") && !safe.contains("</") && !safe.contains("<!"), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).expect("JSON"), hostile);
    }

    #[test]
    fn marks_in_inserted_content_stay() {
        let parts = [("@A@", "@B@".to_owned()), ("@B@", "b".to_owned())];
        assert_eq!(fill("<@A@ @B@>", parts), "<@B@ b>");
    }
}
