//! The known name that a misspelt one probably meant.

/// The candidate closest to `name`, if it is close enough to be a slip of the pen.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    let allowed = 1 + letters / 4;
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|c| *c != name)
        .map(|c| {
            let candidate = c.to_lowercase();
            // A word cut short (`param`) counts as one slip.
            let shortened = letters >= 3 && candidate.starts_with(&lower) && candidate != lower;
            (if shortened { 1 } else { strsim::osa_distance(&lower, &candidate) }, c)
        })
        .filter(|(distance, c)| *distance <= allowed && *distance < letters.max(c.chars().count()))
        .min()
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use crate::spelling::nearest;

    #[test]
    fn another_case_is_nearer_than_another_letter() {
        assert_eq!(nearest("Rod", ["mod", "rod"]), Some("rod"));
    }

    #[test]
    fn a_swapped_letter_is_found() {
        assert_eq!(nearest("revoluet", ["prismatic", "revolute", "screw"]), Some("revolute"));
    }

    #[test]
    fn a_word_cut_short_is_found() {
        assert_eq!(nearest("param", ["parallel", "parameter"]), Some("parameter"));
        assert_eq!(nearest("pa", ["parameter"]), None);
    }

    #[test]
    fn names_without_a_common_letter_are_not_near() {
        assert_eq!(nearest("z", ["B", "Z1", "t"]), Some("Z1"));
        assert_eq!(nearest("z", ["B", "t"]), None);
        assert_eq!(nearest("l", ["L", "m"]), Some("L"));
        assert_eq!(nearest("mm", ["m", "kk"]), Some("m"));
    }

    #[test]
    fn an_unrelated_name_is_not() {
        assert_eq!(nearest("gear", ["prismatic", "revolute"]), None);
    }
}
