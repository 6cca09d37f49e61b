// The velocity of one body: v_f + M⁻¹ Σ wrenches, in the order of its slots; those of a hub in chunks. Twin: `bodies.rs`.
//
// The shader around it says where its numbers lie: `first_of`, `slot_at`, `wrench_quad`, `body_quad`, `free_quad`.

struct Velocity {
    linear: vec3<f32>,
    angular: vec3<f32>,
}

struct Wrench {
    force: vec3<f32>,
    torque: vec3<f32>,
}

// Consecutive entries of the list of slots, one after the other.
fn gathered(first: u32, last: u32) -> Wrench {
    var force = vec3<f32>(0.0);
    var torque = vec3<f32>(0.0);
    for (var at = first; at < last; at = at + 1u) {
        let slot = slot_at(at);
        force = force + wrench_quad(2u * slot);
        torque = torque + wrench_quad(2u * slot + 1u);
    }
    return Wrench(force, torque);
}

// All entries of a body; those of a hub in chunks, as a workgroup does it.
fn summed(first: u32, last: u32) -> Wrench {
    if last - first <= HUB {
        return gathered(first, last);
    }
    var force = vec3<f32>(0.0);
    var torque = vec3<f32>(0.0);
    for (var begin = first; begin < last; begin = begin + CHUNK) {
        let part = gathered(begin, min(begin + CHUNK, last));
        force = force + part.force;
        torque = torque + part.torque;
    }
    return Wrench(force, torque);
}

fn settled(body: u32) -> Velocity {
    return moved_by(body, summed(first_of(body), first_of(body + 1u)));
}

fn moved_by(body: u32, wrench: Wrench) -> Velocity {
    let first = MASS_QUADS * body;
    let mass = Mass(body_quad(first), body_quad(first + 1u), body_quad(first + 2u));
    return Velocity(
        free_quad(BODY_QUADS * body) + moved_linear(mass, wrench.force),
        free_quad(BODY_QUADS * body + 1u) + moved_angular(mass, wrench.torque),
    );
}
