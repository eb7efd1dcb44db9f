//! Names as users write them: the nearest known ones.

/// The maximum number of suggested names.
const MOST: usize = 5;
/// So many names are all shown.
const FEW: usize = 30;

/// `; did you mean a, b or c?` with the known names that are like `written`, the most similar first; empty without one.
pub fn did_you_mean<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> String {
    match similar(written, known).as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [others @ .., last] => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// What is wrong with a name that is not one of `known`: the nearest ones, and all if they are few.
pub fn unknown<'n>(written: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let near = did_you_mean(written, known.clone());
    let all: Vec<&str> = known.take(FEW + 1).collect();
    match (all.as_slice(), near.is_empty()) {
        ([], _) => "; none is known".to_owned(),
        (all, true) if all.len() <= FEW => format!("; known: {}", all.join(", ")),
        (all, false) if all.len() <= FEW => format!("{near} Known: {}", all.join(", ")),
        _ => near,
    }
}

/// The known name nearest to `written`, at most `slips` edits away.
pub fn nearest<'n>(written: &str, known: impl Iterator<Item = &'n str>, slips: usize) -> Option<&'n str> {
    let written = written.to_lowercase();
    let near = known.map(|name| (edits(&written, &name.to_lowercase()), name));
    near.filter(|(edits, _)| *edits <= slips).min().map(|(_, name)| name)
}

fn edits(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(a, b)
}

/// The names that contain what is written; without one, the names that are a few typing errors away.
fn similar<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let written = written.trim_matches(['*', '?', '.']).to_lowercase();
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let containing: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !written.is_empty() && name.to_lowercase().contains(&written))
        .take(MOST)
        .collect();
    if !containing.is_empty() {
        return containing;
    }
    let most = 1 + written.len() / 5;
    // The last part of an id is often all that is remembered.
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit(['.', '/']).next().unwrap_or(&name);
        edits(&written, &name).min(edits(&written, last))
    };
    let mut near: Vec<(usize, &str)> = names.into_iter().map(|name| (distance(name), name)).collect();
    near.sort_by_key(|(distance, _)| *distance);
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.retain(|(distance, _)| *distance <= most.min(best + 1));
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_suggested() {
        let known = ["gateway", "gateway.chat", "publish.prepare.one-in-flight", "drop"];
        let near = |written: &str| did_you_mean(written, known.into_iter());
        assert_eq!(near("gatway"), "; did you mean gateway?");
        assert_eq!(near("gateway"), "; did you mean gateway or gateway.chat?");
        assert_eq!(near("one-in-fligt"), "; did you mean publish.prepare.one-in-flight?");
        assert_eq!(near("nothing like it"), "");
    }

    #[test]
    fn the_nearest_name_is_at_most_some_edits_away() {
        let near = |written, slips| nearest(written, ["server", "model"].into_iter(), slips);
        assert_eq!(near("modle", 2), Some("model"));
        assert_eq!(near("MODEL", 0), Some("model"));
        assert_eq!(near("sever", 0), None);
    }

    #[test]
    fn an_unknown_name_has_the_nearest_and_all_if_they_are_few() {
        let known = ["server", "model"];
        assert_eq!(unknown("modle", known.into_iter()), "; did you mean model? Known: server, model");
        assert_eq!(unknown("zzzzzz", known.into_iter()), "; known: server, model");
        assert_eq!(unknown("a", std::iter::empty()), "; none is known");
        let many: Vec<String> = (0..31).map(|n| format!("name-{n}")).collect();
        assert_eq!(unknown("name-30x", many.iter().map(String::as_str)).matches("name-").count(), 5);
        assert_eq!(unknown("zzzzzzzzzzzz", many.iter().map(String::as_str)), "");
    }
}
