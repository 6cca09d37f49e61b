//! A strip as SVG; text stays text.

use std::fmt::Write as _;

use super::canvas::{Anchor, Canvas, INK, Mark, Pixel};
use crate::colour::Rgb;
use crate::page::escape;

/// The whole file.
pub(super) fn render(canvas: &Canvas) -> String {
    let (width, height) = (canvas.width, canvas.height);
    let title = escape(&canvas.title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" stroke-linejoin=\"round\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for mark in &canvas.marks {
        put(&mut out, mark);
    }
    out.push_str("</svg>\n");
    out
}

fn put(out: &mut String, mark: &Mark) {
    let _ = match mark {
        Mark::Polygon {
            corners,
            fill,
            edge,
        } => {
            let (path, fill, stroke) = (path(corners), hex(*fill), stroke(edge));
            writeln!(out, "<path d=\"{path}z\" fill=\"{fill}\"{stroke}/>")
        }
        Mark::Disc {
            centre: [x, y],
            radius,
            fill,
            edge,
        } => {
            let [x, y, r] = [x, y, radius].map(|v| short(*v));
            let (fill, stroke) = (hex(*fill), stroke(edge));
            writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\"{stroke}/>"
            )
        }
        Mark::Line {
            ends,
            colour,
            width,
        } => {
            let (path, stroke) = (path(ends), stroke(&Some((*colour, *width))));
            writeln!(out, "<path d=\"{path}\" fill=\"none\"{stroke}/>")
        }
        Mark::Text {
            at: [x, y],
            size,
            anchor,
            text,
        } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let [x, y, size] = [x, y, size].map(|v| short(*v));
            let (fill, text) = (hex(INK), escape(text));
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\" xml:space=\"preserve\">{text}</text>"
            )
        }
        // an inner picture clips what leaves it, without names that a page would have twice
        Mark::Clip(Some([x, y, w, h])) => {
            let [x, y, w, h] = [x, y, w, h].map(|v| short(*v));
            writeln!(
                out,
                "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\" overflow=\"hidden\">"
            )
        }
        Mark::Clip(None) => writeln!(out, "</svg>"),
    };
}

fn path(corners: &[Pixel]) -> String {
    let mut path = String::new();
    for (i, [x, y]) in corners.iter().enumerate() {
        let letter = if i == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{} {}", short(*x), short(*y));
    }
    path
}

fn stroke(edge: &Option<(Rgb, f64)>) -> String {
    edge.map_or_else(String::new, |(colour, width)| {
        format!(
            " stroke=\"{}\" stroke-width=\"{}\"",
            hex(colour),
            short(width)
        )
    })
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Hundredths of a pixel, without zeros at the end.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}
