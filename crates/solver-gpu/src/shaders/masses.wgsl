// Masses of bodies that may have one inverse mass for all axes. The shader around it has `stored_quad`.

// True: mass, I_xx, I_xy, I_xz | I_yy, I_yz, I_zz, 0 instead of a number per axis.
override ISOTROPIC: bool = false;

fn stored_mass_quads() -> u32 {
    return select(MASS_QUADS, ISOTROPIC_QUADS, ISOTROPIC);
}

// Quad `at` of the masses as all other kernels have them, three per body.
fn mass_quad(at: u32) -> vec4<f32> {
    if !ISOTROPIC {
        return stored_quad(at);
    }
    let body = at / MASS_QUADS;
    let part = at - MASS_QUADS * body;
    let one = stored_quad(ISOTROPIC_QUADS * body);
    if part == 0u {
        return vec4<f32>(one.xxx, one.y);
    }
    let two = stored_quad(ISOTROPIC_QUADS * body + 1u);
    if part == 1u {
        return vec4<f32>(one.zw, two.xy);
    }
    return vec4<f32>(two.z, 0.0, 0.0, 0.0);
}
