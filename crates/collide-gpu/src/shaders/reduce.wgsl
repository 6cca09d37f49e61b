// At most four points, those that hold best (N.7). Sibling: `reduce.rs` of `collide`.

// How much of the depth breaks ties between places that are as good.
const DEEPER: f32 = 1e-3;
const MOST: u32 = 4u;
const SMALLEST: f32 = 1.1754944e-38;

var<private> places: array<vec3<f32>, 8>;
// names of the points of the frame before
var<private> earlier: array<u32, 4>;
var<private> earlier_count: u32;

fn was_there(feature: u32) -> bool {
    var found = false;
    for (var at = 0u; at < earlier_count; at = at + 1u) {
        found = found || (feature != 0u && earlier[at] == feature);
    }
    return found;
}

fn height_over(point: vec3<f32>, a: vec3<f32>, b: vec3<f32>) -> f32 {
    let along_line = b - a;
    let size = length3(along_line);
    if size == 0.0 {
        return length3(point - a);
    }
    return length3(cross3(along_line, point - a)) / size;
}

fn side_of(a: vec3<f32>, b: vec3<f32>, point: vec3<f32>, turn: f32) -> f32 {
    let out = -dot3(cross3(b - a, point - a), normal);
    return select(-out, out, turn >= 0.0);
}

// Twice the area that a point adds to a triangle; negative inside.
fn added(point: vec3<f32>, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> f32 {
    let turn = dot3(cross3(b - a, c - a), normal);
    return max(max(side_of(a, b, point, turn), side_of(b, c, point, turn)), side_of(c, a, point, turn));
}

fn product_of(a: u32, b: u32, c: u32, d: u32) -> f32 {
    return length3(cross3(places[b] - places[a], places[d] - places[c]));
}

// Twice the area between four places, in whatever order they are named.
fn area(four: array<u32, 4>) -> f32 {
    let one = product_of(four[0], four[2], four[1], four[3]);
    let two = product_of(four[0], four[1], four[2], four[3]);
    let three = product_of(four[0], four[3], four[1], four[2]);
    return max(max(one, two), three);
}

fn deepest(four: array<u32, 4>) -> f32 {
    let one = max(-points[four[0]].separation, -points[four[1]].separation);
    return max(one, max(-points[four[2]].separation, -points[four[3]].separation));
}

fn gain(index: u32, chosen: array<u32, 4>, chosen_count: u32, size: f32) -> f32 {
    let place = places[index];
    if chosen_count == 0u {
        return -points[index].separation;
    }
    if chosen_count == 1u {
        return length3(place - places[chosen[0]]);
    }
    if chosen_count == 2u {
        return abs(height_over(place, places[chosen[0]], places[chosen[1]]));
    }
    return added(place, places[chosen[0]], places[chosen[1]], places[chosen[2]]) / size;
}

// Keeps the points whose bits are set, in their order.
fn keep_only(bits: u32) {
    var kept_count = 0u;
    for (var index = 0u; index < count; index = index + 1u) {
        if ((bits >> index) & 1u) == 1u {
            points[kept_count] = points[index];
            kept_count = kept_count + 1u;
        }
    }
    count = kept_count;
}

fn bits_of(four: array<u32, 4>) -> u32 {
    return (1u << four[0]) | (1u << four[1]) | (1u << four[2]) | (1u << four[3]);
}

fn reduce() {
    if count <= MOST {
        return;
    }
    var size = SMALLEST;
    for (var index = 0u; index < count; index = index + 1u) {
        // in the plane of the manifold
        let place = points[index].on_a;
        places[index] = place - dot3(place, normal) * normal;
        size = max(size, length3(places[index] - places[0]));
    }
    var chosen = array<u32, 4>(0u, 0u, 0u, 0u);
    var taken = 0u;
    var old = array<u32, 4>(0u, 0u, 0u, 0u);
    var old_count = 0u;
    for (var turn = 0u; turn < MOST; turn = turn + 1u) {
        var most = 0.0;
        var best = NONE;
        let scale = select(size, header.margin, turn == 0u);
        for (var index = 0u; index < count; index = index + 1u) {
            if ((taken >> index) & 1u) == 1u {
                continue;
            }
            var worth = gain(index, chosen, turn, size) - DEEPER * points[index].separation;
            if was_there(points[index].feature) {
                worth = worth + header.persistence * scale;
            }
            if best == NONE || worth > most {
                best = index;
                most = worth;
            }
        }
        chosen[turn] = best;
        taken = taken | (1u << best);
    }
    for (var index = 0u; index < count; index = index + 1u) {
        if was_there(points[index].feature) {
            if old_count < MOST {
                old[old_count] = index;
            }
            old_count = old_count + 1u;
        }
    }
    if header.persistence > 0.0 && old_count == MOST
        && area(old) * (1.0 + header.persistence) >= area(chosen)
        && deepest(old) + header.persistence * header.margin >= deepest(chosen) {
        keep_only(bits_of(old));
    } else {
        keep_only(bits_of(chosen));
    }
}
