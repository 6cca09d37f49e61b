// `worlds`: one workgroup per world copies the numbers of the structure to those that the world has for itself, with the
// world's values in their places. No number is computed, so the bits are those of the processor.

// As in `world_numbers.rs`.
struct WorldHeader {
    // in the numbers of the structure, then how many
    first: u32,
    quads: u32,
    // those of the first world
    own: u32,
    // of a world
    values: u32,
    worlds: u32,
}

@group(0) @binding(0) var<storage, read> header: WorldHeader;
// for every quad: which value each number is, or `SHARED`
@group(0) @binding(1) var<storage, read> sources: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> numbers: array<vec4<f32>>;

fn pick(shared_number: f32, source: u32, world: u32) -> f32 {
    if source == SHARED {
        return shared_number;
    }
    return values[world * header.values + source];
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let world = group_index(group, groups);
    if world >= header.worlds {
        return;
    }
    for (var at = lane; at < header.quads; at = at + WORKGROUP) {
        let quad = numbers[header.first + at];
        let source = sources[at];
        numbers[header.own + world * header.quads + at] = vec4<f32>(
            pick(quad.x, source.x, world),
            pick(quad.y, source.y, world),
            pick(quad.z, source.z, world),
            pick(quad.w, source.w, world),
        );
    }
}
