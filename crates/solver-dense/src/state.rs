//! What every solver of this crate keeps between calls: impulses, b, and which rows are inactive.

use delassus_core::{Problem, Progress, SolveError, projection};

/// Impulses and data of the prepared problem.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// λ \[N·s\].
    pub(crate) impulses: Vec<f64>,
    /// b \[m/s | rad/s\].
    pub(crate) b: Vec<f64>,
    /// Rows that are solved for, ascending.
    pub(crate) active: Vec<usize>,
    /// True once a direct method has written its answer.
    pub(crate) solved: bool,
}

impl State {
    pub(crate) fn new(problem: &Problem, impulses: Vec<f64>) -> Self {
        let rows = problem.rows();
        let mut state = Self {
            impulses,
            b: vec![0.0; rows],
            active: Vec::with_capacity(rows),
            solved: false,
        };
        state.update(problem);
        state
    }

    /// Takes over b and the activity.
    pub(crate) fn update(&mut self, problem: &Problem) {
        self.b.copy_from_slice(problem.b());
        self.active.clear();
        for (index, block) in problem.blocks().iter().enumerate() {
            let first = block.first_row;
            self.active.extend(first..first + problem.active_dim(index));
        }
        self.solved = false;
    }

    /// Writes the impulses of a solved box: `y`, scaled by 1/`d`, within scaled bounds. A bound is
    /// returned as `bounds` has it, not as scaling and unscaling leave it.
    pub(crate) fn write_scaled(
        &mut self,
        y: &[f64],
        d: &[f64],
        scaled: [&[f64]; 2],
        bounds: [&[f64]; 2],
    ) {
        for &i in &self.active {
            let [lower, upper] = bounds.map(|bound| bound[i]);
            self.impulses[i] = if y[i] <= scaled[0][i] {
                lower
            } else if y[i] >= scaled[1][i] {
                upper
            } else {
                projection::interval(y[i] * d[i], lower, upper)
            };
        }
        self.solved = true;
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.impulses.iter().all(|x| x.is_finite())
    }
}

/// The methods of [`delassus_core::Prepared`] that read the impulses of a field of type [`State`].
macro_rules! read_state {
    ($($state:ident).+) => {
        fn impulses(&self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
            out.copy_from_slice(&self.$($state).+.impulses);
            Ok(())
        }

        fn is_finite(&self) -> bool {
            self.$($state).+.is_finite()
        }
    };
}

pub(crate) use read_state;

/// The work of a direct method: `solve` where it has not solved yet, and is asked to; it returns
/// the rows updated.
pub(crate) fn solve_once(
    sweeps: u32,
    solved: bool,
    solve: impl FnOnce() -> Result<u64, SolveError>,
) -> Result<Progress, SolveError> {
    if sweeps == 0 {
        return Ok(Progress::default());
    }
    let row_updates = if solved { 0 } else { solve()? };
    Ok(Progress {
        sweeps: u32::from(!solved),
        row_updates,
        finished: true,
    })
}
