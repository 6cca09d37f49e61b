//! Asymptotic rates of Jacobi, Gauss–Seidel and successive over-relaxation on chains.

use delassus_core::Problem;
use delassus_systems::{Ends, LinkKind};

use crate::generators::{ChainProblem, Generator};

/// Error contraction per sweep of the linear iterations on one matrix \[-\].
///
/// All of them follow from the spectral radius of the Jacobi iteration, because the matrix is
/// consistently ordered and its Jacobi eigenvalues are real \[Young1971\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    jacobi: f64,
}

impl Rates {
    /// From the spectral radius of the Jacobi iteration, in [0, 1).
    pub fn from_jacobi(jacobi: f64) -> Self {
        Self { jacobi }
    }

    /// Two masses that hang from a fixed point, the lower one `ratio` times the upper one: ρ_J² =
    /// r/(1 + r) (G.19).
    pub fn two_links(ratio: f64) -> Self {
        Self::from_jacobi((ratio / (1.0 + ratio)).sqrt())
    }

    /// A symmetric tridiagonal matrix with a positive diagonal, by bisection on Sturm sequences
    /// (E.12); `None` if its Jacobi iteration does not contract or the lengths do not fit.
    pub fn tridiagonal(diagonal: &[f64], off_diagonal: &[f64]) -> Option<Self> {
        let fits = off_diagonal.len() + 1 == diagonal.len();
        if !fits || diagonal.iter().any(|d| *d <= 0.0) {
            return None;
        }
        // D^(-1/2) (D - A) D^(-1/2) is similar to the Jacobi matrix and has a zero diagonal
        let pairs = diagonal.windows(2).zip(off_diagonal);
        let squares: Vec<f64> = pairs.map(|(d, a)| a * a / (d[0] * d[1])).collect();
        let jacobi = largest_eigenvalue(&squares);
        (jacobi < 1.0).then_some(Self { jacobi })
    }

    /// The chain of a generator: any masses and softness. `None` unless its rows are axial and not
    /// redundant.
    pub fn of_chain(problem: &ChainProblem) -> Option<Self> {
        if problem.chain.kind != LinkKind::Point || problem.chain.ends == Ends::Both {
            return None;
        }
        let problem = problem.generate().ok()?.problem;
        let effective = problem.diagonal().iter().zip(problem.compliance());
        let diagonal: Vec<f64> = effective.map(|(a, r)| a + r).collect();
        Self::tridiagonal(&diagonal, &neighbours(&problem))
    }

    /// ρ_J: sweeps in which all rows see the velocities from before the sweep.
    pub fn jacobi(&self) -> f64 {
        self.jacobi
    }

    /// ρ_GS = ρ_J² (G.17).
    pub fn gauss_seidel(&self) -> f64 {
        self.jacobi * self.jacobi
    }

    /// ρ_SOR(ω) for 0 < ω < 2: the largest root λ of (λ + ω − 1)² = λ ω² μ² over the Jacobi
    /// eigenvalues μ (E.11).
    ///
    /// Below ω* that root is real and belongs to μ = ρ_J; from ω* on all roots have modulus ω − 1.
    pub fn sor(&self, omega: f64) -> f64 {
        let product = omega * self.jacobi;
        let discriminant = product * product - 4.0 * (omega - 1.0);
        if discriminant < 0.0 {
            return omega - 1.0;
        }
        let root = 0.5 * (product + discriminant.sqrt());
        root * root
    }
}

/// Couplings of consecutive rows.
fn neighbours(problem: &Problem) -> Vec<f64> {
    let rows = problem.rows();
    let (mut unit, mut column) = (vec![0.0; rows], vec![0.0; rows]);
    let mut couplings = Vec::with_capacity(rows.saturating_sub(1));
    // rows two apart do not couple: every third column at once
    for parity in 0..3 {
        unit.fill(0.0);
        unit.iter_mut()
            .skip(parity)
            .step_by(3)
            .for_each(|x| *x = 1.0);
        problem.apply_delassus(&unit, &mut column);
        for row in (parity..rows.saturating_sub(1)).step_by(3) {
            couplings.push((row, column[row + 1]));
        }
    }
    couplings.sort_by_key(|(row, _)| *row);
    couplings
        .into_iter()
        .map(|(_, coupling)| coupling)
        .collect()
}

/// Largest eigenvalue of a tridiagonal matrix with zero diagonal, from the squares of its
/// couplings.
fn largest_eigenvalue(squares: &[f64]) -> f64 {
    // Gershgorin: no row sums to more than twice the largest coupling
    let bound = 2.0 * squares.iter().fold(0.0_f64, |a, b| a.max(*b)).sqrt();
    let (mut low, mut high) = (0.0, bound);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if is_above(squares, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// True if every eigenvalue is below `x`: all pivots of x I − T are positive.
fn is_above(squares: &[f64], x: f64) -> bool {
    let mut pivot = x;
    for square in squares {
        if pivot <= 0.0 {
            return false;
        }
        pivot = x - square / pivot;
    }
    pivot > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::{MassRatioChain, SoftnessParameters};
    use delassus_systems::Chain;
    use std::f64::consts::PI;

    /// Chain of `links` ≥ 1 equal masses that hangs from a fixed point: ρ_J = cos(π/2n) (G.17).
    fn anchored_chain(links: usize) -> Rates {
        Rates::from_jacobi(libm::cos(0.5 * PI / links as f64))
    }

    /// Chain of `links` ≥ 1 joints between equal masses without a fixed point: ρ_J = cos(π/(n + 1))
    /// (G.17).
    fn free_chain(links: usize) -> Rates {
        Rates::from_jacobi(libm::cos(PI / (links as f64 + 1.0)))
    }

    /// ω* = 2/(1 + √(1 − ρ_J²)) (G.18).
    fn optimal_omega(rates: &Rates) -> f64 {
        2.0 / (1.0 + ((1.0 - rates.jacobi()) * (1.0 + rates.jacobi())).sqrt())
    }

    /// ρ_SOR(ω*) = ω* − 1 (G.18).
    fn optimal_sor(rates: &Rates) -> f64 {
        optimal_omega(rates) - 1.0
    }

    #[test]
    fn ten_links() {
        let rates = anchored_chain(10);
        // values of the closed forms, to the digits given
        assert!((rates.jacobi() - 0.987_688_3).abs() < 5e-8);
        assert!((rates.gauss_seidel() - 0.975_528_3).abs() < 5e-8);
        assert!((optimal_omega(&rates) - 1.729_454).abs() < 5e-7);
        assert!((optimal_sor(&rates) - 0.729_454).abs() < 5e-7);
        let free = free_chain(10);
        assert!((free.jacobi() - 0.959_493).abs() < 5e-7);
        assert!((free.gauss_seidel() - 0.920_627).abs() < 5e-7);
        assert!((optimal_sor(&free) - 0.560_388).abs() < 5e-7);
    }

    #[test]
    fn relaxation_is_continuous_and_best_at_its_optimum() {
        for rates in [anchored_chain(10), free_chain(7), Rates::two_links(100.0)] {
            let best = optimal_omega(&rates);
            // ω = 1 is Gauss–Seidel, rounding of one square root
            assert!((rates.sor(1.0) - rates.gauss_seidel()).abs() < 1e-15);
            // at ω* the square root of rounding is left: √ε
            assert!((rates.sor(best) - optimal_sor(&rates)).abs() < 1e-7);
            let mut previous = f64::INFINITY;
            for step in 1..100 {
                let omega = best * f64::from(step) / 100.0;
                assert!(rates.sor(omega) < previous, "falls up to the optimum");
                previous = rates.sor(omega);
            }
            assert!(rates.sor(0.5 * (best + 2.0)) > optimal_sor(&rates));
        }
    }

    #[test]
    fn bisection_agrees_with_the_closed_forms() {
        for n in [1, 2, 3, 10, 50] {
            let chain = |ends| {
                ChainProblem::from(Chain {
                    n,
                    ends,
                    ..Chain::default()
                })
            };
            let anchored = Rates::of_chain(&chain(Ends::Anchored)).unwrap();
            let free = Rates::of_chain(&chain(Ends::Free)).unwrap();
            // a few roundings per pivot
            assert!((anchored.jacobi() - anchored_chain(n).jacobi()).abs() < 1e-14);
            assert!((free.jacobi() - free_chain(n).jacobi()).abs() < 1e-14);
            assert!(Rates::of_chain(&chain(Ends::Both)).is_none());
        }
        for ratio in [1.0, 10.0, 1000.0] {
            let two = MassRatioChain {
                ratio,
                ..MassRatioChain::default()
            };
            let chain = Chain {
                n: 2,
                mass_ratio: two.ratio,
                ..Chain::default()
            };
            let rates = Rates::of_chain(&chain.into()).unwrap();
            assert!((rates.gauss_seidel() - ratio / (1.0 + ratio)).abs() < 1e-14);
        }
    }

    #[test]
    fn a_heavy_tip_slows_the_chain_and_softness_speeds_it_up() {
        let chain = |mass_ratio: f64, compliance: f64| ChainProblem {
            chain: Chain {
                n: 10,
                mass_ratio,
                ..Chain::default()
            },
            softness: SoftnessParameters {
                compliance,
                ..SoftnessParameters::default()
            },
            ..ChainProblem::default()
        };
        let gauss_seidel =
            |ratio, soft| Rates::of_chain(&chain(ratio, soft)).unwrap().gauss_seidel();
        assert!((gauss_seidel(10.0, 0.0) - 0.991_590).abs() < 5e-7);
        assert!((gauss_seidel(100.0, 0.0) - 0.998_922).abs() < 5e-7);
        assert!(gauss_seidel(10.0, 0.5) < gauss_seidel(10.0, 0.0));
    }
}
