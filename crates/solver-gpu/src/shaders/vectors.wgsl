// Vectors of three, with every sum written out from left to right, as in `vectors.rs`.

fn dot3(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn cross3(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// The larger; the first if one is NaN, so that a broken iterate stays broken.
fn larger(a: f32, b: f32) -> f32 {
    if a < b {
        return b;
    }
    return a;
}

// Clamps; NaN stays NaN.
fn clamped(x: f32, lower: f32, upper: f32) -> f32 {
    if x < lower {
        return lower;
    }
    if x > upper {
        return upper;
    }
    return x;
}

// Inverse mass of a body: three quads, xx of the inverse inertia after the three axes.
struct Mass {
    m: vec4<f32>,
    i: vec4<f32>,
    last: vec4<f32>,
}

// M⁻¹ of an impulse and of an angular impulse.
fn moved_linear(mass: Mass, force: vec3<f32>) -> vec3<f32> {
    return mass.m.xyz * force;
}

fn moved_angular(mass: Mass, torque: vec3<f32>) -> vec3<f32> {
    let xx = mass.m.w;
    let xy = mass.i.x;
    let xz = mass.i.y;
    let yy = mass.i.z;
    let yz = mass.i.w;
    let zz = mass.last.x;
    return vec3<f32>(
        xx * torque.x + xy * torque.y + xz * torque.z,
        xy * torque.x + yy * torque.y + yz * torque.z,
        xz * torque.x + yz * torque.y + zz * torque.z,
    );
}
