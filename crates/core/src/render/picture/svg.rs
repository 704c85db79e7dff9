//! SVG.

use std::fmt::Write as _;

use super::measure::{FONT_SIZE, LINE_HEIGHT, TextBlock, line_width};
use super::scene::{Path, PictureScene, PlacedArrow, PlacedItem};
use super::shape::{POINT_SIZE, Point, Size, slant};
use crate::render::drawing::{Arrow, Drawing, DrawingItem, ItemShape};
use crate::render::fault::RenderFault;

/// The distance from the edge of the picture.
const MARGIN: f64 = 14.0;

/// The length of the head of an arrow, and half of its width.
const HEAD: (f64, f64) = (9.0, 4.5);

/// The fonts, all of the same widths but for the last.
const FONTS: &str = "Liberation Sans, Arial, Helvetica, sans-serif";

const INK: &str = "#1b1f24";
const LINE: &str = "#4a5568";
const FAULT: &str = "#a6341b";
const TAKEN: &str = "orangered";

/// A drawing as SVG.
///
/// Nodes have `data-graph` and `data-node` with the names of the nodes that they stand for, arrows `data-graph` and
/// `data-edge` with the numbers of their edges, and both have classes; so a style sheet can highlight them. There is no
/// script, link or `foreignObject` in it.
///
/// # Errors
/// [`RenderFault::TooManyParts`] for a drawing of more parts than anyone can look at, [`RenderFault::NoLayout`] if its
/// layout takes too much work.
pub fn svg(drawing: &Drawing) -> Result<String, RenderFault> {
    let scene = PictureScene::new(drawing)?;
    let size = scene.size.turned(drawing.across);
    let mut paper =
        Paper { drawing, out: String::with_capacity(400 * (scene.items.len() + scene.arrows.len())) };
    paper.begin(size);
    for (item, placed) in drawing.items.iter().zip(&scene.items).filter(|(item, _)| item.open) {
        paper.node(item, placed);
    }
    for (arrow, placed) in drawing.arrows.iter().zip(&scene.arrows) {
        paper.arrow(arrow, placed);
    }
    for (arrow, placed) in drawing.arrows.iter().zip(&scene.arrows) {
        paper.label(arrow, placed);
    }
    for (item, placed) in drawing.items.iter().zip(&scene.items).filter(|(item, _)| !item.open && !item.alone)
    {
        paper.node(item, placed);
    }
    for (point, finish) in &scene.points {
        paper.point(*point, *finish);
    }
    paper.out.push_str("</svg>\n");
    Ok(paper.out)
}

struct Paper<'d> {
    drawing: &'d Drawing,
    out: String,
}

/// Writes to the text; that cannot fail.
macro_rules! put {
    ($paper:expr, $($part:tt)*) => {{
        let _ = write!($paper.out, $($part)*);
    }};
}

impl Paper<'_> {
    fn begin(&mut self, size: Size) {
        let (width, height) = ((size.width + 2.0 * MARGIN).ceil(), (size.height + 2.0 * MARGIN).ceil());
        put!(
            self,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"{} {} {width} {height}\" role=\"img\" font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" data-drawing=\"",
            -MARGIN,
            -MARGIN,
        );
        escape(&self.drawing.name, &mut self.out);
        self.out.push_str("\">\n<title>");
        escape(&self.drawing.name, &mut self.out);
        put!(
            self,
            "</title>\n<rect class=\"ground\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
            -MARGIN,
            -MARGIN,
        );
    }

    /// A point on the paper: a drawing that is read from left to right was laid out from top to bottom.
    fn at(&self, x: f64, y: f64) -> String {
        let (x, y) = if self.drawing.across { (y, x) } else { (x, y) };
        format!("{},{}", short(x), short(y))
    }

    fn seen(&self, point: Point, size: Size) -> (Point, Size) {
        if self.drawing.across {
            (Point { x: point.y, y: point.x }, size.turned(true))
        } else {
            (point, size)
        }
    }

    fn source(&mut self, graph: Option<usize>, key: &str, names: &[impl AsRef<str>]) {
        let Some(graph) = graph.and_then(|graph| self.drawing.graphs.get(graph)) else { return };
        self.out.push_str(" data-graph=\"");
        escape(graph, &mut self.out);
        put!(self, "\" {key}=\"");
        for (at, name) in names.iter().enumerate() {
            self.out.push_str(if at > 0 { " " } else { "" });
            escape(name.as_ref(), &mut self.out);
        }
        self.out.push('"');
    }

    fn node(&mut self, item: &DrawingItem, placed: &PlacedItem) {
        let (middle, size) = self.seen(placed.middle, placed.size);
        let kind = if item.open { "box" } else { class(item.shape) };
        let taken = if item.taken { " taken" } else { "" };
        let fails = if item.fails { " failed" } else { "" };
        put!(self, "<g class=\"node {kind}{fails}{taken}\" data-id=\"{}\"", item.id);
        self.source(item.graph, "data-node", &item.nodes);
        let (fill, line) = colours(item);
        let (line, thick) = if item.taken { (TAKEN, 3.0) } else { (line, 1.3) };
        let dash = if item.shape == ItemShape::Outside { " stroke-dasharray=\"5 4\"" } else { "" };
        put!(
            self,
            ">\n<path d=\"{}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{thick}\"{dash}/>\n",
            outline(item, middle, size)
        );
        if item.open {
            let left = middle.x - size.width / 2.0;
            let top = middle.y - size.height / 2.0;
            let label =
                Point { x: left + 12.0 + placed.text.width / 2.0, y: top + 8.0 + placed.text.height / 2.0 };
            self.text(&placed.text, label, true);
        } else {
            self.text(&placed.text, middle, false);
        }
        self.out.push_str("</g>\n");
    }

    fn text(&mut self, text: &TextBlock, middle: Point, bold: bool) {
        let weight = if bold { LINE } else { INK };
        put!(self, "<text text-anchor=\"middle\" fill=\"{weight}\">");
        let first = middle.y - text.height / 2.0 + LINE_HEIGHT / 2.0 + FONT_SIZE * 0.35;
        let mut y = first;
        for line in &text.lines {
            if line.is_empty() {
                y += LINE_HEIGHT;
                continue;
            }
            put!(
                self,
                "<tspan x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">",
                short(middle.x),
                short(y),
                short(line_width(line)),
            );
            // Blanks after blanks would not be seen.
            escape(&line.replace("  ", " \u{a0}"), &mut self.out);
            self.out.push_str("</tspan>");
            y += LINE_HEIGHT;
        }
        self.out.push_str("</text>\n");
    }

    fn arrow(&mut self, arrow: &Arrow, placed: &PlacedArrow) {
        let (path, tip, towards) = match &placed.path {
            Path::Legs(legs) => self.legs(legs),
            Path::Loop(from, to) => self.turn(*from, *to),
        };
        let faint = arrow.error || arrow.back;
        let colour = if arrow.taken {
            TAKEN
        } else if faint {
            FAULT
        } else {
            LINE
        };
        let dash = if faint { " stroke-dasharray=\"4 3\"" } else { "" };
        self.edge("edge", arrow);
        put!(
            self,
            ">\n<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"{dash}/>\n",
            if arrow.taken { 3.0 } else { 1.3 },
        );
        let (length, half) = HEAD;
        // Across the direction of the arrow.
        let (dx, dy) = towards;
        let corner = |side: f64| {
            self.at(tip.x - dx * length + dy * half * side, tip.y - dy * length + dx * half * side)
        };
        let head = format!("M{}L{}L{}Z", self.at(tip.x, tip.y), corner(1.0), corner(-1.0));
        put!(self, "<path class=\"head\" d=\"{head}\" fill=\"{colour}\"/>\n</g>\n");
    }

    /// The beginning of an element of an arrow, with what it stands for.
    fn edge(&mut self, class: &str, arrow: &Arrow) {
        let error = if arrow.error { " error" } else { "" };
        let back = if arrow.back { " back" } else { "" };
        let taken = if arrow.taken { " taken" } else { "" };
        put!(
            self,
            "<g class=\"{class}{error}{back}{taken}\" data-from=\"{}\" data-to=\"{}\"",
            self.drawing.end_id(arrow.from),
            self.drawing.end_id(arrow.to)
        );
        let numbers: Vec<String> = arrow.edges.iter().map(usize::to_string).collect();
        self.source(arrow.graph, "data-edge", &numbers);
    }

    /// The path along vertical legs: its text, its tip, and the direction there.
    fn legs(&self, legs: &[(f64, f64, f64)]) -> (String, Point, (f64, f64)) {
        let mut path = String::new();
        let mut before: Option<(f64, f64)> = None;
        let Some((x, last, end)) = legs.last().copied() else {
            return (path, Point::default(), (0.0, 1.0));
        };
        let direction = if end >= last { 1.0 } else { -1.0 };
        for (at, (x, from, mut to)) in legs.iter().copied().enumerate() {
            if at + 1 == legs.len() {
                to -= direction * (HEAD.0 - 1.0);
            }
            match before {
                None => path.extend(["M", &self.at(x, from)]),
                Some((old, y)) if (old - x).abs() < 0.5 => {
                    let _ = y;
                    path.extend(["L", &self.at(x, from)]);
                }
                Some((old, y)) => {
                    let half = f64::midpoint(y, from);
                    path.extend(["C", &self.at(old, half), " ", &self.at(x, half), " ", &self.at(x, from)]);
                }
            }
            path.extend(["L", &self.at(x, to)]);
            before = Some((x, to));
        }
        (path, Point { x, y: end }, (0.0, direction))
    }

    fn turn(&self, from: Point, to: Point) -> (String, Point, (f64, f64)) {
        let far = from.x.max(to.x) + 26.0;
        let path = format!(
            "M{}C{} {} {}",
            self.at(from.x, from.y),
            self.at(far, from.y),
            self.at(far, to.y),
            self.at(to.x + HEAD.0 - 1.0, to.y),
        );
        (path, to, (-1.0, 0.0))
    }

    fn label(&mut self, arrow: &Arrow, placed: &PlacedArrow) {
        if placed.text.is_empty() {
            return;
        }
        let (middle, _) = self.seen(placed.label, Size::default());
        let (width, height) = (placed.text.width + 6.0, placed.text.height + 2.0);
        self.edge("label", arrow);
        put!(
            self,
            ">\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#ffffff\" fill-opacity=\"0.92\"/>\n",
            short(middle.x - width / 2.0),
            short(middle.y - height / 2.0),
            short(width),
            short(height),
        );
        self.text(&placed.text, middle, false);
        self.out.push_str("</g>\n");
    }

    fn point(&mut self, middle: Point, finish: bool) {
        let (middle, _) = self.seen(middle, Size::default());
        let (x, y, radius) = (short(middle.x), short(middle.y), POINT_SIZE / 2.0);
        if finish {
            put!(
                self,
                "<g class=\"finish\"><circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"#ffffff\" stroke=\"{LINE}\" stroke-width=\"1.3\"/><circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{LINE}\"/></g>\n",
                radius - 0.7,
                radius - 4.0
            );
        } else {
            put!(
                self,
                "<circle class=\"start\" cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{LINE}\"/>\n",
                radius - 1.0
            );
        }
    }
}

/// A length with at most one decimal.
fn short(length: f64) -> f64 {
    let rounded = (length * 10.0).round() / 10.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no control characters.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push(char::REPLACEMENT_CHARACTER);
            }
            c => out.push(c),
        }
    }
}

fn class(shape: ItemShape) -> &'static str {
    match shape {
        ItemShape::Action => "action",
        ItemShape::Choice => "choice",
        ItemShape::Composite => "composite",
        ItemShape::Model => "model",
        ItemShape::Tool => "tool",
        ItemShape::Human => "human",
        ItemShape::Call => "call",
        ItemShape::Wait => "wait",
        ItemShape::Final => "final",
        ItemShape::Outside => "outside",
    }
}

/// The colours of the inside and the line of an item.
fn colours(item: &DrawingItem) -> (&'static str, &'static str) {
    if item.open {
        return ("#f7f8fc", "#a3abc9");
    }
    match item.shape {
        ItemShape::Action | ItemShape::Wait => ("#f3f4f6", "#6b7280"),
        ItemShape::Choice => ("#fff8e1", "#a07a15"),
        ItemShape::Composite | ItemShape::Call => ("#eeeafa", "#6f5bb0"),
        ItemShape::Model => ("#e7f0ff", "#3565b0"),
        ItemShape::Tool => ("#e6f6ec", "#2f7d4f"),
        ItemShape::Human => ("#fdeeea", "#b1532f"),
        ItemShape::Final if item.fails => ("#fbe9e7", "#b02a37"),
        ItemShape::Final => ("#e9ecef", "#343a40"),
        ItemShape::Outside => ("#ffffff", "#8a8f98"),
    }
}

/// The path of the outline of an item.
fn outline(item: &DrawingItem, middle: Point, size: Size) -> String {
    let (w, h) = (size.width / 2.0, size.height / 2.0);
    let (x, y) = (middle.x, middle.y);
    let cut = slant(size.height);
    let polygon = |points: &[(f64, f64)]| {
        let mut path = String::new();
        for (at, (dx, dy)) in points.iter().enumerate() {
            let _ = write!(path, "{}{},{}", if at == 0 { "M" } else { "L" }, short(x + dx), short(y + dy));
        }
        path + "Z"
    };
    let round = |w: f64, h: f64, r: f64| {
        let (left, top) = (short(x - w + r), short(y - h));
        let (across, down) = (short(2.0 * (w - r)), short(2.0 * (h - r)));
        format!(
            "M{left},{top}h{across}a{r},{r} 0 0 1 {r},{r}v{down}a{r},{r} 0 0 1 -{r},{r}h-{across}a{r},{r} 0 0 1 -{r},-{r}v-{down}a{r},{r} 0 0 1 {r},-{r}Z"
        )
    };
    if item.open {
        return round(w, h, 6.0);
    }
    match item.shape {
        ItemShape::Choice => polygon(&[(0.0, -h), (w, 0.0), (0.0, h), (-w, 0.0)]),
        ItemShape::Model => {
            polygon(&[(cut - w, -h), (w - cut, -h), (w, 0.0), (w - cut, h), (cut - w, h), (-w, 0.0)])
        }
        ItemShape::Tool => polygon(&[(cut - w, -h), (w, -h), (w - cut, h), (-w, h)]),
        ItemShape::Human => polygon(&[(-w, -h), (w, -h), (w - cut, h), (cut - w, h)]),
        ItemShape::Call => {
            let line = |dx: f64| format!("M{},{}v{}", short(x + dx), short(y - h), short(size.height));
            polygon(&[(-w, -h), (w, -h), (w, h), (-w, h)]) + &line(8.0 - w) + &line(w - 8.0)
        }
        ItemShape::Composite => round(w, h, 4.0) + &round(w - 4.0, h - 4.0, 2.0),
        ItemShape::Final => round(w, h, short(h)),
        ItemShape::Wait => round(w, h, 8.0),
        ItemShape::Action | ItemShape::Outside => round(w, h, 3.0),
    }
}
