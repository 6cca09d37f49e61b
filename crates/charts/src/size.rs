//! The two widths of journals, and what differs between them.

use serde::{Deserialize, Serialize};

/// How wide a figure is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Width {
    /// 174 mm: two columns of a journal page.
    #[default]
    Page,
    /// 84 mm: one column.
    Column,
}

impl Width {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Page, Self::Column];

    /// True for the width that figures have where nobody says.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Width of the figure \[mm\].
    pub fn millimetres(self) -> f64 {
        match self {
            Self::Page => 174.0,
            Self::Column => 84.0,
        }
    }

    /// Points of paper per point of the drawing \[-\]: with one for both widths the letters of a
    /// column would take too much of it. Labels of 7.5 pt are printed at 7.
    pub(crate) fn scale(self) -> f64 {
        match self {
            Self::Page => 1.0,
            Self::Column => 7.0 / 7.5,
        }
    }

    /// Size of the names in the legend \[pt\], a little larger than that of the axes. A report
    /// shows figures no smaller than on paper: a narrow screen scrolls them to the side.
    pub(crate) fn legend_text(self) -> f64 {
        match self {
            Self::Page => 9.0,
            Self::Column => 8.0,
        }
    }

    /// Width of the drawing in tenths of a point.
    pub(crate) fn units(self) -> i32 {
        match self {
            Self::Page => 4932,
            Self::Column => 2551,
        }
    }

    /// Panels next to each other, and the height of one by its width \[-\]: in a column they stand
    /// one below the other until they would be higher than a page.
    pub(crate) fn grid(self, panels: usize) -> (usize, f64) {
        match (self, panels) {
            (Self::Page, 0 | 1) => (1, 0.42),
            (Self::Page, 2 | 4) => (2, 0.62),
            (Self::Page, _) => (3, 0.74),
            (Self::Column, 0 | 1) => (1, 0.66),
            (Self::Column, 2 | 3) => (1, 0.56),
            (Self::Column, 4) => (1, 0.5),
            (Self::Column, _) => (2, 0.8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::UNITS;

    #[test]
    fn a_drawing_is_as_wide_as_its_paper() {
        for width in Width::ALL {
            let points = f64::from(width.units()) / f64::from(UNITS) * width.scale();
            let millimetres = points * 25.4 / 72.0;
            assert!(
                (millimetres - width.millimetres()).abs() < 0.05,
                "{millimetres}"
            );
        }
    }
}
