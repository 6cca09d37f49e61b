// The fifteen axes that can separate two boxes, and which of them is taken (N.1-N.3). Sibling: `boxes/axes.rs` and
// `preference.rs` of `collide`.

// Sine of the angle below which edges count as parallel.
const PARALLEL: f32 = 1e-4;
// What an axis further down the order must be better by: a share of the separation, and one of the smaller half width.
const RELATIVE: f32 = 1e-2;
const ABSOLUTE: f32 = 1e-3;

const OF_A: u32 = 0u;
const OF_B: u32 = 1u;
const EDGES: u32 = 2u;

struct Axis {
    // from 1: faces of A, faces of B, pairs of edges; 0 is none
    index: u32,
    // which of the three
    kind: u32,
    separation: f32,
    // from A to B
    normal: vec3<f32>,
}

// The axes to take, in the order of preference.
var<private> choice: array<Axis, 3>;

fn no_axis() -> Axis {
    return Axis(0u, 0u, 0.0, vec3<f32>(0.0));
}

// The unit vector across an edge of A and one of B; zero if they are nearly parallel.
fn across(i: u32, j: u32) -> vec3<f32> {
    let i1 = (i + 1u) % 3u;
    let i2 = (i + 2u) % 3u;
    let first = column[j][i1];
    let second = column[j][i2];
    let sine = sqrt(first * first + second * second);
    var direction = vec3<f32>(0.0);
    if sine >= PARALLEL {
        direction[i1] = -second / sine;
        direction[i2] = first / sine;
    }
    return direction;
}

// Both boxes' reach along a direction, of each without the axis of the edge that lies across it. The axes of B are projected
// anew: entries of the rotation over a small sine would lose digits (K.42).
fn reach_across(direction: vec3<f32>, i: u32, j: u32) -> f32 {
    let i1 = (i + 1u) % 3u;
    let i2 = (i + 2u) % 3u;
    let j1 = (j + 1u) % 3u;
    let j2 = (j + 2u) % 3u;
    let a = half[0][i1] * abs(direction[i1]) + half[0][i2] * abs(direction[i2]);
    let b = half[1][j1] * abs(dot3(direction, column[j1])) + half[1][j2] * abs(dot3(direction, column[j2]));
    return a + b;
}

// Separation along one axis; none for edges that are nearly parallel.
fn along(index: u32) -> Axis {
    let at = index - 1u;
    var kind = OF_A;
    var direction = unit(at);
    var reach = 0.0;
    if at < 3u {
        let b = half[1];
        reach = half[0][at]
            + (abs(column[0][at]) * b.x + abs(column[1][at]) * b.y + abs(column[2][at]) * b.z);
    } else if at < 6u {
        kind = OF_B;
        direction = column[at - 3u];
        reach = half[1][at - 3u] + dot3(abs(direction), half[0]);
    } else {
        kind = EDGES;
        let i = (at - 6u) / 3u;
        let j = (at - 6u) % 3u;
        direction = across(i, j);
        if all(direction == vec3<f32>(0.0)) {
            return no_axis();
        }
        reach = reach_across(direction, i, j);
    }
    let distance = dot3(shift, direction);
    var outward = 1.0;
    if distance < 0.0 {
        outward = -1.0;
    }
    return Axis(index, kind, outward * distance - reach, outward * direction);
}

fn beats(axis: Axis, other: Axis, by: f32) -> bool {
    return axis.separation > other.separation + by;
}

fn slack(axis: Axis, width: f32) -> f32 {
    return RELATIVE * abs(axis.separation) + ABSOLUTE * width;
}

// The axis to take and those to fall back on; `remembered` is that of the frame before.
fn choose(of_a: Axis, of_b: Axis, edges: Axis, remembered: Axis) {
    let a = half[0];
    let b = half[1];
    let width = min(min(min(a.x, a.y), a.z), min(min(b.x, b.y), b.z));
    let stay = header.persistence * width;
    var face = of_a;
    if beats(of_b, of_a, slack(of_a, width)) {
        face = of_b;
    }
    let kept_face = remembered.index != 0u && remembered.kind != EDGES;
    if kept_face && !beats(face, remembered, stay) {
        face = remembered;
    }
    choice[0] = face;
    choice[1] = no_axis();
    choice[2] = no_axis();
    if edges.index == 0u {
        return;
    }
    var edge = edges;
    if remembered.index != 0u && !kept_face && !beats(edge, remembered, stay) {
        edge = remembered;
    }
    // a kept edge is preferred to other edges, not to a face: two boxes lying flat would stay on one point
    var ahead = slack(face, width);
    if kept_face {
        ahead = max(ahead, stay);
    }
    if beats(edge, face, ahead) {
        choice[0] = edge;
        choice[1] = face;
    } else {
        choice[1] = edge;
    }
}

// Finds the axes to take; false if one separates the boxes by more than the margin.
fn search(cached: u32) -> bool {
    var remembered = no_axis();
    if cached >= 1u && cached <= 15u {
        remembered = along(cached);
        if remembered.index != 0u && remembered.separation > header.margin {
            return false;
        }
    }
    var best = array<Axis, 3>(no_axis(), no_axis(), no_axis());
    for (var index = 1u; index <= 15u; index = index + 1u) {
        let axis = along(index);
        if axis.index == 0u {
            continue;
        }
        if axis.separation > header.margin {
            return false;
        }
        if best[axis.kind].index == 0u || best[axis.kind].separation < axis.separation {
            best[axis.kind] = axis;
        }
    }
    choose(best[OF_A], best[OF_B], best[EDGES], remembered);
    return true;
}
