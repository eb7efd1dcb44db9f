//! The forms that ordinary programs give a zip and its part of the form. Each has one reading (document 3, "POST /api/drop").

use std::collections::BTreeSet;

use super::central::{DESCRIPTOR, Header, WIDE_FIELD};
use super::end::Directory;
use super::fields::{extra_field, u16_at, u32_at};
use super::layout::DESCRIPTOR_SIGNATURE;

/// A descriptor with its signature follows the data of an entry.
pub const DESCRIPTORS: &str = "descriptors";
/// A descriptor without signature does.
pub const UNSIGNED_DESCRIPTORS: &str = "unsigned-descriptors";
/// Folders with files have entries of their own.
pub const FOLDERS: &str = "folders";
/// The zip has a comment.
pub const COMMENT: &str = "comment";
/// The entries come from DOS or Windows: without Unix modes.
pub const DOS: &str = "dos";
/// The attributes of the entries are zero.
pub const NO_ATTRIBUTES: &str = "no-attributes";
/// The entries have extra fields, such as times.
pub const EXTRA_FIELDS: &str = "extra-fields";
/// The zip has the 64-bit records, although its numbers fit into the short ones.
pub const ZIP64: &str = "zip64";
/// The media type of the part is one that Windows uses.
pub const WINDOWS_TYPE: &str = "x-zip-compressed";
/// The media type of the part says nothing.
pub const NO_TYPE: &str = "octet-stream";
/// The part with the source comes first.
pub const SOURCE_FIRST: &str = "source-first";
/// The file name of the part has blanks, and letters beyond ASCII as UTF-8.
pub const FILE_NAME: &str = "file-name";

/// The usual media type of a zip.
pub const USUAL_TYPE: &str = "application/zip";

/// The media type of the part with the zip, in this form.
pub fn media_type(form: &str) -> &'static str {
    match form {
        WINDOWS_TYPE => "application/x-zip-compressed",
        NO_TYPE => "application/octet-stream",
        _ => USUAL_TYPE,
    }
}

/// The file name of the part with the zip, in these forms.
pub fn file_name(forms: &[&str]) -> &'static str {
    if forms.contains(&FILE_NAME) { "my caf\u{e9} \u{1f680} (1).zip" } else { "site.zip" }
}

/// The forms of a zip. Empty if it is not one.
pub fn found_in(zip: &[u8]) -> BTreeSet<&'static str> {
    let Ok(directory) = Directory::find(zip) else { return BTreeSet::new() };
    let headers: Vec<Header<'_>> = directory.headers().collect();
    let is_in = |folder: &Header<'_>| {
        let is_below =
            |other: &Header<'_>| other.name.len() > folder.name.len() && other.name.starts_with(folder.name);
        folder.name.ends_with(b"/") && headers.iter().any(is_below)
    };
    let mut forms: BTreeSet<&'static str> = headers.iter().flat_map(|header| of_entry(zip, header)).collect();
    forms.extend(headers.iter().any(is_in).then_some(FOLDERS));
    forms.extend(directory.has_comment.then_some(COMMENT));
    forms.extend(directory.is_wide.then_some(ZIP64));
    forms
}

fn of_entry(zip: &[u8], header: &Header<'_>) -> impl Iterator<Item = &'static str> {
    let descriptor = || {
        let local = usize::try_from(header.offset).ok()?;
        let [name, extra] = [26, 28].map(|at| u16_at(zip, local.saturating_add(at)).map(usize::from));
        let data = usize::try_from(header.compressed).ok()?;
        u32_at(zip, local.checked_add(30)?.checked_add(name? + extra?)?.checked_add(data)?)
    };
    let is_streamed = header.flags & DESCRIPTOR != 0;
    let is_signed = is_streamed && descriptor() == Some(DESCRIPTOR_SIGNATURE);
    let is_of_unix = header.made >> 8 != 0;
    [
        (is_signed, DESCRIPTORS),
        (is_streamed && !is_signed, UNSIGNED_DESCRIPTORS),
        (!is_of_unix, DOS),
        (is_of_unix && header.attributes == 0, NO_ATTRIBUTES),
        (!header.extra.is_empty() && extra_field(header.extra, WIDE_FIELD).0.is_none(), EXTRA_FIELDS),
    ]
    .into_iter()
    .filter_map(|(is_so, form)| is_so.then_some(form))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strict;
    use crate::drop::values::FORMS;
    use crate::drop::zip::write::{Entry, UTF8, shaped};
    use crate::drop::zip::{Limits, inspect};

    #[test]
    fn each_form_is_recognized_and_has_the_same_files() {
        let entry = |name: &str| {
            let entry = Entry::deflated(name, "a file\n").mode(0o100_644);
            entry.both(|header| header.flags = UTF8)
        };
        let entries = [entry("index.html"), entry("a/b/c.txt")];
        let read = |zip: &[u8]| inspect(zip, &Limits::default(), &mut Strict).map(|found| found.files);
        let plain = shaped(&entries, &[]);
        assert!(found_in(&plain).is_empty(), "{:?}", found_in(&plain));
        let of_part = [WINDOWS_TYPE, NO_TYPE, SOURCE_FIRST, FILE_NAME];
        let of_zip: Vec<&str> =
            FORMS.iter().map(|form| form.name).filter(|form| !of_part.contains(form)).collect();
        let forms = of_zip.iter().chain([&ZIP64]).map(std::slice::from_ref).chain([&of_zip[..]]);
        for forms in forms {
            let zip = shaped(&entries, forms);
            assert_eq!(found_in(&zip), forms.iter().copied().collect());
            assert_eq!(read(&zip), read(&plain), "{forms:?}");
        }
    }
}
