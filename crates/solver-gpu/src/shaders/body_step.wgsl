// The velocity of one body: v_f + M⁻¹ Σ wrenches, in the order of its slots. Twin: `bodies.rs`.
//
// The shader around it says where its numbers lie: `first_of`, `slot_at`, `wrench_quad`, `body_quad`, `free_quad`.

struct Velocity {
    linear: vec3<f32>,
    angular: vec3<f32>,
}

fn settled(body: u32) -> Velocity {
    var force = vec3<f32>(0.0);
    var torque = vec3<f32>(0.0);
    let last = first_of(body + 1u);
    for (var at = first_of(body); at < last; at = at + 1u) {
        let slot = slot_at(at);
        force = force + wrench_quad(2u * slot);
        torque = torque + wrench_quad(2u * slot + 1u);
    }
    let first = MASS_QUADS * body;
    let mass = Mass(body_quad(first), body_quad(first + 1u), body_quad(first + 2u));
    return Velocity(
        free_quad(BODY_QUADS * body) + moved_linear(mass, force),
        free_quad(BODY_QUADS * body + 1u) + moved_angular(mass, torque),
    );
}
