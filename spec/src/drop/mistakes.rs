//! The mistakes that programs make with the anonymous drop (document 3). The files beside this one say only what the document
//! says. An entry says which program does otherwise at one place of them, and why that is tempting, with its code.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::drop::requirements;
use crate::drop::zip::Extracted;
use crate::drop::zip::path::climbs_out;
use crate::rules::mistakes;

mistakes! {
    /// The upload.
    mod upload {
        UNAUTHENTICATED => "A server asks for a key on each path, because all its other endpoints need one.",
            |has_key: bool| -> Result<(), String> {
                if has_key { Ok(()) } else { Err("the request has no key".to_owned()) }
            }
        ARTIFACT_REQUIRED => "A server publishes the files of a form, also if there are none.",
            |_form: ()| -> Result<Extracted, String> { Ok(Extracted::default()) }
        SOURCE_TAKEN => "A server accepts no field but the zip, because it parses forms strictly.",
            |source: &str| -> Result<(), String> { Err(format!("the form has a source of {} bytes", source.len())) }
        SOURCE_IGNORED => "A server rejects a malformed source, because it validates each field of a form.",
            |source: &str| -> Result<(), String> { Err(format!("the form has a source of {} bytes", source.len())) }
        ZIP64 => "A server reads the short end record alone, because no zip of a few megabytes needs another.",
            |is_wide: bool| -> Result<(), String> {
                if is_wide { Err("the zip has 64-bit records".to_owned()) } else { Ok(()) }
            }
    }

    /// The zip. A mistake with a limit makes it four times as high, so that the memory stays bounded.
    mod zip {
        FORM => "A server takes a file that is not a zip for the page itself, because sites of one page are common.",
            |bytes: &[u8]| -> Result<Extracted, String> {
                let files = BTreeMap::from([("index.html".to_owned(), Arc::from(bytes))]);
                Ok(Extracted { files, bytes: bytes.len() as u64, ..Extracted::default() })
            }
        TRAVERSAL => "A server renames each `..`, as programs that clean file names do.",
            |path: &str| -> Result<Cow<'_, str>, String> { Ok(cleaned(path).into()) }
        ABSOLUTE => "A server renames an empty first segment, as programs that clean file names do.",
            |name: &str| -> Result<Cow<'_, str>, String> {
                let relative = format!("_{name}");
                // The next rule is about a path that leads out of the root.
                Ok(if climbs_out(name.trim_start_matches('/')) { relative } else { cleaned(&relative) }.into())
            }
        SYMLINK => "A server extracts files and folders alone, because links are where zips become dangerous.",
            |_path: &str| -> bool { false }
        FAITHFUL as UTF_8 => "A program replaces the bytes of a name that are not UTF-8, because its paths are strings.",
            |name: &[u8]| -> Result<Cow<'_, str>, String> { Ok(String::from_utf8_lossy(name)) }
        FAITHFUL as PLAIN => "A program normalizes paths and extracts what is left, as its file system would.",
            |path: &str| -> Result<String, String> { Ok(normal(path)) }
        SIZE => "A server leaves the size of uploads to its proxy, whose limit is for all services.",
            |most: u64| -> u64 { most.saturating_mul(4) }
        EXTRACTED_SIZE => "A server limits only the zip, because that is what it receives.",
            |most: u64| -> u64 { most.saturating_mul(4) }
        COUNTED => "A server adds up the sizes that the zip declares, and stops reading a file at its declared size.",
            |declared: &Arc<[u8]>| -> Result<Arc<[u8]>, String> { Ok(Arc::clone(declared)) }
        FILES => "A server limits bytes alone, because files cost no memory of their own.",
            |most: u64| -> u64 { most.saturating_mul(4) }
    }
}

/// The path with harmless segments. It is like no other path of a zip.
fn cleaned(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment {
        "" | "." => "_".to_owned(),
        ".." => "__".to_owned(),
        name => name.replace(|letter: char| letter == '\\' || letter.is_control(), "_"),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The path with empty, `.` and `..` segments resolved, clamped at the root.
fn normal(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}
