//! Describes an image: its media type, its size in bytes, and its size in pixels if the format is supported.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A sentence about an image, given as a data URL or as another URL.
pub(super) fn describe(url: &str) -> String {
    let Some(data) = url.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:")).map(|_| &url[5..])
    else {
        return "The image lies somewhere else, and I do not fetch images.".to_owned();
    };
    let Some((head, data)) = data.split_once(',') else { return unreadable() };
    let mut parameters = head.split(';').map(str::trim);
    let media_type = parameters.next().filter(|name| !name.is_empty()).unwrap_or("text/plain").to_owned();
    let is_base64 = parameters.any(|name| name.eq_ignore_ascii_case("base64"));
    let bytes = if is_base64 {
        let Ok(bytes) = STANDARD.decode(data.trim()) else { return unreadable() };
        bytes
    } else {
        percent_encoding::percent_decode_str(data).collect()
    };
    let size = bytes.len();
    match imagesize::blob_size(&bytes) {
        Ok(pixels) => {
            let (width, height) = (pixels.width, pixels.height);
            format!("The image is of type {media_type}, {size} bytes long, {width} by {height} pixels.")
        }
        Err(_) => format!("The image is of type {media_type}, {size} bytes long."),
    }
}

fn unreadable() -> String {
    "There is an image, but I cannot read it.".to_owned()
}

#[cfg(test)]
mod tests {
    use super::describe;

    /// A GIF of one pixel.
    const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

    #[test]
    fn description_has_type_size_and_pixels() {
        let description = describe(&format!("data:image/gif;base64,{GIF}"));
        assert_eq!(description, "The image is of type image/gif, 42 bytes long, 1 by 1 pixels.");
        assert_eq!(
            describe("data:image/svg+xml,%3Csvg/%3E"),
            "The image is of type image/svg+xml, 6 bytes long."
        );
    }

    #[test]
    fn invalid_images_do_not_fail() {
        for url in [
            "data:image/png;base64,!",
            "data:",
            "",
            "https://a.example/cat.png",
            "data:image/png;base64",
            "dåta:,",
        ] {
            assert!(!describe(url).contains("bytes"), "{url}");
        }
        assert_eq!(describe("data:image/png;base64,AAAA"), "The image is of type image/png, 3 bytes long.");
    }
}
