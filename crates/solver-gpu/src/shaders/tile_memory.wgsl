// Where `manifold_step.wgsl` finds manifolds in tiles: what TILE neighbours have lies side by side, so that the threads of
// a warp read whole lines of cache. Host: `tiles.rs`.

@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
// tiles of frames and points, then the extras of the points
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
// two halves of tiles: the normal impulses of the first points, then their tangents, then the second points
@group(0) @binding(3) var<storage, read_write> points: array<f32>;

const QUAD_STRIDE: u32 = TILE;

fn first_quad(index: u32, first: u32) -> u32 {
    return TILE * TILE_QUADS * (index / TILE) + index % TILE;
}

// Where the normal impulse of a point is.
fn point_slot(index: u32, first: u32, local: u32) -> u32 {
    return TILE * 3u * (MAX_POINTS * (index / TILE) + local) + index % TILE;
}

fn manifold_head(index: u32) -> vec4<u32> {
    return heads[index];
}

fn manifold_quad(at: u32) -> vec4<f32> {
    return numbers[at];
}

fn extra_quad(at: u32) -> vec4<f32> {
    return numbers[control.first_extra + at];
}

fn impulse_at(half: u32, slot: u32) -> vec3<f32> {
    let at = 3u * control.points * half + slot;
    return vec3<f32>(points[at], points[at + TILE], points[at + 2u * TILE]);
}

// λ_k of a point.
fn old_point(slot: u32) -> vec3<f32> {
    return impulse_at(control.parity, slot);
}

// λ_{k−1} of a point that is not set yet.
fn other_point(slot: u32) -> vec3<f32> {
    return impulse_at(1u - control.parity, slot);
}

fn set_point(slot: u32, impulse: vec3<f32>) {
    let at = 3u * control.points * (1u - control.parity) + slot;
    points[at] = impulse.x;
    points[at + TILE] = impulse.y;
    points[at + 2u * TILE] = impulse.z;
}
