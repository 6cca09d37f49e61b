// `bounds`: one thread per collider finds its box along the axes of the world and its cell, and counts it there.

// How much a box is grown beyond rounding, as a share of its size.
const ROUNDING: f32 = 2e-6;

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> solids: array<Solid>;
@group(0) @binding(2) var<storage, read> bodies: array<BodyPose>;
// size of the cells of every level, inverse size, pairs of bodies that do not touch, half-spaces
@group(0) @binding(3) var<storage, read> tables: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> bounds: array<Bound>;
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;

fn reach_of(solid: Solid, orientation: vec4<f32>) -> vec3<f32> {
    if solid.kind == SPHERE {
        return solid.half;
    }
    let turn = product(orientation, solid.turn);
    let x = abs(rotated(turn, vec3<f32>(1.0, 0.0, 0.0))) * solid.half.x;
    let y = abs(rotated(turn, vec3<f32>(0.0, 1.0, 0.0))) * solid.half.y;
    let z = abs(rotated(turn, vec3<f32>(0.0, 0.0, 1.0))) * solid.half.z;
    return x + y + z;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index >= header.colliders {
        return;
    }
    let solid = solids[index];
    let body = bodies[solid.body];
    let size = solid.half.x + solid.half.y + solid.half.z + solid.grown;
    let slack = solid.grown + ROUNDING * size;
    var bound: Bound;
    bound.high = body.high.xyz;
    bound.low = body.low.xyz + rotated(body.orientation, solid.place);
    bound.reach = reach_of(solid, body.orientation) + vec3<f32>(slack);
    bound.level = solid.level;
    bound.body = solid.body;
    bound.moves = solid.moves;
    bound.group = solid.group;
    bound.category = solid.category;
    bound.mask = solid.mask;
    if solid.kind == PLANE {
        // it is in no cell
        bound.reach = rotated(product(body.orientation, solid.turn), solid.half);
        bound.bucket = NONE;
        bounds[index] = bound;
        return;
    }
    bound.cell = cell_of(bound.high, bound.low, bitcast<f32>(tables[solid.level].y));
    bound.bucket = bucket_of(bound.cell, solid.level, header.buckets);
    bounds[index] = bound;
    atomicAdd(&counts[bound.bucket], 1u);
}
