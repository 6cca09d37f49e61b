//! Charts: panels with axes, curves, shapes and a legend, as SVG files and as numbers for a page.
//!
//! A chart says what is drawn and not where: layout, ticks, line breaks and thinning are found
//! here. Nothing here depends on records, specs or reports.

mod canvas;
pub mod chart;
mod curve;
pub mod floor;
pub mod histogram;
pub mod interactive;
mod layout;
mod legend;
pub mod numbers;
mod panel;
pub mod render;
mod scale;
mod size;
pub mod style;
pub mod text;

pub use canvas::DrawError;
pub use plotters::style::RGBColor;
pub use size::Width;
