//! A vertical chain whose solves stop after a few Gauss–Seidel sweeps: its motion (O.19), and when
//! it is stable (O.20).

/// A vertical chain of equal masses that hangs from a fixed point and moves along itself.
///
/// All of it is linear. Lengths stand for velocities and impulses: h v and h λ/m \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweptChain {
    /// Number of links \[-\].
    pub links: usize,
    /// Sweeps per substep, from the fixed point down \[-\].
    pub sweeps: u32,
    /// Share of the error that the bias asks a substep to remove \[-\].
    pub beta: f64,
    /// True if a solve starts from the impulses of the substep before, false if it starts from
    /// zero.
    pub warm: bool,
    /// Error of every link at the start \[m\]; the masses are at rest.
    pub stretch: f64,
    /// Distance that gravity adds to the fall in one substep, g h² \[m\].
    pub fall: f64,
}

impl SweptChain {
    /// Errors of all links from the top after 0 … `substeps` substeps (O.19) \[m\].
    pub fn errors(&self, substeps: usize) -> Vec<Vec<f64>> {
        let mut errors = vec![self.stretch; self.links];
        let (mut moves, mut impulses) = (vec![0.0; self.links], vec![0.0; self.links]);
        let mut all = vec![errors.clone()];
        for _ in 0..substeps {
            moves.iter_mut().for_each(|x| *x += self.fall);
            if self.warm {
                for (row, impulse) in impulses.iter().enumerate() {
                    push(&mut moves, row, *impulse);
                }
            } else {
                impulses.fill(0.0);
            }
            for _ in 0..self.sweeps {
                for row in 0..self.links {
                    let diagonal = if row == 0 { 1.0 } else { 2.0 };
                    let residual = apart(&moves, row) + self.beta * errors[row];
                    impulses[row] -= residual / diagonal;
                    push(&mut moves, row, -residual / diagonal);
                }
            }
            for (row, error) in errors.iter_mut().enumerate() {
                *error += apart(&moves, row);
            }
            all.push(errors.clone());
        }
        all
    }
}

/// How far the ends of a link move apart in a substep.
fn apart(moves: &[f64], row: usize) -> f64 {
    moves[row] - if row == 0 { 0.0 } else { moves[row - 1] }
}

/// Pushes the ends of a link apart.
fn push(moves: &mut [f64], row: usize, impulse: f64) {
    moves[row] += impulse;
    if row > 0 {
        moves[row - 1] -= impulse;
    }
}

/// Largest β with which the errors of a mode do not grow, where a solve leaves the share `kept` of
/// the residual, in \[0, 1) (O.20).
pub fn stable_beta(kept: f64, warm: bool) -> f64 {
    let rest = 1.0 - kept;
    if warm {
        (2.0 * (1.0 + 3.0 * kept) / rest).min(rest / kept)
    } else {
        2.0 * (1.0 + kept) / rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(links: usize, sweeps: u32, beta: f64, warm: bool) -> SweptChain {
        SweptChain {
            links,
            sweeps,
            beta,
            warm,
            stretch: 1.0,
            fall: 0.0,
        }
    }

    /// Share of the residual that a solve of a chain leaves in its slowest mode (G.17).
    fn kept(links: usize, sweeps: u32) -> f64 {
        let cosine = libm::cos(0.5 * std::f64::consts::PI / links as f64);
        (0..2 * sweeps).fold(1.0, |power, _| power * cosine)
    }

    fn grows(chain: SweptChain) -> bool {
        let errors = chain.errors(6000);
        let size = |from: usize| {
            let part = errors[from..from + 500].iter().flatten();
            part.fold(0.0, |most: f64, c| most.max(c.abs()))
        };
        size(5500) > size(4500)
    }

    #[test]
    fn one_link_obeys_the_law_of_one_row() {
        let errors = chain(1, 1, 0.3, true).errors(5);
        let decay = super::super::decay(1.0, 0.3, 5);
        for (found, exact) in errors.iter().zip(decay) {
            assert!((found[0] - exact).abs() < 1e-15);
        }
    }

    #[test]
    fn the_limits_of_the_slowest_mode_are_those_of_the_chain() {
        for (links, sweeps) in [
            (2, 1),
            (3, 1),
            (5, 4),
            (10, 4),
            (10, 10),
            (20, 10),
            (10, 20),
        ] {
            let limit = stable_beta(kept(links, sweeps), true);
            if limit < 2.0 {
                assert!(!grows(chain(links, sweeps, 0.98 * limit, true)));
                assert!(grows(chain(links, sweeps, 1.02 * limit, true)), "{limit}");
            }
            // from zero the modes that a sweep solves exactly are the first to go, at 2
            assert!(!grows(chain(links, sweeps, 1.98, false)));
        }
        assert_eq!(stable_beta(0.0, false), 2.0);
        assert_eq!(stable_beta(0.0, true), 2.0);
    }

    #[test]
    fn a_chain_solved_from_zero_sags() {
        // at rest the masses do not move: 0 = fall + y₂ and 0 = fall + y₁ − y₂, with the first
        // impulse from one visit, y₁ = −(fall + β C₁); then C₁ = fall/β, and the second row,
        // visited last, is left without an error
        let sagging = SweptChain {
            stretch: 0.0,
            fall: 1.0,
            ..chain(2, 1, 0.5, false)
        };
        let errors = sagging.errors(400);
        let last = &errors[400];
        assert!(
            (last[0] - 2.0).abs() < 1e-12 && last[1].abs() < 1e-12,
            "{last:?}"
        );
        // the impulses of the substep before carry the weight
        let errors = SweptChain {
            warm: true,
            beta: 0.2,
            ..sagging
        }
        .errors(400);
        assert!(errors[400].iter().all(|c| c.abs() < 1e-12));
    }
}
