//! Layout of the states and moves of a machine. Integers only, so that every computer draws the same.

use std::collections::{BTreeMap, BTreeSet};

/// Every move between the same two states, in the same direction.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) words: Vec<&'static str>,
}

/// A picture, in pixels.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) states: Vec<State>,
    pub(super) lines: Vec<Line>,
    pub(super) words: Vec<Words>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) name: &'static str,
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) bundle: usize,
    /// As an SVG path.
    pub(super) path: String,
    pub(super) tip: String,
}

#[derive(Debug)]
pub(super) struct Words {
    pub(super) bundle: usize,
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

const STATE_HEIGHT: i32 = 28;
const LINE_HEIGHT: i32 = 16;
const GAP: i32 = 18;
const LEVEL_GAP: i32 = 22;
const MARGIN: i32 = 8;
/// The width of a loop beside its state.
const LOOP: i32 = 26;
const SWEEPS: usize = 12;

/// An item on a level: a state, the label of a bundle, or reserved space for its line.
struct Node {
    kind: NodeKind,
    level: usize,
    width: i32,
    height: i32,
    /// The middle.
    x: i32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    State(usize),
    Words(usize),
    Free,
}

/// A line from level to level, downwards; `up` means that the move goes upwards.
struct Chain {
    bundle: usize,
    nodes: Vec<usize>,
    up: bool,
}

/// Lays out the bundles; the first move's state is at the top.
pub(super) fn place(bundles: &[Bundle]) -> Drawing {
    let mut names: Vec<&'static str> = Vec::new();
    for name in bundles.iter().flat_map(|bundle| [bundle.from, bundle.to]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let at = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
    let ends: Vec<(usize, usize)> = bundles.iter().map(|one| (at(one.from), at(one.to))).collect();
    let ranks = ranks(names.len(), &ends);
    let loops: BTreeMap<usize, usize> =
        ends.iter().enumerate().filter(|(_, (a, b))| a == b).map(|(n, (a, _))| (*a, n)).collect();
    // Space for a loop is reserved on both sides of its state, so that the state stays centered.
    let beside = |state: usize| loops.get(&state).map_or(0, |&n| LOOP + words_width(&bundles[n]));
    let mut nodes: Vec<Node> = names
        .iter()
        .enumerate()
        .map(|(n, name)| Node {
            kind: NodeKind::State(n),
            level: 2 * ranks[n],
            width: state_width(name) + 2 * beside(n),
            height: loops.get(&n).map_or(STATE_HEIGHT, |&n| STATE_HEIGHT.max(words_height(&bundles[n]))),
            x: 0,
        })
        .collect();
    let chains = chains(bundles, &ends, &mut nodes);
    let mut levels: Vec<Vec<usize>> =
        vec![Vec::new(); nodes.iter().map(|node| node.level + 1).max().unwrap_or(1)];
    (0..nodes.len()).for_each(|n| levels[nodes[n].level].push(n));
    let links: Vec<(usize, usize)> =
        chains.iter().flat_map(|chain| chain.nodes.windows(2).map(|pair| (pair[0], pair[1]))).collect();
    order(&mut levels, &links);
    spread(&mut nodes, &levels, &links);
    draw(bundles, &names, &nodes, &levels, &chains, &loops)
}

/// The longest path from the first state to each, without backward moves.
fn ranks(count: usize, ends: &[(usize, usize)]) -> Vec<usize> {
    let mut back = BTreeSet::new();
    let (mut seen, mut open) = (vec![false; count], vec![false; count]);
    for state in 0..count {
        find_back(state, ends, &mut seen, &mut open, &mut back);
    }
    let mut ranks = vec![0; count];
    for _ in 0..count {
        for (n, &(from, to)) in ends.iter().enumerate() {
            if from != to && !back.contains(&n) {
                ranks[to] = ranks[to].max(ranks[from] + 1);
            }
        }
    }
    ranks
}

fn find_back(
    state: usize,
    ends: &[(usize, usize)],
    seen: &mut [bool],
    open: &mut [bool],
    back: &mut BTreeSet<usize>,
) {
    if std::mem::replace(&mut seen[state], true) {
        return;
    }
    open[state] = true;
    for (n, &(_, to)) in ends.iter().enumerate().filter(|(_, (from, to))| *from == state && from != to) {
        if open[to] {
            back.insert(n);
        } else {
            find_back(to, ends, seen, open, back);
        }
    }
    open[state] = false;
}

/// The lines of the bundles, with a node on every level between their ends.
fn chains(bundles: &[Bundle], ends: &[(usize, usize)], nodes: &mut Vec<Node>) -> Vec<Chain> {
    let mut chains = Vec::new();
    for (bundle, &(from, to)) in ends.iter().enumerate().filter(|(_, (from, to))| from != to) {
        let up = nodes[from].level > nodes[to].level;
        let (top, bottom) = if up { (to, from) } else { (from, to) };
        let (first, last) = (nodes[top].level, nodes[bottom].level);
        // The label is on the odd level next to the middle.
        let middle = first + ((last - first) / 4) * 2 + 1;
        let mut chain = vec![top];
        for level in first + 1..last {
            let (kind, width, height) = if level == middle {
                (NodeKind::Words(bundle), words_width(&bundles[bundle]), words_height(&bundles[bundle]))
            } else {
                (NodeKind::Free, 12, 0)
            };
            chain.push(nodes.len());
            nodes.push(Node { kind, level, width, height, x: 0 });
        }
        chain.push(bottom);
        chains.push(Chain { bundle, nodes: chain, up });
    }
    chains
}

/// Orders each level to reduce crossings: by the median of the neighbours, alternating up and down.
fn order(levels: &mut [Vec<usize>], links: &[(usize, usize)]) {
    let mut best = (crossings(levels, links), levels.to_vec());
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let count = levels.len();
        for step in 1..count {
            let level = if down { step } else { count - 1 - step };
            let other = if down { level - 1 } else { level + 1 };
            let position = |node: usize| levels[other].iter().position(|&known| known == node);
            let key = |node: usize| {
                let near: Vec<usize> = neighbours(node, links).filter_map(position).collect();
                (!near.is_empty()).then(|| near.iter().sum::<usize>() * 1000 / near.len())
            };
            let mut keyed: Vec<(usize, usize)> = Vec::new();
            for (n, &node) in levels[level].iter().enumerate() {
                keyed.push((key(node).unwrap_or(n * 1000), node));
            }
            keyed.sort_by_key(|(key, _)| *key);
            levels[level] = keyed.into_iter().map(|(_, node)| node).collect();
        }
        let now = crossings(levels, links);
        if now < best.0 {
            best = (now, levels.to_vec());
        }
    }
    levels.clone_from_slice(&best.1);
}

fn neighbours(node: usize, links: &[(usize, usize)]) -> impl Iterator<Item = usize> {
    links.iter().filter_map(move |&(a, b)| match node {
        _ if a == node => Some(b),
        _ if b == node => Some(a),
        _ => None,
    })
}

fn crossings(levels: &[Vec<usize>], links: &[(usize, usize)]) -> usize {
    let place: BTreeMap<usize, (usize, usize)> = levels
        .iter()
        .enumerate()
        .flat_map(|(level, nodes)| nodes.iter().enumerate().map(move |(n, &node)| (node, (level, n))))
        .collect();
    let mut count = 0;
    for (n, (a, b)) in links.iter().enumerate() {
        for (c, d) in &links[n + 1..] {
            let ((level, a), (_, b), (other, c), (_, d)) = (place[a], place[b], place[c], place[d]);
            count += usize::from(level == other && ((a < c && b > d) || (a > c && b < d)));
        }
    }
    count
}

/// Moves each node near its neighbours, keeping the gaps.
fn spread(nodes: &mut [Node], levels: &[Vec<usize>], links: &[(usize, usize)]) {
    for level in levels {
        let mut x = 0;
        for &n in level {
            nodes[n].x = x + nodes[n].width / 2;
            x += nodes[n].width + GAP;
        }
    }
    for sweep in 0..4 * SWEEPS {
        let downwards: Vec<&Vec<usize>> =
            if sweep % 2 == 0 { levels.iter().collect() } else { levels.iter().rev().collect() };
        for level in downwards {
            let wanted = |&n: &usize| {
                // Prefer straight lines to short ones.
                let is_free = |other: &usize| nodes[*other].kind == NodeKind::Free;
                let mut near: Vec<usize> = neighbours(n, links).collect();
                if !matches!(nodes[n].kind, NodeKind::State(_)) && near.iter().any(is_free) {
                    near.retain(is_free);
                }
                let sum: i32 = near.iter().map(|&other| nodes[other].x).sum();
                if near.is_empty() { nodes[n].x } else { sum / near.len() as i32 }
            };
            let wanted: Vec<i32> = level.iter().map(wanted).collect();
            settle(nodes, level, &wanted);
        }
    }
    let left = nodes.iter().map(|node| node.x - node.width / 2).min().unwrap_or_default();
    for node in nodes {
        node.x += MARGIN - left;
    }
}

/// The positions nearest to the wanted ones that keep order and gaps: overlapping neighbours share their mean.
fn settle(nodes: &mut [Node], level: &[usize], wanted: &[i32]) {
    let mut offsets = Vec::new();
    let mut offset = 0;
    for (n, &node) in level.iter().enumerate() {
        if n > 0 {
            offset += nodes[level[n - 1]].width / 2 + GAP + (nodes[node].width + 1) / 2;
        }
        offsets.push(offset);
    }
    // Sum and count of each block.
    let mut blocks: Vec<(i32, i32)> = Vec::new();
    for (want, offset) in wanted.iter().zip(&offsets) {
        let mut block = (want - offset, 1);
        while let Some(&(sum, count)) = blocks.last() {
            if i64::from(sum) * i64::from(block.1) <= i64::from(block.0) * i64::from(count) {
                break;
            }
            blocks.pop();
            block = (block.0 + sum, block.1 + count);
        }
        blocks.push(block);
    }
    let places =
        blocks.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum.div_euclid(count), count as usize));
    for ((&node, place), offset) in level.iter().zip(places).zip(&offsets) {
        nodes[node].x = place + offset;
    }
}

fn draw(
    bundles: &[Bundle],
    names: &[&'static str],
    nodes: &[Node],
    levels: &[Vec<usize>],
    chains: &[Chain],
    loops: &BTreeMap<usize, usize>,
) -> Drawing {
    let mut tops = Vec::new();
    let mut y = MARGIN;
    for level in levels {
        let height = level.iter().map(|&n| nodes[n].height).max().unwrap_or_default();
        tops.push(y + height / 2);
        y += height + LEVEL_GAP;
    }
    let middle = |n: usize| (nodes[n].x, tops[nodes[n].level]);
    let mut drawing = Drawing {
        width: nodes.iter().map(|node| node.x + node.width / 2).max().unwrap_or_default() + MARGIN,
        height: y - LEVEL_GAP + MARGIN,
        states: Vec::new(),
        lines: Vec::new(),
        words: Vec::new(),
    };
    for (n, node) in nodes.iter().enumerate() {
        let (x, y) = middle(n);
        match node.kind {
            NodeKind::State(state) => {
                let name = names[state];
                let width = state_width(name);
                drawing.states.push(State { name, x: x - width / 2, y: y - STATE_HEIGHT / 2, width });
                if let Some(&bundle) = loops.get(&state) {
                    put_loop(&mut drawing, &bundles[bundle], bundle, (x + width / 2, y));
                }
            }
            NodeKind::Words(bundle) => {
                let (x, y) = (x - node.width / 2, y - node.height / 2);
                drawing.words.push(Words { bundle, x, y, width: node.width, height: node.height });
            }
            NodeKind::Free => {}
        }
    }
    for chain in chains {
        drawing.lines.push(draw_chain(chain, chains, nodes, &middle, names));
    }
    drawing
}

fn put_loop(drawing: &mut Drawing, bundle: &Bundle, n: usize, (x, y): (i32, i32)) {
    let far = x + LOOP;
    drawing.lines.push(Line {
        bundle: n,
        path: format!("M{} {} C{far} {} {far} {} {} {}", x - 3, y - 7, y - 16, y + 16, x + 4, y + 7),
        tip: format!("M{} {} l9 -1 l-3 8 z", x - 3, y + 7),
    });
    let (width, height) = (words_width(bundle), words_height(bundle));
    drawing.words.push(Words { bundle: n, x: far - 4, y: y - height / 2, width, height });
}

fn draw_chain(
    chain: &Chain,
    chains: &[Chain],
    nodes: &[Node],
    middle: &dyn Fn(usize) -> (i32, i32),
    names: &[&'static str],
) -> Line {
    let last = chain.nodes.len() - 1;
    // Lines of one state leave it side by side, ordered by their targets.
    let port = |state: usize, next: usize, is_top: bool| {
        let others = chains.iter().filter_map(|other| {
            let (own, far) = if is_top {
                (other.nodes[0], other.nodes[1])
            } else {
                (other.nodes[other.nodes.len() - 1], other.nodes[other.nodes.len() - 2])
            };
            (own == state).then_some(far)
        });
        let mut others: Vec<usize> = others.collect();
        others.sort_by_key(|&far| nodes[far].x);
        let nth = others.iter().position(|&far| far == next).unwrap_or_default() as i32;
        let NodeKind::State(name) = nodes[state].kind else { return 0 };
        let room = state_width(names[name]) - 24;
        let count = others.len() as i32;
        let step = (room / count).min(22);
        (2 * nth + 1 - count) * step / 2
    };
    let mut points: Vec<(i32, i32)> = Vec::new();
    for (n, &node) in chain.nodes.iter().enumerate() {
        let (x, y) = middle(node);
        match n {
            0 => points.push((x + port(node, chain.nodes[1], true), y + STATE_HEIGHT / 2)),
            _ if n == last => {
                points.push((x + port(node, chain.nodes[n - 1], false), y - STATE_HEIGHT / 2));
            }
            // Straight through a level, so that the line touches nothing there.
            _ => {
                let half = nodes[node].height.max(STATE_HEIGHT) / 2;
                points.extend([(x, y - half), (x, y + half)]);
            }
        }
    }
    let tip = if chain.up { points[0] } else { points[points.len() - 1] };
    let tip = if chain.up {
        format!("M{} {} l-5 9 l10 0 z", tip.0, tip.1)
    } else {
        format!("M{} {} l-5 -9 l10 0 z", tip.0, tip.1)
    };
    let mut line = format!("M{} {}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let half = i32::midpoint(y, to_y);
        line.push_str(&format!(" C{x} {half} {to_x} {half} {to_x} {to_y}"));
    }
    Line { bundle: chain.bundle, path: line, tip }
}

/// Estimated text widths of a plain font, with some margin.
fn state_width(name: &str) -> i32 {
    (name.chars().count() as i32 * 15 / 2 + 28).max(72)
}

fn words_width(bundle: &Bundle) -> i32 {
    let longest = bundle.words.iter().map(|words| words.chars().count()).max().unwrap_or_default();
    longest as i32 * 13 / 2 + 28
}

fn words_height(bundle: &Bundle) -> i32 {
    bundle.words.len() as i32 * LINE_HEIGHT + 3
}

#[cfg(test)]
mod tests {
    use assay_spec::catalogue;

    use super::*;

    /// Left, top, right, bottom.
    fn boxes(drawing: &Drawing) -> Vec<[i32; 4]> {
        let states = drawing.states.iter().map(|s| [s.x, s.y, s.x + s.width, s.y + STATE_HEIGHT]);
        states.chain(drawing.words.iter().map(|w| [w.x, w.y, w.x + w.width, w.y + w.height])).collect()
    }

    #[test]
    fn nothing_overlaps_or_is_outside() {
        for machine in catalogue::machines() {
            let mut bundles: Vec<Bundle> = Vec::new();
            for one in machine.transitions {
                match bundles.iter_mut().find(|known| (known.from, known.to) == (one.from, one.to)) {
                    Some(known) => known.words.push(one.event),
                    None => bundles.push(Bundle { from: one.from, to: one.to, words: vec![one.event] }),
                }
            }
            let drawing = place(&bundles);
            let boxes = boxes(&drawing);
            for (n, a) in boxes.iter().enumerate() {
                let [left, top, right, bottom] = *a;
                let name = machine.name;
                assert!(
                    left >= 0 && top >= 0 && right <= drawing.width && bottom <= drawing.height,
                    "{name}"
                );
                for b in &boxes[n + 1..] {
                    let apart = right <= b[0] || b[2] <= left || bottom <= b[1] || b[3] <= top;
                    assert!(apart, "{name}: {a:?} and {b:?}");
                }
            }
            assert!(drawing.width < 1100, "{} is {} wide", machine.name, drawing.width);
        }
    }
}
