// `coloured`: Gauss–Seidel, colour after colour, velocities in place. Twin: `coloured.rs`.
//
// One thread solves all pieces between the same bodies, in order. No two threads of a colour share a body that
// moves, so none reads what another writes. What found no colour is solved by one thread, one after the other.

// v of the bodies and the world, two quads each, then how many spans were solved
@group(0) @binding(4) var<storage, read_write> velocity: array<vec4<f32>>;
// first task, number of tasks, 1 if one thread solves them all: of the colours of this dispatch
@group(0) @binding(5) var<storage, read> spans: array<vec4<u32>>;

// All colours and sweeps in one workgroup, or one colour per dispatch.
override FUSED: bool = false;

const IN_PLACE: bool = true;
const PASSES: u32 = 1u;

fn linear_of(body: u32) -> vec3<f32> {
    return velocity[BODY_QUADS * body].xyz;
}

fn angular_of(body: u32) -> vec3<f32> {
    return velocity[BODY_QUADS * body + 1u].xyz;
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {
    if (body & FIXED) == 0u {
        velocity[BODY_QUADS * body] = vec4<f32>(linear, 0.0);
        velocity[BODY_QUADS * body + 1u] = vec4<f32>(angular, 0.0);
    }
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {}

// No momentum.
fn momentum_beta() -> f32 {
    return 0.0;
}

fn momentum_weight() -> f32 {
    return 1.0;
}

// A task is a list of pieces: first of every task and the end, then the pieces.
fn solve_task(task: u32, tasks: u32) {
    let last = word(record.more + 1u + task + 1u);
    for (var at = word(record.more + 1u + task); at < last; at = at + 1u) {
        let piece = word(record.more + 1u + tasks + 1u + at);
        if (piece & UNIT) == 0u {
            _ = update_manifold(piece);
        } else {
            update_unit(piece & ~UNIT);
        }
    }
}

// `thread` of `threads` solves its tasks of a span.
fn solve_span(span: vec4<u32>, thread: u32, threads: u32) {
    let tasks = word(record.more);
    var task = thread;
    var step = threads;
    if span.z != 0u {
        // the first thread solves all, the others none
        step = 1u;
        if thread > 0u {
            task = span.y;
        }
    }
    for (; task < span.y; task = task + step) {
        solve_task(span.x + task, tasks);
    }
}

// The first thread counts spans, in rounds of 2²⁰, which f32 counts exactly.
fn count_span() {
    let at = BODY_QUADS * record.bodies;
    var count = velocity[at].xy + vec2<f32>(1.0, 0.0);
    if count.x == COUNT_ROUND {
        count = vec2<f32>(0.0, count.y + 1.0);
    }
    velocity[at] = vec4<f32>(count, 0.0, 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    record = problems[0];
    from_half = 0u;
    to_half = 0u;
    if !FUSED {
        let thread = group_index(group, groups) * WORKGROUP + lane;
        solve_span(spans[0], thread, groups.x * groups.y * WORKGROUP);
        if thread == 0u {
            count_span();
        }
        return;
    }
    let sweeps = problems[0].sweeps;
    let colours = arrayLength(&spans);
    for (var sweep = 0u; sweep < sweeps; sweep = sweep + 1u) {
        for (var colour = 0u; colour < colours; colour = colour + 1u) {
            solve_span(spans[colour], lane, WORKGROUP);
            if lane == 0u {
                count_span();
            }
            storageBarrier();
        }
    }
}
