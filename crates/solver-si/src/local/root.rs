//! Newton's method inside a bracket.

/// Most steps; bisection alone needs about 60 for full precision after the first Newton steps.
const MAX_STEPS: usize = 128;

/// The root of a function of value and slope that is negative at `low` and not at `high`.
///
/// Newton steps from `guess`, or from `high` if the guess is not inside the bracket; a step that
/// would leave the bracket is replaced by a bisection.
pub(crate) fn newton(
    mut function: impl FnMut(f64) -> (f64, f64),
    mut low: f64,
    mut high: f64,
    guess: f64,
) -> f64 {
    let mut x = if guess > low && guess < high {
        guess
    } else {
        high
    };
    for _ in 0..MAX_STEPS {
        let (value, slope) = function(x);
        if value == 0.0 {
            break;
        }
        if value < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let mut next = x - value / slope;
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        let step = (next - x).abs();
        x = next;
        if step <= 2.0 * f64::EPSILON * x {
            break;
        }
    }
    x
}

/// `high`, doubled until the function is not negative there; `high` is not negative.
pub(crate) fn raise(mut value: impl FnMut(f64) -> f64, mut high: f64) -> f64 {
    for _ in 0..MAX_STEPS {
        if value(high) >= 0.0 {
            break;
        }
        high = 2.0 * high + f64::MIN_POSITIVE;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root, and the points at which the function was asked for.
    fn visits(
        function: impl Fn(f64) -> (f64, f64),
        [low, high]: [f64; 2],
        guess: f64,
    ) -> (f64, Vec<f64>) {
        let mut points = Vec::new();
        let root = newton(
            |x| {
                points.push(x);
                function(x)
            },
            low,
            high,
            guess,
        );
        (root, points)
    }

    #[test]
    fn a_line_takes_one_newton_step_and_a_root_none() {
        let line = |x: f64| (2.0 * (x - 3.0), 2.0);
        assert_eq!(visits(line, [0.0, 8.0], 5.0), (3.0, vec![5.0, 3.0]));
        assert_eq!(visits(line, [0.0, 8.0], 1.0), (3.0, vec![1.0, 3.0]));
        assert_eq!(visits(line, [0.0, 8.0], 3.0), (3.0, vec![3.0]));
        // a guess that is not inside the bracket is none
        for guess in [0.0, -1.0, 8.0, 9.0, f64::NAN] {
            assert_eq!(visits(line, [0.0, 8.0], guess), (3.0, vec![8.0, 3.0]));
        }
    }

    #[test]
    fn newton_steps_converge_quadratically_at_every_scale() {
        // x² = a from sixteen times the root: four halvings, then the correct digits double
        for exponent in -300..=300 {
            let root = 1.7 * libm::exp2(f64::from(exponent));
            let square = |x: f64| (x * x - root * root, 2.0 * x);
            for guess in [-1.0, 0.3 * root, 1.5 * root] {
                let (found, points) = visits(square, [0.0, 16.0 * root], guess);
                assert!(
                    (found - root).abs() <= f64::EPSILON * root,
                    "{root} {found}"
                );
                assert!(points.len() <= 10, "{root} {points:?}");
                assert!(points.iter().all(|x| *x > 0.0 && *x <= 16.0 * root));
            }
        }
    }

    #[test]
    fn steps_that_leave_the_bracket_are_bisections() {
        // a slope that points to the lower end, and one that points to the upper one
        let to_low = |x: f64| (x - 1.0, (x - 1.0) / x);
        assert_eq!(visits(to_low, [0.0, 4.0], -1.0), (1.0, vec![4.0, 2.0, 1.0]));
        let to_high = |x: f64| (x - 3.0, (x - 3.0) / (x - 4.0));
        assert_eq!(visits(to_high, [0.0, 4.0], 2.0), (3.0, vec![2.0, 3.0]));
        // without a usable slope a digit per step: from a width of one to the last of 52
        for slope in [0.0, -1.0, f64::NAN, 1e-30] {
            let (found, points) = visits(|x| (x * x - 2.0, slope), [1.0, 2.0], 1.5);
            let miss = (found - std::f64::consts::SQRT_2).abs();
            assert!(miss <= 3.0 * f64::EPSILON, "{found}");
            assert!((45..=54).contains(&points.len()), "{points:?}");
        }
    }

    #[test]
    fn a_bound_is_raised_past_the_root_by_less_than_twice() {
        for root in [1e-300, 1e-9, 0.01, 1.0, 7.0, 1e12, 1e300] {
            for short in [0.999, 0.6, 0.3, 0.01] {
                let high = raise(|x| x - root, short * root);
                assert!(high >= root && high < 2.0 * root, "{root} {high}");
            }
            // no further than needed
            assert_eq!(raise(|x| x - root, root), root);
            assert_eq!(raise(|x| x - root, 3.0 * root), 3.0 * root);
        }
        // zero is raised as well, and a function without a root ends
        let high = raise(|x| x - 1e-300, 0.0);
        assert!((1e-300..2e-300).contains(&high), "{high}");
        assert!(raise(|_| -1.0, 1.0) > 1e38);
    }
}
