//! What a measured series is compared with: a value that is known at every time.

use std::fmt;

use crate::series;

/// A value at a time \[s\].
pub type TimeFunction = Box<dyn Fn(f64) -> f64>;

/// A closed form of an observable.
pub struct ClosedForm {
    /// What it is, with what it depends on; equal names are equal laws within a scene.
    pub name: String,
    /// True if it is what a scheme must give; false if it is the motion that schemes approximate.
    pub of_method: bool,
    /// True if it is known at the ends of substeps only.
    pub discrete: bool,
    /// The value of the observable at a time \[s\].
    pub at: TimeFunction,
}

impl ClosedForm {
    /// Largest difference of a series from the closed form (R.16), in the unit of the series; the
    /// two slices have one length. `None` of nothing.
    pub fn error(&self, times: &[f64], values: &[f64]) -> Option<f64> {
        let pairs = times.iter().zip(values);
        let differences: Vec<f64> = pairs.map(|(t, value)| value - (self.at)(*t)).collect();
        series::max(&differences)
    }
}

impl fmt::Debug for ClosedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClosedForm")
            .field("name", &self.name)
            .field("of_method", &self.of_method)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_largest_difference() {
        let line = ClosedForm {
            name: "t".to_owned(),
            of_method: false,
            discrete: false,
            at: Box::new(|t| t),
        };
        assert_eq!(line.error(&[0.0, 1.0, 2.0], &[0.0, 0.5, 2.25]), Some(0.5));
        assert_eq!(line.error(&[], &[]), None);
        let unknown = line.error(&[1.0], &[f64::NAN]);
        assert!(unknown.expect("a value").is_nan());
    }
}
