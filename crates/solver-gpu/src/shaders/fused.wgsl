// `fused`: one thread per manifold computes the velocities of its bodies, updates its points and writes its two wrenches
// (K.52). The first workgroup adds up the sums of the iteration before, as that of `bodies.wgsl` does; with momentum one
// thread per body keeps v_k for the next iteration. Twin: `fused.rs`.

// Manifolds step, or write the wrenches of their impulses.
override PIECES: bool = true;
// v_k of the bodies are stored.
override BODIES: bool = true;

fn store(half: u32, body: u32, fresh: Velocity) {
    let at = first_velocity(half) + BODY_QUADS * body;
    motion[at] = vec4<f32>(fresh.linear, 0.0);
    motion[at + 1u] = vec4<f32>(fresh.angular, 0.0);
}

fn keep(body: u32) {
    let fresh = settled(body);
    store(control.parity, body, fresh);
    if is_start() {
        // v_{k−1} = v_k
        store(1u - control.parity, body, fresh);
    }
}

fn groups_of(threads: u32) -> u32 {
    return (threads + WORKGROUP - 1u) / WORKGROUP;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group_index(group, groups);
    if number == 0u {
        if STEPS && !is_start() {
            // sums of the iteration that wrote the wrenches
            add_up(lane, control.sums * (1u - control.parity), 2u * control.sums);
        }
        return;
    }
    let of_bodies = select(0u, groups_of(control.bodies), BODIES);
    if number <= of_bodies {
        let body = (number - 1u) * WORKGROUP + lane;
        if body < control.bodies {
            keep(body);
        }
        return;
    }
    if !PIECES {
        return;
    }
    let index = (number - 1u - of_bodies) * WORKGROUP + lane;
    var sum = vec2<f32>(0.0);
    if index < control.manifolds {
        sum = update_manifold(index);
    }
    let total = chunk_sum(lane, sum);
    if STEPS && lane % CHUNK == 0u && index < control.manifolds {
        set_sum(control.sums * control.parity + index / CHUNK, total);
    }
}
