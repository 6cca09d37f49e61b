// `manifolds`: one thread per manifold updates its points and writes its two wrenches. Twin: `manifolds.rs`.

// two halves
@group(0) @binding(3) var<storage, read_write> points: array<vec4<f32>>;

// Workgroups of so many threads read their numbers together: a thread that reads its own from memory touches another line
// than its neighbour with every quad, and that many lines are what a card is slow at. 11 KiB of the 16 that every device has.
const STAGE_THREADS: u32 = 64u;

// Frames and points of the workgroup's manifolds, as they follow each other in memory.
var<workgroup> staged: array<vec4<f32>, STAGE_THREADS * (FRAME_QUADS + MAX_POINTS * POINT_QUADS)>;
// The first of them.
var<private> staged_from: u32;

// The first quad of a manifold; of the one behind the last, the end.
fn first_quad(index: u32) -> u32 {
    if index >= control.manifolds {
        return control.first_extra;
    }
    return FRAME_QUADS * index + POINT_QUADS * manifold_head(index).x;
}

fn stage(first: u32, lane: u32) {
    if WORKGROUP > STAGE_THREADS {
        return;
    }
    staged_from = first_quad(first);
    let count = first_quad(first + WORKGROUP) - staged_from;
    for (var at = lane; at < count; at = at + WORKGROUP) {
        staged[at] = numbers[staged_from + at];
    }
    workgroupBarrier();
}

fn manifold_quad(at: u32) -> vec4<f32> {
    if WORKGROUP > STAGE_THREADS {
        return numbers[at];
    }
    return staged[at - staged_from];
}

// λ_{k−1} of a point that is not set yet.
fn other_point(point: u32) -> vec3<f32> {
    return points[(1u - control.parity) * control.points + point].xyz;
}

fn set_point(point: u32, impulse: vec3<f32>) {
    points[(1u - control.parity) * control.points + point] = vec4<f32>(impulse, 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = group_index(group, groups) * WORKGROUP;
    let index = first + lane;
    stage(first, lane);
    var sum = vec2<f32>(0.0);
    if index < control.manifolds {
        sum = update_manifold(index);
    }
    let total = chunk_sum(lane, sum);
    if lane % CHUNK == 0u && index < control.manifolds {
        sums[index / CHUNK] = total;
    }
}
