//! Escaping, and the allow-list for equation markup.
//!
//! Names, descriptions and model text are data: [`escape`] makes them plain text in HTML, [`script_json`] makes JSON
//! safe inside a script element. Equation blocks are markup: [`allow`] lets MathML and a few text elements through
//! and turns everything else into visible text, so that no name inside a formula can become a script.

/// `text` for use between tags or inside a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// JSON for use inside `<script>`: without `<`, no end tag and no comment can begin there. In JSON `<`, `>`, `&`
/// and the two line separators occur only inside strings, where the escapes mean the same.
pub fn script_json(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Elements that pass: presentation MathML, and text structure.
const ELEMENTS: &[&str] = &[
    "math",
    "mrow",
    "mi",
    "mn",
    "mo",
    "ms",
    "mtext",
    "mspace",
    "mfrac",
    "msqrt",
    "mroot",
    "mstyle",
    "merror",
    "mpadded",
    "mphantom",
    "menclose",
    "msub",
    "msup",
    "msubsup",
    "munder",
    "mover",
    "munderover",
    "mmultiscripts",
    "mprescripts",
    "none",
    "mtable",
    "mtr",
    "mtd",
    "semantics",
    "annotation", //
    "p",
    "div",
    "span",
    "b",
    "i",
    "em",
    "strong",
    "code",
    "pre",
    "sub",
    "sup",
    "br",
    "hr",
    "h3",
    "h4",
    "h5",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "small",
    "details",
    "summary",
];

/// Attributes that pass. None of them can hold a script, a style or an address.
const ATTRIBUTES: &[&str] = &[
    "class",
    "title",
    "display",
    "mathvariant",
    "stretchy",
    "fence",
    "separator",
    "form",
    "lspace",
    "rspace",
    "accent",
    "accentunder",
    "displaystyle",
    "scriptlevel",
    "linethickness",
    "columnalign",
    "rowalign",
    "columnspacing",
    "rowspacing",
    "columnlines",
    "rowlines",
    "frame",
    "colspan",
    "rowspan",
    "columnspan",
    "width",
    "height",
    "depth",
    "minsize",
    "maxsize",
    "symmetric",
    "largeop",
    "movablelimits",
    "notation",
    "intent",
    "arg",
    "open",
    "start",
    "encoding",
    "alttext",
    "xmlns",
];

/// `markup` with every tag outside the allow-list turned into text, and attributes outside the list dropped.
pub fn allow(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        out.push_str(&text_run(&rest[..at]));
        let after = &rest[at + 1..];
        match after.find('>').and_then(|end| Some((clean_tag(&after[..end])?, end))) {
            Some((tag, end)) => {
                out.push_str(&tag);
                rest = &after[end + 1..];
            }
            None => {
                out.push_str("&lt;");
                rest = after;
            }
        }
    }
    out.push_str(&text_run(rest));
    out
}

/// Text between tags: entities stay, a stray `>` is escaped.
fn text_run(text: &str) -> String {
    text.replace('>', "&gt;")
}

/// A tag's inside (between `<` and `>`) made clean, with its brackets; `None` if the element is not allowed.
fn clean_tag(inside: &str) -> Option<String> {
    let closing = inside.strip_prefix('/');
    let empty = inside.ends_with('/') && closing.is_none();
    let body = closing.unwrap_or(inside).trim_end_matches('/').trim_end();
    let name_end = body.find(|c: char| c.is_whitespace()).unwrap_or(body.len());
    let name = &body[..name_end];
    if !ELEMENTS.contains(&name) {
        return None;
    }
    if closing.is_some() {
        return Some(format!("</{name}>"));
    }
    let attributes: String = attributes(&body[name_end..])
        .into_iter()
        .filter(|(key, _)| ATTRIBUTES.contains(key))
        .map(|(key, value)| format!(" {key}=\"{}\"", value.replace('"', "&quot;").replace('<', "&lt;")))
        .collect();
    Some(format!("<{name}{attributes}{}>", if empty { "/" } else { "" }))
}

/// Pairs of name and value; a name without a value has an empty one. Reading stops at the first thing that is
/// neither.
fn attributes(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        let key = &rest[..end];
        rest = rest[end..].trim_start();
        let Some(after) = rest.strip_prefix('=') else {
            found.push((key, ""));
            continue;
        };
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| *c == '"' || *c == '\'') else { break };
        let Some(close) = after[1..].find(quote) else { break };
        found.push((key, &after[1..1 + close]));
        rest = after[close + 2..].trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_leaves_no_markup() {
        assert_eq!(escape("<b a='1'>&\"</b>"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;&lt;/b&gt;");
    }

    #[test]
    fn json_in_a_script_cannot_end_it() {
        let value = serde_json::json!({"text": "</script><!-- & \u{2028}"});
        let safe = script_json(&value.to_string());
        assert!(!safe.contains('<') && !safe.contains('>'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }

    #[test]
    fn mathml_passes() {
        let formula = r#"<math display="block"><mrow><msup><mi>q</mi><mn>2</mn></msup><mo>&lt;</mo></mrow></math><br/>"#;
        assert_eq!(allow(formula), formula);
    }

    #[test]
    fn scripts_become_text() {
        assert_eq!(allow("<script>x</script>"), "&lt;script&gt;x&lt;/script&gt;");
        assert_eq!(allow("<mi onclick='f()' class=\"a\">q</mi>"), "<mi class=\"a\">q</mi>");
        assert_eq!(allow("<img src=x onerror=f()>"), "&lt;img src=x onerror=f()&gt;");
        assert_eq!(allow("<a href='javascript:f()'>"), "&lt;a href='javascript:f()'&gt;");
        assert_eq!(allow("<mi class='\"><script>'>"), "<mi>&lt;script&gt;'&gt;");
        assert_eq!(allow("a < b"), "a &lt; b");
        assert_eq!(allow("<mi"), "&lt;mi");
        assert_eq!(allow("<MI style='x'>"), "&lt;MI style='x'&gt;");
    }
}
