// The step of one unit: updates its row blocks and writes a wrench for each of its bodies. Twin: `rows.rs`.
//
// The shader around it says where its numbers lie: `unit_head`, `unit_quad`, `body_quad`, `linear_of`, `angular_of`,
// `old_row`, `other_row`, `set_row`, `work_row`, `set_work`, `set_wrench`, `settle`, `unit_count`, `first_slot`, `first_slot_head`,
// `momentum_…`, `IN_PLACE`, `PASSES`.

// The unit that the thread works on.
var<private> linear: array<vec3<f32>, MAX_SIDES>;
var<private> angular: array<vec3<f32>, MAX_SIDES>;
var<private> sequential: bool;
var<private> slots: u32;
var<private> sides: u32;
var<private> sum: vec2<f32>;

struct Block {
    first: u32,
    rows: u32,
    solved: u32,
    law: u32,
    numbers: u32,
    // bounds or limit, friction coefficient, number of normals
    lower: f32,
    upper: f32,
    mu: f32,
    normals: u32,
}

// y = λ_k + β (λ_k − λ_{k−1}) of a packed row that is solved for.
fn start(row: u32) -> f32 {
    let old = old_row(row);
    if MOMENTUM {
        return old + momentum_beta() * (old - other_row(row));
    }
    return old;
}

// Bias, R, step and lever of a row.
fn row_numbers(block: Block, local: u32) -> vec4<f32> {
    return unit_quad(block.numbers + 1u + local);
}

// First quad of the Jacobian of a row.
fn jacobian(block: Block, local: u32) -> u32 {
    return block.numbers + 1u + block.rows + 2u * sides * local;
}

fn body_of(side: u32) -> u32 {
    return unit_head(slots + side).x;
}

// w = J v + bias + R λ of one row.
fn row_shifted(block: Block, local: u32, impulse: f32) -> f32 {
    let at = jacobian(block, local);
    var along = 0.0;
    for (var side = 0u; side < sides; side = side + 1u) {
        var v: vec3<f32>;
        var w: vec3<f32>;
        if sequential {
            v = linear[side];
            w = angular[side];
        } else {
            let body = body_of(side) & ~FIXED;
            v = linear_of(body);
            w = angular_of(body);
        }
        along = along + dot3(unit_quad(at + 2u * side).xyz, v);
        along = along + dot3(unit_quad(at + 2u * side + 1u).xyz, w);
    }
    let row = row_numbers(block, local);
    return along + (row.x + row.y * impulse);
}

// λ − step w, not yet projected.
fn free_impulse(block: Block, local: u32) -> f32 {
    let y = work_row(block.first + local);
    return y - row_numbers(block, local).z * row_shifted(block, local, y);
}

// Stores a fresh impulse; velocities follow with the split masses.
fn put(block: Block, local: u32, value: f32) {
    let row = block.first + local;
    let change = value - work_row(row);
    set_work(row, value);
    if !sequential {
        return;
    }
    let at = jacobian(block, local);
    for (var side = 0u; side < sides; side = side + 1u) {
        let push = unit_quad(at + 2u * side);
        let turn = unit_quad(at + 2u * side + 1u);
        let first = MASS_QUADS * (body_of(side) & ~FIXED);
        let mass = Mass(body_quad(first), body_quad(first + 1u), body_quad(first + 2u));
        let size = push.w * change;
        linear[side] = linear[side] + size * moved_linear(mass, push.xyz);
        angular[side] = angular[side] + size * moved_angular(mass, turn.xyz);
    }
}

// True if there is a Chebyshev step, after which impulses are projected once more.
fn is_relaxed() -> bool {
    return MOMENTUM && momentum_weight() != 1.0;
}

// λ_{k−1} + ω (x − λ_{k−1}): the Chebyshev step of a row.
fn relaxed(block: Block, local: u32, value: f32) -> f32 {
    if MOMENTUM {
        let weight = momentum_weight();
        if weight != 1.0 {
            let before = other_row(block.first + local);
            return before + weight * (value - before);
        }
    }
    return value;
}

// One row in [lower, upper].
fn put_clamped(block: Block, local: u32, lower: f32, upper: f32) {
    let value = clamped(free_impulse(block, local), lower, upper);
    put(block, local, clamped(relaxed(block, local, value), lower, upper));
}

fn put_normal(block: Block, local: u32) {
    let value = larger(free_impulse(block, local), 0.0);
    put(block, local, larger(relaxed(block, local, value), 0.0));
}

// Two rows in a disc.
fn put_disc(block: Block, local: u32, radius: f32) {
    let t = free_impulse(block, local);
    let s = free_impulse(block, local + 1u);
    var fresh = disc(t, s, radius);
    if is_relaxed() {
        let far_t = relaxed(block, local, fresh.x);
        let far_s = relaxed(block, local + 1u, fresh.y);
        fresh = disc(far_t, far_s, radius);
    }
    put(block, local, fresh.x);
    put(block, local + 1u, fresh.y);
}

// Two or three rows in the cone.
fn put_cone(block: Block) {
    let spatial = block.solved == 3u;
    var free = vec3<f32>(free_impulse(block, 0u), free_impulse(block, 1u), 0.0);
    if spatial {
        free.z = free_impulse(block, 2u);
    }
    var fresh = cone(free, block.mu);
    if is_relaxed() {
        var far = vec3<f32>(relaxed(block, 0u, fresh.x), relaxed(block, 1u, fresh.y), 0.0);
        if spatial {
            far.z = relaxed(block, 2u, fresh.z);
        }
        fresh = cone(far, block.mu);
    }
    put(block, 0u, fresh.x);
    put(block, 1u, fresh.y);
    if spatial {
        put(block, 2u, fresh.z);
    }
}

// Normals, tangents in the disc μ Σλ_n, twist in μ Σ lever λ_n.
fn put_patch(block: Block) {
    for (var local = 0u; local < block.normals; local = local + 1u) {
        put_normal(block, local);
    }
    if block.solved > block.normals {
        var load = 0.0;
        var moment = 0.0;
        for (var local = 0u; local < block.normals; local = local + 1u) {
            let value = work_row(block.first + local);
            load = load + value;
            moment = moment + row_numbers(block, local).w * value;
        }
        put_disc(block, block.normals, block.mu * load);
        let limit = block.mu * moment;
        put_clamped(block, block.normals + 2u, -limit, limit);
    }
}

// Friction rows of one contact, bounded by its fresh normal impulse.
fn put_tangents(block: Block) {
    let normal = work_row(block.first);
    if block.law == DISC && block.solved == 3u {
        put_disc(block, 1u, block.mu * normal);
        return;
    }
    for (var local = 1u; local < block.solved; local = local + 1u) {
        if block.law == FRICTIONLESS {
            put(block, local, 0.0);
        } else {
            // the limit of a fixed box lies where a lower bound does
            let limit = block.lower + block.mu * normal;
            put_clamped(block, local, -limit, limit);
        }
    }
}

fn put_block(block: Block, backwards: bool) {
    if block.law == FREE || block.law == BOUNDS {
        for (var turn = 0u; turn < block.solved; turn = turn + 1u) {
            let local = select(turn, block.solved - 1u - turn, backwards);
            if block.law == FREE {
                put(block, local, relaxed(block, local, free_impulse(block, local)));
            } else {
                put_clamped(block, local, block.lower, block.upper);
            }
        }
    } else if block.law == PATCH {
        put_patch(block);
    } else if block.law == CONE && block.solved > 1u {
        put_cone(block);
    } else {
        put_normal(block, 0u);
        put_tangents(block);
    }
}

fn load_block(index: u32) -> Block {
    let head = unit_head(index);
    let law = unit_quad(head.w);
    return Block(
        head.x, head.y, head.z >> 8u, head.z & 255u, head.w, law.x, law.y, law.z, u32(law.w),
    );
}

// Jᵀλ_{k+1} of a unit on one of its bodies.
fn write_wrench(first: u32, count: u32, slot: u32, side: u32) {
    var force = vec3<f32>(0.0);
    var torque = vec3<f32>(0.0);
    for (var index = first; index < first + count; index = index + 1u) {
        let block = load_block(index);
        for (var local = 0u; local < block.rows; local = local + 1u) {
            let at = jacobian(block, local) + 2u * side;
            let impulse = work_row(block.first + local);
            force = force + impulse * unit_quad(at).xyz;
            torque = torque + impulse * unit_quad(at + 1u).xyz;
        }
    }
    set_wrench(slot + side, force, torque);
}

// y of the rows that are solved for, λ_k of the others.
fn begin(block: Block) {
    for (var local = 0u; local < block.rows; local = local + 1u) {
        let row = block.first + local;
        if STEPS && local < block.solved {
            set_work(row, start(row));
        } else {
            set_work(row, old_row(row));
        }
    }
}

// Sums over the rows that were solved for; λ_{k+1} takes the place of λ_{k−1}.
fn end(block: Block) {
    for (var local = 0u; local < block.rows; local = local + 1u) {
        let row = block.first + local;
        let value = work_row(row);
        let step = row_numbers(block, local).z;
        // a row that nothing moves has no step
        if STEPS && local < block.solved && step != 0.0 {
            let y = start(row);
            let gradient = (y - value) / step;
            let old = old_row(row);
            sum = vec2<f32>(sum.x + gradient * (value - old), sum.y + gradient * (y - value));
        }
        set_row(row, value);
    }
}

fn update_unit(unit: u32) {
    let head = unit_head(unit);
    let first = unit_count() + head.x;
    let count = head.y;
    let slot = head.z;
    sides = head.w;
    sequential = SEQUENTIAL && sides <= MAX_SIDES;
    slots = first_slot_head() + slot - first_slot();
    if sequential {
        for (var side = 0u; side < sides; side = side + 1u) {
            let body = body_of(side) & ~FIXED;
            linear[side] = linear_of(body);
            angular[side] = angular_of(body);
        }
    }
    for (var index = first; index < first + count; index = index + 1u) {
        begin(load_block(index));
    }
    let passes = select(1u, PASSES, sequential);
    if STEPS {
        for (var turn = 0u; turn < passes * count; turn = turn + 1u) {
            let round = turn / count;
            let within = turn - round * count;
            let backwards = round % 2u == 1u;
            let block = load_block(first + select(within, count - 1u - within, backwards));
            if block.solved > 0u {
                put_block(block, backwards);
            }
        }
    }
    for (var index = first; index < first + count; index = index + 1u) {
        end(load_block(index));
    }
    for (var side = 0u; side < sides; side = side + 1u) {
        if IN_PLACE {
            settle(body_of(side), linear[side], angular[side]);
        } else if (body_of(side) & FIXED) == 0u {
            write_wrench(first, count, slot, side);
        }
    }
}
