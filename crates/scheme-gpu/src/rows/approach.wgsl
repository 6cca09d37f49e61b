// `approach`: one thread per manifold writes the approach velocities of its points (T.14). Sibling: `rebounds` of `freeze.rs`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> placed: array<Placed>;
// friction and restitution of pairs of surfaces
@group(0) @binding(2) var<storage, read> surfaces: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> motion: array<BodyMotion>;
@group(0) @binding(4) var<storage, read_write> contacts: array<FollowedContact>;
// threads that were ended, points that are solved for, points that may bounce
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

fn visit_manifold(index: u32) {
    let a = placed[index].a;
    let b = placed[index].b;
    let between = placed[index].between;
    let restitution = surfaces[placed[index].surfaces].y;
    for (var local = 0u; local < placed[index].count; local = local + 1u) {
        let arm = placed[index].arms[local].xyz;
        let at_a = motion[a].velocity.xyz + cross3(motion[a].spin.xyz, between + arm);
        let at_b = motion[b].velocity.xyz + cross3(motion[b].spin.xyz, arm);
        let speed = dot3(placed[index].normal, at_b - at_a);
        if is_near(placed[index].near, local) && speed < -header.threshold {
            contacts[placed[index].first + local].rebound = restitution * speed;
            if restitution > 0.0 {
                atomicAdd(&status[2], 1u);
            }
        }
    }
}
