// The step of one manifold: updates its points and writes its two wrenches. Twin: `manifolds.rs`.
//
// The shader around it says where its numbers lie: `manifold_head`, `first_quad`, `QUAD_STRIDE`, `manifold_quad`,
// `extra_quad`, `point_slot`, `body_quad`, `linear_of`, `angular_of`, `old_point`, `other_point`, `set_point`, `set_wrench`, `settle`, `momentum_…`, `IN_PLACE`.

// The bodies as the thread sees them: velocities, and inverse masses with the factors of the step rule.
struct Sides {
    linear_a: vec3<f32>,
    angular_a: vec3<f32>,
    linear_b: vec3<f32>,
    angular_b: vec3<f32>,
    mass_a: Mass,
    mass_b: Mass,
    factor_a: f32,
    factor_b: f32,
}

// One point and the frame of its manifold.
struct Point {
    n: vec3<f32>,
    t: vec3<f32>,
    s: vec3<f32>,
    arm_a: vec3<f32>,
    arm_b: vec3<f32>,
    bias: vec3<f32>,
    compliance: vec3<f32>,
    step: vec3<f32>,
    law: u32,
    mu: f32,
    limit: f32,
    solved: u32,
}

fn mass_of(body: u32) -> Mass {
    let first = MASS_QUADS * body;
    return Mass(body_quad(first), body_quad(first + 1u), body_quad(first + 2u));
}

fn load_sides(a: u32, b: u32, factor_a: f32, factor_b: f32) -> Sides {
    var sides: Sides;
    sides.linear_a = linear_of(a);
    sides.angular_a = angular_of(a);
    sides.linear_b = linear_of(b);
    sides.angular_b = angular_of(b);
    if SEQUENTIAL {
        sides.mass_a = mass_of(a);
        sides.mass_b = mass_of(b);
    }
    sides.factor_a = factor_a;
    sides.factor_b = factor_b;
    return sides;
}

// w of one row: J v + bias + R λ.
fn shifted(
    sides: ptr<function, Sides>,
    point: ptr<function, Point>,
    direction: vec3<f32>,
    offset: f32,
) -> f32 {
    let at_a = (*sides).linear_a + cross3((*sides).angular_a, (*point).arm_a);
    let at_b = (*sides).linear_b + cross3((*sides).angular_b, (*point).arm_b);
    return dot3(direction, at_b - at_a) + offset;
}

fn offset_n(point: ptr<function, Point>, impulse: f32) -> f32 {
    return (*point).bias.x + (*point).compliance.x * impulse;
}

fn offset_t(point: ptr<function, Point>, impulse: f32) -> f32 {
    return (*point).bias.y + (*point).compliance.y * impulse;
}

fn offset_s(point: ptr<function, Point>, impulse: f32) -> f32 {
    return (*point).bias.z + (*point).compliance.z * impulse;
}

// Velocities follow an impulse at a point, with the split masses.
fn push(sides: ptr<function, Sides>, point: ptr<function, Point>, impulse: vec3<f32>) {
    if SEQUENTIAL {
        let turn_a = cross3((*point).arm_a, impulse);
        let factor_a = (*sides).factor_a;
        (*sides).linear_a = (*sides).linear_a - factor_a * moved_linear((*sides).mass_a, impulse);
        (*sides).angular_a = (*sides).angular_a - factor_a * moved_angular((*sides).mass_a, turn_a);
        let turn_b = cross3((*point).arm_b, impulse);
        let factor_b = (*sides).factor_b;
        (*sides).linear_b = (*sides).linear_b + factor_b * moved_linear((*sides).mass_b, impulse);
        (*sides).angular_b = (*sides).angular_b + factor_b * moved_angular((*sides).mass_b, turn_b);
    }
}

// An impulse in world axes.
fn along(point: ptr<function, Point>, x: vec3<f32>) -> vec3<f32> {
    return (x.x * (*point).n + x.y * (*point).t) + x.z * (*point).s;
}

// λ_{k−1} + ω (x − λ_{k−1}): the Chebyshev step.
fn relax(before: f32, x: f32, weight: f32) -> f32 {
    if weight == 1.0 {
        return x;
    }
    return before + weight * (x - before);
}

fn relax3(before: vec3<f32>, x: vec3<f32>, weight: f32) -> vec3<f32> {
    return vec3<f32>(
        relax(before.x, x.x, weight),
        relax(before.y, x.y, weight),
        relax(before.z, x.z, weight),
    );
}

// Where a point steps from: y, λ_{k−1} and the Chebyshev weight.
struct From {
    y: vec3<f32>,
    before: vec3<f32>,
    weight: f32,
}

fn step_cone(sides: ptr<function, Sides>, point: ptr<function, Point>, start: From) -> vec3<f32> {
    let y = start.y;
    let w_n = shifted(sides, point, (*point).n, offset_n(point, y.x));
    let w_t = shifted(sides, point, (*point).t, offset_t(point, y.y));
    let w_s = shifted(sides, point, (*point).s, offset_s(point, y.z));
    let free = y - (*point).step * vec3<f32>(w_n, w_t, w_s);
    var fresh = cone(free, (*point).mu);
    if start.weight != 1.0 {
        fresh = cone(relax3(start.before, fresh, start.weight), (*point).mu);
    }
    push(sides, point, along(point, fresh - y));
    return fresh;
}

// Both tangents in their box, one after the other.
fn step_box(
    sides: ptr<function, Sides>,
    point: ptr<function, Point>,
    start: From,
    limit: f32,
) -> vec2<f32> {
    let y = start.y;
    let w_t = shifted(sides, point, (*point).t, offset_t(point, y.y));
    var t = clamped(y.y - (*point).step.y * w_t, -limit, limit);
    t = clamped(relax(start.before.y, t, start.weight), -limit, limit);
    push(sides, point, (t - y.y) * (*point).t);
    let w_s = shifted(sides, point, (*point).s, offset_s(point, y.z));
    var s = clamped(y.z - (*point).step.z * w_s, -limit, limit);
    s = clamped(relax(start.before.z, s, start.weight), -limit, limit);
    push(sides, point, (s - y.z) * (*point).s);
    return vec2<f32>(t, s);
}

// Both tangents in their disc.
fn step_disc(
    sides: ptr<function, Sides>,
    point: ptr<function, Point>,
    start: From,
    radius: f32,
) -> vec2<f32> {
    let y = start.y;
    let w_t = shifted(sides, point, (*point).t, offset_t(point, y.y));
    let w_s = shifted(sides, point, (*point).s, offset_s(point, y.z));
    let t = y.y - (*point).step.y * w_t;
    let s = y.z - (*point).step.z * w_s;
    var fresh = disc(t, s, radius);
    if start.weight != 1.0 {
        let far_t = relax(start.before.y, fresh.x, start.weight);
        let far_s = relax(start.before.z, fresh.y, start.weight);
        fresh = disc(far_t, far_s, radius);
    }
    push(sides, point, along(point, vec3<f32>(0.0, fresh.x - y.y, fresh.y - y.z)));
    return fresh;
}

// The step of one point, friction bound from the fresh normal impulse.
fn step_point(sides: ptr<function, Sides>, point: ptr<function, Point>, start: From) -> vec3<f32> {
    let y = start.y;
    let law = (*point).law;
    let solved = (*point).solved;
    if law == CONE && solved == 3u {
        return step_cone(sides, point, start);
    }
    let w = shifted(sides, point, (*point).n, offset_n(point, y.x));
    var normal = larger(y.x - (*point).step.x * w, 0.0);
    normal = larger(relax(start.before.x, normal, start.weight), 0.0);
    push(sides, point, (normal - y.x) * (*point).n);
    if solved < 3u {
        return vec3<f32>(normal, y.y, y.z);
    }
    if law == FRICTIONLESS {
        push(sides, point, along(point, vec3<f32>(0.0, -y.y, -y.z)));
        return vec3<f32>(normal, 0.0, 0.0);
    }
    let radius = (*point).limit + (*point).mu * normal;
    if law == BOX {
        return vec3<f32>(normal, step_box(sides, point, start, radius));
    }
    return vec3<f32>(normal, step_disc(sides, point, start, radius));
}

struct ContactFrame {
    n: vec3<f32>,
    t: vec3<f32>,
    s: vec3<f32>,
    between: vec3<f32>,
    mu: f32,
    flags: u32,
}

fn load_point(frame: ContactFrame, at: u32, index: u32, point: u32) -> Point {
    let one = manifold_quad(at);
    let two = manifold_quad(at + QUAD_STRIDE);
    var loaded: Point;
    loaded.n = frame.n;
    loaded.t = frame.t;
    loaded.s = frame.s;
    loaded.arm_a = one.xyz + frame.between;
    loaded.arm_b = one.xyz;
    loaded.bias = vec3<f32>(one.w, 0.0, 0.0);
    loaded.compliance = vec3<f32>(two.w, 0.0, 0.0);
    loaded.step = two.xyz;
    loaded.law = (frame.flags >> 4u) & 15u;
    loaded.mu = frame.mu;
    loaded.limit = 0.0;
    loaded.solved = (frame.flags >> (16u + 2u * index)) & 3u;
    if (frame.flags & EXTRA) != 0u {
        let limits = extra_quad(2u * point);
        let soft = extra_quad(2u * point + 1u);
        loaded.limit = limits.x;
        loaded.bias = vec3<f32>(one.w, limits.y, limits.z);
        loaded.compliance = vec3<f32>(two.w, soft.y, soft.z);
    }
    return loaded;
}

// The sums of one point's rows: (y − λ_{k+1}) D (λ_{k+1} − λ_k) and (λ_{k+1} − y)² D. A row that nothing moves has no step.
fn add_row(sum: vec2<f32>, y: f32, fresh: f32, old: f32, step: f32) -> vec2<f32> {
    if step == 0.0 {
        return sum;
    }
    let gradient = (y - fresh) / step;
    return vec2<f32>(sum.x + gradient * (fresh - old), sum.y + gradient * (y - fresh));
}

// y = λ_k + β (λ_k − λ_{k−1}) of the rows of a point that are solved for, λ_k of the others.
fn start_of(slot: u32, solved: u32) -> vec3<f32> {
    let old = old_point(slot);
    if !MOMENTUM || !STEPS || solved == 0u {
        return old;
    }
    let ahead = old + momentum_beta() * (old - other_point(slot));
    if solved < 3u {
        return vec3<f32>(ahead.x, old.y, old.z);
    }
    return ahead;
}

// The sums of a point that moved from `y` to `fresh`.
fn point_sum(sum: vec2<f32>, point: Point, slot: u32, y: vec3<f32>, fresh: vec3<f32>) -> vec2<f32> {
    if point.solved == 0u {
        return sum;
    }
    let old = old_point(slot);
    var added = add_row(sum, y.x, fresh.x, old.x, point.step.x);
    if point.solved == 3u {
        added = add_row(added, y.y, fresh.y, old.y, point.step.y);
        added = add_row(added, y.z, fresh.z, old.z, point.step.z);
    }
    return added;
}

// λ of the points of the thread's manifold, as the sweeps leave them, and y, which they start from.
var<private> fresh_points: array<vec3<f32>, MAX_POINTS>;
var<private> start_points: array<vec3<f32>, MAX_POINTS>;

// The sweeps over the points, forwards and then backwards.
fn sweep_points(sides: ptr<function, Sides>, frame: ContactFrame, at: u32, index: u32) {
    let head = manifold_head(index);
    let first = head.x;
    let count = head.y & 15u;
    let passes = select(1u, PASSES, SEQUENTIAL);
    var weight = 1.0;
    if MOMENTUM {
        weight = momentum_weight();
    }
    for (var turn = 0u; turn < passes * count; turn = turn + 1u) {
        let round = turn / count;
        let within = turn - round * count;
        let local = select(within, count - 1u - within, round % 2u == 1u);
        var point = load_point(frame, at + QUAD_STRIDE * POINT_QUADS * local, local, first + local);
        if point.solved > 0u {
            let y = fresh_points[local];
            var before = y;
            if MOMENTUM && weight != 1.0 {
                before = other_point(point_slot(index, first, local));
            }
            fresh_points[local] = step_point(sides, &point, From(y, before, weight));
        }
    }
}

fn update_manifold(index: u32) -> vec2<f32> {
    let head = manifold_head(index);
    let first = head.x;
    let count = head.y & 15u;
    let at = first_quad(index, first);
    let one = manifold_quad(at);
    let two = manifold_quad(at + QUAD_STRIDE);
    let three = manifold_quad(at + 2u * QUAD_STRIDE);
    let frame = ContactFrame(one.xyz, two.xyz, cross3(one.xyz, two.xyz), three.xyz, one.w, head.y);
    var sides = load_sides(head.z & ~FIXED, head.w & ~FIXED, two.w, three.w);
    for (var local = 0u; local < count; local = local + 1u) {
        let solved = (head.y >> (16u + 2u * local)) & 3u;
        let y = start_of(point_slot(index, first, local), solved);
        start_points[local] = y;
        fresh_points[local] = y;
    }
    let first_point = at + QUAD_STRIDE * FRAME_QUADS;
    if STEPS {
        sweep_points(&sides, frame, first_point, index);
    }
    var sum = vec2<f32>(0.0);
    var force_a = vec3<f32>(0.0);
    var torque_a = vec3<f32>(0.0);
    var force_b = vec3<f32>(0.0);
    var torque_b = vec3<f32>(0.0);
    for (var local = 0u; local < count; local = local + 1u) {
        let quad = first_point + QUAD_STRIDE * POINT_QUADS * local;
        var point = load_point(frame, quad, local, first + local);
        let slot = point_slot(index, first, local);
        let fresh = fresh_points[local];
        if STEPS {
            sum = point_sum(sum, point, slot, start_points[local], fresh);
        }
        set_point(slot, fresh);
        let impulse = along(&point, fresh);
        force_a = force_a - impulse;
        torque_a = torque_a - cross3(point.arm_a, impulse);
        force_b = force_b + impulse;
        torque_b = torque_b + cross3(point.arm_b, impulse);
    }
    if IN_PLACE {
        settle(head.z, sides.linear_a, sides.angular_a);
        settle(head.w, sides.linear_b, sides.angular_b);
        return sum;
    }
    if (head.z & FIXED) == 0u {
        set_wrench(2u * index, force_a, torque_a);
    }
    if (head.w & FIXED) == 0u {
        set_wrench(2u * index + 1u, force_b, torque_b);
    }
    return sum;
}
