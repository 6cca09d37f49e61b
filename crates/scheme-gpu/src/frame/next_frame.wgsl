// `next_frame`: one thread per body makes the start of the next frame of what a frame left. Twin:
// `stepping/next_frame.rs`.

struct BodyPose {
    high: vec4<f32>,
    low: vec4<f32>,
    orientation: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read_write> inertia: array<BodyConstants>;
@group(0) @binding(2) var<storage, read_write> motion: array<BodyMotion>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(3) var<storage, read_write> bodies: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> poses: array<BodyPose>;
// the last word counts the bodies that do not fit
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>, 4>;

// Multiples of it are the first part of a position.
const STEP: f32 = 1.0 / f32(GRID);

// By its bits: shaders may assume that there is no infinity.
fn fits(x: vec3<f32>) -> bool {
    let bits = bitcast<vec3<u32>>(x) & vec3<u32>(0x7fffffffu);
    return all(bits < vec3<u32>(FARTHEST_BITS));
}

fn update_body(body: u32) {
    let own = motion[body];
    let still = vec4<f32>();
    let turn = vec4<f32>(0.0, 0.0, 0.0, 1.0);
    motion[body] = BodyMotion(own.velocity, own.spin, still, turn, still, still, still, still, still);
    let mode = inertia[body].mode;
    // the world is one of them, and has no pose
    if mode == KEEPS {
        return;
    }
    let grid = f32(GRID);
    let before = poses[body];
    let high = round(grid * before.high.xyz) * STEP;
    let rest = (before.low.xyz + (before.high.xyz - high)) + own.displacement.xyz;
    let whole = round(grid * rest) * STEP;
    let place = high + whole;
    poses[body].high = vec4<f32>(place, 0.0);
    poses[body].low = vec4<f32>(rest - whole, 0.0);
    poses[body].orientation = normalised(product(own.turn, before.orientation));
    let axes = normalised(product(own.turn, inertia[body].axes));
    inertia[body].axes = axes;
    if mode >= TURNS {
        refresh(MASS_QUADS * body, axes, inertia[body].inverse_moments.xyz);
    }
    if !(fits(place) && fits(own.velocity.xyz) && fits(own.spin.xyz)) {
        atomicAdd(&status[3], 1u);
    }
}
