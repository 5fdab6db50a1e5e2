//! Letters beyond ASCII, as LaTeX writes them with the fonts that every installation has.
//!
//! What these fonts lack stands as its code point, and a comment and a warning say so: a reader must not take a sign for what was written.

/// Words with the letters that LaTeX would take for commands escaped.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let accent = letters.peek().and_then(|next| ACCENTS.iter().find(|(sign, ..)| sign == next));
        match accent {
            Some((_, words, formulas)) => {
                letters.next();
                out += &accented(letter, words, formulas);
            }
            None => out += &written(letter),
        }
    }
    out
}

/// A letter under an accent. Dots mean rates, and letters of formulas stay such.
fn accented(letter: char, words: &str, formulas: &str) -> String {
    match MATH.iter().find(|(known, _)| *known == letter) {
        Some((_, command)) => format!("\\ensuremath{{\\{formulas}{{{command}}}}}"),
        None if words == "." => format!("\\ensuremath{{\\dot{{{}}}}}", written(letter)),
        None => format!("\\{words}{{{}}}", written(letter)),
    }
}

/// One letter.
fn written(letter: char) -> String {
    match letter {
        '\\' => "\\textbackslash{}".into(),
        '^' => "\\textasciicircum{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '<' | '>' | '|' => format!("\\ensuremath{{{letter}}}"),
        '#' | '$' | '%' | '&' | '_' | '{' | '}' => format!("\\{letter}"),
        // TeX ends paragraphs at some of them.
        _ if letter.is_control() => " ".into(),
        _ if letter.is_ascii() => letter.into(),
        _ => {
            let text = TEXT.iter().find(|(known, _)| *known == letter).map(|(_, sign)| (*sign).to_owned());
            let math = MATH.iter().find(|(known, _)| *known == letter);
            let math = math.map(|(_, command)| format!("\\ensuremath{{{command}}}"));
            let latin = is_latin(letter).then(|| letter.to_string());
            text.or(math).or(latin).unwrap_or_else(|| format!("{MARK}{:04X}}}", u32::from(letter)))
        }
    }
}

/// How a letter without a sign begins.
const MARK: &str = "\\codepoint{";

/// The letters of a LaTeX text that stand as their code points, each once.
pub fn unshown(latex: &str) -> Vec<char> {
    let codes = latex.split(MARK).skip(1).filter_map(|rest| rest.split('}').next());
    let mut letters: Vec<char> =
        codes.filter_map(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?)).collect();
    letters.sort_unstable();
    letters.dedup();
    letters
}

/// That some letters stand as their code points, in words.
pub fn said(letters: &[char]) -> String {
    let list: Vec<String> = letters.iter().map(|c| format!("{c} (U+{:04X})", u32::from(*c))).collect();
    format!("the fonts of this text lack {}: code points stand for them", list.join(", "))
}

/// Letters of the Latin alphabets that fonts with T1 encoding have or compose.
fn is_latin(letter: char) -> bool {
    let none = ['Ħ', 'ħ', 'ĸ', 'Ŀ', 'ŀ', 'ŉ', 'Ŧ', 'ŧ', 'ſ'];
    matches!(letter, '\u{c0}'..='\u{17f}') && !none.contains(&letter)
}

/// Accents that follow their letter, the command in words, the command in formulas.
const ACCENTS: [(char, &str, &str); 10] = [
    ('\u{300}', "`", "grave"),
    ('\u{301}', "'", "acute"),
    ('\u{302}', "^", "hat"),
    ('\u{303}', "~", "tilde"),
    ('\u{304}', "=", "bar"),
    ('\u{306}', "u", "breve"),
    ('\u{307}', ".", "dot"),
    ('\u{308}', "\"", "ddot"),
    ('\u{30a}', "r", "mathring"),
    ('\u{30c}', "v", "check"),
];

/// Signs of texts.
const TEXT: [(char, &str); 38] = [
    ('–', "--"),
    ('—', "---"),
    ('\u{2010}', "-"),
    ('\u{2011}', "-"),
    ('‘', "`"),
    ('’', "'"),
    ('‚', "\\quotesinglbase{}"),
    ('“', "``"),
    ('”', "''"),
    ('„', "\\quotedblbase{}"),
    ('«', "\\guillemotleft{}"),
    ('»', "\\guillemotright{}"),
    ('‹', "\\guilsinglleft{}"),
    ('›', "\\guilsinglright{}"),
    ('¡', "\\textexclamdown{}"),
    ('¿', "\\textquestiondown{}"),
    ('§', "\\S{}"),
    ('¶', "\\P{}"),
    ('©', "\\copyright{}"),
    ('®', "\\textregistered{}"),
    ('™', "\\texttrademark{}"),
    ('£', "\\pounds{}"),
    ('€', "\\texteuro{}"),
    ('¥', "\\textyen{}"),
    ('¢', "\\textcent{}"),
    ('†', "\\dag{}"),
    ('‡', "\\ddag{}"),
    ('•', "\\textbullet{}"),
    ('‰', "\\textperthousand{}"),
    ('\u{a0}', "~"),
    ('\u{2009}', "\\,"),
    ('\u{200a}', "\\,"),
    ('\u{202f}', "\\,"),
    ('\u{2002}', "\\enspace{}"),
    ('\u{2003}', "\\quad{}"),
    ('\u{ad}', "\\-"),
    ('\u{200b}', ""),
    ('\u{feff}', ""),
];

/// Signs of formulas.
const MATH: [(char, &str); 155] = [
    ('α', "\\alpha"),
    ('β', "\\beta"),
    ('γ', "\\gamma"),
    ('δ', "\\delta"),
    ('ε', "\\varepsilon"),
    ('ζ', "\\zeta"),
    ('η', "\\eta"),
    ('θ', "\\theta"),
    ('ι', "\\iota"),
    ('κ', "\\kappa"),
    ('λ', "\\lambda"),
    ('μ', "\\mu"),
    ('ν', "\\nu"),
    ('ξ', "\\xi"),
    ('ο', "o"),
    ('π', "\\pi"),
    ('ρ', "\\rho"),
    ('σ', "\\sigma"),
    ('ς', "\\varsigma"),
    ('τ', "\\tau"),
    ('υ', "\\upsilon"),
    ('φ', "\\varphi"),
    ('χ', "\\chi"),
    ('ψ', "\\psi"),
    ('ω', "\\omega"),
    ('ϑ', "\\vartheta"),
    ('ϕ', "\\phi"),
    ('ϵ', "\\epsilon"),
    ('ϱ', "\\varrho"),
    ('ϖ', "\\varpi"),
    ('µ', "\\mu"),
    ('Α', "\\mathrm{A}"),
    ('Β', "\\mathrm{B}"),
    ('Γ', "\\Gamma"),
    ('Δ', "\\Delta"),
    ('Ε', "\\mathrm{E}"),
    ('Ζ', "\\mathrm{Z}"),
    ('Η', "\\mathrm{H}"),
    ('Θ', "\\Theta"),
    ('Ι', "\\mathrm{I}"),
    ('Κ', "\\mathrm{K}"),
    ('Λ', "\\Lambda"),
    ('Μ', "\\mathrm{M}"),
    ('Ν', "\\mathrm{N}"),
    ('Ξ', "\\Xi"),
    ('Ο', "\\mathrm{O}"),
    ('Π', "\\Pi"),
    ('Ρ', "\\mathrm{P}"),
    ('Σ', "\\Sigma"),
    ('Τ', "\\mathrm{T}"),
    ('Υ', "\\Upsilon"),
    ('Φ', "\\Phi"),
    ('Χ', "\\mathrm{X}"),
    ('Ψ', "\\Psi"),
    ('Ω', "\\Omega"),
    ('Ω', "\\Omega"),
    ('ℓ', "\\ell"),
    ('ℏ', "\\hbar"),
    ('∂', "\\partial"),
    ('∇', "\\nabla"),
    ('∆', "\\Delta"),
    ('∞', "\\infty"),
    ('∅', "\\emptyset"),
    ('°', "^\\circ"),
    ('′', "^{\\prime}"),
    ('″', "^{\\prime\\prime}"),
    ('·', "\\cdot"),
    ('⋅', "\\cdot"),
    ('×', "\\times"),
    ('÷', "\\div"),
    ('−', "-"),
    ('±', "\\pm"),
    ('∓', "\\mp"),
    ('∘', "\\circ"),
    ('∗', "\\ast"),
    ('…', "\\ldots"),
    ('⋯', "\\cdots"),
    ('√', "\\surd"),
    ('∑', "\\textstyle\\sum"),
    ('∏', "\\textstyle\\prod"),
    ('∫', "\\textstyle\\int"),
    ('≤', "\\le"),
    ('≥', "\\ge"),
    ('≠', "\\ne"),
    ('≈', "\\approx"),
    ('≡', "\\equiv"),
    ('≪', "\\ll"),
    ('≫', "\\gg"),
    ('∼', "\\sim"),
    ('≃', "\\simeq"),
    ('≅', "\\cong"),
    ('∝', "\\propto"),
    ('∈', "\\in"),
    ('∉', "\\notin"),
    ('⊂', "\\subset"),
    ('∪', "\\cup"),
    ('∩', "\\cap"),
    ('∧', "\\wedge"),
    ('∨', "\\vee"),
    ('¬', "\\neg"),
    ('∀', "\\forall"),
    ('∃', "\\exists"),
    ('⊥', "\\perp"),
    ('∥', "\\parallel"),
    ('∠', "\\angle"),
    ('→', "\\rightarrow"),
    ('←', "\\leftarrow"),
    ('↔', "\\leftrightarrow"),
    ('↑', "\\uparrow"),
    ('↓', "\\downarrow"),
    ('⇒', "\\Rightarrow"),
    ('⇐', "\\Leftarrow"),
    ('⇔', "\\Leftrightarrow"),
    ('⌊', "\\lfloor"),
    ('⌋', "\\rfloor"),
    ('⌈', "\\lceil"),
    ('⌉', "\\rceil"),
    ('⟨', "\\langle"),
    ('⟩', "\\rangle"),
    ('½', "\\tfrac{1}{2}"),
    ('¼', "\\tfrac{1}{4}"),
    ('¾', "\\tfrac{3}{4}"),
    ('ª', "^{a}"),
    ('º', "^{o}"),
    ('ᵀ', "^{T}"),
    ('ⁿ', "^{n}"),
    ('ᵢ', "_{i}"),
    ('ᵣ', "_{r}"),
    ('ẋ', "\\dot x"),
    ('ẏ', "\\dot y"),
    ('⁰', "^0"),
    ('¹', "^1"),
    ('²', "^2"),
    ('³', "^3"),
    ('⁴', "^4"),
    ('⁵', "^5"),
    ('⁶', "^6"),
    ('⁷', "^7"),
    ('⁸', "^8"),
    ('⁹', "^9"),
    ('⁺', "^{+}"),
    ('⁻', "^{-}"),
    ('₀', "_0"),
    ('₁', "_1"),
    ('₂', "_2"),
    ('₃', "_3"),
    ('₄', "_4"),
    ('₅', "_5"),
    ('₆', "_6"),
    ('₇', "_7"),
    ('₈', "_8"),
    ('₉', "_9"),
    ('₊', "_{+}"),
    ('₋', "_{-}"),
    ('ÿ', "\\ddot y"),
];

#[cfg(test)]
mod tests {
    use crate::formats::latex_unicode::*;

    #[test]
    fn what_people_write_is_typeset() {
        assert_eq!(words("a – b"), "a -- b");
        assert_eq!(words("“x” ≤ 5 µm"), "``x'' \\ensuremath{\\le} 5 \\ensuremath{\\mu}m");
        assert_eq!(
            words("m²·√α"),
            "m\\ensuremath{^2}\\ensuremath{\\cdot}\\ensuremath{\\surd}\\ensuremath{\\alpha}"
        );
        assert_eq!(words("Größe, Łódź"), "Größe, Łódź");
        assert_eq!(
            words("q\u{307} α\u{307} e\u{301}"),
            "\\ensuremath{\\dot{q}} \\ensuremath{\\dot{\\alpha}} \\'{e}"
        );
    }

    #[test]
    fn what_fonts_lack_is_named() {
        let text = words("日本, 日");
        assert_eq!(text, "\\codepoint{65E5}\\codepoint{672C}, \\codepoint{65E5}");
        assert_eq!(unshown(&text), ['日', '本']);
        assert!(said(&['日']).contains("日 (U+65E5)"));
    }
}
