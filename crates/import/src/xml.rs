//! Text to elements: names, attributes and their places.
//!
//! The elements own their data, so that those of an included file can stand among those of the file that
//! includes it.

use cardan_base::{Diagnostic, FileId, Span};

use crate::codes;

/// An attribute with the place of its value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    pub span: Span,
}

/// An element with what is in it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Element {
    pub name: String,
    /// In the order written.
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    /// The first line of its start tag.
    pub span: Span,
}

/// Elements nested deeper than this are refused.
pub(crate) const MAX_DEPTH: usize = 200;

impl Element {
    /// An attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }
    /// The value of an attribute.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|a| a.value.as_str())
    }
    /// The children with a name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.name == name)
    }
    /// The first child with a name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }
}

/// The outermost element of a text, or what is wrong with the text.
pub(crate) fn parse(file: FileId, text: &str) -> Result<Element, Box<Diagnostic>> {
    let document = roxmltree::Document::parse(text).map_err(|e| {
        let at = offset(text, e.pos());
        let message = "the text is not well-formed XML";
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        let found = Diagnostic::error(codes::NOT_XML, message).at(Span::new(file, at, end), cause(&e));
        Box::new(found.hint("close every element, quote every value, and write `&lt;` for `<` inside values"))
    })?;
    element(file, text, document.root_element(), 0)
}

fn element(
    file: FileId,
    text: &str,
    node: roxmltree::Node<'_, '_>,
    depth: usize,
) -> Result<Element, Box<Diagnostic>> {
    let range = node.range();
    let mut attributes = vec![];
    let mut tag_end = range.start;
    for a in node.attributes() {
        let r = a.range_value();
        tag_end = tag_end.max(r.end);
        attributes.push(Attribute {
            name: a.name().to_string(),
            value: a.value().to_string(),
            span: Span::new(file, r.start, r.end),
        });
    }
    let tag_end = text.get(tag_end..).and_then(|t| t.find('>')).map_or(range.end, |n| tag_end + n + 1);
    let tag = text.get(range.start..tag_end).unwrap_or("");
    let first_line = tag.lines().next().map_or(0, |l| l.trim_end().len());
    let span = Span::new(file, range.start, range.start + first_line.max(1));
    if depth > MAX_DEPTH {
        let message = format!("elements are nested more than {MAX_DEPTH} deep");
        let found = Diagnostic::error(codes::DEPTH, message).at(span, "too deep");
        return Err(Box::new(found.hint("attach bodies to one another by name, or flatten the tree")));
    }
    let mut children = vec![];
    for child in node.children().filter(|c| c.is_element()) {
        children.push(element(file, text, child, depth + 1)?);
    }
    Ok(Element { name: node.tag_name().name().to_string(), attributes, children, span })
}

/// What the reader expected, without the place that the label shows anyway.
fn cause(e: &roxmltree::Error) -> String {
    let text = e.to_string();
    let place = format!(" at {}", e.pos());
    text.strip_suffix(&place).unwrap_or(&text).to_string()
}

/// The byte at a line and column (both from 1, columns in characters).
fn offset(text: &str, at: roxmltree::TextPos) -> usize {
    let mut start = 0;
    for (k, line) in text.split_inclusive('\n').enumerate() {
        if k + 1 == at.row as usize {
            let columns = (at.col as usize).saturating_sub(1);
            return start + line.char_indices().nth(columns).map_or(line.len(), |(i, _)| i);
        }
        start += line.len();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cardan_base::Sources;

    fn read(text: &str) -> (Sources, Result<Element, Box<Diagnostic>>) {
        let mut sources = Sources::new();
        let file = sources.add("a.xml", text);
        (sources, parse(file, text))
    }

    #[test]
    fn places_point_at_values_and_tags() {
        let (sources, root) = read("<robot name='α'>\n  <link name='arm'\n   x='1'/>\n</robot>");
        let root = root.unwrap();
        assert_eq!(sources.slice(root.attribute("name").unwrap().span), "α");
        assert_eq!(sources.slice(root.children[0].span), "<link name='arm'");
        assert_eq!(sources.slice(root.span), "<robot name='α'>");
    }

    #[test]
    fn what_is_not_xml_is_found_in_its_place() {
        let (sources, root) = read("<robot>\n  <link></joint>\n</robot>");
        let found = root.unwrap_err();
        let span = found.span().unwrap();
        assert_eq!(sources.line_column(span.file, span.start as usize).0, 2);
    }

    #[test]
    fn nesting_has_an_end() {
        let n = 50_000;
        let (_, root) = read(&("<a>".repeat(n) + &"</a>".repeat(n)));
        assert!(matches!(root, Err(found) if found.code == codes::DEPTH || found.code == codes::NOT_XML));
    }
}
