//! Whole models: what the parser understands of them, and how they look when formatted.

use crate::common;

use cardan_syntax::format;
use common::{check_file, complaints, files, folder, outline};

#[test]
fn samples_are_understood_as_expected() {
    let samples = files(&folder("tests/samples"), "mbs");
    assert!(samples.len() >= 5);
    for (path, text) in samples {
        assert_eq!(complaints(&text), "", "{}", path.display());
        check_file(&path.with_extension("outline"), &outline(&text));
    }
}

#[test]
fn samples_are_formatted_as_expected() {
    for (path, text) in files(&folder("tests/samples"), "mbs") {
        let formatted = format(&text).expect("a sample has no errors");
        check_file(&path.with_extension("formatted"), &formatted);
        assert_eq!(format(&formatted).as_deref(), Ok(formatted.as_str()), "{}", path.display());
        assert_eq!(outline(&formatted), outline(&text), "{}", path.display());
    }
}
