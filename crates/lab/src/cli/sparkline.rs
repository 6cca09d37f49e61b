//! A curve in one line of text: eighths of a character's height.

/// The eight heights, the lowest first.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Both axes of curves that are to be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axes {
    /// Largest position; the axis begins at 1, or at 0 where it is linear.
    pub(crate) most: f64,
    /// Value of the lowest and of the highest mark.
    pub(crate) bottom: f64,
    pub(crate) top: f64,
    /// Both axes are logarithmic.
    pub(crate) logarithmic: bool,
}

/// The curve through `points`, each a position and a value, in `width` characters.
///
/// A column shows the last point up to its end; behind the last point there are blanks. What is no
/// finite number stands at the top, and an empty curve is empty.
pub(crate) fn sparkline(points: &[(f64, f64)], axes: Axes, width: usize) -> String {
    let mut columns: Vec<Option<f64>> = vec![None; width];
    for (position, value) in points {
        let place = axes.along(*position);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a line of text, clamped to it"
        )]
        let column = (place * width as f64) as usize;
        if let Some(slot) = columns.get_mut(column.min(width.saturating_sub(1))) {
            *slot = Some(*value);
        }
    }
    let end = columns.iter().rposition(Option::is_some);
    let mut line = String::new();
    let mut last = None;
    for value in columns.iter().take(end.map_or(0, |end| end + 1)) {
        last = value.or(last);
        line.push(last.map_or(' ', |value| axes.mark(value)));
    }
    line
}

impl Axes {
    /// Where a position is, from 0 to 1.
    fn along(self, position: f64) -> f64 {
        let share = match self.logarithmic {
            true if position <= 1.0 || self.most <= 1.0 => 0.0,
            true => libm::log10(position) / libm::log10(self.most),
            false if self.most <= 0.0 => 0.0,
            false => position / self.most,
        };
        share.clamp(0.0, 1.0)
    }

    fn mark(self, value: f64) -> char {
        if !value.is_finite() {
            return HEIGHTS[7];
        }
        let scale = |x: f64| match self.logarithmic {
            // zero is below every residual
            true => libm::log10(x.max(f64::MIN_POSITIVE)),
            false => x,
        };
        let (bottom, top) = (scale(self.bottom), scale(self.top));
        // equal ends, or ends that are no numbers, leave nothing to tell apart
        let share = match top > bottom {
            true => (scale(value) - bottom) / (top - bottom),
            false => 0.0,
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the eight heights"
        )]
        let height = (share.clamp(0.0, 1.0) * 7.0).round() as usize;
        HEIGHTS[height]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: Axes = Axes {
        most: 1e4,
        bottom: 1e-7,
        top: 1.0,
        logarithmic: true,
    };

    #[test]
    fn a_decade_is_a_height_and_a_quarter_of_the_line() {
        let points: Vec<(f64, f64)> = (0..=4)
            .map(|k| {
                (
                    libm::pow(10.0, f64::from(k)),
                    libm::pow(10.0, -f64::from(k)),
                )
            })
            .collect();
        assert_eq!(sparkline(&points, AXES, 4), "█▇▆▄");
        // the last point of a column counts, and a column without one repeats
        assert_eq!(sparkline(&points[..2], AXES, 8), "██▇");
        assert_eq!(sparkline(&points[1..2], AXES, 8), "  ▇");
    }

    #[test]
    fn zeros_infinities_and_empty_curves_have_their_marks() {
        assert_eq!(sparkline(&[], AXES, 8), "");
        assert_eq!(sparkline(&[(0.0, 0.0)], AXES, 8), "▁");
        assert_eq!(sparkline(&[(1e9, f64::INFINITY)], AXES, 2), " █");
        assert_eq!(sparkline(&[(1.0, f64::NAN)], AXES, 2), "█");
        assert_eq!(sparkline(&[(1.0, 1.0)], AXES, 0), "");
        let flat = Axes {
            most: 0.0,
            bottom: 0.0,
            top: 0.0,
            logarithmic: false,
        };
        assert_eq!(sparkline(&[(0.0, 0.0), (1.0, 2.0)], flat, 3), "▁");
    }

    #[test]
    fn linear_axes_are_shares() {
        let axes = Axes {
            most: 2.0,
            bottom: 0.0,
            top: 7.0,
            logarithmic: false,
        };
        let points = [(0.0, 0.0), (1.0, 3.0), (2.0, 7.0)];
        assert_eq!(sparkline(&points, axes, 4), "▁▁▄█");
    }
}
