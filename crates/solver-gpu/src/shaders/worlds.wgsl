// `worlds`: one workgroup per world copies the numbers of the structure to those that the world has for itself, with the
// world's values in their places: the bits are those of the processor. Then, if the device computes steps (K.54), a thread
// per manifold writes those of its points. Twin: `steps.rs`.

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
    // whose steps are computed
    manifolds: u32,
    // in the numbers of the structure
    extras: u32,
    masses: u32,
    inverse_omega: f32,
}

@group(0) @binding(0) var<storage, read> header: WorldHeader;
// for every quad: which value each number is, or `SHARED`
@group(0) @binding(1) var<storage, read> sources: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> numbers: array<vec4<f32>>;
// heads of the manifolds of the structure, and more
@group(0) @binding(4) var<storage, read> heads: array<vec4<u32>>;

fn pick(shared_number: f32, source: u32, world: u32) -> f32 {
    if source == SHARED || source == COMPUTED {
        return shared_number;
    }
    return values[world * header.values + source];
}

// Where a quad of the structure is in the world.
fn own_place(world: u32, quad: u32) -> u32 {
    return header.own + world * header.quads + (quad - header.first);
}

fn mass_of(world: u32, body: u32) -> Mass {
    let first = own_place(world, header.masses + MASS_QUADS * body);
    return Mass(numbers[first], numbers[first + 1u], numbers[first + 2u]);
}

fn write_steps(world: u32, index: u32) {
    let head = heads[index];
    let first = head.x;
    let at = own_place(world, FRAME_QUADS * index + POINT_QUADS * first);
    let n = numbers[at].xyz;
    let t = numbers[at + 1u].xyz;
    let between = numbers[at + 2u].xyz;
    var sides: Sides;
    sides.mass_a = mass_of(world, head.z & ~FIXED);
    sides.mass_b = mass_of(world, head.w & ~FIXED);
    sides.factor_a = numbers[at + 1u].w;
    sides.factor_b = numbers[at + 2u].w;
    for (var local = 0u; local < (head.y & 15u); local = local + 1u) {
        let quad = at + FRAME_QUADS + POINT_QUADS * local;
        sides.arm_b = numbers[quad].xyz;
        sides.arm_a = sides.arm_b + between;
        let normal = numbers[quad + 1u].w;
        var soft = vec3<f32>(normal, 0.0, 0.0);
        if (head.y & EXTRA) != 0u {
            let extra = numbers[own_place(world, header.extras + 2u * (first + local) + 1u)];
            soft = vec3<f32>(normal, extra.y, extra.z);
        }
        let law = (head.y >> 4u) & 15u;
        let steps = steps_of(sides, law, header.inverse_omega * soft, n, t, cross3(n, t));
        numbers[quad + 1u] = vec4<f32>(steps, normal);
    }
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
    storageBarrier();
    for (var index = lane; index < header.manifolds; index = index + WORKGROUP) {
        write_steps(world, index);
    }
}
