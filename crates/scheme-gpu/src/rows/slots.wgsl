// `slots`: one thread per manifold and unit of joints gives both sides a slot, and counts them per body; with FILLS it names them to their
// bodies. Who comes first there depends on the run: `order` puts them in order. Sibling: `slots.rs` of `pack`.

// The counts are prefix sums now.
override FILLS: bool = false;

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> placed: array<Placed>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(2) var<storage, read> bodies: array<vec4<f32>>;
// bodies of the slots
@group(0) @binding(3) var<storage, read_write> slots: array<u32>;
// per body: its slots; while they are named, the place of its next one
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> named: array<u32>;
// threads that were ended, points that are solved for, points that may bounce
@group(0) @binding(6) var<storage, read_write> status: array<atomic<u32>>;
// of the row blocks: units, joints, bodies of the units
@group(0) @binding(7) var<storage, read> heads: array<vec4<u32>>;

fn is_immovable(body: u32) -> bool {
    let first = MASS_QUADS * body;
    let all = abs(bodies[first]) + abs(bodies[first + 1u]) + abs(bodies[first + 2u]);
    return all.x + all.y + all.z + all.w == 0.0;
}

fn visit_side(slot: u32, body: u32) {
    if FILLS {
        if (slots[slot] & FIXED) == 0u {
            named[atomicAdd(&counts[body], 1u)] = slot;
        }
        return;
    }
    if is_immovable(body) {
        slots[slot] = body | FIXED;
        return;
    }
    slots[slot] = body;
    atomicAdd(&counts[body], 1u);
}

fn visit_piece(index: u32) {
    if index >= header.manifolds {
        let first = first_slot_head(header, index - header.manifolds);
        visit_side(2u * index, heads[first].x);
        visit_side(2u * index + 1u, heads[first + 1u].x);
        return;
    }
    visit_side(2u * index, placed[index].a);
    visit_side(2u * index + 1u, placed[index].b);
    if !FILLS {
        atomicAdd(&status[1], countOneBits(placed[index].near));
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index < header.manifolds + header.units {
        visit_piece(index);
    }
}
