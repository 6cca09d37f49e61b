// The incident face of one box, cut by the sides of the reference face of the other (N.4), and the point of two edges (N.5).
// Names of features are those of `boxes/clip.rs` of `collide`.

// A side cuts only what lies outside by more than this share of the smaller half width.
const SLACK: f32 = 1e-4;

// Kinds of features, in the top byte of their number.
const VERTEX: u32 = 0x1000000u;
const CROSSING_OF: u32 = 0x2000000u;
const CORNER: u32 = 0x3000000u;
const EDGE_PAIR: u32 = 0x4000000u;
// Lines that are sides of the reference face, and not edges of the incident box.
const SIDE: u32 = 0x100u;

struct Corner {
    // in the axes of the reference box
    place: vec3<f32>,
    feature: u32,
    // an edge of the incident box, or SIDE and a face of the reference box: what leads to the next corner
    line: u32,
}

var<private> polygon: array<Corner, 8>;
var<private> corners: u32;
var<private> kept: array<Corner, 8>;
var<private> keeps: u32;
// pose of the incident box in the axes of the reference box
var<private> frame: array<vec3<f32>, 3>;
var<private> origin: vec3<f32>;

fn sign_of(vertex: u32, axis: u32) -> f32 {
    return select(-1.0, 1.0, ((vertex >> axis) & 1u) == 1u);
}

// Number of an edge of a box: its axis, and on which sides it lies along the other two.
fn edge_number(axis: u32, vertex: u32) -> u32 {
    let second = (vertex >> ((axis + 2u) % 3u)) & 1u;
    let first = (vertex >> ((axis + 1u) % 3u)) & 1u;
    return 4u * axis + 2u * second + first;
}

// The vertex of a box where three faces meet.
fn corner_number(a: u32, b: u32, c: u32) -> u32 {
    return ((a & 1u) << (a >> 1u)) | ((b & 1u) << (b >> 1u)) | ((c & 1u) << (c >> 1u));
}

// The face of the incident box that looks most against the reference face; returns its number.
fn incident_face(size: vec3<f32>, against: vec3<f32>) -> u32 {
    let towards = abs(against);
    var axis = 0u;
    if towards.y > towards[axis] {
        axis = 1u;
    }
    if towards.z > towards[axis] {
        axis = 2u;
    }
    let outward = select(0u, 1u, against[axis] < 0.0);
    let first = (axis + 1u) % 3u;
    let second = (axis + 2u) % 3u;
    let base = outward << axis;
    var around = array<u32, 4>(0u, 1u << first, (1u << first) | (1u << second), 1u << second);
    for (var at = 0u; at < 4u; at = at + 1u) {
        let vertex = base | around[at];
        let local = size * vec3<f32>(sign_of(vertex, 0u), sign_of(vertex, 1u), sign_of(vertex, 2u));
        let place = frame[0] * local.x + frame[1] * local.y + frame[2] * local.z + origin;
        let runs = select(second, first, at % 2u == 0u);
        polygon[at] = Corner(place, VERTEX | (vertex << 8u), edge_number(runs, vertex));
    }
    corners = 4u;
    return 2u * axis + outward;
}

fn keep_corner(corner: Corner) {
    if keeps < 8u {
        kept[keeps] = corner;
        keeps = keeps + 1u;
    }
}

// Cuts what lies outside of a side of the reference face `context`, whose axis is `axis`.
fn cut(axis: u32, outward: u32, limit: f32, incident: u32, context: u32) {
    let way = select(-1.0, 1.0, outward == 1u);
    let side = 2u * axis + outward;
    var outside = false;
    for (var at = 0u; at < corners; at = at + 1u) {
        outside = outside || way * polygon[at].place[axis] - limit > 0.0;
    }
    if !outside {
        return;
    }
    keeps = 0u;
    for (var at = 0u; at < corners; at = at + 1u) {
        let next = select(at + 1u, 0u, at + 1u == corners);
        let one = polygon[at];
        let two = polygon[next];
        let here = way * one.place[axis] - limit;
        let there = way * two.place[axis] - limit;
        if here <= 0.0 {
            keep_corner(one);
        }
        if (here <= 0.0) != (there <= 0.0) {
            var corner: Corner;
            corner.feature = CROSSING_OF | (one.line << 8u) | side;
            if (one.line & SIDE) != 0u {
                corner.feature = CORNER | (incident << 8u) | corner_number(context, side, one.line & 0xffu);
            }
            corner.place = one.place + (here / (here - there)) * (two.place - one.place);
            corner.line = select(one.line, SIDE | side, here <= 0.0);
            keep_corner(corner);
        }
    }
    polygon = kept;
    corners = keeps;
}

// Corners of the incident face at most the margin above the reference face, which is that of box `reference` along `axis`.
fn clip(reference: u32, axis: u32, outward: u32) {
    let size = half[reference];
    let other = half[1u - reference];
    frame = column;
    origin = shift;
    if reference == 1u {
        for (var k = 0u; k < 3u; k = k + 1u) {
            frame[k] = vec3<f32>(column[0][k], column[1][k], column[2][k]);
        }
        origin = in_b(-shift);
    }
    let way = select(-1.0, 1.0, outward == 1u);
    let against = way * vec3<f32>(frame[0][axis], frame[1][axis], frame[2][axis]);
    let incident = incident_face(other, against);
    let context = 2u * axis + outward;
    let width = min(min(min(size.x, size.y), size.z), min(min(other.x, other.y), other.z));
    for (var side = 0u; side < 4u; side = side + 1u) {
        let across_axis = (axis + 1u + side / 2u) % 3u;
        cut(across_axis, side % 2u, size[across_axis] + SLACK * width, incident, context);
    }
    count = 0u;
    for (var at = 0u; at < corners; at = at + 1u) {
        let place = polygon[at].place;
        let separation = way * place[axis] - size[axis];
        if separation <= header.margin {
            var below = place;
            below[axis] = way * size[axis];
            let from_centre = place - origin;
            let own = vec3<f32>(
                dot3(frame[0], from_centre), dot3(frame[1], from_centre), dot3(frame[2], from_centre),
            );
            let feature = polygon[at].feature | ((8u * reference + context) << 16u);
            if reference == 0u {
                points[count] = Point(below, separation, own, feature);
            } else {
                points[count] = Point(own, separation, below, feature);
            }
            count = count + 1u;
        }
    }
}

// Middle and number of the edge of a box along `axis` that lies farthest towards a direction of its axes.
struct Edge {
    middle: vec3<f32>,
    number: u32,
}

fn farthest_edge(size: vec3<f32>, axis: u32, towards: vec3<f32>) -> Edge {
    var vertex = 0u;
    var middle = vec3<f32>(0.0);
    for (var k = 0u; k < 3u; k = k + 1u) {
        if k != axis {
            let positive = towards[k] > 0.0;
            vertex = vertex | (select(0u, 1u, positive) << k);
            middle[k] = select(-size[k], size[k], positive);
        }
    }
    return Edge(middle, edge_number(axis, vertex));
}

// The closest points of the two edges that lie farthest along the axis.
fn cross_edges(i: u32, j: u32) {
    let first = farthest_edge(half[0], i, normal);
    let second = farthest_edge(half[1], j, -in_b(normal));
    let u = unit(i);
    let v = column[j];
    let apart = in_a(second.middle) + shift - first.middle;
    let c = dot3(u, v);
    let du = dot3(u, apart);
    let dv = dot3(v, apart);
    let n = cross3(u, v);
    let square = dot3(n, n);
    let on_u = clamp((du - c * dv) / square, -half[0][i], half[0][i]);
    let on_v = clamp((c * du - dv) / square, -half[1][j], half[1][j]);
    let on_a = first.middle + on_u * u;
    let on_b = second.middle + on_v * unit(j);
    let separation = dot3(apart + on_v * v - on_u * u, normal);
    count = 0u;
    if separation <= header.margin {
        points[0] = Point(on_a, separation, on_b, EDGE_PAIR | (first.number << 8u) | second.number);
        count = 1u;
    }
}

// The points of an axis.
fn touch_along(axis: Axis) {
    let at = axis.index - 1u;
    normal = axis.normal;
    if axis.kind == OF_A {
        clip(0u, at, select(0u, 1u, normal[at] > 0.0));
    } else if axis.kind == OF_B {
        clip(1u, at - 3u, select(0u, 1u, dot3(normal, column[at - 3u]) < 0.0));
    } else {
        cross_edges((at - 6u) / 3u, (at - 6u) % 3u);
    }
}

fn boxes(cached: u32) {
    if !search(cached) {
        return;
    }
    for (var at = 0u; at < 3u; at = at + 1u) {
        let axis = choice[at];
        if axis.index == 0u {
            return;
        }
        touch_along(axis);
        if count > 0u {
            axis_taken = axis.index;
            return;
        }
        // a preferred axis that is not the best may belong to faces that do not face each other: then the next one
        if axis.separation >= 0.0 {
            return;
        }
    }
}
