//! Bodies on planes: sliding, rolling, bouncing and spinning down by Coulomb's law.

/// Acceleration of a block on an incline that starts at rest (O.28) \[m/s²\]: zero where it sticks.
///
/// Angle of the incline \[rad\], coefficient of friction \[-\], gravity \[m/s²\].
pub fn sliding_acceleration(slope: f64, friction: f64, gravity: f64) -> f64 {
    let (sine, cosine) = libm::sincos(slope);
    gravity * (sine - friction * cosine).max(0.0)
}

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

/// When a round body that starts to slide on level ground without spin begins to roll \[s\], its
/// speed then \[m/s\] and the way until then \[m\] (O.32).
pub fn slide_to_roll(share: f64, speed: f64, friction: f64, gravity: f64) -> [f64; 3] {
    let end = speed / (1.0 + share);
    let time = (speed - end) / (friction * gravity);
    [time, end, 0.5 * (speed + end) * time]
}

/// Height of the n-th top of a ball that falls from `height` \[m\] and keeps the share
/// `restitution` of its speed (O.33) \[m\].
pub fn bounce_top(height: f64, restitution: f64, bounce: i32) -> f64 {
    height * restitution.powi(2 * bounce)
}

/// Rate at which a disc that only spins slows down, standing on points of its rim (O.34)
/// \[rad/s²\].
pub fn rim_deceleration(radius: f64, friction: f64, gravity: f64) -> f64 {
    2.0 * friction * gravity / radius
}

/// Coefficient of friction from which on a leaning rod that slides on its tip has no force or two
/// (O.35) \[-\].
///
/// Angle above the horizontal \[rad\], in (0, π/2).
pub fn painleve_friction(angle: f64) -> f64 {
    let (sine, cosine) = libm::sincos(angle);
    (1.0 + 3.0 * cosine * cosine) / (3.0 * sine * cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stick_below_the_angle_of_friction() {
        assert_eq!(sliding_acceleration(libm::atan(0.5) - 1e-9, 0.5, 9.81), 0.0);
        assert!(sliding_acceleration(libm::atan(0.5) + 1e-3, 0.5, 9.81) > 0.0);
        let vertical = sliding_acceleration(std::f64::consts::FRAC_PI_2, 0.5, 9.81);
        assert!((vertical - 9.81).abs() < 1e-14);
    }

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
    fn a_ball_slides_two_sevenths_of_its_speed_away() {
        let [time, end, way] = slide_to_roll(0.4, 1.0, 0.3, 9.81);
        assert!((time - 0.097_082_7).abs() < 5e-8, "{time}");
        assert!((end - 5.0 / 7.0).abs() < 1e-15, "{end}");
        assert!((way - 0.083_213_7).abs() < 5e-8, "{way}");
    }

    #[test]
    fn the_smallest_critical_friction_is_four_thirds() {
        let least = painleve_friction(libm::atan(2.0));
        assert!((least - 4.0 / 3.0).abs() < 1e-14, "{least}");
        assert!(painleve_friction(1.0) > least && painleve_friction(1.2) > least);
        assert_eq!(bounce_top(2.0, 0.5, 3), 0.03125);
        assert!((rim_deceleration(0.5, 0.3, 10.0) - 12.0).abs() < 1e-14);
    }
}
