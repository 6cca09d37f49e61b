// Where `unit_step.wgsl` finds the units.

// heads of the units, of the blocks and of the slots
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
// two halves, and a third part that a thread works on
@group(0) @binding(3) var<storage, read_write> impulses: array<f32>;

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

// What the sweeps of the unit work on.
fn work_row(row: u32) -> f32 {
    return impulses[8u * control.row_quads + row];
}

fn set_work(row: u32, value: f32) {
    impulses[8u * control.row_quads + row] = value;
}
