// `place`: one thread per manifold brings it into world axes and takes its tangent and impulses from the frame before (T.20).
// Sibling: `Manifold::frame` and `take_over` of `dynamics`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> manifolds: array<Manifold>;
@group(0) @binding(2) var<storage, read> solids: array<Solid>;
@group(0) @binding(3) var<storage, read> poses: array<BodyPose>;
// per manifold: points before it
@group(0) @binding(4) var<storage, read> firsts: array<u32>;
@group(0) @binding(5) var<storage, read> before: array<Kept>;
@group(0) @binding(6) var<storage, read_write> kept: array<Kept>;
@group(0) @binding(7) var<storage, read_write> placed: array<Placed>;

// Some tangent, from the axis that the normal is farthest from.
fn any_tangent(n: vec3<f32>) -> vec3<f32> {
    let size = abs(n);
    var axis = vec3<f32>(0.0, 0.0, 1.0);
    if size.x <= size.y && size.x <= size.z {
        axis = vec3<f32>(1.0, 0.0, 0.0);
    } else if size.y <= size.z {
        axis = vec3<f32>(0.0, 1.0, 0.0);
    }
    let t = cross3(n, axis);
    return t / sqrt(dot3(t, t));
}

// That of the frame before where it still is one.
fn tangent_near(n: vec3<f32>, earlier: u32) -> vec3<f32> {
    if earlier != NONE {
        let old = before[earlier].tangent.xyz;
        let across = old - dot3(old, n) * n;
        let square = dot3(across, across);
        if square > 0.25 {
            return across / sqrt(square);
        }
    }
    return any_tangent(n);
}

// Impulses of a point of the frame before along new tangents, in world axes.
fn previous_impulse(previous: u32, t: vec3<f32>, s: vec3<f32>) -> vec4<f32> {
    if previous == NONE {
        return vec4<f32>(0.0);
    }
    let old = previous / 4u;
    let impulse = before[old].impulses[previous % 4u];
    let across = impulse.y * before[old].first.xyz + impulse.z * before[old].second.xyz;
    return header.factor * vec4<f32>(impulse.x, dot3(across, t), dot3(across, s), 0.0);
}

fn radius_of(solid: Solid) -> f32 {
    return select(0.0, solid.half.x, solid.kind == SPHERE);
}

// A point of a collider's axes, from the centre of its body in world axes.
fn from_centre(solid: Solid, place: vec3<f32>) -> vec3<f32> {
    return rotated(poses[solid.body].orientation, rotated(solid.turn, place) + solid.place);
}

// Height of a point of `other` over a half-space; `away` is from the body of the half-space to that of the other. Where the
// normal is an axis of the world, no way along the half-space rounds it.
fn height_over(plane: Solid, other: Solid, place: vec3<f32>, away: vec3<f32>) -> f32 {
    let turn = poses[plane.body].orientation;
    let out = rotated(turn, rotated(plane.turn, plane.half));
    let base = rotated(turn, plane.place);
    return (dot3(out, away) + dot3(out, from_centre(other, place) - base)) - radius_of(other);
}

fn separation_of(a: Solid, b: Solid, point: Point, between: vec3<f32>) -> f32 {
    if a.kind == PLANE {
        return height_over(a, b, point.on_b, between);
    }
    if b.kind == PLANE {
        return height_over(b, a, point.on_a, -between);
    }
    return point.separation;
}

fn visit_manifold(index: u32) {
    let owner = manifolds[index].owner;
    let partner = manifolds[index].partner;
    let count = manifolds[index].count;
    let a = solids[min(owner, partner)];
    let b = solids[max(owner, partner)];
    let turn = poses[a.body].orientation;
    let n = rotated(a.turn, manifolds[index].normal);
    let t = tangent_near(n, manifolds[index].earlier);
    let normal = rotated(turn, n);
    let first = rotated(turn, t);
    let second = cross3(normal, first);
    let high = poses[b.body].high.xyz - poses[a.body].high.xyz;
    let between = high + (poses[b.body].low.xyz - poses[a.body].low.xyz);
    let none = array<vec4<f32>, 4>();
    var fresh = Kept(vec4<f32>(t, 0.0), vec4<f32>(first, 0.0), vec4<f32>(second, 0.0), none);
    var world: Placed;
    var near = 0u;
    for (var local = 0u; local < count; local = local + 1u) {
        let separation = separation_of(a, b, manifolds[index].points[local], between);
        let anchor = from_centre(b, manifolds[index].points[local].on_b);
        let arm = anchor - (radius_of(b) + 0.5 * separation) * normal;
        world.arms[local] = vec4<f32>(arm, separation);
        world.anchors[local] = vec4<f32>(anchor, 0.0);
        if separation <= header.margin {
            near = near | (1u << local);
            fresh.impulses[local] = previous_impulse(manifolds[index].previous[local], first, second);
        }
    }
    world.a = a.body;
    world.b = b.body;
    world.first = firsts[index];
    world.count = count;
    world.normal = normal;
    world.near = near;
    world.tangent = first;
    world.fixed = select(1u, 0u, a.moves == 1u && b.moves == 1u);
    world.between = between;
    world.surfaces = a.mark * header.kinds + b.mark;
    placed[index] = world;
    kept[index] = fresh;
}
