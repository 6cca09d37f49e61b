//! Scenes, and what the processor finds in them.

use delassus_collide::{
    Bounds, BroadPhase, Collider, CollisionManifold, ContactQuery, Cuboid, Geometry, HalfSpace,
    PairCache, PairManifolds, Shape, Sphere, contacts,
};
use delassus_collide_gpu::{
    ColliderScene, CollisionError, Finder, GpuManifold, PairState, PairStates, Room,
};
use delassus_conformance::device_or_skip;
use delassus_solver_gpu::Device;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Returns a finder, or skips the test if there is no device.
pub(crate) fn finder(test: &str, workgroup: u32) -> Option<Finder> {
    finder_with(
        test,
        workgroup,
        Room {
            pairs: 1024,
            manifolds: 512,
        },
    )
}

/// The same with other room at first.
pub(crate) fn finder_with(test: &str, workgroup: u32, room: Room) -> Option<Finder> {
    let device = device_or_skip(test, Device::shared(""))?;
    Some(Finder::with_room(device, workgroup, room).expect("kernels compile"))
}

/// Colliders, one per body, and where the bodies are.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) colliders: Vec<Collider>,
    pub(crate) poses: Vec<Isometry3<f64>>,
    pub(crate) moves: Vec<bool>,
    pub(crate) apart: Vec<[usize; 2]>,
    pub(crate) query: ContactQuery,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            colliders: Vec::new(),
            poses: Vec::new(),
            moves: Vec::new(),
            apart: Vec::new(),
            query: ContactQuery::default(),
        }
    }

    /// Adds a body with a shape at its centre.
    pub(crate) fn add(&mut self, shape: impl Into<Shape>, pose: Isometry3<f64>) -> usize {
        let body = self.poses.len();
        self.colliders.push(Collider::new(body, shape));
        self.poses.push(pose);
        self.moves.push(true);
        body
    }

    pub(crate) fn scene(&self) -> ColliderScene<'_> {
        ColliderScene {
            colliders: &self.colliders,
            moves: &self.moves,
            apart: &self.apart,
            marks: &[],
            margin: self.query.margin,
            persistence: self.query.persistence,
        }
    }

    /// What the device finds.
    pub(crate) fn ask(
        &self,
        finder: &mut Finder,
        before: PairStates<'_>,
    ) -> Result<Vec<GpuManifold>, CollisionError> {
        finder.find(&self.scene(), &self.poses, before)
    }

    pub(crate) fn found(&self, finder: &mut Finder) -> Vec<GpuManifold> {
        let found = self.ask(finder, PairStates::Given(&[]));
        found.unwrap_or_else(|error| panic!("{error}"))
    }

    fn geometry(&self, index: usize) -> Geometry {
        Geometry::new(&self.colliders[index].shape).expect("a shape")
    }

    /// Where a collider is in the world.
    pub(crate) fn pose(&self, index: usize) -> Isometry3<f64> {
        let collider = &self.colliders[index];
        self.poses[collider.body] * collider.placement()
    }

    /// Pose of B in the axes of A.
    pub(crate) fn between(&self, [a, b]: [u32; 2]) -> Isometry3<f64> {
        self.pose(a as usize).inverse() * self.pose(b as usize)
    }

    /// Pairs that are near, as the processor finds them, with boxes grown by `more` \[m\].
    pub(crate) fn near(&self, more: f64) -> Vec<[u32; 2]> {
        let margin = 0.5 * self.query.margin + more;
        let bounds: Vec<Bounds> = (0..self.colliders.len())
            .map(|index| self.geometry(index).bounds(&self.pose(index), margin))
            .collect();
        let may = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|index| &self.colliders[index as usize]);
            let pair = [a.body.min(b.body), a.body.max(b.body)];
            (self.moves[a.body] || self.moves[b.body])
                && a.body != b.body
                && a.filter.allows(&b.filter)
                && !self.apart.contains(&pair)
        };
        let mut pairs = Vec::new();
        BroadPhase::default().pairs(&bounds, may, &mut pairs);
        pairs
    }

    /// The manifold of a pair on the processor, with what it remembers.
    pub(crate) fn touching(
        &self,
        colliders: [u32; 2],
        memory: &mut PairCache,
        before: &[u64],
    ) -> Option<CollisionManifold> {
        let [a, b] = colliders.map(|index| self.geometry(index as usize));
        let mut out = PairManifolds::default();
        contacts(
            [&a, &b],
            &self.between(colliders),
            &self.query,
            memory,
            before,
            &mut out,
        );
        assert!(out.len() < 2, "spheres and boxes have one manifold");
        out.first().cloned()
    }
}

/// What the device found, as the memory of the next search.
pub(crate) fn remembered(found: &[GpuManifold]) -> Vec<PairState> {
    let of = |found: &GpuManifold| PairState {
        colliders: found.colliders,
        memory: found.memory,
        points: (found.touching.points.iter())
            .map(|point| (point.points, point.feature))
            .collect(),
    };
    found.iter().map(of).collect()
}

/// Numbers from 0 to 1.
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    move || f64::from(random.next_u32()) / f64::from(u32::MAX)
}

/// A rotation, of all alike.
pub(crate) fn turn(number: &mut impl FnMut() -> f64) -> UnitQuaternion<f64> {
    loop {
        let mut next = || 2.0 * number() - 1.0;
        let q = Quaternion::new(next(), next(), next(), next());
        if (0.01..1.0).contains(&q.norm_squared()) {
            return UnitQuaternion::new_normalize(q);
        }
    }
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// A sphere or a box of sizes around `size` \[m\].
pub(crate) fn shape(number: &mut impl FnMut() -> f64, size: f64) -> Shape {
    let mut own = || size * (0.3 + number());
    if own() < 0.6 * size {
        return Sphere::new(own()).into();
    }
    Cuboid::new(own(), own(), own()).into()
}

/// Spheres and boxes in a cube, sizes over a range of a hundred, a large box below.
pub(crate) fn mixed(count: usize, edge: f64, seed: u64) -> World {
    let mut number = numbers(seed);
    let mut world = World::new();
    let ground = world.add(Cuboid::new(3.0 * edge, 1.0, 3.0 * edge), at(0.0, -1.0, 0.0));
    world.moves[ground] = false;
    for index in 0..count {
        let size = [0.05, 0.5, 0.5, 1.0, 5.0][index % 5];
        let place = Vector3::new(number() - 0.5, 0.5 * number(), number() - 0.5) * edge;
        let turn = turn(&mut number);
        let shape = shape(&mut number, 0.5 * size);
        world.add(
            shape,
            Isometry3::from_parts(Translation3::from(place), turn),
        );
    }
    world
}

/// The same on a half-space in a slope, the first or the last collider.
pub(crate) fn on_slope(count: usize, first: bool, seed: u64) -> World {
    let mut world = mixed(count, 8.0, seed);
    let turn = UnitQuaternion::from_euler_angles(0.2, 0.3, -0.4);
    // its middle is far from where it is touched
    let aside = turn * Vector3::new(300.0, 0.0, -170.0);
    let pose = Isometry3::from_parts(aside.into(), turn);
    if first {
        world.colliders[0].shape = HalfSpace::default().into();
        world.poses[0] = pose;
    } else {
        let plane = world.add(HalfSpace::default(), pose);
        world.moves[plane] = false;
    }
    world
}

/// Boxes and balls in layers, turned a little, near enough to touch their neighbours.
pub(crate) fn field(edge: usize, layers: usize) -> World {
    let mut number = numbers(21);
    let mut world = World::new();
    let ground = world.add(HalfSpace::default(), at(0.0, 0.0, 0.0));
    world.moves[ground] = false;
    for place in 0..edge * edge * layers {
        let along = |step: usize| ((place / step) % edge) as f64;
        let height = 0.5 + (place / (edge * edge)) as f64;
        let place = Vector3::new(along(1), height, along(edge));
        let jitter = Vector3::from_fn(|_, _| 0.04 * (number() - 0.5));
        let turn = UnitQuaternion::new(Vector3::from_fn(|_, _| 0.2 * (number() - 0.5)));
        let shape: Shape = if number() < 0.2 {
            Sphere::new(0.51).into()
        } else {
            Cuboid::new(0.49, 0.5, 0.48).into()
        };
        world.add(shape, Isometry3::from_parts((place + jitter).into(), turn));
    }
    world
}

/// A wall of boxes that stand on each other with gaps of `gap` \[m\].
pub(crate) fn wall(rows: usize, gap: f64) -> World {
    let mut world = World::new();
    let ground = world.add(Cuboid::new(50.0, 0.5, 50.0), at(0.0, -0.5, 0.0));
    world.moves[ground] = false;
    for row in 0..rows {
        let height = (0.5 + row as f64) * (1.0 + gap);
        for column in 0..rows {
            let shift = 0.5 * (row % 2) as f64;
            let x = (column as f64 + shift) * (1.0 + gap);
            world.add(Cuboid::cube(0.5), at(x, height, 0.0));
        }
    }
    world
}
