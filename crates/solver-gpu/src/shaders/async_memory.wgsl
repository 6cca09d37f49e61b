// Where the steps of pieces find their numbers when velocities are added to.

const IN_PLACE: bool = false;
const PASSES: u32 = BLOCK_PASSES;

fn linear_of(body: u32) -> vec3<f32> {
    let at = 8u * body;
    return vec3<f32>(seen(at), seen(at + 1u), seen(at + 2u));
}

fn angular_of(body: u32) -> vec3<f32> {
    let at = 8u * body + 4u;
    return vec3<f32>(seen(at), seen(at + 1u), seen(at + 2u));
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

// No momentum.
fn momentum_beta() -> f32 {
    return 0.0;
}

fn momentum_weight() -> f32 {
    return 1.0;
}
