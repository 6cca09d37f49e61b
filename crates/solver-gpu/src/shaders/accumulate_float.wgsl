// Velocities that threads add to by the device's own addition: the result depends on who comes first.

// linear, 0, angular, 0 of every body
@group(0) @binding(4) var<storage, read_write> velocity: array<atomic<f32>>;
// Jᵀλ of every slot
@group(0) @binding(5) var<storage, read_write> wrench: array<vec4<f32>>;

fn seen(at: u32) -> f32 {
    return atomicLoad(&velocity[at]);
}

fn accumulate(at: u32, change: f32) {
    _ = atomicAdd(&velocity[at], change);
}
