//! The model behind every server: small, pure and deterministic. The same world and the same request give the same
//! answer, streamed or not.
//!
//! It writes a few sentences about the question, calls a declared tool with arguments that fit the tool's schema,
//! replies after the tool's result, describes images that it was shown, and counts tokens by [`tokens::split`].

mod dice;
mod fit;
mod image;
mod talk;
mod tokens;

use serde_json::Value;

use self::dice::Dice;
pub(crate) use self::tokens::split;
use crate::rng::Rng;

/// The maximum number of answers to one conversation.
const ANSWERS: usize = 8;
/// The maximum number of choices of one answer.
const CHOICES: usize = 128;
/// The maximum number of calls in one turn.
const CALLS: usize = 4;
/// What the choice of a tool considers: tools, words, and characters of each string.
const LOOK: (usize, usize, usize) = (128, 64, 4_000);
/// The cost of a turn besides its text, in tokens.
const TOKENS_A_TURN: u64 = 4;
/// The cost of an image, in tokens.
const TOKENS_AN_IMAGE: u64 = 85;

/// The abilities of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// It calls tools.
    pub(crate) tools: bool,
    /// It sees images.
    pub(crate) vision: bool,
    /// It draws instead of writing.
    pub(crate) image: bool,
}

/// What is asked, independent of the wire format.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prompt {
    /// The key of the draws: a digest of the request without its delivery options.
    pub(crate) key: [u8; 32],
    /// Each is answered separately; all formats except plain completions have one.
    pub(crate) conversations: Vec<Vec<Turn>>,
    /// The number of answers to each conversation.
    pub(crate) n: usize,
    /// The tools that may be called.
    pub(crate) tools: Vec<Tool>,
    /// Whether to call a tool, and which.
    pub(crate) choose: Choose,
    /// Several calls in one turn are allowed.
    pub(crate) parallel: bool,
    /// The maximum number of tokens of an answer.
    pub(crate) max_tokens: Option<u64>,
    /// Stop strings: the answer ends before any of them.
    pub(crate) stops: Vec<String>,
    /// The answer must be JSON of this schema.
    pub(crate) schema: Option<Value>,
}

/// One turn of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The role of the speaker.
    pub(crate) role: Role,
    /// What is said.
    pub(crate) text: String,
    /// The images: data URLs, or other URLs.
    pub(crate) images: Vec<String>,
}

/// The role of a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The user; also every unknown role.
    User,
    /// The model.
    Assistant,
    /// A tool that was called.
    Tool,
    /// The system or developer.
    System,
}

/// A tool that is declared.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: String,
    /// Its description.
    pub(crate) about: String,
    /// The JSON Schema of its arguments.
    pub(crate) schema: Value,
}

/// Whether to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Choose {
    /// The model decides: it calls a tool unless one has replied since the last user message.
    #[default]
    Freely,
    /// Never.
    Nothing,
    /// Any tool.
    Something,
    /// This tool.
    Named(String),
}

/// The answer of a model.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// In the order of the conversations; never empty.
    pub(crate) choices: Vec<Choice>,
    /// The tokens used.
    pub(crate) usage: Usage,
}

/// One answer to one conversation.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The text, one token per element.
    pub(crate) pieces: Vec<String>,
    /// The calls; if there are any, there is no text.
    pub(crate) calls: Vec<Call>,
    /// Why it ended.
    pub(crate) finish: Finish,
}

impl Choice {
    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.pieces.concat()
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) name: String,
    /// Its arguments: a JSON object that fits the tool's schema.
    pub(crate) arguments: Value,
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The answer is complete.
    Stop,
    /// A stop string would have come next.
    StopText(String),
    /// The maximum number of tokens is reached.
    Length,
    /// Tools are to be called.
    Calls,
}

/// Tokens read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Read.
    pub(crate) prompt: u64,
    /// Written.
    pub(crate) completion: u64,
}

/// An answer that was written, in place of one that the model makes.
pub(crate) trait Writes {
    /// Its text, if it has no calls.
    fn text(&self) -> &str;
    /// Its calls.
    fn calls(&self) -> &[Call];
    /// The tokens that it states.
    fn usage(&self) -> Option<Usage>;

    /// Whether its calls are no longer than the request allows.
    fn fits(&self, prompt: &Prompt) -> bool {
        called(self.calls().to_vec(), prompt).is_some()
    }
}

/// The answer of `model`. Draws depend on the world's seed, the model's name and the prompt's key. `given` has the written answer to
/// each conversation that has one.
pub(crate) fn run(
    rng: Rng,
    model: &str,
    traits: Traits,
    prompt: &Prompt,
    given: &[Option<&dyn Writes>],
) -> Answer {
    let none = Vec::new();
    let mut conversations: Vec<&Vec<Turn>> = prompt.conversations.iter().collect();
    if conversations.is_empty() {
        conversations.push(&none);
    }
    let mut choices = Vec::new();
    let mut usage = Usage { prompt: 0, completion: 0 };
    for (n, conversation) in conversations.iter().enumerate() {
        let given = given.get(n).copied().flatten();
        let before = choices.len();
        for _ in 0..prompt.n.clamp(1, ANSWERS) {
            if choices.len() < CHOICES {
                let mut dice = Dice::new(rng, model, &prompt.key, choices.len());
                choices.push(match given {
                    Some(given) => repeat(given, prompt),
                    None => choose(&mut dice, traits, prompt, conversation),
                });
            }
        }
        let counted = || Usage {
            prompt: conversation.iter().map(heard).sum(),
            completion: choices[before..].iter().map(written).sum(),
        };
        let of_this = given.and_then(Writes::usage).unwrap_or_else(counted);
        usage.prompt += of_this.prompt;
        usage.completion += of_this.completion;
    }
    if given.iter().flatten().all(|given| given.usage().is_none()) {
        usage.prompt += prompt.tools.iter().map(declared).sum::<u64>();
    }
    Answer { choices, usage }
}

/// A written answer.
fn repeat(given: &dyn Writes, prompt: &Prompt) -> Choice {
    let calls = called(given.calls().to_vec(), prompt);
    calls.unwrap_or_else(|| speak(given.text().to_owned(), prompt))
}

fn choose(dice: &mut Dice, traits: Traits, prompt: &Prompt, turns: &[Turn]) -> Choice {
    let calls = if traits.tools { calls(dice, prompt, turns) } else { Vec::new() };
    if let Some(choice) = called(calls, prompt) {
        return choice;
    }
    let text = match &prompt.schema {
        Some(schema) => fit::value(dice, schema, &said(turns)).to_string(),
        None => talk::about(dice, traits, turns),
    };
    speak(text, prompt)
}

/// Calls as an answer, if there are any. No client could read a call that is cut off, so a call that does not fit is not begun.
fn called(calls: Vec<Call>, prompt: &Prompt) -> Option<Choice> {
    let choice = Choice { pieces: Vec::new(), calls, finish: Finish::Calls };
    let allowed = prompt.max_tokens.unwrap_or(u64::MAX);
    (!choice.calls.is_empty() && written(&choice) <= allowed).then_some(choice)
}

/// Text as an answer, as far as the request lets it be said.
fn speak(text: String, prompt: &Prompt) -> Choice {
    let allowed = prompt.max_tokens.unwrap_or(u64::MAX);
    let (text, mut finish) = cut(text, &prompt.stops);
    let mut pieces: Vec<String> = split(&text).map(str::to_owned).collect();
    if pieces.len() as u64 > allowed {
        pieces.truncate(usize::try_from(allowed).unwrap_or(usize::MAX));
        finish = Finish::Length;
    }
    Choice { pieces, calls: Vec::new(), finish }
}

/// The text up to the first of these strings.
fn cut(mut text: String, stops: &[String]) -> (String, Finish) {
    let found = stops.iter().filter(|stop| !stop.is_empty());
    let found = found.filter_map(|stop| Some((text.find(stop.as_str())?, stop))).min_by_key(|(at, _)| *at);
    let Some((at, stop)) = found else { return (text, Finish::Stop) };
    text.truncate(at);
    (text, Finish::StopText(stop.clone()))
}

/// The calls of this turn. If several are allowed, every tool mentioned by name is called; otherwise the one that the
/// words match best.
fn calls(dice: &mut Dice, prompt: &Prompt, turns: &[Turn]) -> Vec<Call> {
    let is_answered = is_replied_to(turns);
    let text = said(turns);
    let named = |name: &String| prompt.tools.iter().filter(|tool| tool.name == *name).take(1).collect();
    let tools: Vec<&Tool> = match &prompt.choose {
        Choose::Nothing => Vec::new(),
        Choose::Freely if is_answered => Vec::new(),
        Choose::Named(name) => named(name),
        Choose::Freely | Choose::Something => fitting(dice, prompt, &text),
    };
    let call =
        |tool: &Tool| Call { name: tool.name.clone(), arguments: fit::arguments(dice, &tool.schema, &text) };
    tools.into_iter().map(call).collect()
}

fn fitting<'a>(dice: &mut Dice, prompt: &'a Prompt, text: &str) -> Vec<&'a Tool> {
    let (tools, words, characters) = LOOK;
    let tools = &prompt.tools[..prompt.tools.len().min(tools)];
    let text = start(text, characters);
    let called: Vec<&Tool> = tools.iter().filter(|tool| text.contains(tool.name.as_str())).collect();
    if prompt.parallel && called.len() > 1 {
        return called.into_iter().take(CALLS).collect();
    }
    if let Some(tool) = called.first() {
        return vec![tool];
    }
    let words: Vec<String> = talk::words(text).into_iter().take(words).map(str::to_lowercase).collect();
    let speaks = |tool: &Tool| {
        let about = [start(&tool.name, characters), start(&tool.about, characters)].join(" ").to_lowercase();
        words.iter().filter(|word| about.contains(word.as_str())).count()
    };
    let scores: Vec<usize> = tools.iter().map(speaks).collect();
    let best = scores.iter().copied().max().unwrap_or_default();
    let best: Vec<&Tool> =
        tools.iter().zip(&scores).filter(|(_, score)| **score == best).map(|(tool, _)| tool).collect();
    if best.is_empty() { Vec::new() } else { vec![best[dice.below(best.len())]] }
}

/// The first characters of a string.
fn start(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(at, _)| &text[..at])
}

/// Whether a tool has replied since the last user message.
pub(crate) fn is_replied_to(turns: &[Turn]) -> bool {
    let since = turns.iter().rposition(|turn| turn.role == Role::User).map_or(0, |at| at + 1);
    turns[since..].iter().any(|turn| turn.role == Role::Tool)
}

/// The last user message.
pub(crate) fn said(turns: &[Turn]) -> String {
    let last = turns.iter().rev().find(|turn| turn.role == Role::User);
    last.map(|turn| turn.text.clone()).unwrap_or_default()
}

fn written(choice: &Choice) -> u64 {
    let call = |call: &Call| split(&call.name).count() + split(&call.arguments.to_string()).count();
    (choice.pieces.len() + choice.calls.iter().map(call).sum::<usize>()) as u64
}

fn heard(turn: &Turn) -> u64 {
    split(&turn.text).count() as u64 + TOKENS_A_TURN + TOKENS_AN_IMAGE * turn.images.len() as u64
}

fn declared(tool: &Tool) -> u64 {
    let texts = [&tool.name, &tool.about, &tool.schema.to_string()];
    texts.iter().map(|text| split(text).count() as u64).sum()
}

#[cfg(test)]
mod tests;
