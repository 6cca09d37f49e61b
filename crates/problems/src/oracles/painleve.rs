//! The rod that slides on its lower tip \[Genot1999\].

/// A_nn, A_nt, A_tt of the tip for unit mass \[1/kg\]; `slope` is the tangent of the angle (E.15).
pub fn delassus(slope: f64) -> [f64; 3] {
    let square = 1.0 / (1.0 + slope * slope);
    [
        1.0 + 3.0 * square,
        3.0 * slope * square,
        1.0 + 3.0 * slope * slope * square,
    ]
}

/// Friction coefficient beyond which solutions are not unique \[-\]: μ_c = A_nn/A_nt (E.15).
pub fn critical_friction(slope: f64) -> f64 {
    (4.0 + slope * slope) / (3.0 * slope)
}

/// Contraction per sweep of Gauss–Seidel by rows on one sliding contact, μ |A_nt|/A_nn \[-\]
/// (G.20).
pub fn slip_rate(friction: f64, a_nn: f64, a_nt: f64) -> f64 {
    friction * a_nt.abs() / a_nn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_critical_friction_is_four_thirds() {
        assert!((critical_friction(2.0) - 4.0 / 3.0).abs() < 1e-15);
        assert!(critical_friction(1.9) > 4.0 / 3.0 && critical_friction(2.1) > 4.0 / 3.0);
        let [a_nn, a_nt, a_tt] = delassus(2.0);
        assert!((a_nn - 1.6).abs() < 1e-15 && (a_nt - 1.2).abs() < 1e-15);
        assert!((a_tt - 3.4).abs() < 1e-15);
        // at the critical coefficient the sweep no longer contracts
        assert!((slip_rate(critical_friction(2.0), a_nn, a_nt) - 1.0).abs() < 1e-15);
    }
}
