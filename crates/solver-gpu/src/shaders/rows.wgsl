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

// Where `unit_step.wgsl` finds its numbers.
const IN_PLACE: bool = false;
// Forwards, then backwards, as `PASSES` of the twin.
const PASSES: u32 = 2u;

fn unit_head(index: u32) -> vec4<u32> {
    return heads[index];
}

fn unit_quad(at: u32) -> vec4<f32> {
    return numbers[at];
}

fn unit_count() -> u32 {
    return control.units;
}

// First slot of the units, and the first of the heads of the slots.
fn first_slot() -> u32 {
    return 2u * control.manifolds;
}

fn first_slot_head() -> u32 {
    return control.first_slot_head;
}

// λ_k of a packed row.
fn old_row(row: u32) -> f32 {
    return impulses[4u * control.parity * control.row_quads + row];
}

// λ_{k−1} of a packed row whose unit has not ended.
fn other_row(row: u32) -> f32 {
    return impulses[4u * (1u - control.parity) * control.row_quads + row];
}

fn set_row(row: u32, value: f32) {
    impulses[4u * (1u - control.parity) * control.row_quads + row] = value;
}

// What the sweeps of the unit work on: a third part behind the two halves.
fn work_row(row: u32) -> f32 {
    return impulses[8u * control.row_quads + row];
}

fn set_work(row: u32, value: f32) {
    impulses[8u * control.row_quads + row] = value;
}

fn body_quad(at: u32) -> vec4<f32> {
    return bodies[at];
}

fn linear_of(body: u32) -> vec3<f32> {
    return velocity[BODY_QUADS * body].xyz;
}

fn angular_of(body: u32) -> vec3<f32> {
    return velocity[BODY_QUADS * body + 1u].xyz;
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {
    wrench[2u * slot] = vec4<f32>(force, 0.0);
    wrench[2u * slot + 1u] = vec4<f32>(torque, 0.0);
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

fn momentum_beta() -> f32 {
    return control.state.beta;
}

fn momentum_weight() -> f32 {
    return control.state.weight;
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
