// `manifolds`: one thread per manifold updates its points and writes its two wrenches. Twin: `manifolds.rs`.

@group(0) @binding(0) var<storage, read> control: Control;
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
// frames and points of all manifolds, then the extras of the points
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> points: array<vec4<f32>>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(4) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> wrench: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec2<f32>>;

const FRAME_QUADS: u32 = 3u;
const POINT_QUADS: u32 = 2u;
// Flag of a head: the points have a limit, or tangents with bias or compliance.
const EXTRA: u32 = 256u;

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
    return Mass(bodies[first], bodies[first + 1u], bodies[first + 2u]);
}

fn load_sides(a: u32, b: u32, factor_a: f32, factor_b: f32) -> Sides {
    var sides: Sides;
    let first_a = BODY_QUADS * a;
    let first_b = BODY_QUADS * b;
    sides.linear_a = velocity[first_a].xyz;
    sides.angular_a = velocity[first_a + 1u].xyz;
    sides.linear_b = velocity[first_b].xyz;
    sides.angular_b = velocity[first_b + 1u].xyz;
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
    let far = relax3(start.before, cone(free, (*point).mu), start.weight);
    let fresh = cone(far, (*point).mu);
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
    let near = disc(t, s, radius);
    let far_t = relax(start.before.y, near.x, start.weight);
    let far_s = relax(start.before.z, near.y, start.weight);
    let fresh = disc(far_t, far_s, radius);
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

struct Frame {
    n: vec3<f32>,
    t: vec3<f32>,
    s: vec3<f32>,
    between: vec3<f32>,
    mu: f32,
    flags: u32,
}

fn load_point(frame: Frame, at: u32, index: u32, point: u32) -> Point {
    let one = numbers[at];
    let two = numbers[at + 1u];
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
        let place = control.first_extra + 2u * point;
        let limits = numbers[place];
        let soft = numbers[place + 1u];
        loaded.limit = limits.x;
        loaded.bias = vec3<f32>(one.w, limits.y, limits.z);
        loaded.compliance = vec3<f32>(two.w, soft.y, soft.z);
    }
    return loaded;
}

// The sums of one point's rows: (y − λ_{k+1}) D (λ_{k+1} − λ_k) and (λ_{k+1} − y)² D.
fn add_row(sum: vec2<f32>, y: f32, fresh: f32, old: f32, step: f32) -> vec2<f32> {
    let gradient = (y - fresh) / step;
    return vec2<f32>(sum.x + gradient * (fresh - old), sum.y + gradient * (y - fresh));
}

// λ_{k+1} of one point, and its part of the sums.
fn update_point(
    sides: ptr<function, Sides>,
    point: ptr<function, Point>,
    index: u32,
    sum: ptr<function, vec2<f32>>,
) -> vec3<f32> {
    let half = control.points;
    let parity = control.parity;
    let old = points[parity * half + index].xyz;
    let solved = (*point).solved;
    if !STEPS || solved == 0u {
        return old;
    }
    var before = old;
    var y = old;
    var weight = 1.0;
    if MOMENTUM {
        before = points[(1u - parity) * half + index].xyz;
        y = old + control.state.beta * (old - before);
        weight = control.state.weight;
        if solved < 3u {
            y = vec3<f32>(y.x, old.y, old.z);
        }
    }
    let fresh = step_point(sides, point, From(y, before, weight));
    *sum = add_row(*sum, y.x, fresh.x, old.x, (*point).step.x);
    if solved == 3u {
        *sum = add_row(*sum, y.y, fresh.y, old.y, (*point).step.y);
        *sum = add_row(*sum, y.z, fresh.z, old.z, (*point).step.z);
    }
    return fresh;
}

fn update_manifold(index: u32) -> vec2<f32> {
    let head = heads[index];
    let first = head.x;
    let count = head.y & 15u;
    let at = FRAME_QUADS * index + POINT_QUADS * first;
    let one = numbers[at];
    let two = numbers[at + 1u];
    let three = numbers[at + 2u];
    let frame = Frame(one.xyz, two.xyz, cross3(one.xyz, two.xyz), three.xyz, one.w, head.y);
    var sides = load_sides(head.z & ~FIXED, head.w & ~FIXED, two.w, three.w);
    var sum = vec2<f32>(0.0);
    var force_a = vec3<f32>(0.0);
    var torque_a = vec3<f32>(0.0);
    var force_b = vec3<f32>(0.0);
    var torque_b = vec3<f32>(0.0);
    let target_half = (1u - control.parity) * control.points;
    for (var local = 0u; local < count; local = local + 1u) {
        let place = at + FRAME_QUADS + POINT_QUADS * local;
        var point = load_point(frame, place, local, first + local);
        let fresh = update_point(&sides, &point, first + local, &sum);
        points[target_half + first + local] = vec4<f32>(fresh, 0.0);
        let impulse = along(&point, fresh);
        force_a = force_a - impulse;
        torque_a = torque_a - cross3(point.arm_a, impulse);
        force_b = force_b + impulse;
        torque_b = torque_b + cross3(point.arm_b, impulse);
    }
    let slot = 4u * index;
    if (head.z & FIXED) == 0u {
        wrench[slot] = vec4<f32>(force_a, 0.0);
        wrench[slot + 1u] = vec4<f32>(torque_a, 0.0);
    }
    if (head.w & FIXED) == 0u {
        wrench[slot + 2u] = vec4<f32>(force_b, 0.0);
        wrench[slot + 3u] = vec4<f32>(torque_b, 0.0);
    }
    return sum;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    var sum = vec2<f32>(0.0);
    if index < control.manifolds {
        sum = update_manifold(index);
    }
    let total = chunk_sum(lane, sum);
    if lane % CHUNK == 0u && index < control.manifolds {
        sums[index / CHUNK] = total;
    }
}
