//! The part of SVG that figures and strips use, read into marks.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::PdfError;
use super::attribute::{number, numbers, unknown};
use super::style::Style;

/// A picture as marks in its own units, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    pub(crate) title: String,
    pub(crate) description: String,
    /// Size in its own units.
    pub(crate) size: [f32; 2],
    /// Points per unit.
    pub(crate) scale: f32,
    pub(crate) marks: Vec<Mark>,
}

/// A rectangle: left, top, width, height.
pub(crate) type Frame = [f32; 4];

/// One thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    /// What follows is drawn inside of the frame, until the end of it.
    Clip(Frame),
    /// The end of a frame.
    Unclip,
    /// Straight lines.
    Path {
        parts: Vec<Part>,
        style: Style,
    },
    Circle {
        centre: [f32; 2],
        radius: f32,
        style: Style,
    },
    Text(Text),
}

/// Corners that are joined, and the first with the last where the part is closed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) corners: Vec<[f32; 2]>,
    pub(crate) closed: bool,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    pub(crate) at: [f32; 2],
    /// Runs with their sizes, each lower than the one before by so much.
    pub(crate) runs: Vec<Run>,
    pub(crate) style: Style,
    /// Turned by a quarter, reading upwards.
    pub(crate) upright: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) size: f32,
    pub(crate) down: f32,
}

/// Height of a small x in the fonts of the program, in em.
const EX: f32 = 0.519;

/// Reads a picture.
pub(crate) fn read(svg: &str, widest: f64) -> Result<Picture, PdfError> {
    // a drawing has a few elements per line and mark; what has more is no drawing
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: 4_000_000,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(svg, options)?;
    let root = document.root_element();
    let frame = numbers(root, root.attribute("viewBox").unwrap_or_default())?;
    let [0.0, 0.0, width, height] = frame[..] else {
        return Err(unknown(
            root,
            "a picture whose viewBox is not 0 0 width height",
        ));
    };
    let paper = root.attribute("width").unwrap_or_default();
    let points = match paper.strip_suffix("mm") {
        Some(mm) => number(root, mm)? * 72.0 / 25.4,
        None => number(root, paper)? * 0.75,
    };
    #[expect(clippy::cast_possible_truncation, reason = "a size of paper")]
    let widest = (widest * 72.0 / 25.4) as f32;
    let mut reader = Reader::default();
    reader.children(root, &Style::default().of(root)?)?;
    let [title, description] = ["title", "desc"].map(|name| {
        let found = root.children().find(|child| child.has_tag_name(name));
        let text = found.and_then(|node| node.text());
        text.unwrap_or_default().to_owned()
    });
    Ok(Picture {
        title,
        description,
        size: [width, height],
        scale: points.min(widest) / width,
        marks: reader.marks,
    })
}

/// What has been read.
#[derive(Debug, Default)]
struct Reader {
    marks: Vec<Mark>,
    clips: BTreeMap<String, Frame>,
}

impl Reader {
    fn children(&mut self, parent: Node<'_, '_>, style: &Style) -> Result<(), PdfError> {
        let mut elements = parent.children().filter(Node::is_element);
        elements.try_for_each(|node| self.element(node, style))
    }

    fn element(&mut self, node: Node<'_, '_>, outer: &Style) -> Result<(), PdfError> {
        let style = outer.of(node)?;
        match node.tag_name().name() {
            "title" | "desc" => Ok(()),
            "clipPath" => self.define(node),
            "g" => {
                let clip = self.clip_of(node)?;
                self.clipped(node, clip, &style)
            }
            // an inner picture in the units of the outer one clips what leaves it
            "svg" => {
                let frame = frame(node)?;
                self.clipped(node, Some(frame), &style)
            }
            "rect" => {
                let [x, y, w, h] = frame(node)?;
                let corners = vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
                self.outline(corners, true, style)
            }
            name @ ("polyline" | "polygon") => {
                let places = numbers(node, node.attribute("points").unwrap_or_default())?;
                let corners = places.chunks_exact(2).map(|place| [place[0], place[1]]);
                self.outline(corners.collect(), name == "polygon", style)
            }
            "line" => {
                let [x1, y1, x2, y2] = measures(node, ["x1", "y1", "x2", "y2"])?;
                self.outline(vec![[x1, y1], [x2, y2]], false, style)
            }
            "path" => {
                let parts = parts(node, node.attribute("d").unwrap_or_default())?;
                self.path(parts, style)
            }
            "circle" => {
                let [x, y, radius] = measures(node, ["cx", "cy", "r"])?;
                let centre = [x, y];
                self.marks.push(Mark::Circle {
                    centre,
                    radius,
                    style,
                });
                Ok(())
            }
            "text" => self.text(node, style),
            name => Err(unknown(node, &format!("<{name}>"))),
        }
    }

    fn outline(
        &mut self,
        corners: Vec<[f32; 2]>,
        closed: bool,
        style: Style,
    ) -> Result<(), PdfError> {
        self.path(vec![Part { corners, closed }], style)
    }

    fn path(&mut self, parts: Vec<Part>, style: Style) -> Result<(), PdfError> {
        self.marks.push(Mark::Path { parts, style });
        Ok(())
    }

    /// A frame with a name.
    fn define(&mut self, node: Node<'_, '_>) -> Result<(), PdfError> {
        let inner: Vec<Node<'_, '_>> = node.children().filter(Node::is_element).collect();
        let [only] = inner[..] else {
            return Err(unknown(node, "a clipPath of several shapes"));
        };
        if !only.has_tag_name("rect") {
            return Err(unknown(only, "a clipPath that is no rectangle"));
        }
        let name = node.attribute("id").unwrap_or_default().to_owned();
        self.clips.insert(name, frame(only)?);
        Ok(())
    }

    fn clip_of(&self, node: Node<'_, '_>) -> Result<Option<Frame>, PdfError> {
        let Some(value) = node.attribute("clip-path") else {
            return Ok(None);
        };
        let name = value
            .strip_prefix("url(#")
            .and_then(|v| v.strip_suffix(')'));
        let found = name.and_then(|name| self.clips.get(name));
        let missing = || unknown(node, &format!("clip-path=\"{value}\""));
        Ok(Some(*found.ok_or_else(missing)?))
    }

    fn clipped(
        &mut self,
        node: Node<'_, '_>,
        clip: Option<Frame>,
        style: &Style,
    ) -> Result<(), PdfError> {
        let Some(frame) = clip else {
            return self.children(node, style);
        };
        self.marks.push(Mark::Clip(frame));
        self.children(node, style)?;
        self.marks.push(Mark::Unclip);
        Ok(())
    }

    fn text(&mut self, node: Node<'_, '_>, style: Style) -> Result<(), PdfError> {
        let [x, y] = measures(node, ["x", "y"])?;
        let mut runs = Vec::new();
        let mut down = shift(node, style.size)?;
        for child in node.children() {
            let (size, text) = if child.is_element() {
                let inner = style.of(child)?;
                down += shift(child, inner.size)?;
                (inner.size, child.text())
            } else {
                (style.size, child.text())
            };
            let text = spaced(text.unwrap_or_default());
            if !text.is_empty() {
                runs.push(Run { text, size, down });
                down = 0.0;
            }
        }
        let upright = match node.attribute("transform") {
            None => false,
            Some(turn) if turn.starts_with("rotate(270") => true,
            Some(other) => return Err(unknown(node, &format!("transform=\"{other}\""))),
        };
        self.marks.push(Mark::Text(Text {
            at: [x, y],
            runs,
            style,
            upright,
        }));
        Ok(())
    }
}

/// How much lower a run is than the one before, from `0.5ex` or `-0.5em`.
fn shift(node: Node<'_, '_>, size: f32) -> Result<f32, PdfError> {
    let Some(value) = node.attribute("dy") else {
        return Ok(0.0);
    };
    if let Some(ex) = value.strip_suffix("ex") {
        return Ok(number(node, ex)? * EX * size);
    }
    match value.strip_suffix("em") {
        Some(em) => Ok(number(node, em)? * size),
        None => number(node, value),
    }
}

/// Breaks of lines in the file are none in the text.
fn spaced(text: &str) -> String {
    let one = |c: char| {
        if matches!(c, '\n' | '\r' | '\t') {
            ' '
        } else {
            c
        }
    };
    let text: String = text.chars().map(one).collect();
    if text.starts_with(' ') || text.ends_with(' ') {
        text.trim_matches(' ').to_owned()
    } else {
        text
    }
}

/// Lines between absolute places: `M`, `L` and `Z`.
fn parts(node: Node<'_, '_>, data: &str) -> Result<Vec<Part>, PdfError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = data.trim();
    while let Some(command) = rest.chars().next() {
        let first = command.len_utf8();
        let end = rest[first..].find(|c: char| c.is_ascii_alphabetic());
        let end = end.map_or(rest.len(), |end| end + first);
        let places = numbers(node, &rest[first..end])?;
        let places = places.chunks_exact(2).map(|place| [place[0], place[1]]);
        match (command, parts.last_mut()) {
            ('M', _) => parts.push(Part {
                corners: places.collect(),
                closed: false,
            }),
            ('L', Some(part)) => part.corners.extend(places),
            ('Z' | 'z', Some(part)) => part.closed = true,
            _ => return Err(unknown(node, &format!("the command {command} of a path"))),
        }
        rest = rest[end..].trim_start();
    }
    Ok(parts)
}

fn frame(node: Node<'_, '_>) -> Result<Frame, PdfError> {
    measures(node, ["x", "y", "width", "height"])
}

/// Attributes that are lengths, 0 where they are left out.
fn measures<const N: usize>(node: Node<'_, '_>, names: [&str; N]) -> Result<[f32; N], PdfError> {
    let mut values = [0.0; N];
    for (value, name) in values.iter_mut().zip(names) {
        *value = number(node, node.attribute(name).unwrap_or("0"))?;
    }
    Ok(values)
}
