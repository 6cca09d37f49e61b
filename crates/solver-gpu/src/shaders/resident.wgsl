// `resident`: one workgroup runs all iterations of one problem, with the velocities that the pieces read in its own
// memory; a dispatch runs as many problems as it has workgroups. Twin: `simultaneous.rs` of the processor's crate, whose
// order of kernels it keeps.
//
// Bounds of loops that hold barriers come from memory that no thread writes, so that all threads agree on them.

// wrenches, sums of the pieces, sums of chunks: quads
@group(0) @binding(4) var<storage, read_write> scratch: array<vec4<f32>>;
// what the next iteration reads, then v_k
@group(0) @binding(5) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> states: array<State>;
// residual², uphill, β, held
@group(0) @binding(7) var<storage, read_write> history: array<vec4<f32>>;

const IN_PLACE: bool = false;
const PASSES: u32 = BLOCK_PASSES;

// 512 bodies of six numbers: 12 KiB of the 16 that every device has.
var<workgroup> seen: array<f32, 3072>;
var<workgroup> momentum: State;

// The momentum of this iteration.
var<private> state: State;

fn linear_of(body: u32) -> vec3<f32> {
    let at = 6u * body;
    return vec3<f32>(seen[at], seen[at + 1u], seen[at + 2u]);
}

fn angular_of(body: u32) -> vec3<f32> {
    let at = 6u * body + 3u;
    return vec3<f32>(seen[at], seen[at + 1u], seen[at + 2u]);
}

fn see(body: u32, linear: vec3<f32>, angular: vec3<f32>) {
    let at = 6u * body;
    seen[at] = linear.x;
    seen[at + 1u] = linear.y;
    seen[at + 2u] = linear.z;
    seen[at + 3u] = angular.x;
    seen[at + 4u] = angular.y;
    seen[at + 5u] = angular.z;
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {
    scratch[record.wrenches + 2u * slot] = vec4<f32>(force, 0.0);
    scratch[record.wrenches + 2u * slot + 1u] = vec4<f32>(torque, 0.0);
}

fn wrench_quad(at: u32) -> vec3<f32> {
    return scratch[record.wrenches + at].xyz;
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

fn momentum_beta() -> f32 {
    return state.beta;
}

fn momentum_weight() -> f32 {
    return state.weight;
}

fn sum_of(at: u32) -> vec2<f32> {
    return scratch[record.sums + at].xy;
}

fn set_sum(at: u32, value: vec2<f32>) {
    scratch[record.sums + at] = vec4<f32>(value, 0.0, 0.0);
}

// As `update_body` of `bodies.wgsl`.
fn update_body(body: u32) {
    let fresh = settled(body);
    let at = record.velocities + BODY_QUADS * (record.bodies + body);
    var linear = fresh.linear;
    var angular = fresh.angular;
    if MOMENTUM && STEPS {
        let beta = state.next_beta;
        linear = linear + beta * (linear - velocity[at].xyz);
        angular = angular + beta * (angular - velocity[at + 1u].xyz);
    }
    velocity[at] = vec4<f32>(fresh.linear, 0.0);
    velocity[at + 1u] = vec4<f32>(fresh.angular, 0.0);
    see(body, linear, angular);
}

fn chunks_of(pieces: u32) -> u32 {
    return (pieces + CHUNK - 1u) / CHUNK;
}

// Chunks of manifolds, then chunks of units.
fn sum_chunk(chunk: u32) {
    let of_manifolds = chunks_of(record.manifolds);
    var first = CHUNK * chunk;
    var last = record.manifolds;
    if chunk >= of_manifolds {
        first = record.manifolds + CHUNK * (chunk - of_manifolds);
        last = record.manifolds + record.units;
    }
    let pieces = record.manifolds + record.units;
    set_sum(pieces + chunk, tree(first, min(CHUNK, last - first)));
}

// The sum of all chunks, level after level.
fn total_sum() -> vec2<f32> {
    var first = record.manifolds + record.units;
    var count = chunks_of(record.manifolds) + chunks_of(record.units);
    if count == 0u {
        return vec2<f32>(0.0);
    }
    while count > 1u {
        let chunks = chunks_of(count);
        for (var chunk = 0u; chunk < chunks; chunk = chunk + 1u) {
            let begin = chunk * CHUNK;
            set_sum(first + count + chunk, tree(first + begin, min(CHUNK, count - begin)));
        }
        first = first + count;
        count = chunks;
    }
    return sum_of(first);
}

fn advance() {
    let total = total_sum();
    let after = advanced(state, total, record.acceleration, record.guarded != 0u);
    if state.iteration < record.capacity {
        history[record.history + state.iteration] = entry(state, after, total);
    }
    momentum = after;
}

fn update_pieces(lane: u32) {
    for (var index = lane; index < record.manifolds; index = index + WORKGROUP) {
        set_sum(index, update_manifold(index));
    }
    for (var index = lane; index < record.units; index = index + WORKGROUP) {
        sum = vec2<f32>(0.0);
        update_unit(index);
        set_sum(record.manifolds + index, sum);
    }
}

fn update_bodies(lane: u32) {
    for (var body = lane; body < record.bodies; body = body + WORKGROUP) {
        update_body(body);
    }
    if STEPS {
        let chunks = chunks_of(record.manifolds) + chunks_of(record.units);
        for (var chunk = lane; chunk < chunks; chunk = chunk + WORKGROUP) {
            sum_chunk(chunk);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let problem = group_index(group, groups);
    if problem >= arrayLength(&problems) {
        return;
    }
    // those of the first problem hold for all
    let sweeps = problems[0].sweeps;
    let parity = problems[0].parity;
    record = problems[problem];
    for (var body = lane; body < record.bodies; body = body + WORKGROUP) {
        let at = record.velocities + BODY_QUADS * body;
        see(body, velocity[at].xyz, velocity[at + 1u].xyz);
    }
    if lane == 0u {
        momentum = states[problem];
    }
    workgroupBarrier();
    for (var sweep = 0u; sweep < sweeps; sweep = sweep + 1u) {
        state = momentum;
        from_half = (parity + state.iteration) % 2u;
        to_half = 1u - from_half;
        update_pieces(lane);
        storageBarrier();
        workgroupBarrier();
        update_bodies(lane);
        storageBarrier();
        workgroupBarrier();
        if STEPS {
            if lane == 0u {
                advance();
            }
            workgroupBarrier();
        }
    }
    for (var body = lane; body < record.bodies; body = body + WORKGROUP) {
        let at = record.velocities + BODY_QUADS * body;
        velocity[at] = vec4<f32>(linear_of(body), 0.0);
        velocity[at + 1u] = vec4<f32>(angular_of(body), 0.0);
    }
    if lane == 0u {
        states[problem] = momentum;
    }
}
