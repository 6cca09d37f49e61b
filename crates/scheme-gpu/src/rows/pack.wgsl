// `pack`: one thread per manifold writes its rows for a pass: steps from split masses (J.4, J.7), and for the biased pass the
// points that the frame follows. Siblings: `manifolds.rs` and `own.rs` of `pack`, `freeze.rs`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> placed: array<Placed>;
// friction and restitution of pairs of surfaces
@group(0) @binding(2) var<storage, read> surfaces: array<vec2<f32>>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(3) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> shares: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> heads: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> numbers: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> contacts: array<FollowedContact>;

// The two bodies at a point: masses, factors of the step rule, arms.
struct Sides {
    mass_a: Mass,
    mass_b: Mass,
    factor_a: f32,
    factor_b: f32,
    arm_a: vec3<f32>,
    arm_b: vec3<f32>,
}

fn mass_of(body: u32) -> Mass {
    let first = MASS_QUADS * body;
    return Mass(bodies[first], bodies[first + 1u], bodies[first + 2u]);
}

fn share_of(body: u32) -> f32 {
    return select(shares[body].x, shares[body].y, RELAXED);
}

// x M⁻¹ y of impulses along two directions at an arm.
fn between_rows(mass: Mass, arm: vec3<f32>, x: vec3<f32>, y: vec3<f32>) -> f32 {
    let turned_y = moved_angular(mass, cross3(arm, y));
    return dot3(x, moved_linear(mass, y)) + dot3(cross3(arm, x), turned_y);
}

// Entry of D.
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

// One step for rows that their law couples: mean and spread of the eigenvalues, from squares that nothing is taken from.
fn steps_of(sides: Sides, n: vec3<f32>, t: vec3<f32>, s: vec3<f32>) -> vec3<f32> {
    let d = vec3<f32>(entry(sides, n, n), entry(sides, t, t), entry(sides, s, s));
    if header.law == FRICTIONLESS {
        return vec3<f32>(inverse(d.x), 0.0, 0.0);
    }
    if header.law == DISC {
        let half = 0.5 * (d.y - d.z);
        let across = entry(sides, t, s);
        let step = inverse(0.5 * (d.y + d.z) + sqrt(half * half + across * across));
        return vec3<f32>(inverse(d.x), step, step);
    }
    if header.law == CONE {
        let mean = (d.x + d.y + d.z) / 3.0;
        let off = d - vec3<f32>(mean);
        let across = vec3<f32>(entry(sides, n, t), entry(sides, n, s), entry(sides, t, s));
        let square = (dot3(off, off) + 2.0 * dot3(across, across)) / 3.0;
        return vec3<f32>(inverse(mean + sqrt(2.0 * square)));
    }
    return vec3<f32>(inverse(d.x), inverse(d.y), inverse(d.z));
}

fn follow(index: u32, local: u32, diagonal: f32, step: f32) {
    let first = placed[index].first + local;
    let quads = FRAME_QUADS + POINT_QUADS * local;
    let target_quad = first_quad(index, placed[index].first) + quad_stride() * quads;
    let rate = select(header.rate, header.fixed_rate, placed[index].fixed == 1u);
    let compliance = diagonal * select(header.soft, header.fixed_soft, placed[index].fixed == 1u);
    var closed = 0.0;
    if step > 0.0 {
        closed = 1.0 / (1.0 / step + compliance * header.inverse_omega);
    }
    let anchor = placed[index].anchors[local].xyz;
    contacts[first] = FollowedContact(
        placed[index].a,
        placed[index].b,
        target_quad,
        first_impulse(index, placed[index].first, local),
        placed[index].normal,
        placed[index].arms[local].w,
        placed[index].between + anchor,
        rate,
        anchor,
        compliance,
        step,
        closed,
        0.0,
        0.0,
    );
}

fn visit_manifold(index: u32) {
    let a = placed[index].a;
    let b = placed[index].b;
    let first = placed[index].first;
    let count = placed[index].count;
    let near = placed[index].near;
    let between = placed[index].between;
    let n = placed[index].normal;
    let t = placed[index].tangent;
    let s = cross3(n, t);
    let solved = rows_of_point(RELAXED, header.law);
    let rows = solved * countOneBits(near);
    var sides: Sides;
    sides.mass_a = mass_of(a);
    sides.mass_b = mass_of(b);
    sides.factor_a = factor_of(share_of(a), share_of(b), rows);
    sides.factor_b = factor_of(share_of(b), share_of(a), rows);
    let at = first_quad(index, first);
    let stride = quad_stride();
    numbers[at] = vec4<f32>(n, surfaces[placed[index].surfaces].x);
    numbers[at + stride] = vec4<f32>(t, sides.factor_a);
    numbers[at + 2u * stride] = vec4<f32>(between, sides.factor_b);
    var flags = count | (header.law << 4u);
    for (var local = 0u; local < count; local = local + 1u) {
        if is_near(near, local) {
            flags = flags | (solved << (16u + 2u * local));
        }
        sides.arm_b = placed[index].arms[local].xyz;
        sides.arm_a = between + sides.arm_b;
        let steps = steps_of(sides, n, t, s);
        let quad = at + stride * (FRAME_QUADS + POINT_QUADS * local);
        numbers[quad] = vec4<f32>(sides.arm_b, 0.0);
        numbers[quad + stride] = vec4<f32>(steps, 0.0);
        if !RELAXED {
            let own_a = between_rows(sides.mass_a, sides.arm_a, n, n);
            let own_b = between_rows(sides.mass_b, sides.arm_b, n, n);
            follow(index, local, own_a + own_b, steps.x);
        }
    }
    heads[index] = vec4<u32>(first, flags, a, b);
}
