//! The law of directions: a scene that is turned as a whole moves as before, turned.

use delassus_dynamics::{
    Body, Collider, ContactLaw, ContactPoint, Cuboid, HalfSpace, Inertia, Manifold, Material,
    Sphere, World, WorldParts, rotation,
};
use nalgebra::{UnitQuaternion, Vector3};

use crate::schemes::{DT, build, hanging, isolated, steps};
use crate::{MakeScheme, Verdict, attempt, available, require};

/// Long enough for bodies to slide and to be carried, and short enough for roundings to stay small.
const FRAMES: u32 = 25;

/// Rotation vectors \[rad\]: two of no symmetry, and a quarter turn that swaps the axes of the
/// world.
const TURNS: [[f64; 3]; 3] = [
    [0.8, -1.9, 0.6],
    [-2.2, 0.3, 1.4],
    [0.0, 0.0, std::f64::consts::FRAC_PI_2],
];

/// Which numbers of a scene are turned: both are the same scene.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turning {
    /// The orientations of all bodies: what is given in their axes stays as it is.
    Bodies,
    /// Those of the bodies that move; the ground keeps its axes, and what is given in them is
    /// turned.
    Ground,
}

/// A scene that is turned (gravity, bodies, and what is given in the axes of the ground) takes the
/// turned trajectory, to `tolerance` \[m, m/s\]: with joints, with contacts that the world finds,
/// and with contacts that it is given.
pub fn scheme_rotation(make: MakeScheme<'_>, tolerance: f64) -> Verdict {
    attempt!(available(make().device()));
    let scenes = [
        isolated(),
        hanging(),
        build(found()),
        build(external_contacts()),
    ];
    let mut met = 0;
    for (index, scene) in scenes.into_iter().enumerate() {
        let scene = attempt!(scene);
        if make().check(&scene).is_err() {
            continue;
        }
        met += 1;
        for turn in TURNS {
            let turn = rotation::exp(&Vector3::from(turn));
            for turning in [Turning::Bodies, Turning::Ground] {
                // shapes and joints of the ground would have to be turned one by one
                if turning == Turning::Ground && scene.manifolds().is_empty() {
                    continue;
                }
                let apart = attempt!(apart(make, &scene, &turn, turning));
                require!(
                    apart <= tolerance,
                    "scene {index}, turned with {turning:?}, ends {apart:e} m or m/s apart"
                );
            }
        }
    }
    if met == 0 {
        return Verdict::NotApplicable("it takes none of the scenes".into());
    }
    Verdict::Holds
}

/// How far the motion of a turned scene is from the turned motion.
fn apart(
    make: MakeScheme<'_>,
    scene: &World,
    turn: &UnitQuaternion<f64>,
    turning: Turning,
) -> Result<f64, Verdict> {
    let (mut plain, mut other) = (scene.clone(), build(turned(scene, turn, turning))?);
    steps(make().as_mut(), &mut plain, DT, FRAMES)?;
    steps(make().as_mut(), &mut other, DT, FRAMES)?;
    let pairs = plain.bodies().iter().zip(other.bodies());
    Ok(pairs.fold(0.0, |worst, (a, b)| {
        let position = turn * a.position.to_vector() - b.position.to_vector();
        let velocity = turn * a.velocity - b.velocity;
        let spin = turn * a.spin - b.spin;
        [position, velocity, spin]
            .iter()
            .fold(worst, |worst, vector| vector.norm().max(worst))
    }))
}

fn turned(scene: &World, turn: &UnitQuaternion<f64>, turning: Turning) -> WorldParts {
    let mut parts = scene.clone().into_parts();
    parts.gravity = turn * parts.gravity;
    let keeps = |body: &Body| turning == Turning::Ground && !body.is_dynamic();
    for manifold in &mut parts.manifolds {
        let [a, b] = manifold.bodies.map(|body| keeps(&parts.bodies[body]));
        for point in &mut manifold.points {
            if a {
                point.anchors[0] = turn * point.anchors[0];
            }
            if b {
                point.anchors[1] = turn * point.anchors[1];
            }
        }
        if a {
            manifold.normal = turn * manifold.normal;
            manifold.tangent = manifold.tangent.map(|tangent| turn * tangent);
        }
    }
    for body in &mut parts.bodies {
        if !keeps(body) {
            body.orientation = turn * body.orientation;
        }
        body.position = (turn * body.position.to_vector()).into();
        for vector in [
            &mut body.velocity,
            &mut body.spin,
            &mut body.force,
            &mut body.torque,
        ] {
            *vector = turn * *vector;
        }
    }
    parts
}

fn ground() -> WorldParts {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts
}

/// A box that slides aside with another one on it, and a ball that slides and spins. All overlap a
/// little: whether a surface that just touches is open or closed is a matter of rounding.
fn found() -> WorldParts {
    let mut parts = ground();
    let material = Material::rough(0.4);
    parts.collider(Collider::new(0, HalfSpace::default()).of(material));
    let inertia = Inertia::new(2.0, Vector3::new(0.3, 0.5, 0.4));
    // no edges above each other: which of two points at one place is clipped is a matter of
    // rounding as well
    let halves = [Vector3::new(0.5, 0.25, 0.4), Vector3::new(0.37, 0.25, 0.28)];
    for (height, velocity, half) in [(0.249, 1.0, halves[0]), (0.747, 0.3, halves[1])] {
        let body = Body::dynamic(inertia, Vector3::new(0.05 * height, height, 0.0));
        let moving = Vector3::new(velocity, 0.0, 0.7 * velocity);
        let body = parts.body(body.moving(moving, Vector3::zeros()));
        parts.collider(Collider::new(body, Cuboid { half }).of(material));
    }
    let ball = Body::dynamic(
        Inertia::new(0.5, Vector3::repeat(8e-3)),
        Vector3::new(3.0, 0.199, 0.0),
    );
    let ball = ball.moving(Vector3::new(0.5, 0.0, 1.0), Vector3::new(5.0, 2.0, -8.0));
    let ball = parts.body(ball);
    parts.collider(Collider::new(ball, Sphere::new(0.2)).of(material));
    parts
}

/// Two boxes on each other whose corners are given: they slide, and the upper one turns on the
/// lower one.
fn external_contacts() -> WorldParts {
    let mut parts = ground();
    let inertia = Inertia::new(2.0, Vector3::new(0.3, 0.5, 0.4));
    for height in [0.25, 0.75] {
        let velocity = Vector3::new(0.8, 0.0, 0.6);
        let body = Body::dynamic(inertia, Vector3::new(0.0, height, 0.0));
        parts.body(body.moving(velocity, Vector3::new(0.0, 2.0 * height, 0.0)));
    }
    for bodies in [[0, 1], [1, 2]] {
        let top = 0.25 * bodies[0] as f64;
        let corner = |x: f64, z: f64| ContactPoint {
            anchors: [Vector3::new(x, top, z), Vector3::new(x, -0.251, z)],
            radii: [0.0; 2],
        };
        let corners = [(0.5, 0.4), (0.5, -0.4), (-0.5, -0.4), (-0.5, 0.4)];
        let points = corners.map(|(x, z)| corner(x, z)).to_vec();
        let mut manifold = Manifold::new(bodies, Vector3::y(), points, 0.3, ContactLaw::Disc);
        manifold.tangent = Some(Vector3::new(0.6, 0.0, 0.8));
        parts.manifolds.push(manifold);
    }
    parts
}
