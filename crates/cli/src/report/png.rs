//! Figures as pixels.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels per unit of the drawing.
const SCALE: f32 = 2.0;

/// A drawing as PNG on white, with the fonts of this machine; the reason in words where that fails.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    // Drawings ask for a sans-serif face; take one that is there.
    let families: Vec<String> =
        fonts.faces().filter_map(|f| f.families.first()).map(|(n, _)| n.clone()).collect();
    let plain = families.iter().find(|n| n.ends_with("Sans")).or(families.first());
    match plain {
        Some(family) => fonts.set_sans_serif_family(family),
        None => return Err("no fonts were found; install one, or write svg".into()),
    }
    let tree = Tree::from_str(svg, &options).map_err(|e| e.to_string())?;
    let (width, height) = (tree.size().width() * SCALE, tree.size().height() * SCALE);
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or("the figure has no size")?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| e.to_string())
}
