// Balls and boxes above a half-space: their lowest points. Sibling: `plane.rs` of `collide`. The point of the half-space and
// the height over it are computed on the host in f64.

fn corner_of(size: vec3<f32>, k: u32) -> vec3<f32> {
    let bit = vec3<u32>(k, k >> 1u, k >> 2u) & vec3<u32>(1u);
    return select(-size, size, bit == vec3<u32>(1u));
}

fn touch_below(on_a: vec3<f32>, on_b: vec3<f32>, separation: f32, feature: u32) {
    if separation <= header.margin {
        points[count] = Point(on_a, separation, on_b, feature);
        count = count + 1u;
    }
}

// A is the half-space.
fn below_b(ball: bool) {
    normal = half[0];
    let corners_of_b = select(8u, 1u, ball);
    for (var k = 0u; k < corners_of_b; k = k + 1u) {
        let local = select(corner_of(half[1], k), vec3<f32>(0.0), ball);
        let above = in_a(local) + shift;
        let height = dot3(above, normal);
        touch_below(above - height * normal, local, height - select(0.0, half[1].x, ball), k + 1u);
    }
}

// B is the half-space.
fn below_a(ball: bool) {
    let out = in_a(half[1]);
    normal = -out;
    let corners_of_a = select(8u, 1u, ball);
    for (var k = 0u; k < corners_of_a; k = k + 1u) {
        let local = select(corner_of(half[0], k), vec3<f32>(0.0), ball);
        let above = local - shift;
        let height = dot3(above, out);
        let place = in_b(above - height * out);
        touch_below(local, place, height - select(0.0, half[0].x, ball), k + 1u);
    }
}
