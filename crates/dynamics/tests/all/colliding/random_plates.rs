//! Plates of cylinders, boxes and prisms that slide and turn over posts of the same kinds, drawn at
//! random: no border of a collider stops them, and no contact is lost.

use delassus_core::ContactLaw;
use delassus_dynamics::{
    Body, Collider, Cuboid, Cylinder, Hull, Material, Scheme, Shape, ShapeGeometry, WorldParts,
};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{DT, G, accurate, turn};

/// A collider seen from above: where it is, how it is turned, and what it covers.
struct Plan {
    shape: Shape,
    half: f64,
    radius: f64,
    at: [f64; 2],
    turn: f64,
    /// Outward directions of its sides and their distances; none of a cylinder.
    sides: Vec<[f64; 3]>,
}

impl Plan {
    /// A cylinder, a box or a prism, at this distance from the middle.
    fn draw(
        kind: u32,
        radius: f64,
        half: f64,
        [distance, angle]: [f64; 2],
        rng: &mut Pcg64Mcg,
    ) -> Self {
        let (sine, cosine) = libm::sincos(angle);
        let side = |angle: f64, distance: f64| {
            let (sine, cosine) = libm::sincos(angle);
            [cosine, sine, distance]
        };
        let quarter = std::f64::consts::FRAC_PI_2;
        let (shape, sides) = match kind {
            0 => (Shape::from(Cylinder::new(half, radius)), Vec::new()),
            1 => {
                let width = radius * rng.random_range(0.6..1.0);
                let distances = [radius, width].into_iter().cycle();
                let sides = (0..4)
                    .zip(distances)
                    .map(|(k, d)| side(quarter * f64::from(k), d));
                (Cuboid::new(radius, half, width).into(), sides.collect())
            }
            _ => {
                let count = rng.random_range(3..9_u32);
                let step = std::f64::consts::TAU / f64::from(count);
                let corner = |k: u32| {
                    let (sine, cosine) = libm::sincos(step * f64::from(k / 2));
                    let y = if k.is_multiple_of(2) { half } else { -half };
                    Vector3::new(radius * cosine, y, radius * sine)
                };
                let inner = radius * libm::cos(0.5 * step);
                let sides = (0..count).map(|k| side(step * (f64::from(k) + 0.5), inner));
                let hull = Hull::new((0..2 * count).map(corner).collect());
                (hull.into(), sides.collect())
            }
        };
        Self {
            shape,
            half,
            radius,
            at: [distance * cosine, distance * sine],
            turn: rng.random_range(0.0..6.0),
            sides,
        }
    }

    fn covers(&self, [x, z]: [f64; 2]) -> bool {
        let (dx, dz) = (x - self.at[0], z - self.at[1]);
        let (sine, cosine) = libm::sincos(self.turn);
        let (x, z) = (cosine * dx - sine * dz, sine * dx + cosine * dz);
        let within = |side: &[f64; 3]| x * side[0] + z * side[1] <= side[2];
        let round = !self.sides.is_empty() || x * x + z * z <= self.radius * self.radius;
        round && self.sides.iter().all(within)
    }

    /// The collider of a body, with its middle at a height.
    fn collider(&self, body: usize, height: f64) -> Collider {
        Collider::new(body, self.shape.clone())
            .at(Vector3::new(self.at[0], height, self.at[1]))
            .turned(turn(0.0, self.turn, 0.0))
            .of(Material::rough(0.0))
    }
}

/// Posts whose tops are the plane y = 0, and the colliders of a plate that lies on them.
struct Draw {
    posts: Vec<Plan>,
    plate: Vec<Plan>,
    /// Half of the thickness of the plate \[m\].
    half: f64,
    velocity: Vector3<f64>,
    spin: f64,
    all: UnitQuaternion<f64>,
    posts_first: bool,
}

impl Draw {
    fn new(seed: u64) -> Self {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let [x, y, z] = [(); 3].map(|()| rng.random_range(-2.0..2.0));
        let all = if seed.is_multiple_of(3) {
            turn(0.0, y, 0.0)
        } else {
            turn(x, y, z)
        };
        let only = rng.random_range(0..4_u32);
        let kind = |rng: &mut Pcg64Mcg| {
            if only < 3 {
                only
            } else {
                rng.random_range(0..3_u32)
            }
        };
        let half = rng.random_range(0.02..0.15);
        let count = rng.random_range(3..7);
        let posts = (0..count).map(|k| {
            let turned = f64::from(k) + rng.random_range(-0.3..0.3);
            let angle = std::f64::consts::TAU * turned / f64::from(count);
            let place = [rng.random_range(0.2..0.33), angle];
            let (kind, radius) = (kind(&mut rng), rng.random_range(0.03..0.1));
            Plan::draw(kind, radius, 0.2, place, &mut rng)
        });
        let posts = posts.collect();
        let plate = (0..rng.random_range(3..7)).map(|k| {
            let distance = if k == 0 {
                0.0
            } else {
                rng.random_range(0.15..0.35)
            };
            let place = [distance, rng.random_range(0.0..6.3)];
            let (kind, radius) = (kind(&mut rng), rng.random_range(0.2..0.36));
            let thick = if rng.random_range(0..2) == 0 {
                1.0
            } else {
                rng.random_range(0.5..2.0)
            };
            Plan::draw(kind, radius, thick * half, place, &mut rng)
        });
        Self {
            plate: plate.collect(),
            posts,
            half,
            velocity: Vector3::new(
                rng.random_range(-0.08..0.08),
                0.0,
                rng.random_range(-0.08..0.08),
            ),
            spin: rng.random_range(-0.8..0.8),
            all,
            posts_first: seed.is_multiple_of(2),
        }
    }

    /// The world, and which body the plate is.
    fn parts(&self) -> (WorldParts, usize) {
        let mut parts = WorldParts {
            gravity: self.all * Vector3::new(0.0, -G, 0.0),
            ..WorldParts::default()
        };
        parts.contacts.law = ContactLaw::Coulomb;
        let fixed = Body::fixed(Vector3::zeros()).turned(self.all);
        let inertia = Cuboid::new(0.5, self.half, 0.5).solid(3.0).unwrap();
        let plate = Body::dynamic(inertia, self.all * Vector3::new(0.0, self.half, 0.0));
        let spin = self.all * Vector3::new(0.0, self.spin, 0.0);
        let plate = plate
            .turned(self.all)
            .moving(self.all * self.velocity, spin);
        let bodies = if self.posts_first {
            [fixed, plate]
        } else {
            [plate, fixed]
        };
        bodies.into_iter().for_each(|body| {
            parts.body(body);
        });
        let plate = usize::from(self.posts_first);
        for post in &self.posts {
            parts.collider(post.collider(1 - plate, -0.2));
        }
        for disc in &self.plate {
            parts.collider(disc.collider(plate, disc.half - self.half));
        }
        (parts, plate)
    }

    /// True if every post carries a part of the plate that is at a place and an angle, and the
    /// middle of the plate is well between what they carry.
    fn is_carried(&self, middle: [f64; 2], angle: f64) -> bool {
        let (sine, cosine) = libm::sincos(angle);
        let mut carried = Vec::new();
        for post in &self.posts {
            let before = carried.len();
            for k in 0..441_u32 {
                let step = |k: u32| post.radius * (f64::from(k) / 10.0 - 1.0);
                let place = [post.at[0] + step(k / 21), post.at[1] + step(k % 21)];
                let [dx, dz] = [place[0] - middle[0], place[1] - middle[1]];
                let own = [cosine * dx - sine * dz, sine * dx + cosine * dz];
                if post.covers(place) && self.plate.iter().any(|disc| disc.covers(own)) {
                    carried.push(place);
                }
            }
            if carried.len() < before + 5 {
                return false;
            }
        }
        (0..48).all(|k| {
            let (sine, cosine) = libm::sincos(std::f64::consts::TAU * f64::from(k) / 48.0);
            let along = |p: &[f64; 2]| (p[0] - middle[0]) * cosine + (p[1] - middle[1]) * sine;
            carried.iter().any(|place| along(place) > 0.02)
        })
    }
}

#[test]
fn plates_slide_over_posts_as_if_they_were_one_collider() {
    let mut frames = 0;
    for seed in 0..60 {
        let draw = Draw::new(seed);
        let (parts, plate) = draw.parts();
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|p| {
            p.sweeps = 400;
            p.stop.tolerance = Some(1e-11);
        });
        let up = draw.all * Vector3::y();
        for frame in 0..40 {
            let body = &world.bodies()[plate];
            let place = draw.all.inverse() * body.position.to_vector();
            let ahead = draw.all.inverse() * body.orientation * Vector3::x();
            let angle = libm::atan2(-ahead.z, ahead.x);
            if !draw.is_carried([place.x, place.z], angle) {
                break;
            }
            scheme.step(&mut world, DT, &mut ()).unwrap();
            let body = &world.bodies()[plate];
            let height = draw.all.inverse() * body.position.to_vector() - draw.half * Vector3::y();
            let lost = draw.all.inverse() * body.velocity - draw.velocity;
            let tilt = (body.orientation * Vector3::y()).cross(&up).norm();
            let name = format!("seed {seed}, frame {frame}: {height:?} {lost:?} {tilt:e}");
            assert!(height.y.abs() < 1e-7 && tilt < 1e-6, "{name}");
            assert!(lost.norm() < 1e-6, "{name}");
            frames += 1;
        }
    }
    assert!(frames > 900, "{frames}");
}
