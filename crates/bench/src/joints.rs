//! Scenes with joints, for benchmarks of whole frames compared with other engines: chains, bridges,
//! carts, humans and cloths of balls. All bodies start unturned, so that any engine can build them
//! from points and axes of the world.

use std::f64::consts::PI;

use delassus_collide::{Collider, Cuboid, HalfSpace, Material, ShapeGeometry, Sphere};
use delassus_dynamics::constraints::{AngleLimit, Hinge, Point};
use delassus_dynamics::{Body, FieldError, Inertia, Joint, World, WorldParts};
use nalgebra::Vector3;

use crate::contacts::{BenchBody, FRICTION};

/// Density of all bodies \[kg/m³\].
pub const DENSITY: f64 = 1000.0;

/// A joint of two bodies, or of a body and the ground, at a point.
#[derive(Debug, Clone, Copy)]
pub struct BenchJoint {
    /// Indices of the bodies; none is the ground.
    pub bodies: [Option<usize>; 2],
    /// The point in the world \[m\].
    pub at: [f64; 3],
    /// What the joint leaves free.
    pub kind: JointKind,
}

/// What a joint of a scene leaves free.
#[derive(Debug, Clone, Copy)]
pub enum JointKind {
    /// All turns: three rows.
    Ball,
    /// Turns about z: five rows.
    Hinge,
    /// Turns about z in a range \[rad\]: five rows and a limit.
    Limited([f64; 2]),
}

/// Bodies, where they start, and their joints. Bodies of one joint do not touch each other.
#[derive(Debug, Clone, Default)]
pub struct JointScene {
    /// The bodies, with the place of each \[m\].
    pub pieces: Vec<(BenchBody, [f64; 3])>,
    /// The joints.
    pub joints: Vec<BenchJoint>,
    /// Velocity of all bodies along x at the start \[m/s\].
    pub speed: f64,
    /// True if the bodies touch each other and the ground, the plane y = 0.
    pub contacts: bool,
}

impl JointScene {
    fn piece(&mut self, body: BenchBody, at: [f64; 3]) -> usize {
        self.pieces.push((body, at));
        self.pieces.len() - 1
    }

    /// The point of a joint from the centres of its bodies \[m\].
    pub fn anchors(&self, joint: &BenchJoint) -> [[f64; 3]; 2] {
        joint.bodies.map(|body| {
            let centre = body.map_or([0.0; 3], |body| self.pieces[body].1);
            std::array::from_fn(|axis| joint.at[axis] - centre[axis])
        })
    }

    fn join(&mut self, a: Option<usize>, b: usize, at: [f64; 3], kind: JointKind) {
        let bodies = [a, Some(b)];
        self.joints.push(BenchJoint { bodies, at, kind });
    }
}

/// Chains of twenty links with ball joints. They hang from the ground by one end, start level, and
/// swing without contacts.
pub fn chains(count: u32) -> JointScene {
    let mut scene = JointScene::default();
    for chain in 0..count {
        let z = f64::from(chain);
        let mut last = None;
        for link in 0..20 {
            let x = 0.4 * f64::from(link);
            let body = scene.piece(BenchBody::Box([0.2, 0.05, 0.05]), [x + 0.2, 10.0, z]);
            scene.join(last, body, [x, 10.0, z], JointKind::Ball);
            last = Some(body);
        }
    }
    scene
}

/// Bridges of twenty planks with hinges between two fixed banks. Each carries five boxes.
pub fn bridges(count: u32) -> JointScene {
    let mut scene = JointScene {
        contacts: true,
        ..JointScene::default()
    };
    for bridge in 0..count {
        let z = 2.0 * f64::from(bridge);
        let mut last = None;
        for plank in 0..20 {
            let x = f64::from(plank);
            let body = scene.piece(BenchBody::Box([0.48, 0.1, 0.5]), [x + 0.5, 3.0, z]);
            scene.join(last, body, [x, 3.0, z], JointKind::Hinge);
            last = Some(body);
        }
        let bodies = [last, None];
        let (at, kind) = ([20.0, 3.0, z], JointKind::Hinge);
        scene.joints.push(BenchJoint { bodies, at, kind });
        for load in 0..5 {
            let x = 2.5 + 3.75 * f64::from(load);
            scene.piece(BenchBody::Box([0.3; 3]), [x, 3.4, z]);
        }
    }
    scene
}

/// Carts on the ground: a chassis, and four balls with hinges as wheels. They start with a speed of
/// 2 m/s, without spin.
pub fn carts(count: u32) -> JointScene {
    let mut scene = JointScene {
        contacts: true,
        speed: 2.0,
        ..JointScene::default()
    };
    let side = f64::from(count).sqrt().ceil();
    for cart in 0..count {
        let (x, z) = (
            3.0 * (f64::from(cart) % side),
            2.0 * (f64::from(cart) / side).floor(),
        );
        let chassis = scene.piece(BenchBody::Box([0.6, 0.1, 0.25]), [x, 0.35, z]);
        for (along, across) in [(-0.4, -0.45), (-0.4, 0.45), (0.4, -0.45), (0.4, 0.45)] {
            let hub = [x + along, 0.2, z + across];
            let wheel = scene.piece(BenchBody::Ball(0.2), hub);
            scene.join(Some(chassis), wheel, hub, JointKind::Hinge);
        }
    }
    scene
}

/// A limb of a human: its parent, its centre in the plane of symmetry and to the side \[m\], halves
/// of its edges \[m\], the height of its joint \[m\], and the range of a hinge \[π rad\].
type Limb = (usize, [f64; 3], [f64; 3], f64, Option<[f64; 2]>);

/// Ranges of knees and elbows \[π rad\].
const KNEE: Option<[f64; 2]> = Some([-0.7, 0.02]);
const ELBOW: Option<[f64; 2]> = Some([-0.02, 0.7]);

/// Hip, torso and head; then both legs and both arms, each of two parts.
const HUMAN: [Limb; 11] = [
    (0, [0.0, 0.95, 0.0], [0.09, 0.07, 0.14], 0.95, None),
    (0, [0.0, 1.2, 0.0], [0.09, 0.16, 0.15], 1.03, None),
    (1, [0.0, 1.5, 0.0], [0.08, 0.1, 0.08], 1.39, None),
    (0, [0.0, 0.68, -0.1], [0.06, 0.18, 0.06], 0.87, None),
    (3, [0.0, 0.27, -0.1], [0.05, 0.2, 0.05], 0.48, KNEE),
    (0, [0.0, 0.68, 0.1], [0.06, 0.18, 0.06], 0.87, None),
    (5, [0.0, 0.27, 0.1], [0.05, 0.2, 0.05], 0.48, KNEE),
    (1, [0.0, 1.2, -0.21], [0.04, 0.14, 0.04], 1.35, None),
    (7, [0.0, 0.9, -0.21], [0.035, 0.14, 0.035], 1.05, ELBOW),
    (1, [0.0, 1.2, 0.21], [0.04, 0.14, 0.04], 1.35, None),
    (9, [0.0, 0.9, 0.21], [0.035, 0.14, 0.035], 1.05, ELBOW),
];

/// Humans of eleven boxes, with ball joints, and hinges with limits at knees and elbows. They fall
/// over in layers of a square.
pub fn humans(count: u32) -> JointScene {
    let mut scene = JointScene {
        contacts: true,
        speed: 1.0,
        ..JointScene::default()
    };
    let side = f64::from(count / 2).sqrt().ceil();
    for human in 0..count {
        let (layer, place) = (
            (f64::from(human) / (side * side)).floor(),
            f64::from(human) % (side * side),
        );
        let (x, z) = (1.0 * (place % side), 0.8 * (place / side).floor());
        let up = 0.05 + 1.8 * layer;
        let first = scene.pieces.len();
        for (index, (parent, centre, half, joint, range)) in HUMAN.into_iter().enumerate() {
            let at = [x + centre[0], up + centre[1], z + centre[2]];
            let body = scene.piece(BenchBody::Box(half), at);
            let kind = match range {
                Some(range) => JointKind::Limited(range.map(|share| share * PI)),
                None => JointKind::Ball,
            };
            if index > 0 {
                scene.join(Some(first + parent), body, [at[0], up + joint, at[2]], kind);
            }
        }
    }
    scene
}

/// A level cloth of `side` × `side` balls with ball joints between neighbours, which falls over a
/// heavy ball on the ground.
pub fn cloth(side: u32) -> JointScene {
    /// Distance of neighbours \[m\].
    const PITCH: f64 = 0.25;
    /// Radius of the balls \[m\].
    const RADIUS: f64 = 0.1;
    let mut scene = JointScene {
        contacts: true,
        ..JointScene::default()
    };
    let extent = PITCH * f64::from(side - 1);
    let heavy = 0.25 * extent;
    let middle = 0.5 * extent + 0.3 * PITCH;
    scene.piece(BenchBody::Ball(heavy), [middle, heavy, middle]);
    let height = 2.0 * heavy + 2.0 * RADIUS;
    let place = |cell: u32| PITCH * f64::from(cell);
    let index = |row: u32, column: u32| (1 + row * side + column) as usize;
    for row in 0..side {
        for column in 0..side {
            let at = [place(column), height, place(row)];
            let ball = scene.piece(BenchBody::Ball(RADIUS), at);
            if column > 0 {
                let at = [at[0] - 0.5 * PITCH, at[1], at[2]];
                scene.join(Some(index(row, column - 1)), ball, at, JointKind::Ball);
            }
            if row > 0 {
                let at = [at[0], at[1], at[2] - 0.5 * PITCH];
                scene.join(Some(index(row - 1, column)), ball, at, JointKind::Ball);
            }
        }
    }
    scene
}

impl JointScene {
    /// The scene as a world; pairs that move by less than `recycle` \[m\] keep their manifolds.
    ///
    /// # Errors
    /// A piece that is none.
    pub fn world(&self, recycle: f64) -> Result<World, FieldError> {
        let mut parts = WorldParts {
            gravity: Vector3::new(0.0, -9.81, 0.0),
            ..WorldParts::default()
        };
        parts.contacts.recycle = recycle;
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        let rough = Material::rough(FRICTION);
        if self.contacts {
            parts.collider(Collider::new(ground, HalfSpace::default()).of(rough));
        }
        let velocity = Vector3::new(self.speed, 0.0, 0.0);
        for (piece, at) in &self.pieces {
            let body = Body::dynamic(inertia(piece)?, Vector3::from(*at));
            let body = parts.body(body.moving(velocity, Vector3::zeros()));
            if self.contacts {
                let collider = match *piece {
                    BenchBody::Box([x, y, z]) => Collider::new(body, Cuboid::new(x, y, z)),
                    BenchBody::Ball(radius) => Collider::new(body, Sphere::new(radius)),
                };
                parts.collider(collider.of(rough));
            }
        }
        for joint in &self.joints {
            add(&mut parts, joint);
        }
        parts.build()
    }
}

fn inertia(piece: &BenchBody) -> Result<Inertia, FieldError> {
    match *piece {
        BenchBody::Box([x, y, z]) => Cuboid::new(x, y, z).inertia(DENSITY),
        BenchBody::Ball(radius) => Sphere::new(radius).inertia(DENSITY),
    }
}

fn add(parts: &mut WorldParts, joint: &BenchJoint) {
    // the ground is body 0
    let bodies = joint.bodies.map(|body| body.map_or(0, |body| body + 1));
    let at = Vector3::from(joint.at);
    let anchors = bodies.map(|body| at - parts.bodies[body].position.to_vector());
    let axes = [Vector3::z(); 2];
    match joint.kind {
        JointKind::Ball => parts.joint(Joint::new(Point { bodies, anchors })),
        JointKind::Hinge | JointKind::Limited(_) => parts.joint(Joint::new(Hinge {
            bodies,
            anchors,
            axes,
        })),
    };
    if let JointKind::Limited([lower, upper]) = joint.kind {
        parts.joint(Joint::new(AngleLimit {
            bodies,
            axes,
            lower,
            upper,
            reference: 0.0,
        }));
    }
}
