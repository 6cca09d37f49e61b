//! What elements inherit: colours, widths, dashes.

use roxmltree::Node;

use super::PdfError;
use super::attribute::{number, numbers, unknown};

/// Red, green and blue, 0 to 1.
pub(crate) type Colour = [f32; 3];

/// How what follows is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Style {
    pub(crate) fill: Option<Colour>,
    pub(crate) stroke: Option<Colour>,
    pub(crate) width: f32,
    pub(crate) dash: Vec<f32>,
    pub(crate) round_caps: bool,
    /// Opacity of areas and of lines, 0 to 1.
    pub(crate) opacity: [f32; 2],
    pub(crate) size: f32,
    pub(crate) bold: bool,
    pub(crate) anchor: Anchor,
}

/// Which end of a text its place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            fill: Some([0.0; 3]),
            stroke: None,
            width: 1.0,
            dash: Vec::new(),
            round_caps: false,
            opacity: [1.0; 2],
            size: 16.0,
            bold: false,
            anchor: Anchor::Start,
        }
    }
}

impl Style {
    /// The style of an element inside of this one.
    pub(crate) fn of(&self, node: Node<'_, '_>) -> Result<Self, PdfError> {
        let mut style = self.clone();
        for attribute in node.attributes() {
            let value = attribute.value();
            match attribute.name() {
                "fill" => style.fill = colour(node, value)?,
                "stroke" => style.stroke = colour(node, value)?,
                "stroke-width" => style.width = number(node, value)?,
                "stroke-dasharray" if value == "none" => style.dash.clear(),
                "stroke-dasharray" => style.dash = numbers(node, value)?,
                "stroke-linecap" => style.round_caps = value == "round",
                "fill-opacity" => style.opacity[0] = number(node, value)?,
                "stroke-opacity" => style.opacity[1] = number(node, value)?,
                "opacity" => {
                    let factor = number(node, value)?;
                    style.opacity = style.opacity.map(|own| own * factor);
                }
                "font-size" => style.size = self.sized(node, value)?,
                "font-weight" => style.bold = matches!(value, "bold" | "700"),
                "text-anchor" => {
                    style.anchor = match value {
                        "start" => Anchor::Start,
                        "middle" => Anchor::Middle,
                        "end" => Anchor::End,
                        _ => return Err(unknown(node, &format!("text-anchor=\"{value}\""))),
                    }
                }
                _ => {}
            }
        }
        Ok(style)
    }

    fn sized(&self, node: Node<'_, '_>, value: &str) -> Result<f32, PdfError> {
        match value.strip_suffix('%') {
            Some(share) => Ok(self.size * number(node, share)? / 100.0),
            None => number(node, value),
        }
    }
}

/// `#rrggbb` or `none`.
fn colour(node: Node<'_, '_>, value: &str) -> Result<Option<Colour>, PdfError> {
    if value == "none" {
        return Ok(None);
    }
    let digits = value.strip_prefix('#').filter(|digits| digits.len() == 6);
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(number) = number else {
        return Err(unknown(node, &format!("the colour {value:?}")));
    };
    let [_, channels @ ..] = number.to_be_bytes();
    Ok(Some(channels.map(|channel| f32::from(channel) / 255.0)))
}
