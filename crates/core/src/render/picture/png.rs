//! PNG.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Source;
use resvg::usvg::{Options, Tree};

use super::svg::svg;
use crate::render::drawing::Drawing;
use crate::render::fault::RenderFault;

/// Liberation Sans 2, under the SIL Open Font License (`font/LICENSE`).
static FONT: &[u8] = include_bytes!("font/LiberationSans-Regular.ttf");

const FAMILY: &str = "Liberation Sans";

/// The pixels of a PNG for one of the picture, on a side.
const SCALE: f32 = 2.0;

/// The most pixels of a side; a larger picture is painted smaller.
const MAX_SIDE: f32 = 8_192.0;

/// A drawing as PNG, with two pixels for one of the SVG on each side, or less where it is very large. Texts are in Liberation Sans: what
/// that has no letters for is an empty box.
///
/// # Errors
/// Those of [`svg`], and [`RenderFault::Unpainted`] if it cannot be painted.
pub fn png(drawing: &Drawing) -> Result<Vec<u8>, RenderFault> {
    let unpainted = |why: &dyn ToString| RenderFault::Unpainted(why.to_string());
    let mut options = Options { font_family: FAMILY.to_owned(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_source(Source::Binary(Arc::new(FONT)));
    fonts.set_sans_serif_family(FAMILY);
    let tree = Tree::from_str(&svg(drawing)?, &options).map_err(|error| unpainted(&error))?;
    let size = tree.size();
    let scale = SCALE.min(MAX_SIDE / size.width().max(size.height()));
    let mut pixels = Pixmap::new(pixels(size.width() * scale), pixels(size.height() * scale))
        .ok_or_else(|| unpainted(&"it has no size"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| unpainted(&error))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sides are positive and bounded")]
fn pixels(length: f32) -> u32 {
    length.ceil() as u32
}
