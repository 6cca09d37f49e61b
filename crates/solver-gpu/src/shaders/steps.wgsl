// Steps of the rows of a contact point from split masses (J.4, J.7). Twin: `steps.rs`.

// The two bodies at a point: masses, factors of the step rule, arms.
struct Sides {
    mass_a: Mass,
    mass_b: Mass,
    factor_a: f32,
    factor_b: f32,
    arm_a: vec3<f32>,
    arm_b: vec3<f32>,
}

// x M⁻¹ y of impulses along two directions at an arm.
fn between_rows(mass: Mass, arm: vec3<f32>, x: vec3<f32>, y: vec3<f32>) -> f32 {
    let turned_y = moved_angular(mass, cross3(arm, y));
    return dot3(x, moved_linear(mass, y)) + dot3(cross3(arm, x), turned_y);
}

// Entry of D without compliance.
fn entry(sides: Sides, x: vec3<f32>, y: vec3<f32>) -> f32 {
    let a = sides.factor_a * between_rows(sides.mass_a, sides.arm_a, x, y);
    return a + sides.factor_b * between_rows(sides.mass_b, sides.arm_b, x, y);
}

fn inverse(x: f32) -> f32 {
    if x > 0.0 {
        return 1.0 / x;
    }
    return 0.0;
}

// One step for rows that their law couples: mean and spread of the eigenvalues, from squares that nothing is taken from (K.45).
// `soft` is R/ω of the rows.
fn steps_of(sides: Sides, law: u32, soft: vec3<f32>, n: vec3<f32>, t: vec3<f32>, s: vec3<f32>) -> vec3<f32> {
    let d = vec3<f32>(entry(sides, n, n), entry(sides, t, t), entry(sides, s, s)) + soft;
    if law == DISC {
        let half = 0.5 * (d.y - d.z);
        let across = entry(sides, t, s);
        let step = inverse(0.5 * (d.y + d.z) + sqrt(half * half + across * across));
        return vec3<f32>(inverse(d.x), step, step);
    }
    if law == CONE {
        let mean = (d.x + d.y + d.z) / 3.0;
        let off = d - vec3<f32>(mean);
        let across = vec3<f32>(entry(sides, n, t), entry(sides, n, s), entry(sides, t, s));
        let square = (dot3(off, off) + 2.0 * dot3(across, across)) / 3.0;
        return vec3<f32>(inverse(mean + sqrt(2.0 * square)));
    }
    return vec3<f32>(inverse(d.x), inverse(d.y), inverse(d.z));
}
