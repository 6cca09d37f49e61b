//! Box3D's copy of a scene, by the crate `boxddd`.

use std::collections::HashSet;

use boxddd::{
    BodyId, BodyType, BoxHull, Foundation, MassData, Matrix3, Quat, Result, RevoluteJointDef,
    ShapeDef, Sphere, SphericalJointDef, Transform, Vec3, World,
};
use delassus_bench::contacts::{BenchBody, DT, FRICTION};
use delassus_bench::joints::{BenchJoint, DENSITY, JointKind, JointScene};

/// Halves of the edges of the box that stands for the ground \[m\].
const GROUND: [f64; 3] = [300.0, 10.0, 300.0];

/// Substeps of a frame.
const SUBSTEPS: i32 = 4;

/// The world, the ground and the bodies.
pub(crate) struct Box3d {
    world: World,
    ground: BodyId,
    bodies: Vec<BodyId>,
}

impl Box3d {
    /// One thread, without sleeping and continuous collision, else with the defaults of Box3D.
    pub(crate) fn new(scene: &JointScene) -> Result<Self> {
        let foundation = Foundation::initialize_default()?;
        let def = foundation.world_def_builder().worker_count(1);
        let def = def.gravity([0.0, -9.81, 0.0]).enable_sleep(false);
        let mut world = foundation.create_world(def.enable_continuous(false).build()?)?;
        let place = [0.0, -GROUND[1], 0.0];
        let def = foundation.body_def_builder().position(vector(place));
        let ground = world.create_body(def.build()?)?;
        let mut shape = foundation.shape_def();
        shape.base_material.friction = single(FRICTION);
        shape.density = single(DENSITY);
        if scene.contacts {
            let [x, y, z] = GROUND.map(single);
            world.create_hull_shape(ground, &shape, &BoxHull::new(x, y, z)?)?;
        }
        let mut made = Self {
            world,
            ground,
            bodies: Vec::new(),
        };
        for (piece, at) in &scene.pieces {
            let def = foundation.body_def_builder().position(vector(*at));
            let def = def.body_type(BodyType::Dynamic);
            let def = def.linear_velocity([single(scene.speed), 0.0, 0.0]);
            let body = made.world.create_body(def.build()?)?;
            made.bodies.push(body);
            if scene.contacts {
                made.cover(body, &shape, piece)?;
            } else {
                made.world.set_body_mass_data(body, mass(piece))?;
            }
        }
        for joint in &scene.joints {
            made.join(scene, joint)?;
        }
        Ok(made)
    }

    fn cover(&mut self, body: BodyId, shape: &ShapeDef, piece: &BenchBody) -> Result<()> {
        let world = &mut self.world;
        match *piece {
            BenchBody::Box(half) => {
                let [x, y, z] = half.map(single);
                world.create_hull_shape(body, shape, &BoxHull::new(x, y, z)?)?;
            }
            BenchBody::Ball(radius) => {
                let ball = Sphere::new([0.0; 3], single(radius));
                world.create_sphere_shape(body, shape, &ball)?;
            }
        }
        Ok(())
    }

    fn body(&self, index: Option<usize>) -> BodyId {
        index.map_or(self.ground, |index| self.bodies[index])
    }

    /// The anchors of a joint from the centres of its bodies \[m\]; the ground's is below y = 0.
    fn anchors(scene: &JointScene, joint: &BenchJoint) -> [Vec3; 2] {
        let mut anchors = scene.anchors(joint);
        for (anchor, body) in anchors.iter_mut().zip(joint.bodies) {
            if body.is_none() {
                anchor[1] += GROUND[1];
            }
        }
        anchors.map(vector)
    }

    fn join(&mut self, scene: &JointScene, joint: &BenchJoint) -> Result<()> {
        let [a, b] = joint.bodies.map(|body| self.body(body));
        let frames = Self::anchors(scene, joint).map(|at| Transform::new(at, Quat::IDENTITY));
        let hinge = RevoluteJointDef::new(a, b);
        let hinge = hinge.local_frame_a(frames[0]).local_frame_b(frames[1]);
        match joint.kind {
            JointKind::Ball => {
                let ball = SphericalJointDef::new(a, b);
                let ball = ball.local_frame_a(frames[0]).local_frame_b(frames[1]);
                self.world.create_spherical_joint(ball)?;
            }
            JointKind::Hinge => {
                self.world.create_revolute_joint(hinge)?;
            }
            JointKind::Limited(range) => {
                let [lower, upper] = range.map(single);
                let hinge = hinge.limit(true, lower, upper);
                self.world.create_revolute_joint(hinge)?;
            }
        }
        Ok(())
    }

    /// Takes a frame.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.world.step(single(DT), SUBSTEPS)
    }

    /// Largest distance of the anchors of a joint \[m\].
    pub(crate) fn gap(&self, scene: &JointScene) -> Result<f64> {
        let mut largest = 0.0_f64;
        for joint in &scene.joints {
            let anchors = Self::anchors(scene, joint);
            let place = |side: usize| {
                let body = self.body(joint.bodies[side]);
                self.world.body_world_point(body, anchors[side])
            };
            let (a, b) = (place(0)?, place(1)?);
            let apart = Vec3::new(a.x - b.x, a.y - b.y, a.z - b.z);
            let square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z;
            largest = largest.max(f64::from(square.sqrt()));
        }
        Ok(largest)
    }

    /// Contact points.
    pub(crate) fn points(&self) -> Result<usize> {
        let mut seen = HashSet::new();
        let mut points = 0;
        for body in &self.bodies {
            for contact in self.world.body_contacts(*body)? {
                if seen.insert(contact.contact_id) {
                    let counts = contact.manifolds.iter().map(|m| m.points().len());
                    points += counts.sum::<usize>();
                }
            }
        }
        Ok(points)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "Box3D computes in f32")]
fn single(x: f64) -> f32 {
    x as f32
}

fn vector(x: [f64; 3]) -> Vec3 {
    let [x, y, z] = x.map(single);
    Vec3::new(x, y, z)
}

/// The mass of a body without shapes.
fn mass(piece: &BenchBody) -> MassData {
    let (mass, inertia) = match *piece {
        BenchBody::Box([x, y, z]) => {
            let mass = DENSITY * 8.0 * x * y * z;
            let about = |a: f64, b: f64| mass / 3.0 * (a * a + b * b);
            (mass, [about(y, z), about(z, x), about(x, y)])
        }
        BenchBody::Ball(radius) => {
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
            (mass, [0.4 * mass * radius * radius; 3])
        }
    };
    let [x, y, z] = inertia;
    MassData {
        mass: single(mass),
        center: Vec3::ZERO,
        inertia: Matrix3 {
            cx: vector([x, 0.0, 0.0]),
            cy: vector([0.0, y, 0.0]),
            cz: vector([0.0, 0.0, z]),
        },
    }
}
