//! The sentences of a reply.

use super::dice::Dice;
use super::{Role, Traits, Turn, image, said, start};

/// The maximum number of words of a string that are looked at.
const WORDS: usize = 4_000;
/// The maximum number of letters of a word that are repeated.
const LETTERS: usize = 24;
/// The maximum number of images that are described.
const IMAGES: usize = 8;
/// The maximum number of quoted characters of a tool result.
const QUOTED: usize = 240;

/// The maximum number of topics of a reply.
const TELLING: usize = 5;
/// Words that are never a topic.
const PLAIN: &[&str] = &[
    "a", "about", "an", "and", "are", "be", "can", "could", "do", "does", "for", "have", "how", "i", "in",
    "is", "it", "me", "of", "on", "or", "please", "say", "tell", "that", "the", "this", "to", "was", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Sentences about one topic.
const OF_ONE: &[&str] = &[
    "The heart of it is {a}.",
    "I would begin with {a} and see how far that carries.",
    "Most of what is known about {a} is plainer than it sounds.",
    "There is more than one way to look at {a}.",
    "With {a} it pays to be patient.",
    "Nothing about {a} needs to be settled today.",
];
/// Sentences about two topics.
const OF_TWO: &[&str] = &[
    "Between {a} and {b} the difference is one of degree.",
    "First {a}, then {b}: in that order it works best.",
    "Whoever has understood {a} will find {b} easy.",
    "Take {a} for what it is, and {b} follows.",
    "I would not confuse {a} with {b}.",
];

/// A few sentences about the last message, image or tool result.
pub(super) fn about(dice: &mut Dice, traits: Traits, turns: &[Turn]) -> String {
    let since = turns.iter().rposition(|turn| turn.role == Role::User);
    let found: Vec<&Turn> =
        turns[since.map_or(0, |at| at + 1)..].iter().filter(|turn| turn.role == Role::Tool).collect();
    let text = said(turns);
    let mut sentences = Vec::new();
    for turn in found {
        sentences.push(format!("The tool says: {}.", quoted(&turn.text)));
    }
    let has_result = !sentences.is_empty();
    // An image in a tool result counts like an image in a message.
    for shown in turns[since.unwrap_or(0)..].iter().flat_map(|turn| &turn.images).take(IMAGES) {
        sentences.push(if traits.vision {
            image::describe(shown)
        } else {
            "There is an image, but I cannot see images.".to_owned()
        });
    }
    let words = telling(&text);
    match words.as_slice() {
        [] if sentences.is_empty() => {
            sentences.push("You have not said much, so I have little to add.".to_owned());
        }
        [] => {}
        [word] if traits.image => sentences.push(format!("A drawing of {word}.")),
        [word, next, ..] if traits.image => sentences.push(format!("A drawing of {word} beside {next}.")),
        [word] => sentences.push(format!("You asked about {word}.")),
        [word, next, ..] => sentences.push(format!("You asked about {word} and {next}.")),
    }
    if !words.is_empty() && !has_result {
        let mut of_one = OF_ONE.to_vec();
        for _ in 0..=dice.below(2) {
            let template = of_one.remove(dice.below(of_one.len()));
            sentences.push(template.replace("{a}", pick(dice, &words)));
        }
        if let [a, b, rest @ ..] = words.as_slice() {
            let b = if rest.is_empty() { b } else { &rest[dice.below(rest.len())] };
            let template = OF_TWO[dice.below(OF_TWO.len())];
            sentences.push(template.replace("{a}", a).replace("{b}", b));
        }
    }
    sentences.join(" ")
}

/// The words of a string: runs of letters and digits.
pub(super) fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-');
    let words = words.map(|word| word.trim_matches(['\'', '-'])).filter(|word| !word.is_empty());
    words.take(WORDS).map(|word| start(word, LETTERS)).collect()
}

/// The most significant words: the longest first, without duplicates, and few of them.
fn telling(text: &str) -> Vec<&str> {
    let mut seen = std::collections::BTreeSet::new();
    let is_new = |word: &&str| {
        let word = word.to_lowercase();
        !PLAIN.contains(&word.as_str()) && seen.insert(word)
    };
    let mut each: Vec<&str> = words(text).into_iter().filter(is_new).collect();
    each.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    each.truncate(TELLING);
    each
}

fn pick<'a>(dice: &mut Dice, words: &[&'a str]) -> &'a str {
    words[dice.below(words.len())]
}

fn quoted(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    match start(text, QUOTED) {
        "" => "nothing".to_owned(),
        quoted if quoted.len() < text.len() => format!("{quoted} and more"),
        quoted => quoted.to_owned(),
    }
}
