//! Names as users write them: the nearest known ones.

/// The maximum number of suggested names.
const MOST: usize = 5;

/// `; did you mean a, b or c?` with the known names that are like `written`, the most similar first; empty without one.
pub fn did_you_mean<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> String {
    match similar(written, known).as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [others @ .., last] => format!("; did you mean {} or {last}?", others.join(", ")),
    }
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
        strsim::damerau_levenshtein(&written, &name).min(strsim::damerau_levenshtein(&written, last))
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
}
