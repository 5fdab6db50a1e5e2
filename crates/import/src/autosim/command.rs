//! A command: its name, its positional arguments, its keywords.

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, Sources, Span, nearest};

use crate::autosim::checks::extra_arguments::{Meant, Surplus};
use crate::autosim::codes;
use crate::autosim::keyword;
use crate::autosim::reader::infix::{self, Expr};
use crate::autosim::reader::lisp::{Form, FormKind};
use crate::autosim::scene::Scene;

/// A command of AUTOSIM: name, values without keyword, keywords, how it is written.
pub(super) struct Word {
    pub name: &'static str,
    /// How many values without a keyword it takes at most.
    pub places: usize,
    pub keywords: &'static [&'static str],
    pub example: &'static str,
}

/// As many values as are given.
const ANY: usize = usize::MAX;

/// Every command that is known.
#[rustfmt::skip]
pub(super) const WORDS: &[Word] = &[
    Word { name: "ADD-BODY", places: 1, keywords: &["name", "parent", "translate", "body-rotation-axes", "parent-rotation-axis", "reference-axis",
        "joint-coordinates", "cm-coordinates", "mass", "inertia-matrix", "small-angles", "small-translations"],
        example: "(add-body c :parent b :body-rotation-axes 3)" },
    Word { name: "ADD-POINT", places: 1, keywords: &["name", "body", "coordinates"], example: "(add-point p :body b :coordinates (0 0 L1))" },
    Word { name: "ADD-LINE-FORCE", places: 1, keywords: &["name", "direction", "magnitude", "point1", "point2"],
        example: "(add-line-force f :direction [n3] :point1 p :magnitude \"-k*q(1)\")" },
    Word { name: "ADD-STRUT", places: 1, keywords: &["name", "magnitude", "point1", "point2"],
        example: "(add-strut s :point1 p :point2 q :magnitude \"-k*(x - L0) - c*v\")" },
    Word { name: "ADD-MOMENT", places: 1, keywords: &["name", "direction", "magnitude", "body1", "body2"],
        example: "(add-moment m :direction [b3] :body1 c :body2 b :magnitude \"-k*q(1)\")" },
    Word { name: "ADD-GRAVITY", places: 0, keywords: &["direction", "gees", "magnitude"], example: "(add-gravity :direction [n3])" },
    Word { name: "ADD-VARIABLES", places: ANY, keywords: &[], example: "(add-variables difeqn real x y)" },
    Word { name: "ADD-SUBROUTINE", places: 3, keywords: &[], example: "(add-subroutine difeqn cmd (t x y))" },
    Word { name: "ADD-EQUATION", places: 3, keywords: &[], example: "(add-equation difeqn x \"k*q(1)\")" },
    Word { name: "ADD-STATE-VARIABLE", places: 3, keywords: &["name"], example: "(add-state-variable x xd \"m\")" },
    Word { name: "ADD-POSITION-CONSTRAINT", places: 1, keywords: &["q", "u", "name"], example: "(add-position-constraint \"q(1) - q(2)\")" },
    Word { name: "ADD-SPEED-CONSTRAINT", places: 1, keywords: &["u", "name"], example: "(add-speed-constraint \"dot(vel(p), [b2])\")" },
    Word { name: "ADD-OUT", places: 2, keywords: &["long-name", "gen-name", "units", "body"], example: "(add-out \"q(4)\" \"roll\" :units \"deg\")" },
    Word { name: "SET-DEFAULTS", places: ANY, keywords: &[], example: "(set-defaults kb 2000 db 10)" },
    Word { name: "SET-NAMES", places: ANY, keywords: &[], example: "(set-names kb \"stiffness of the boom\")" },
    Word { name: "SET-UNITS", places: ANY, keywords: &[], example: "(set-units kb \"N-m/rad\")" },
    Word { name: "SETSYM", places: 2, keywords: &[], example: "(setsym arm \"L1 + L2\")" },
    Word { name: "SMALL", places: ANY, keywords: &[], example: "(small q(1) q(2))" },
    Word { name: "LOAD", places: 1, keywords: &[], example: "(load \"routines.mbs\")" },
    Word { name: "MKS", places: 0, keywords: &[], example: "(mks)" },
    Word { name: "SI", places: 0, keywords: &[], example: "(si)" },
    Word { name: "DYNAMICS", places: 0, keywords: &[], example: "(dynamics)" },
    Word { name: "LINEAR", places: 0, keywords: &[], example: "(linear)" },
    Word { name: "WRITE-SIM", places: 0, keywords: &[], example: "(write-sim)" },
    Word { name: "WRITE-TO-FILE", places: 2, keywords: &[], example: "(write-to-file write-sim \"model.f\")" },
    Word { name: "RESET", places: 0, keywords: &[], example: "(reset)" },
];

/// A command with its arguments sorted.
pub(super) struct Command<'f> {
    pub word: &'static Word,
    pub positional: Vec<&'f Form>,
    pub keywords: BTreeMap<&'static str, &'f Form>,
    /// Keywords without a value, which has been said.
    pub empty: Vec<&'static str>,
    pub span: Span,
}

impl<'f> Command<'f> {
    /// The name that a declaration begins with, in capitals.
    pub fn subject(&self, scene: &mut Scene) -> Option<(String, Span)> {
        match self.positional.first().map(|f| (f.symbol(), f.span)) {
            Some((Some(name), span)) if name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Some((name.to_string(), span))
            }
            other => {
                let message = format!("`{}` needs a name", self.word.name.to_lowercase());
                let span = other.map_or(self.span, |(_, span)| span);
                scene.refuse(codes::MISSING, message, span, format!("write `{}`", self.word.example));
                None
            }
        }
    }
    /// The value of a keyword.
    pub fn get(&self, keyword: &str) -> Option<&'f Form> {
        self.keywords.get(keyword).copied()
    }
    /// The value of a keyword that must be there.
    pub fn need(&self, keyword: &str, scene: &mut Scene) -> Option<&'f Form> {
        let found = self.get(keyword);
        if found.is_none() && !self.empty.contains(&keyword) {
            let message = format!("`{}` needs `:{keyword}`", self.word.name.to_lowercase());
            scene.refuse(codes::MISSING, message, self.span, format!("write `{}`", self.word.example));
        }
        found
    }
    /// The expression of a keyword that must be there.
    pub fn need_expression(&self, keyword: &str, scene: &mut Scene) -> Option<Expr> {
        let form = self.need(keyword, scene)?;
        infix::expression(form, &mut scene.findings)
    }
    /// Words for people after a keyword; empty if there are none.
    pub fn words(&self, keyword: &str, scene: &mut Scene) -> String {
        self.get(keyword).map_or(String::new(), |form| scene.words(form))
    }
}

/// The command that a form is, or a finding.
pub(super) fn command<'f>(form: &'f Form, sources: &Sources, scene: &mut Scene) -> Option<Command<'f>> {
    let FormKind::List(parts) = &form.kind else {
        let help = "commands stand in parentheses, such as `(dynamics)`";
        scene.refuse(codes::COMMAND, "this is not a command", form.span, help);
        return None;
    };
    let Some((head, rest)) = parts.split_first() else {
        scene.refuse(codes::COMMAND, "this command is empty", form.span, "remove it");
        return None;
    };
    let name = head.symbol().unwrap_or("");
    let Some(word) = WORDS.iter().find(|w| w.name == name) else {
        let shown = name.to_lowercase();
        let message = if shown.is_empty() {
            "this is not a command".into()
        } else {
            format!("there is no command `{shown}`")
        };
        let d = Diagnostic::error(codes::COMMAND, message).at(head.span, "");
        let known: Vec<String> = WORDS.iter().map(|w| w.name.to_lowercase()).collect();
        scene.findings.push(match nearest(&shown, known.iter().map(String::as_str)) {
            Some(near) => d.hint(format!("write `({near} …)`")),
            None => d.hint(format!("commands are {}", known.join(", "))),
        });
        return None;
    };
    let mut command =
        Command { word, positional: vec![], keywords: BTreeMap::new(), empty: vec![], span: form.span };
    command.sort(rest, sources, scene);
    Some(command)
}

impl<'f> Command<'f> {
    /// Gives keywords their values, and places the others.
    fn sort(&mut self, forms: &'f [Form], sources: &Sources, scene: &mut Scene) {
        let word = self.word;
        let mut after = None;
        let mut at = 0;
        let is_value = |f: &&Form| !matches!(f.kind, FormKind::Keyword(_));
        while let Some(form) = forms.get(at) {
            let FormKind::Keyword(given) = &form.kind else {
                if self.positional.len() < word.places {
                    self.positional.push(form);
                    at += 1;
                    continue;
                }
                match (Surplus { word, forms, at, after, sources }).report(scene) {
                    Meant::Keyword(keyword, value) => {
                        self.keywords.entry(keyword).or_insert(value);
                        (at, after) = (at + 2, Some(keyword));
                    }
                    Meant::Nothing(end) => at = end,
                }
                continue;
            };
            at += 1;
            let Some(keyword) = word.keywords.iter().find(|k| *k == given) else {
                unknown(word, given, form.span, scene);
                at += forms[at..].iter().take_while(is_value).count();
                continue;
            };
            let Some(value) = forms.get(at).filter(is_value) else {
                let help = format!("write `{}`", keyword::example(keyword));
                scene.refuse(codes::KEYWORD, format!("`:{keyword}` has no value"), form.span, help);
                self.empty.push(keyword);
                continue;
            };
            if self.keywords.insert(keyword, value).is_some() {
                let message = format!("`:{keyword}` is given twice");
                scene.refuse(codes::KEYWORD, message, form.span, "remove one of them");
            }
            (at, after) = (at + 1, Some(*keyword));
        }
    }
}

fn unknown(word: &Word, given: &str, span: Span, scene: &mut Scene) {
    let message = format!("`{}` has no keyword `:{given}`", word.name.to_lowercase());
    let d = Diagnostic::error(codes::KEYWORD, message).at(span, "");
    scene.findings.push(match nearest(given, word.keywords.iter().copied()) {
        Some(near) => d.hint(format!("write `:{near}`")),
        None if word.keywords.is_empty() => d.hint(format!("write `{}`", word.example)),
        None => d.hint(format!("keywords are :{}", word.keywords.join(", :"))),
    });
}
