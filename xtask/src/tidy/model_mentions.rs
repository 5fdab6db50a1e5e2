//! Every model of the library is in the book, once there is a book.

use super::repository::{Finding, Repository};

/// Models that no page of the book mentions.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let pages: Vec<&str> =
        repository.markdown().filter(|f| f.path.starts_with("book/src/")).map(|f| f.text.as_str()).collect();
    if pages.is_empty() {
        return Vec::new();
    }
    let models = repository.files.iter().filter(|f| f.path.starts_with("models/") && f.has_extension("mbs"));
    models
        .filter(|model| {
            let name = model.path.rsplit('/').next().unwrap_or(&model.path);
            !pages.iter().any(|page| page.contains(name))
        })
        .map(|model| {
            Finding::in_file(
                &model.path,
                "no page of the book mentions this model",
                "give it a line under book/src",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmentioned_models_are_found_once_there_is_a_book() {
        let models = [("models/pendulum.mbs", ""), ("models/cars/hmmwv.mbs", "")];
        assert!(check(&Repository::of(&models)).is_empty());
        let book = [models[0], models[1], ("book/src/SUMMARY.md", "see `models/pendulum.mbs`")];
        let found = check(&Repository::of(&book));
        assert!(found.len() == 1 && found[0].to_string().starts_with("models/cars/hmmwv.mbs"));
    }
}
