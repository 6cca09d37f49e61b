// `renew`: velocities computed anew from the impulses, so that rounding does not grow with the number of sweeps. First
// one thread per piece writes its wrenches, then one thread per body adds them up, as in `bodies.wgsl`.

// v of the bodies and the world, two quads each
@group(0) @binding(4) var<storage, read_write> velocity: array<vec4<f32>>;
// Jᵀλ of every slot
@group(0) @binding(5) var<storage, read_write> wrench: array<vec4<f32>>;

// Bodies, or pieces.
override BODIES: bool = false;

const IN_PLACE: bool = false;
const PASSES: u32 = 1u;

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

fn wrench_quad(at: u32) -> vec3<f32> {
    return wrench[at].xyz;
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

// No momentum.
fn momentum_beta() -> f32 {
    return 0.0;
}

fn momentum_weight() -> f32 {
    return 1.0;
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
    let index = group_index(group, groups) * WORKGROUP + lane;
    if BODIES {
        if index < record.bodies {
            let fresh = settled(index);
            velocity[BODY_QUADS * index] = vec4<f32>(fresh.linear, 0.0);
            velocity[BODY_QUADS * index + 1u] = vec4<f32>(fresh.angular, 0.0);
        }
    } else if index < record.manifolds {
        _ = update_manifold(index);
    } else if index < record.manifolds + record.units {
        update_unit(index - record.manifolds);
    }
}
