//! Where the loop of De Saxcé stands (Z.20).

use delassus_core::StateCoverage;

/// Proximal parameters of the loops, in turn \[-\]: smaller ones need fewer problems, larger ones
/// need fewer steps for each.
pub(crate) const SIGMAS: [f64; 3] = [1e-6, 1e-5, 1e-7];

/// Where the loop stands.
#[derive(Debug)]
pub(crate) struct Cones {
    /// Impulses of its last convex problem, to go on from after a try.
    pub(crate) impulses: Vec<f64>,
    /// Residual of the natural map when Newton's method was tried last \[√J\].
    pub(crate) tried: f64,
    /// Best residual of the loop \[√J\], and convex problems since it fell.
    pub(crate) noted: f64,
    pub(crate) waited: u32,
    /// True while Newton's method is tried.
    pub(crate) trying: bool,
    /// Loops that have begun \[-\].
    pub(crate) loops: usize,
    /// True if the last thing that was tried was the loop.
    pub(crate) ended: bool,
}

impl Cones {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            impulses: vec![0.0; rows],
            tried: f64::INFINITY,
            noted: f64::INFINITY,
            waited: 0,
            trying: false,
            loops: 0,
            ended: false,
        }
    }

    /// Forgets what was tried.
    pub(crate) fn forget(&mut self) {
        (self.loops, self.trying, self.ended) = (0, false, false);
    }

    /// True if the loop is what to try next; every other time it is something else.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = !self.ended && self.loops < SIGMAS.len();
        self.ended = false;
        due
    }

    /// Appends everything that decides the steps to come.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) {
        StateCoverage::push(out, self.impulses.iter().copied());
        StateCoverage::push(out, [self.tried, self.noted]);
        out.extend([u64::from(self.waited), self.loops as u64]);
        out.extend([self.trying, self.ended].map(u64::from));
    }
}
