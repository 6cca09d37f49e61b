// `narrow`: one thread per pair finds its manifold, beside that of the frame before: the axis and the names that are
// preferred, and the points that go on (T.20).

// A point of an unknown name goes on from one that was closer than this on one of the bodies.
const SAME_PLACE: f32 = 0.02;

@group(0) @binding(3) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> touching: array<Manifold>;
// per pair: 1 if it touches
@group(0) @binding(5) var<storage, read_write> touches: array<u32>;
@group(0) @binding(6) var<storage, read> before: array<Manifold>;
// per collider: the first manifold that it owned in the frame before
@group(0) @binding(7) var<storage, read> starts: array<u32>;

// The manifold of the frame before: a search in ascending partners.
fn manifold_before(pair: vec2<u32>) -> u32 {
    let end = starts[pair.x + 1u];
    var low = starts[pair.x];
    var high = end;
    while low < high {
        let middle = (low + high) / 2u;
        if before[middle].partner < pair.y {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if low < end && before[low].partner == pair.y {
        return low;
    }
    return NONE;
}

fn named_alike(earlier_manifold: u32, feature: u32, taken: u32) -> u32 {
    var found = NONE;
    for (var at = 0u; at < before[earlier_manifold].count; at = at + 1u) {
        let free = ((taken >> at) & 1u) == 0u;
        if found == NONE && free && feature != 0u && before[earlier_manifold].points[at].feature == feature {
            found = at;
        }
    }
    return found;
}

fn closest_before(earlier_manifold: u32, point: Point, taken: u32) -> u32 {
    var found = NONE;
    var least = SAME_PLACE;
    for (var at = 0u; at < before[earlier_manifold].count; at = at + 1u) {
        let other = before[earlier_manifold].points[at];
        let distance = min(length3(point.on_a - other.on_a), length3(point.on_b - other.on_b));
        if ((taken >> at) & 1u) == 0u && distance < least {
            found = at;
            least = distance;
        }
    }
    return found;
}

// Per point: the one of the frame before that it goes on from.
fn matches(earlier_manifold: u32) -> vec4<u32> {
    var previous = vec4<u32>(NONE);
    if earlier_manifold == NONE {
        return previous;
    }
    var taken = 0u;
    for (var turn = 0u; turn < 2u; turn = turn + 1u) {
        for (var at = 0u; at < count; at = at + 1u) {
            if previous[at] != NONE {
                continue;
            }
            var found = NONE;
            if turn == 0u {
                found = named_alike(earlier_manifold, points[at].feature, taken);
            } else {
                found = closest_before(earlier_manifold, points[at], taken);
            }
            if found != NONE {
                taken = taken | (1u << found);
                previous[at] = 4u * earlier_manifold + found;
            }
        }
    }
    return previous;
}

fn touch_pair(a: Solid, b: Solid, cached: u32) {
    relate(a, b);
    count = 0u;
    axis_taken = 0u;
    normal = vec3<f32>(0.0, 1.0, 0.0);
    if a.kind == PLANE {
        below_b(b.kind == SPHERE);
        reduce();
    } else if b.kind == PLANE {
        below_a(a.kind == SPHERE);
        reduce();
    } else if a.kind == SPHERE && b.kind == SPHERE {
        balls();
    } else if a.kind == SPHERE {
        ball_and_box();
    } else if b.kind == SPHERE {
        box_and_ball();
    } else {
        boxes(cached);
        reduce();
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index >= header.pairs {
        return;
    }
    let pair = pairs[index];
    if pair.x == NONE {
        touches[index] = 0u;
        return;
    }
    let earlier_manifold = manifold_before(pair);
    var cached = 0u;
    earlier_count = 0u;
    if earlier_manifold != NONE {
        cached = before[earlier_manifold].axis;
        earlier_count = before[earlier_manifold].count;
        for (var at = 0u; at < earlier_count; at = at + 1u) {
            earlier[at] = before[earlier_manifold].points[at].feature;
        }
    }
    touch_pair(solids[min(pair.x, pair.y)], solids[max(pair.x, pair.y)], cached);
    touches[index] = select(0u, 1u, count > 0u);
    if count > 0u {
        let four = array<Point, 4>(points[0], points[1], points[2], points[3]);
        let previous = matches(earlier_manifold);
        touching[index] =
            Manifold(pair.x, pair.y, count, axis_taken, normal, earlier_manifold, four, previous);
    }
}
