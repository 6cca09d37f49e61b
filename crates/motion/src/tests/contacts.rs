//! What contacts are observed to do, in worlds that find them and in worlds that are given them.

use delassus_dynamics::{
    Collider, Cuboid, HalfSpace, Material, PolyhedronMethod, Shape, ShapeGeometry, Sphere, rotation,
};

use super::*;

const G: f64 = 9.81;

#[test]
fn the_overlaps_of_all_points_are_counted_where_one_of_them_is_asked_for() {
    let world = resting_cube(0.0, 0.5, ContactLaw::Disc).build().unwrap();
    let scheme = || Ok(make("pgs-soft", json!({}), "pgs"));
    let names = ["penetration_max", "contact_points"];
    let observed = run(&world, &scheme, &names, 30);
    let depths = observed.depths.as_ref().expect("overlaps");
    let points: f64 = values(&observed, "contact_points").iter().sum();
    assert_eq!((depths.points(), points), (4 * 31, 124.0));
    let deepest = values(&observed, "penetration_max")
        .into_iter()
        .fold(0.0, f64::max);
    let (end, _) = depths.ends().last().expect("an overlap");
    assert!(
        deepest > 0.0 && end >= deepest && end <= 1.048 * deepest,
        "{end} {deepest}"
    );
    assert_eq!(run(&world, &scheme, &["contact_points"], 3).depths, None);
}

/// The ground, whose normal leans by `slope` \[rad\] about z, and nothing on it.
fn ground(slope: f64, friction: f64, law: ContactLaw) -> WorldParts {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.law = law;
    parts.contacts.polyhedra = PolyhedronMethod::Library;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let normal = leaning(slope) * Vector3::y();
    let plane = Collider::new(ground, HalfSpace { normal });
    parts.collider(plane.of(Material::rough(friction)));
    parts
}

fn leaning(slope: f64) -> nalgebra::UnitQuaternion<f64> {
    rotation::exp(&Vector3::new(0.0, 0.0, slope))
}

fn put(parts: &mut WorldParts, shape: impl Into<Shape>, body: Body, friction: f64) -> usize {
    let body = parts.body(body);
    parts.collider(Collider::new(body, shape).of(Material::rough(friction)));
    body
}

/// A cube of 3 kg with half edges of 0.5 m at rest on the ground, 2 m from the origin along the
/// slope.
fn resting_cube(slope: f64, friction: f64, law: ContactLaw) -> WorldParts {
    let mut parts = ground(slope, friction, law);
    let shape = Cuboid::cube(0.5);
    let lean = leaning(slope);
    let at = lean * Vector3::new(2.0, 0.5, 0.0);
    let body = Body::dynamic(shape.solid(3.0).unwrap(), at).turned(lean);
    put(&mut parts, shape, body, friction);
    parts
}

fn last(run: &ObservedRun, name: &str) -> f64 {
    let column = run.column(name).unwrap();
    run.samples.last().unwrap().values[column].unwrap_or(f64::NAN)
}

fn exact(solver: &'static str) -> impl Fn() -> Result<Box<dyn Scheme>, SchemeError> {
    move || Ok(make("pgs-baumgarte", json!({ "sweeps": 300 }), solver))
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let difference = (found - expected).abs();
    assert!(difference <= tolerance, "{found}, expected {expected}");
}

#[test]
fn a_cube_at_rest_pushes_with_its_weight_at_four_points() {
    let world = resting_cube(0.0, 0.5, ContactLaw::Disc).build().unwrap();
    let names = [
        "force[0,1].x",
        "force[0,1].y",
        "force[1,0].y",
        "torque[0,1].x",
        "torque[0,1].z",
        "torque[1,0].z",
        "contact_manifolds",
        "contact_points",
        "pushing_points",
        "contacts_begun",
        "contacts_ended",
        "slip_max",
        "slip_mean",
        "rolling_max",
        "spinning_max",
        "cone_use_max",
        "speed_max",
        "spin_max",
        "fallen",
        "energy_injected",
        "rest_time",
        "penetration_p99",
        "frame_sweeps",
    ];
    let run = run(&world, &exact("pgs"), &names, 60);
    assert_eq!((run.status, &run.message), (Status::Solved, &None));
    let weight = 3.0 * G;
    for (name, expected) in [
        ("force[0,1].x", 0.0),
        ("force[0,1].y", weight),
        ("force[1,0].y", -weight),
        ("torque[0,1].x", 0.0),
        ("torque[0,1].z", 0.0),
        // 2 m from the centre of the ground
        ("torque[1,0].z", -2.0 * weight),
        ("contact_manifolds", 1.0),
        ("contact_points", 4.0),
        ("pushing_points", 4.0),
        ("contacts_begun", 0.0),
        ("contacts_ended", 0.0),
        ("slip_max", 0.0),
        ("slip_mean", 0.0),
        ("rolling_max", 0.0),
        ("spinning_max", 0.0),
        ("speed_max", 0.0),
        ("spin_max", 0.0),
        ("fallen", 0.0),
        ("energy_injected", 0.0),
        ("rest_time", 0.0),
        ("penetration_p99", 0.0),
        ("frame_sweeps", 300.0),
    ] {
        near(last(&run, name), expected, 1e-9);
    }
    // the first frame found the pair; before it there were neither frames nor impulses
    assert_eq!(values(&run, "contacts_begun")[..2], [1.0, 0.0]);
    let start = |name: &str| run.samples[0].values[run.column(name).unwrap()];
    for (name, value) in [
        ("contacts_begun", None),
        ("frame_sweeps", None),
        ("rest_time", None),
        ("slip_max", None),
        ("cone_use_max", None),
        ("contact_points", Some(4.0)),
        ("pushing_points", Some(0.0)),
        ("force[0,1].y", Some(0.0)),
    ] {
        assert_eq!(start(name), value, "{name}");
    }
}

#[test]
fn the_overlap_of_the_start_is_seen_before_the_first_frame() {
    let mut parts = resting_cube(0.0, 0.5, ContactLaw::Disc);
    parts.bodies[1].position += Vector3::new(0.0, -0.01, 0.0);
    let run = run(
        &parts.build().unwrap(),
        &exact("pgs"),
        &["penetration_max"],
        1,
    );
    near(values(&run, "penetration_max")[0], 0.01, 1e-15);
}

#[test]
fn a_stack_of_balls_hands_its_weight_down() {
    let mut parts = ground(0.0, 0.5, ContactLaw::Disc);
    for (mass, height) in [(2.0, 0.3), (5.0, 0.9)] {
        let shape = Sphere::new(0.3);
        let at = Vector3::new(0.0, height, 0.0);
        put(
            &mut parts,
            shape,
            Body::dynamic(shape.solid(mass).unwrap(), at),
            0.5,
        );
    }
    let world = parts.build().unwrap();
    let names = [
        "force[0,1].y",
        "force[1,2].y",
        "force[2,1].y",
        "force[0,2].y",
        "pushing_points",
        "cone_use_max",
    ];
    let run = run(&world, &exact("pgs"), &names, 20);
    for (name, expected) in names
        .iter()
        .zip([7.0 * G, 5.0 * G, -5.0 * G, 0.0, 2.0, 0.0])
    {
        near(last(&run, name), expected, 1e-9);
    }
}

#[test]
fn on_an_incline_the_cone_is_used_by_its_slope() {
    let (tangent, mu) = (0.3_f64, 0.5);
    let slope = libm::atan(tangent);
    let names = [
        "cone_use_max",
        "cone_use_mean",
        "force[0,1].x",
        "force[0,1].y",
        "torque[0,1].z",
        "slip_max",
    ];
    let patch = resting_cube(slope, mu, ContactLaw::Patch).build().unwrap();
    let run = run(&patch, &exact("pgs"), &names, 30);
    // what holds a body at rest is its weight, upright through its centre
    let use_of_cone = tangent / mu;
    let expected = [use_of_cone, use_of_cone, 0.0, 3.0 * G, 0.0, 0.0];
    for (name, expected) in names.iter().zip(expected) {
        near(last(&run, name), expected, 1e-8);
    }
    // a ball that cannot turn stands on one point
    let mut parts = ground(slope, mu, ContactLaw::Disc);
    let at = leaning(slope) * Vector3::new(2.0, 0.5, 0.0);
    let body = Body::dynamic(Inertia::point(3.0), at);
    put(&mut parts, Sphere::new(0.5), body, mu);
    let names = &names[..4];
    let run = super::run(&parts.build().unwrap(), &exact("pgs"), names, 30);
    for (name, expected) in names.iter().zip([tangent / mu, tangent / mu, 0.0, 3.0 * G]) {
        near(last(&run, name), expected, 1e-9);
    }
}

#[test]
fn what_slides_slips_by_its_acceleration() {
    let (slope, mu) = (0.5_f64, 0.2);
    let mut parts = ground(slope, mu, ContactLaw::Disc);
    let at = leaning(slope) * Vector3::new(2.0, 0.5, 0.0);
    put(
        &mut parts,
        Sphere::new(0.5),
        Body::dynamic(Inertia::point(3.0), at),
        mu,
    );
    let names = ["slip_max", "slip_mean", "cone_use_max", "energy_injected"];
    let run = run(&parts.build().unwrap(), &exact("pgs"), &names, 30);
    let acceleration = G * (libm::sin(slope) - mu * libm::cos(slope));
    for (frame, slip) in values(&run, "slip_max").iter().enumerate() {
        near(*slip, acceleration * DT * (frame + 1) as f64, 1e-9);
    }
    assert_eq!(values(&run, "slip_max"), values(&run, "slip_mean"));
    near(last(&run, "cone_use_max"), 1.0, 1e-12);
    near(last(&run, "energy_injected"), 0.0, 1e-12);
}

#[test]
fn what_stands_on_a_belt_slips_until_it_moves_along() {
    let mu = 0.3;
    let mut parts = ground(0.0, mu, ContactLaw::Disc);
    parts.colliders[0].material.surface_velocity = Vector3::new(1.0, 0.0, 0.0);
    let body = Body::dynamic(Inertia::point(2.0), Vector3::new(0.0, 0.5, 0.0));
    put(&mut parts, Sphere::new(0.5), body, mu);
    let run = run(&parts.build().unwrap(), &exact("pgs"), &["slip_max"], 30);
    for (frame, slip) in values(&run, "slip_max").iter().enumerate() {
        let left = 1.0 - mu * G * DT * (frame + 1) as f64;
        near(*slip, left.max(0.0), 1e-9);
    }
}

#[test]
fn a_ball_that_rolls_does_not_slip() {
    let mut parts = ground(0.0, 0.5, ContactLaw::Disc);
    let shape = Sphere::new(0.25);
    let body = Body::dynamic(shape.solid(1.0).unwrap(), Vector3::new(0.0, 0.25, 0.0));
    let body = body.moving(Vector3::x(), Vector3::new(0.0, 0.7, -4.0));
    put(&mut parts, shape, body, 0.5);
    let names = ["slip_max", "rolling_max", "spinning_max"];
    let run = run(&parts.build().unwrap(), &exact("pgs"), &names, 10);
    for (name, expected) in names.iter().zip([0.0, 4.0, 0.7]) {
        near(last(&run, name), expected, 1e-9);
    }
}

#[test]
fn friction_answers_a_torque_about_the_normal() {
    for law in [ContactLaw::Disc, ContactLaw::Patch] {
        let mut parts = resting_cube(0.0, 0.5, law);
        parts.bodies[1].torque = Vector3::new(0.0, 1.5, 0.0);
        let names = [
            "torque[0,1].x",
            "torque[0,1].y",
            "torque[0,1].z",
            "torque[1,0].y",
        ];
        let run = run(&parts.build().unwrap(), &exact("pgs"), &names, 30);
        for (name, expected) in names.iter().zip([0.0, -1.5, 0.0, 1.5]) {
            near(last(&run, name), expected, 1e-8);
        }
    }
}

#[test]
fn a_contact_begins_within_the_margin_and_ends_beyond_it() {
    let mut parts = ground(0.0, 0.5, ContactLaw::Disc);
    let shape = Sphere::new(0.5);
    let body = Body::dynamic(shape.solid(1.0).unwrap(), Vector3::new(0.0, 0.5, 0.0));
    put(
        &mut parts,
        shape,
        body.moving(Vector3::y(), Vector3::zeros()),
        0.5,
    );
    let names = [
        "x[1].y",
        "contacts_begun",
        "contacts_ended",
        "contact_points",
    ];
    let world = parts.build().unwrap();
    let run = run(&world, &exact("pgs"), &names, 30);
    let margin = world.contact_settings().margin;
    let near: Vec<bool> = values(&run, "x[1].y")
        .iter()
        .map(|y| y - 0.5 <= margin)
        .collect();
    let (begun, ended) = (
        values(&run, "contacts_begun"),
        values(&run, "contacts_ended"),
    );
    for frame in 0..30 {
        // the frame finds what touches at its start
        let before = frame > 0 && near[frame - 1];
        let found = [
            begun[frame],
            ended[frame],
            values(&run, "contact_points")[frame + 1],
        ];
        let expected = [near[frame] && !before, before && !near[frame], near[frame]];
        assert_eq!(
            found,
            expected.map(|is| f64::from(u8::from(is))),
            "frame {frame}"
        );
    }
    assert_eq!(
        (begun.iter().sum::<f64>(), ended.iter().sum::<f64>()),
        (2.0, 1.0)
    );
}

#[test]
fn quantiles_are_overlaps_that_occur() {
    let mut parts = block(ContactLaw::Disc);
    parts.bodies[1].position = Vector3::new(0.0, 0.5, 0.0).into();
    // 1 mm to 20 mm, in no order
    let depth = |k: u32| 1e-3 * f64::from(1 + 7 * k % 20);
    let point = |k: u32| ContactPoint {
        anchors: [Vector3::zeros(), Vector3::new(0.0, -0.5, 0.0)],
        radii: [depth(k), 0.0],
    };
    parts.manifolds[0].points = (0..20).map(point).collect();
    let names = [
        "penetration_p50",
        "penetration_p95",
        "penetration_p99",
        "penetration_max",
        "penetration_mean",
        "penetration_rms",
        "contact_points",
        "contacts_begun",
    ];
    let run = run(&parts.build().unwrap(), &exact("pgs"), &names, 1);
    // mean of k² up to 20: 21 · 41 / 6
    let rms = (143.5e-6_f64).sqrt();
    let expected = [0.010, 0.019, 0.020, 0.020, 0.0105, rms, 20.0];
    for (found, expected) in run.samples[0].values.iter().zip(expected) {
        near(found.unwrap(), expected, 1e-15);
    }
    // what was given to a world neither begins nor ends
    assert_eq!(run.samples[1].values[7], None);
    let empty = pendulum().build().unwrap();
    let run = super::run(&empty, &exact("dense-direct"), &names, 1);
    let mut none = vec![None; 8];
    none[6] = Some(0.0);
    assert_eq!(run.samples[1].values, none);
}

#[test]
fn a_dropped_cube_rests_when_it_has_fallen() {
    let mut parts = resting_cube(0.0, 0.5, ContactLaw::Disc);
    parts.bodies[1].position += Vector3::new(0.0, 0.01, 0.0);
    let names = ["rest_time", "energy_injected", "fallen"];
    let run = run(&parts.build().unwrap(), &exact("pgs"), &names, 60);
    let fall = (2.0 * 0.01 / G).sqrt();
    let rest = last(&run, "rest_time");
    // a step of the fall is late by half a frame at most; one more stops
    assert!(
        rest >= fall && rest <= fall + 2.0 * DT,
        "{rest}, fall {fall}"
    );
    near(last(&run, "energy_injected"), 0.0, 1e-12);
    near(last(&run, "fallen"), 0.0, 0.0);
    // it moved before: there was no rest to speak of
    assert_eq!(run.samples[1].values[0], None);
}

/// 2 kg that slide at 1 m/s on one point under the centre, which friction does not turn; `gap`
/// above the ground.
fn sliding_point(law: ContactLaw, gap: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::repeat(1.0));
    let start = Vector3::new(0.0, gap, 0.0);
    let moving = Body::dynamic(inertia, start).moving(Vector3::x(), Vector3::zeros());
    let body = parts.body(moving);
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let bodies = [ground, body];
    parts
        .manifolds
        .push(Manifold::new(bodies, Vector3::y(), vec![point], 0.5, law));
    parts.build().unwrap()
}

#[test]
fn a_convex_cone_pushes_across_the_gap_that_it_makes() {
    let scheme = || Ok(make("pgs-baumgarte", json!({ "sweeps": 300 }), "block-gs"));
    let names = ["gap_artefact", "penetration_max"];
    let lifted = run(
        &sliding_point(ContactLaw::ConvexCone, 0.0),
        &scheme,
        &names,
        1,
    );
    // F6: v_t⁺ = (v_t − μ g h)/(1 + μ²), and w_n = μ v_t⁺ lifts it within the step by h w_n
    let speed = (1.0 - 0.5 * G * DT) / 1.25;
    near(last(&lifted, "gap_artefact"), 0.5 * speed * DT, 1e-12);
    assert_eq!(last(&lifted, "penetration_max"), 0.0);
    // before the first step nothing pushes
    assert_eq!(lifted.samples[0].values[0], None);
    // F5 stays on the ground, and a point that is too far to push has none
    let flat = run(&sliding_point(ContactLaw::Coulomb, 0.0), &scheme, &names, 1);
    near(last(&flat, "gap_artefact"), 0.0, 1e-12);
    let far = run(&sliding_point(ContactLaw::Coulomb, 1.0), &scheme, &names, 1);
    assert!(last(&far, "gap_artefact").is_nan());
}
