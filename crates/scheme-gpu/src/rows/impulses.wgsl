// `impulses`: one thread per manifold gives its impulses to the iterations, or, with STORES, takes them for the next frame.

override STORES: bool = false;

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> placed: array<Placed>;
@group(0) @binding(2) var<storage, read> control: Control;
@group(0) @binding(3) var<storage, read_write> kept: array<Kept>;
// two halves
@group(0) @binding(4) var<storage, read_write> points: array<vec4<f32>>;

fn visit_manifold(index: u32) {
    let first = control.points * control.parity + placed[index].first;
    for (var local = 0u; local < placed[index].count; local = local + 1u) {
        if STORES {
            kept[index].impulses[local] = points[first + local];
        } else {
            points[first + local] = kept[index].impulses[local];
        }
    }
}
