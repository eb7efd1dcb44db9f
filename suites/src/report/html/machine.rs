//! State machines as pictures, with the transitions that a run has seen.
//!
//! A layered drawing: states are on even levels by their longest path, labels of moves are on the odd levels between
//! them, and a move over several levels reserves space on each. Nothing overlaps.

use assay_spec::machine::Transition;

use super::layout::{Bundle, Drawing, place};
use super::text::line;

/// A move, and whether the run made it.
pub(super) type Move = (&'static Transition, bool);

/// The content of the section: a figure with a table for each machine; empty without transitions.
pub(super) fn machines(moves: &[Move]) -> String {
    let mut names: Vec<&str> = moves.iter().map(|(one, _)| one.machine).collect();
    names.dedup();
    let mut out = String::new();
    for name in names {
        let moves: Vec<Move> = moves.iter().copied().filter(|(one, _)| one.machine == name).collect();
        out.push_str(&figure(name, &moves));
    }
    out
}

fn figure(name: &str, moves: &[Move]) -> String {
    let fired = moves.iter().filter(|(_, fired)| *fired).count();
    let (picture, width) = picture(&format!("{name}: {fired} of {} moves seen", moves.len()), moves);
    let broad = if width > BROAD { " broad" } else { "" };
    let rows: String = moves.iter().map(|&each| row(each)).collect();
    format!(
        "<figure class=\"machine{broad}\"><figcaption><h3>{}</h3><p>{fired} of {} moves seen</p></figcaption>\n\
         <div class=\"picture\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">{}</div>\n\
         <details><summary>As a table</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"moves\"><table><thead><tr><th>from</th><th>event</th>\
         <th>to</th><th>seen</th></tr></thead><tbody>{rows}</tbody></table></div></details></figure>\n",
        line(name),
        moves.len(),
        line(&format!("picture of {name}")),
        picture,
    )
}

fn row(each: Move) -> String {
    let (one, _) = each;
    let status = match mark(each) {
        (SEEN, _) => "\u{25cf} seen".to_owned(),
        (HIDDEN, _) => format!("\u{25c7} cannot be seen: {}", line(one.unreachable)),
        _ => "\u{25cb} not seen".to_owned(),
    };
    format!(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{status}</td></tr>",
        line(one.from),
        line(one.event),
        line(one.to)
    )
}

const SEEN: &str = "seen";
const HIDDEN: &str = "hidden";

/// The class and the sign of a move.
fn mark((one, fired): Move) -> (&'static str, char) {
    match (fired, one.unreachable) {
        (true, _) => (SEEN, '\u{25cf}'),
        (false, "") => ("unseen", '\u{25cb}'),
        (false, _) => (HIDDEN, '\u{25c7}'),
    }
}

/// Wider pictures get their own line of the page.
const BROAD: i32 = 460;

/// The picture, and how many pixels it is wide.
fn picture(label: &str, moves: &[Move]) -> (String, i32) {
    let mut bundles: Vec<(Bundle, Vec<Move>)> = Vec::new();
    for &each in moves {
        let (from, to) = (each.0.from, each.0.to);
        match bundles.iter_mut().find(|(known, _)| (known.from, known.to) == (from, to)) {
            Some((bundle, known)) => {
                bundle.words.push(each.0.event);
                known.push(each);
            }
            None => bundles.push((Bundle { from, to, words: vec![each.0.event] }, vec![each])),
        }
    }
    let drawing = place(&bundles.iter().map(|(bundle, _)| bundle.clone()).collect::<Vec<_>>());
    let Drawing { width, height, states, lines, words } = &drawing;
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">",
        line(label)
    );
    for path in lines {
        let class = class_of(&bundles[path.bundle].1);
        out.push_str(&format!("<path class=\"move {class}\" d=\"{}\"/>", path.path));
        out.push_str(&format!("<path class=\"tip {class}\" d=\"{}\"/>", path.tip));
    }
    for place in words {
        let (moves, (x, y)) = (&bundles[place.bundle].1, (place.x, place.y));
        out.push_str(&format!(
            "<rect class=\"words\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
            place.width, place.height
        ));
        for (n, &each) in moves.iter().enumerate() {
            let (class, sign) = mark(each);
            let (x, y) = (x + 5, y + 13 + 16 * n as i32);
            out.push_str(&format!(
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{sign} {}</text>",
                line(each.0.event)
            ));
        }
    }
    for state in states {
        let is_met = |(one, fired): &Move| *fired && (one.from == state.name || one.to == state.name);
        let class = if moves.iter().any(is_met) { "state met" } else { "state" };
        let (x, y, width) = (state.x, state.y, state.width);
        let middle = x + width / 2;
        out.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"28\" rx=\"14\"/>\
             <text class=\"name\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            y + 18,
            line(state.name)
        ));
    }
    out.push_str("</svg>");
    (out, *width)
}

fn class_of(moves: &[Move]) -> &'static str {
    let has = |class: &str| moves.iter().any(|&each| mark(each).0 == class);
    if has(SEEN) {
        SEEN
    } else if has("unseen") {
        "unseen"
    } else {
        HIDDEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn unseen_moves_have_another_sign_and_line() {
        let shown = machines(&example::run().transitions);
        assert!(shown.contains("1 of 3 moves seen"));
        assert!(shown.contains("<text class=\"seen\"") && shown.contains("\u{25cf} prepare</text>"));
        assert!(shown.contains("\u{25cb} submit</text>") && shown.contains("\u{25c7} crash</text>"));
        assert!(shown.contains("\u{25c7} cannot be seen: a client cannot crash it"));
    }

    #[test]
    fn every_machine_of_the_documents_can_be_drawn() {
        for machine in assay_spec::catalogue::machines() {
            let moves: Vec<Move> = machine.transitions.iter().map(|one| (one, false)).collect();
            let shown = machines(&moves);
            let states = shown.matches("class=\"state\"").count();
            assert!((2..=9).contains(&states), "{}: {states}", machine.name);
            assert_eq!(shown.matches("</td></tr>").count(), moves.len());
            assert_eq!(shown, machines(&moves));
        }
    }
}
