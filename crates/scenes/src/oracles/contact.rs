//! Bodies on planes: sliding, rolling and spinning down by Coulomb's law.

/// Distance after which a block that slides on level ground stops (O.29) \[m\].
pub fn stopping_distance(speed: f64, friction: f64, gravity: f64) -> f64 {
    0.5 * speed * speed / (friction * gravity)
}

/// The same for steps of `h` \[s\] that move with the new velocity (O.30) \[m\].
pub fn stopping_distance_in_steps(speed: f64, friction: f64, gravity: f64, h: f64) -> f64 {
    let slower = h * friction * gravity;
    let (mut speed, mut way) = (speed, 0.0);
    while speed > slower {
        speed -= slower;
        way += h * speed;
    }
    way
}

/// Accelerations of a round body down an incline \[m/s²\] and of its rotation times its radius
/// \[m/s²\] (O.31); equal where it rolls.
///
/// `share` is I/(m r²): 2/5 for a ball, 1/2 for a cylinder, 1 for a hoop \[-\].
pub fn rolling_accelerations(share: f64, slope: f64, friction: f64, gravity: f64) -> [f64; 2] {
    let (sine, cosine) = libm::sincos(slope);
    let rolling = gravity * sine / (1.0 + share);
    if share * rolling <= friction * gravity * cosine {
        return [rolling; 2];
    }
    let spinning = friction * gravity * cosine / share;
    [gravity * (sine - friction * cosine), spinning]
}

/// Rate at which a disc that only spins slows down, standing on points of its rim (O.34)
/// \[rad/s²\].
pub fn rim_deceleration(radius: f64, friction: f64, gravity: f64) -> f64 {
    2.0 * friction * gravity / radius
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stop_half_a_step_earlier() {
        let exact = stopping_distance(10.0, 0.5, 9.81);
        assert!((exact - 10.193_680).abs() < 5e-7, "{exact}");
        let (h, gravity) = (1.0 / 60.0, 9.81);
        let stepped = stopping_distance_in_steps(10.0, 0.5, gravity, h);
        assert!((stepped - 10.110_496).abs() < 5e-6, "{stepped}");
        // a whole number of steps: short by v h/2 exactly
        let speed = 100.0 * h * 0.5 * gravity;
        let short = stopping_distance(speed, 0.5, gravity)
            - stopping_distance_in_steps(speed, 0.5, gravity, h);
        assert!((short - 0.5 * speed * h).abs() < 1e-12, "{short}");
    }

    #[test]
    fn round_bodies_roll_up_to_an_angle() {
        for (share, part, limit) in [
            (0.4, 5.0 / 7.0, 3.5),
            (0.5, 2.0 / 3.0, 3.0),
            (1.0, 0.5, 2.0),
        ] {
            let friction = 0.2;
            let angle = libm::atan(limit * friction);
            let [along, around] = rolling_accelerations(share, angle - 1e-9, friction, 1.0);
            assert_eq!(along, around);
            assert!((along - part * libm::sin(angle)).abs() < 1e-8);
            let [along, around] = rolling_accelerations(share, angle + 0.1, friction, 1.0);
            assert!(along > around);
        }
    }

    #[test]
    fn a_disc_stands_on_its_rim() {
        assert!((rim_deceleration(0.5, 0.3, 10.0) - 12.0).abs() < 1e-14);
    }
}
