// `rows`: one thread per unit updates its row blocks and writes a wrench for each of its bodies. Twin: `rows.rs`.

@group(0) @binding(0) var<storage, read> control: Control;
// heads of the units, of the blocks and of the slots
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> impulses: array<f32>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(4) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> wrench: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec2<f32>>;

// Bodies of a unit whose rows are swept one after the other.
const MAX_SIDES: u32 = 4u;

// The unit that the thread works on.
var<private> linear: array<vec3<f32>, 4>;
var<private> angular: array<vec3<f32>, 4>;
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

// λ_k of a packed row.
fn old_impulse(row: u32) -> f32 {
    return impulses[4u * control.parity * control.row_quads + row];
}

// λ_{k−1} before the row is put, λ_{k+1} after.
fn other_impulse(row: u32) -> f32 {
    return impulses[4u * (1u - control.parity) * control.row_quads + row];
}

fn set_impulse(row: u32, value: f32) {
    impulses[4u * (1u - control.parity) * control.row_quads + row] = value;
}

// y = λ_k + β (λ_k − λ_{k−1}) of a packed row that is not put yet.
fn start(row: u32) -> f32 {
    let old = old_impulse(row);
    if MOMENTUM {
        return old + control.state.beta * (old - other_impulse(row));
    }
    return old;
}

// Bias, R, step and lever of a row.
fn row_numbers(block: Block, local: u32) -> vec4<f32> {
    return numbers[block.numbers + 1u + local];
}

// First quad of the Jacobian of a row.
fn jacobian(block: Block, local: u32) -> u32 {
    return block.numbers + 1u + block.rows + 2u * sides * local;
}

fn body_of(side: u32) -> u32 {
    return heads[slots + side].x;
}

// w = J v + bias + R λ of one row.
fn shifted(block: Block, local: u32, impulse: f32) -> f32 {
    let at = jacobian(block, local);
    var along = 0.0;
    for (var side = 0u; side < sides; side = side + 1u) {
        var v: vec3<f32>;
        var w: vec3<f32>;
        if sequential {
            v = linear[side];
            w = angular[side];
        } else {
            let first = BODY_QUADS * (body_of(side) & ~FIXED);
            v = velocity[first].xyz;
            w = velocity[first + 1u].xyz;
        }
        along = along + dot3(numbers[at + 2u * side].xyz, v);
        along = along + dot3(numbers[at + 2u * side + 1u].xyz, w);
    }
    let row = row_numbers(block, local);
    return along + (row.x + row.y * impulse);
}

// λ − step w, not yet projected.
fn free_impulse(block: Block, local: u32) -> f32 {
    let y = start(block.first + local);
    return y - row_numbers(block, local).z * shifted(block, local, y);
}

// Stores a fresh impulse; velocities follow with the split masses.
fn put(block: Block, local: u32, value: f32) {
    let row = block.first + local;
    let y = start(row);
    let old = old_impulse(row);
    let gradient = (y - value) / row_numbers(block, local).z;
    sum = vec2<f32>(sum.x + gradient * (value - old), sum.y + gradient * (y - value));
    set_impulse(row, value);
    if !sequential {
        return;
    }
    let change = value - y;
    let at = jacobian(block, local);
    for (var side = 0u; side < sides; side = side + 1u) {
        let push = numbers[at + 2u * side];
        let turn = numbers[at + 2u * side + 1u];
        let first = MASS_QUADS * (body_of(side) & ~FIXED);
        let mass = Mass(bodies[first], bodies[first + 1u], bodies[first + 2u]);
        let size = push.w * change;
        linear[side] = linear[side] + size * moved_linear(mass, push.xyz);
        angular[side] = angular[side] + size * moved_angular(mass, turn.xyz);
    }
}

// λ_{k−1} + ω (x − λ_{k−1}): the Chebyshev step of a row.
fn relaxed(block: Block, local: u32, value: f32) -> f32 {
    if MOMENTUM {
        let weight = control.state.weight;
        if weight != 1.0 {
            let before = other_impulse(block.first + local);
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
    let near = disc(t, s, radius);
    let far_t = relaxed(block, local, near.x);
    let far_s = relaxed(block, local + 1u, near.y);
    let fresh = disc(far_t, far_s, radius);
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
    let near = cone(free, block.mu);
    var far = vec3<f32>(relaxed(block, 0u, near.x), relaxed(block, 1u, near.y), 0.0);
    if spatial {
        far.z = relaxed(block, 2u, near.z);
    }
    let fresh = cone(far, block.mu);
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
            let value = other_impulse(block.first + local);
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
    let normal = other_impulse(block.first);
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

fn put_block(block: Block) {
    if block.law == FREE {
        for (var local = 0u; local < block.solved; local = local + 1u) {
            put(block, local, relaxed(block, local, free_impulse(block, local)));
        }
    } else if block.law == BOUNDS {
        for (var local = 0u; local < block.solved; local = local + 1u) {
            put_clamped(block, local, block.lower, block.upper);
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
    let head = heads[index];
    let law = numbers[head.w];
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
            let impulse = other_impulse(block.first + local);
            force = force + impulse * numbers[at].xyz;
            torque = torque + impulse * numbers[at + 1u].xyz;
        }
    }
    wrench[2u * (slot + side)] = vec4<f32>(force, 0.0);
    wrench[2u * (slot + side) + 1u] = vec4<f32>(torque, 0.0);
}

fn update_unit(unit: u32) {
    let head = heads[unit];
    let first = control.units + head.x;
    let count = head.y;
    let slot = head.z;
    sides = head.w;
    sequential = SEQUENTIAL && sides <= MAX_SIDES;
    slots = control.first_slot_head + slot - 2u * control.manifolds;
    if sequential {
        for (var side = 0u; side < sides; side = side + 1u) {
            let at = BODY_QUADS * (body_of(side) & ~FIXED);
            linear[side] = velocity[at].xyz;
            angular[side] = velocity[at + 1u].xyz;
        }
    }
    for (var index = first; index < first + count; index = index + 1u) {
        let block = load_block(index);
        var held = 0u;
        if STEPS && block.solved > 0u {
            put_block(block);
            held = block.solved;
        }
        for (var local = held; local < block.rows; local = local + 1u) {
            set_impulse(block.first + local, old_impulse(block.first + local));
        }
    }
    for (var side = 0u; side < sides; side = side + 1u) {
        if (body_of(side) & FIXED) == 0u {
            write_wrench(first, count, slot, side);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    sum = vec2<f32>(0.0);
    if index < control.units {
        update_unit(index);
    }
    let total = chunk_sum(lane, sum);
    if lane % CHUNK == 0u && index < control.units {
        sums[control.first_unit_sum + index / CHUNK] = total;
    }
}
