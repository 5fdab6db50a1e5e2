//! The pages under `docs/errors` show what really happens.

use cardan_units::{Unit, UnitErrorKind};

#[test]
fn each_page_shows_its_own_mistake_and_a_unit_that_mends_it() {
    for kind in UnitErrorKind::ALL {
        let code = kind.code().0;
        let path = format!("{}/../../docs/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut examples = page.split("```mbs\n").skip(1).map(|block| {
            let line = block.lines().next().expect("a line");
            let unit = line.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']'));
            (line.find('[').expect("a bracket") + 1, unit.expect("a unit in brackets").0)
        });

        let (offset, wrong) = examples.next().expect("an example");
        let error = Unit::parse(wrong).expect_err(wrong);
        assert_eq!(error.kind, kind, "{code}");
        assert!(page.contains(&format!("error[{code}]: {error}\n")), "{code}: {error}");
        let column = wrong[..error.start].chars().count() + offset + 1;
        assert!(page.contains(&format!("example.mbs:1:{column}\n")), "{code}: column {column}");
        let hint = error.hint.expect("a hint");
        assert!(page.contains(&format!("  = help: {hint}\n")), "{code}: {hint}");

        let (_, right) = examples.next().expect("a mended example");
        assert!(Unit::parse(right).is_ok(), "{code}: {right}");
    }
}
