//! Symbols without a value beside others that have one and are spelt nearly the same: slips of the pen, and of scanners, which take `1` for `l`.

use cardan_base::nearest;

use crate::autosim::scene::{Role, Scene};

/// Names shorter than this differ by one letter too often.
const MIN_LETTERS: usize = 3;

/// Parameters without a value, each with the symbol that was probably meant.
pub(in crate::autosim) fn pairs(scene: &Scene) -> Vec<(String, String)> {
    let has_value = |name: &&String| scene.symbols.get(*name).is_some_and(|s| s.default.is_some());
    let known: Vec<&String> = scene.symbols.keys().filter(has_value).collect();
    let open = scene.symbols.iter().filter(|(name, s)| {
        s.default.is_none()
            && s.description.is_empty()
            && matches!(s.role, Role::Parameter)
            && !scene.routines.contains_key(*name)
    });
    open.filter_map(|(name, _)| Some((name.clone(), meant(name, &known)?))).collect()
}

/// The known name that looks like this one on paper, otherwise one that differs by more than its number.
fn meant(name: &str, known: &[&String]) -> Option<String> {
    let same = known.iter().find(|k| printed(k) == printed(name)).map(|k| k.to_string());
    let others = known.iter().map(|k| k.as_str()).filter(|k| stem(k) != stem(name));
    same.or_else(|| nearest(name, others).filter(|_| stem(name).len() >= MIN_LETTERS).map(str::to_string))
}

/// A name with one sign for all that a scanner takes for one another.
fn printed(name: &str) -> String {
    let sign = |c: char| match c {
        'L' | 'I' => '1',
        'O' => '0',
        'S' => '5',
        'Z' => '2',
        'B' => '8',
        other => other,
    };
    name.chars().map(sign).collect()
}

/// A name without its number.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}
