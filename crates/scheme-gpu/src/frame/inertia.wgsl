// Inverse inertia in world axes, of `bodies`.

fn refresh(first: u32, frame: vec4<f32>, i: vec3<f32>) {
    let x = rotated(frame, vec3<f32>(1.0, 0.0, 0.0));
    let y = rotated(frame, vec3<f32>(0.0, 1.0, 0.0));
    let z = rotated(frame, vec3<f32>(0.0, 0.0, 1.0));
    bodies[first].w = i.x * x.x * x.x + i.y * y.x * y.x + i.z * z.x * z.x;
    bodies[first + 1u] = vec4<f32>(
        i.x * x.x * x.y + i.y * y.x * y.y + i.z * z.x * z.y,
        i.x * x.x * x.z + i.y * y.x * y.z + i.z * z.x * z.z,
        i.x * x.y * x.y + i.y * y.y * y.y + i.z * z.y * z.y,
        i.x * x.y * x.z + i.y * y.y * y.z + i.z * z.y * z.z,
    );
    bodies[first + 2u] =
        vec4<f32>(i.x * x.z * x.z + i.y * y.z * y.z + i.z * z.z * z.z, 0.0, 0.0, 0.0);
}
