// All numbers of one or many problems in four buffers, and where `manifold_step.wgsl` and `unit_step.wgsl` find theirs.

// Where the parts of one problem begin. As in `joined.rs`.
struct ProblemRecord {
    manifolds: u32,
    points: u32,
    units: u32,
    // quads of one of the three parts of the rows' impulses
    row_quads: u32,
    // with the world
    bodies: u32,
    // in `words`: quads, quads, quads, and twice single words
    manifold_heads: u32,
    unit_heads: u32,
    // first slot head, counted from the unit heads
    first_slot_head: u32,
    // first slot of every body and the end, then the slots
    adjacency: u32,
    // what a solver adds: an order, the bodies of the slots
    more: u32,
    // in `numbers`
    manifold_numbers: u32,
    extras: u32,
    unit_numbers: u32,
    masses: u32,
    free: u32,
    // in `impulses`
    point_impulses: u32,
    row_impulses: u32,
    // wrenches and sums, quads of a memory of the solver's
    wrenches: u32,
    sums: u32,
    velocities: u32,
    // first entry, and how many there may be
    history: u32,
    capacity: u32,
    // a code of `ACCELERATION_…`
    acceleration: u32,
    guarded: u32,
    // the half of the impulses that holds λ_0
    parity: u32,
    // iterations of a dispatch
    sweeps: u32,
}

@group(0) @binding(0) var<storage, read> problems: array<ProblemRecord>;
@group(0) @binding(1) var<storage, read> words: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> impulses: array<vec4<f32>>;

// The problem that the thread works on.
var<private> record: ProblemRecord;
// The halves of the impulses that are read and written; one and the same where a solver works in place.
var<private> from_half: u32;
var<private> to_half: u32;

fn word(at: u32) -> u32 {
    return words[at / 4u][at % 4u];
}

// Quads of a manifold follow each other: its frame, then its points.
const QUAD_STRIDE: u32 = 1u;

fn first_quad(index: u32, first: u32) -> u32 {
    return FRAME_QUADS * index + POINT_QUADS * first;
}

// Where the impulse of a point is.
fn point_slot(index: u32, first: u32, local: u32) -> u32 {
    return first + local;
}

fn manifold_head(index: u32) -> vec4<u32> {
    return words[record.manifold_heads + index];
}

fn manifold_quad(at: u32) -> vec4<f32> {
    return numbers[record.manifold_numbers + at];
}

fn extra_quad(at: u32) -> vec4<f32> {
    return numbers[record.extras + at];
}

fn unit_head(index: u32) -> vec4<u32> {
    return words[record.unit_heads + index];
}

fn unit_quad(at: u32) -> vec4<f32> {
    return numbers[record.unit_numbers + at];
}

fn body_quad(at: u32) -> vec4<f32> {
    return numbers[record.masses + at];
}

fn free_quad(at: u32) -> vec3<f32> {
    return numbers[record.free + at].xyz;
}

fn unit_count() -> u32 {
    return record.units;
}

// First slot of the units, and the first of the heads of the slots.
fn first_slot() -> u32 {
    return 2u * record.manifolds;
}

fn first_slot_head() -> u32 {
    return record.first_slot_head;
}

fn first_of(body: u32) -> u32 {
    return word(record.adjacency + body);
}

fn slot_at(at: u32) -> u32 {
    return word(record.adjacency + record.bodies + 1u + at);
}

// λ_k of a point.
fn old_point(point: u32) -> vec3<f32> {
    return impulses[record.point_impulses + from_half * record.points + point].xyz;
}

// λ_{k−1} of a point that is not set yet.
fn other_point(point: u32) -> vec3<f32> {
    return impulses[record.point_impulses + to_half * record.points + point].xyz;
}

fn set_point(point: u32, impulse: vec3<f32>) {
    impulses[record.point_impulses + to_half * record.points + point] = vec4<f32>(impulse, 0.0);
}

// λ_k of a packed row.
fn old_row(row: u32) -> f32 {
    return impulses[record.row_impulses + from_half * record.row_quads + row / 4u][row % 4u];
}

// λ_{k−1} before the row is put, λ_{k+1} after.
fn other_row(row: u32) -> f32 {
    return impulses[record.row_impulses + to_half * record.row_quads + row / 4u][row % 4u];
}

fn set_row(row: u32, value: f32) {
    impulses[record.row_impulses + to_half * record.row_quads + row / 4u][row % 4u] = value;
}

// What the sweeps of a unit work on: a third part behind the two halves.
fn work_row(row: u32) -> f32 {
    return impulses[record.row_impulses + 2u * record.row_quads + row / 4u][row % 4u];
}

fn set_work(row: u32, value: f32) {
    impulses[record.row_impulses + 2u * record.row_quads + row / 4u][row % 4u] = value;
}
