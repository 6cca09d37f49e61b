// `impulses`: one thread per manifold gives its impulses to the iterations, or, with STORES, takes them for the next frame.

override STORES: bool = false;

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> placed: array<Placed>;
@group(0) @binding(2) var<storage, read> control: Control;
@group(0) @binding(3) var<storage, read_write> kept: array<Kept>;
// two halves
@group(0) @binding(4) var<storage, read_write> points: array<f32>;

fn visit_manifold(index: u32) {
    let half = half_of_impulses(control.points) * control.parity;
    let stride = quad_stride();
    for (var local = 0u; local < placed[index].count; local = local + 1u) {
        let at = half + first_impulse(index, placed[index].first, local);
        if STORES {
            let along = vec3<f32>(points[at], points[at + stride], points[at + 2u * stride]);
            kept[index].impulses[local] = vec4<f32>(along, 0.0);
        } else {
            let along = kept[index].impulses[local];
            points[at] = along.x;
            points[at + stride] = along.y;
            points[at + 2u * stride] = along.z;
        }
    }
}
