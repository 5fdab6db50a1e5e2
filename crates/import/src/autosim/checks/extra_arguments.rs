//! Values that no keyword and no place of a command takes: most often a list without its parentheses, or a keyword without its colon.
//!
//! Lisp would bind nothing to them; a model without them is another model, so each is an error.

use cardan_base::Sources;

use crate::autosim::codes;
use crate::autosim::command::Word;
use crate::autosim::keyword;
use crate::autosim::keyword::Kind;
use crate::autosim::reader::lisp::{Form, FormKind};
use crate::autosim::scene::Scene;

/// Longer texts of values are cut.
const MAX_SHOWN: usize = 40;

/// Where a value without a place stands.
pub(in crate::autosim) struct Surplus<'a, 'f> {
    pub word: &'static Word,
    /// All that follows the command's name.
    pub forms: &'f [Form],
    /// The number of the value.
    pub at: usize,
    /// The keyword whose value stands before it.
    pub after: Option<&'static str>,
    pub sources: &'a Sources,
}

/// What a value without a place was meant as.
pub(in crate::autosim) enum Meant<'f> {
    /// A keyword and its value.
    Keyword(&'static str, &'f Form),
    /// Nothing that could be told, up to this number.
    Nothing(usize),
}

impl<'f> Surplus<'_, 'f> {
    /// Says what is wrong, and what the values were probably meant as.
    pub fn report(&self, scene: &mut Scene) -> Meant<'f> {
        let (at, first) = (self.at, &self.forms[self.at]);
        let value = self.forms.get(at + 1).filter(|f| !matches!(f.kind, FormKind::Keyword(_)));
        if let Some(keyword) = self.colonless(first) {
            let help = match value {
                Some(value) => format!("write `:{keyword} {}`", self.text(value)),
                None => format!("write `{}`", keyword::example(keyword)),
            };
            self.colon(keyword, first, help, scene);
            return value.map_or(Meant::Nothing(at + 1), |value| Meant::Keyword(keyword, value));
        }
        let before = at.checked_sub(1).map(|k| &self.forms[k]).filter(|_| self.after.is_none());
        if let Some((keyword, before)) = before.and_then(|b| Some((self.colonless(b)?, b))) {
            let help = format!("write `:{keyword} {}`", self.text(first));
            self.colon(keyword, before, help, scene);
            return Meant::Nothing(at + 1);
        }
        let goes_on = |f: &&Form| !matches!(f.kind, FormKind::Keyword(_)) && self.colonless(f).is_none();
        let end = at + self.forms[at..].iter().take_while(goes_on).count();
        match self.after {
            Some(keyword) => self.several(keyword, end, scene),
            None => self.placeless(end, scene),
        }
        Meant::Nothing(end)
    }

    /// A keyword takes one value, and more follow up to `end`.
    fn several(&self, keyword: &str, end: usize, scene: &mut Scene) {
        let given = &self.forms[self.at - 1..end];
        let message = format!("`:{keyword}` takes one value, and {} are given", given.len());
        let whole = self.texts(given);
        let help = match keyword::kind(keyword) {
            Kind::Several => format!("several values stand in a list: write `:{keyword} ({whole})`"),
            Kind::Words => {
                format!("words stand in quotes: write `:{keyword} \"{}\"`", whole.replace('"', ""))
            }
            Kind::One if given.iter().any(|f| f.symbol().is_some_and(is_operator)) => {
                format!("an expression stands in quotes: write `:{keyword} \"{}\"`", whole.replace('"', ""))
            }
            Kind::One => format!("remove `{}`, or write its keyword before it", self.texts(&given[1..])),
        };
        let span = given[0].span.to(given[given.len() - 1].span);
        scene.refuse(codes::SURPLUS, message, span, help);
    }

    /// Values up to `end` stand where nothing is taken without a keyword.
    fn placeless(&self, end: usize, scene: &mut Scene) {
        let given = &self.forms[self.at..end];
        let name = self.word.name.to_lowercase();
        let message = format!("`{name}` has no place for `{}`", self.texts(given));
        let help = match self.word.keywords {
            [] => format!("write `{}`", self.word.example),
            _ => format!("put a keyword before each value, such as in `{}`", self.word.example),
        };
        scene.refuse(codes::SURPLUS, message, given[0].span.to(given[given.len() - 1].span), help);
    }

    fn colon(&self, keyword: &str, form: &Form, help: String, scene: &mut Scene) {
        scene.refuse(codes::SURPLUS, format!("`{keyword}` has no colon"), form.span, help);
    }

    /// The keyword of the command that a symbol is.
    fn colonless(&self, form: &Form) -> Option<&'static str> {
        let name = form.symbol()?.to_lowercase();
        self.word.keywords.iter().find(|k| **k == name).copied()
    }

    /// A form as it is written.
    fn text(&self, form: &Form) -> String {
        let source = self.sources.get(form.span.file).and_then(|s| s.text.get(form.span.range()));
        let words: Vec<&str> = source.unwrap_or("…").split_whitespace().collect();
        shortened(words.join(" "))
    }

    fn texts(&self, forms: &[Form]) -> String {
        shortened(forms.iter().map(|f| self.text(f)).collect::<Vec<_>>().join(" "))
    }
}

fn is_operator(symbol: &str) -> bool {
    matches!(symbol, "+" | "-" | "*" | "/" | "^" | "**")
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
