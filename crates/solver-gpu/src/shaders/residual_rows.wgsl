// `residual_rows`: as `residual.wgsl`, with a thread per unit of row blocks. Twin: `residual.rs`.

// As the last iteration left it.
@group(0) @binding(0) var<storage, read> control: Control;
// heads of the units, of the blocks and of the slots
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
// two halves, and a third part that a thread works on
@group(0) @binding(3) var<storage, read_write> impulses: array<f32>;
@group(0) @binding(4) var<storage, read> velocity: array<vec4<f32>>;

// Where `unit_step.wgsl` finds its numbers.
const IN_PLACE: bool = false;
const PASSES: u32 = 1u;

fn unit_head(index: u32) -> vec4<u32> {
    return heads[index];
}

fn unit_quad(at: u32) -> vec4<f32> {
    return numbers[at];
}

fn unit_count() -> u32 {
    return control.units;
}

fn first_slot() -> u32 {
    return 2u * control.manifolds;
}

fn first_slot_head() -> u32 {
    return control.first_slot_head;
}

fn old_row(row: u32) -> f32 {
    return impulses[4u * control.parity * control.row_quads + row];
}

// Without momentum nobody asks.
fn other_row(row: u32) -> f32 {
    return old_row(row);
}

// The step is thrown away: the third part has it.
fn set_row(row: u32, value: f32) {}

fn work_row(row: u32) -> f32 {
    return impulses[8u * control.row_quads + row];
}

fn set_work(row: u32, value: f32) {
    impulses[8u * control.row_quads + row] = value;
}

// Rows that see the old velocities need no masses.
fn body_quad(at: u32) -> vec4<f32> {
    return vec4<f32>(0.0);
}

// v_k lies behind what the next iteration reads, if that is something else.
fn settled_quad(at: u32) -> vec3<f32> {
    let first = select(0u, BODY_QUADS * control.bodies, control.acceleration != 0u);
    return velocity[first + at].xyz;
}

fn linear_of(body: u32) -> vec3<f32> {
    return settled_quad(BODY_QUADS * body);
}

fn angular_of(body: u32) -> vec3<f32> {
    return settled_quad(BODY_QUADS * body + 1u);
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

fn momentum_beta() -> f32 {
    return 0.0;
}

fn momentum_weight() -> f32 {
    return 1.0;
}

fn unit_residual(index: u32) -> f32 {
    update_unit(index);
    let head = unit_head(index);
    let first = unit_count() + head.x;
    var most = 0.0;
    for (var at = first; at < first + head.y; at = at + 1u) {
        let block = load_block(at);
        for (var local = 0u; local < block.solved; local = local + 1u) {
            let row = block.first + local;
            let change = abs(old_row(row) - work_row(row));
            most = largest_of(most, change / row_numbers(block, local).z);
        }
    }
    return most;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    var most = 0.0;
    if index < control.units {
        most = unit_residual(index);
    }
    note_largest(lane, control.state.iteration - 1u, most);
}
