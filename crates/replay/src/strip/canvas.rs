//! What a strip is made of, before it is a file.

use crate::colour::Rgb;

/// Text and lines.
pub(super) const INK: Rgb = [26, 26, 26];

/// Vermillion: seen on the whole scale of colours, also by those who confuse red and green.
const ARROW: Rgb = [213, 94, 0];

/// A point, from the upper left corner \[px\].
pub(super) type Pixel = [f64; 2];

/// Where a text stands relative to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A part of the picture; later ones cover earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Polygon {
        corners: Vec<Pixel>,
        fill: Rgb,
        edge: Option<(Rgb, f64)>,
    },
    Disc {
        centre: Pixel,
        radius: f64,
        fill: Rgb,
        edge: Option<(Rgb, f64)>,
    },
    Line {
        ends: [Pixel; 2],
        colour: Rgb,
        width: f64,
    },
    Text {
        at: Pixel,
        size: f64,
        anchor: Anchor,
        text: String,
    },
    /// What follows is seen inside a rectangle (x, y, width, height) only, or everywhere again.
    Clip(Option<[f64; 4]>),
}

/// A picture on white.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Canvas {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) marks: Vec<Mark>,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        Self {
            width,
            height: height.ceil(),
            title: title.to_owned(),
            marks: Vec::new(),
        }
    }

    pub(super) fn polygon(&mut self, corners: Vec<Pixel>, fill: Rgb, edge: Option<(Rgb, f64)>) {
        self.marks.push(Mark::Polygon {
            corners,
            fill,
            edge,
        });
    }

    pub(super) fn disc(&mut self, centre: Pixel, radius: f64, fill: Rgb, edge: Option<(Rgb, f64)>) {
        self.marks.push(Mark::Disc {
            centre,
            radius,
            fill,
            edge,
        });
    }

    pub(super) fn line(&mut self, ends: [Pixel; 2], colour: Rgb, width: f64) {
        self.marks.push(Mark::Line {
            ends,
            colour,
            width,
        });
    }

    pub(super) fn arrow(&mut self, [tail, tip]: [Pixel; 2]) {
        let along = [tip[0] - tail[0], tip[1] - tail[1]];
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
        if length < 1.0 {
            return;
        }
        let [x, y] = along.map(|a| a / length);
        let head = (0.4 * length).min(6.0);
        let neck = [tip[0] - head * x, tip[1] - head * y];
        self.line([tail, neck], ARROW, 1.1);
        let side = |s: f64| [neck[0] - s * 0.4 * head * y, neck[1] + s * 0.4 * head * x];
        self.polygon(vec![tip, side(1.0), side(-1.0)], ARROW, None);
    }

    pub(super) fn text(&mut self, at: Pixel, size: f64, anchor: Anchor, text: &str) {
        self.marks.push(Mark::Text {
            at,
            size,
            anchor,
            text: text.to_owned(),
        });
    }

    pub(super) fn clip(&mut self, to: Option<[f64; 4]>) {
        self.marks.push(Mark::Clip(to));
    }
}
