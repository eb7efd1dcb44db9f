//! How tokens are counted: a token is up to six letters or digits, with a preceding space if there is one, or any
//! other single character. The tokens of a string concatenate to the string.

/// The maximum number of letters and digits of a token.
const LETTERS: usize = 6;

/// The tokens of a string, in order.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = first(rest)?;
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// Where the first token ends; `None` for an empty string.
fn first(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    let (_, c) = *chars.peek()?;
    let has_space = c == ' ';
    if has_space {
        chars.next();
    }
    let mut letters = 0;
    let after = chars.find(|(_, c)| {
        letters += 1;
        letters > LETTERS || !c.is_alphanumeric()
    });
    let end = after.map_or(text.len(), |(at, _)| at);
    // No letter or digit: a single character, which may be the space.
    if letters == 1 && after.is_some() { Some(c.len_utf8()) } else { Some(end) }
}

#[cfg(test)]
mod tests {
    use super::split;

    fn tokens(text: &str) -> Vec<&str> {
        split(text).collect()
    }

    #[test]
    fn token_is_six_letters_with_their_space_or_one_other_character() {
        assert_eq!(tokens("Tell me, please"), ["Tell", " me", ",", " please"]);
        assert_eq!(tokens("understand"), ["unders", "tand"]);
        assert_eq!(tokens("  a"), [" ", " a"]);
        assert_eq!(tokens("é ü\n"), ["é", " ü", "\n"]);
        assert_eq!(tokens(" "), [" "]);
        assert_eq!(tokens("…"), ["…"]);
        assert_eq!(tokens(""), [""; 0]);
    }

    #[test]
    fn tokens_concatenate_to_the_string() {
        for text in ["", " ", "  ", "a b", "日本語のテキスト、です", "x = {\"a\": 1}", "tail "] {
            assert_eq!(tokens(text).concat(), text);
        }
    }
}
