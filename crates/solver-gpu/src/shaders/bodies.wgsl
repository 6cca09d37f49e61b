// `bodies`: one thread per body sums its wrenches in the order of their slots and computes its velocity anew. Twin:
// `bodies.rs`. The first workgroup has no bodies: it adds up the sums of the iteration and chooses the momentum of the
// iteration after the next, as `control.rs` does. The last workgroups have one hub each.

@group(0) @binding(0) var<storage, read> control: Control;
@group(0) @binding(1) var<storage, read_write> coming: Control;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(2) var<storage, read> bodies: array<vec4<f32>>;
// what the next iteration reads, then, with momentum, v_k
@group(0) @binding(3) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> wrench: array<vec4<f32>>;
// first slot of every body and the end, then the slots, then the hubs
@group(0) @binding(5) var<storage, read> adjacency: array<u32>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<f32>>;
// residual², uphill, β, held
@group(0) @binding(7) var<storage, read_write> history: array<vec4<f32>>;

// Where `body_step.wgsl` finds its numbers.
fn first_of(body: u32) -> u32 {
    return adjacency[body];
}

fn slot_at(at: u32) -> u32 {
    return adjacency[control.bodies + 1u + at];
}

fn wrench_quad(at: u32) -> vec3<f32> {
    return wrench[at].xyz;
}

fn stored_quad(at: u32) -> vec4<f32> {
    return bodies[at];
}

fn body_quad(at: u32) -> vec4<f32> {
    return mass_quad(at);
}

fn free_quad(at: u32) -> vec3<f32> {
    return bodies[stored_mass_quads() * control.bodies + at].xyz;
}

// Slots behind the last body's begin where the list of hubs does.
fn hub_at(hub: u32) -> u32 {
    return adjacency[control.bodies + 1u + adjacency[control.bodies] + hub];
}

fn set_body(body: u32, fresh: Velocity) {
    let linear = fresh.linear;
    let angular = fresh.angular;
    let at = BODY_QUADS * body;
    if MOMENTUM {
        let settled = BODY_QUADS * control.bodies + at;
        var ahead_linear = linear;
        var ahead_angular = angular;
        if STEPS {
            let beta = control.state.next_beta;
            ahead_linear = linear + beta * (linear - velocity[settled].xyz);
            ahead_angular = angular + beta * (angular - velocity[settled + 1u].xyz);
        }
        velocity[settled] = vec4<f32>(linear, 0.0);
        velocity[settled + 1u] = vec4<f32>(angular, 0.0);
        velocity[at] = vec4<f32>(ahead_linear, 0.0);
        velocity[at + 1u] = vec4<f32>(ahead_angular, 0.0);
    } else {
        velocity[at] = vec4<f32>(linear, 0.0);
        velocity[at + 1u] = vec4<f32>(angular, 0.0);
    }
}

// A body that a workgroup of its own sums.
fn is_hub(body: u32) -> bool {
    return control.hubs > 0u && first_of(body + 1u) - first_of(body) > HUB;
}

// Chunks of a hub that the workgroup sums before it adds them up.
const ROUND: u32 = 64u;

// Forces, then torques of the chunks of a round.
var<workgroup> hub_chunks: array<vec3<f32>, 128>;

// As `summed`, with a thread per chunk; one thread adds up forces, another torques.
fn update_hub(hub: u32, lane: u32) {
    let body = hub_at(hub);
    let first = first_of(body);
    let last = first_of(body + 1u);
    let all = (last - first + CHUNK - 1u) / CHUNK;
    var total = vec3<f32>(0.0);
    for (var done = 0u; done < all; done = done + ROUND) {
        let count = min(ROUND, all - done);
        for (var local = lane; local < count; local = local + WORKGROUP) {
            let begin = first + CHUNK * (done + local);
            let part = gathered(begin, min(begin + CHUNK, last));
            hub_chunks[local] = part.force;
            hub_chunks[ROUND + local] = part.torque;
        }
        workgroupBarrier();
        if lane < 2u {
            for (var local = 0u; local < count; local = local + 1u) {
                total = total + hub_chunks[ROUND * lane + local];
            }
        }
        workgroupBarrier();
    }
    if lane < 2u {
        hub_chunks[lane] = total;
    }
    workgroupBarrier();
    if lane == 0u {
        set_body(body, moved_by(body, Wrench(hub_chunks[0], hub_chunks[1])));
    }
}

fn sum_of(at: u32) -> vec2<f32> {
    return sums[at];
}

fn set_sum(at: u32, sum: vec2<f32>) {
    sums[at] = sum;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group_index(group, groups);
    if number == 0u {
        if STEPS {
            add_up(lane, 0u, control.sums);
        }
        return;
    }
    let of_bodies = (control.bodies + WORKGROUP - 1u) / WORKGROUP;
    if number > of_bodies {
        let hub = number - 1u - of_bodies;
        if hub < control.hubs {
            update_hub(hub, lane);
        }
        return;
    }
    let body = (number - 1u) * WORKGROUP + lane;
    if body < control.bodies && !is_hub(body) {
        set_body(body, settled(body));
    }
}
