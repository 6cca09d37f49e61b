// Balls against balls and boxes, in closed form.

// Centres closer than this share of the radii have no direction.
const CROSSING: f32 = 1e-12;
// The name of the one point of a ball.
const SINGLE: u32 = 1u;

// A vector's length, whatever its scale.
fn safe_length(x: vec3<f32>) -> f32 {
    let largest = max(max(abs(x.x), abs(x.y)), abs(x.z));
    if largest == 0.0 {
        return 0.0;
    }
    return largest * length3(x / largest);
}

fn touch_single(on_a: vec3<f32>, on_b: vec3<f32>, separation: f32) {
    if separation <= header.margin {
        points[0] = Point(on_a, separation, on_b, SINGLE);
        count = 1u;
    }
}

fn balls() {
    let apart = safe_length(shift);
    let radii = half[0].x + half[1].x;
    normal = vec3<f32>(0.0, 1.0, 0.0);
    if apart > CROSSING * radii {
        normal = shift / apart;
    }
    touch_single(vec3<f32>(0.0), vec3<f32>(0.0), apart - radii);
}

// The point of a box that is closest to `centre`, or, inside, that of the closest face; `outward` is the way out there.
struct Nearest {
    place: vec3<f32>,
    distance: f32,
    outward: vec3<f32>,
}

fn nearest_of_box(size: vec3<f32>, centre: vec3<f32>) -> Nearest {
    var nearest: Nearest;
    nearest.place = clamp(centre, -size, size);
    let apart = centre - nearest.place;
    let distance = safe_length(apart);
    if distance > CROSSING * (size.x + size.y + size.z) {
        nearest.distance = distance;
        nearest.outward = apart / distance;
        return nearest;
    }
    let depth = size - abs(centre);
    var face = 0u;
    if depth.y < depth[face] {
        face = 1u;
    }
    if depth.z < depth[face] {
        face = 2u;
    }
    var way = 1.0;
    if centre[face] < 0.0 {
        way = -1.0;
    }
    nearest.place[face] = way * size[face];
    nearest.distance = -depth[face];
    nearest.outward = way * unit(face);
    return nearest;
}

// A is the box.
fn box_and_ball() {
    let nearest = nearest_of_box(half[0], shift);
    normal = nearest.outward;
    touch_single(nearest.place, vec3<f32>(0.0), nearest.distance - half[1].x);
}

// B is the box.
fn ball_and_box() {
    let nearest = nearest_of_box(half[1], in_b(-shift));
    normal = -in_a(nearest.outward);
    touch_single(vec3<f32>(0.0), nearest.place, nearest.distance - half[0].x);
}
