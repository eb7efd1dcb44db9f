//! Data URLs (RFC 2397) that carry base64 image data.

use crate::crypto::text::parse_base64;

/// The data of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageData {
    /// The media type, lower case, such as `image/png`.
    pub media_type: String,
    /// The size of the decoded data, in bytes.
    pub size: usize,
}

/// Parses a data URL of base64 image data; `None` for any other string.
pub fn parse(url: &str) -> Option<ImageData> {
    let (scheme, rest) = url.split_at_checked(5)?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let (about, data) = rest.split_once(',')?;
    let mut words = about.split(';');
    let media_type = words.next().unwrap_or_default();
    let base64 = words.next_back().is_some_and(|word| word.trim().eq_ignore_ascii_case("base64"));
    base64.then(|| image(media_type, data)).flatten()
}

/// An image from its media type and its base64 data, which are separate in the messages format.
pub fn image(media_type: &str, data: &str) -> Option<ImageData> {
    let media_type = media_type.trim().to_ascii_lowercase();
    let subtype = media_type.strip_prefix("image/")?;
    let size = parse_base64(data)?.len();
    (!subtype.is_empty() && size > 0).then_some(ImageData { media_type, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_base64_image_data_is_an_image() {
        let read = |url| parse(url).map(|image| (image.media_type, image.size));
        assert_eq!(read("data:image/png;base64,AAAA"), Some(("image/png".into(), 3)));
        assert_eq!(read("DATA:image/JPEG;q=1;BASE64,AA=="), Some(("image/jpeg".into(), 1)));
        for other in [
            "",
            "data:",
            "dat\u{e9}:",
            "data:image/png;base64",
            "data:image/png;base64,",
            "data:image/png;base64,A",
            "data:image/png;base64,%%%%",
            "data:image/png,AAAA",
            "data:image/;base64,AAAA",
            "data:text/plain;base64,AAAA",
            "data:;base64,AAAA",
            "https://a.example/x.png",
        ] {
            assert_eq!(read(other), None, "{other:?}");
        }
    }
}
