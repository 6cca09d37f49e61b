//! Contacts of a world, found on the device.

use std::sync::Arc;

use delassus_collide_gpu::{
    ColliderScene, CollisionError, Finder, GpuManifold, OnDevice, PairState, PairStates, Room,
    SearchCounts,
};
use delassus_core::{DeviceError, SolveError};
use delassus_dynamics::{
    Body, ContactVersion, FieldError, FoundContact, Manifold, PolyhedronMethod, SchemeError, Shape,
    StepError, World,
};
use delassus_solver_gpu::Device;
use nalgebra::{Isometry3, Point3};

/// Refuses worlds whose contacts the device does not find.
pub(crate) fn check(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    let refuse = |what: String, reason: &'static str| {
        Err(SchemeError::Unsupported {
            scheme,
            what,
            reason,
        })
    };
    let known = |shape: &Shape| {
        matches!(
            shape,
            Shape::Sphere(_) | Shape::Box(_) | Shape::HalfSpace(_)
        )
    };
    let mut colliders = world.colliders().iter();
    if let Some(index) = colliders.position(|collider| !known(&collider.shape)) {
        let reason = "is neither a sphere, nor a box, nor a half-space, and the device finds contacts of no other shape: use collision = \"host\"";
        return refuse(format!("colliders[{index}]"), reason);
    }
    let settings = world.contact_settings();
    if settings.polyhedra != PolyhedronMethod::Clipping && !world.colliders().is_empty() {
        let reason = "asks for manifolds of a library, which the device does not have: use \"clipping\", or collision = \"host\"";
        return refuse("contacts.polyhedra".to_owned(), reason);
    }
    if settings.recycle > 0.0 {
        let reason = "keeps manifolds, and the device finds them anew in every frame: use 0, or collision = \"host\"";
        return refuse("contacts.recycle".to_owned(), reason);
    }
    Ok(())
}

/// The search for contacts, and for which world its memory is.
#[derive(Debug)]
pub(crate) struct Collision {
    finder: Finder,
    version: Option<ContactVersion>,
    /// The version of the memory that the last search went on from, if it was here.
    before: Option<ContactVersion>,
}

impl Collision {
    pub(crate) fn new(device: Arc<Device>, workgroup: u32) -> Result<Self, DeviceError> {
        Ok(Self {
            finder: Finder::new(device, workgroup)?,
            version: None,
            before: None,
        })
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.finder.device().failure().is_some()
    }

    /// Time of the last search on the device \[s\].
    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        self.finder.seconds()
    }

    /// What the search has left on the device.
    pub(crate) fn on_device(&self) -> Option<OnDevice<'_>> {
        self.finder.on_device()
    }

    /// The room that searches have taken so far.
    pub(crate) fn room(&self) -> Room {
        self.finder.room()
    }

    /// The contacts of a world; those of its last frame are on the device, or go there.
    pub(crate) fn find(&mut self, world: &World) -> Result<Vec<FoundContact>, StepError> {
        let places = Places::of(world);
        let scene = places.scene(world, &[]);
        let found = self.ask(world, |finder, before| {
            finder.find(&scene, &places.poses, before)
        })?;
        Ok(found.into_iter().map(contact).collect())
    }

    /// Leaves the contacts of a world on the device; `marks` go beside the colliders.
    pub(crate) fn search(
        &mut self,
        world: &World,
        places: &Places,
        marks: &[u32],
    ) -> Result<SearchCounts, StepError> {
        let scene = places.scene(world, marks);
        self.ask(world, |finder, before| {
            finder.search(&scene, &places.poses, before)
        })
    }

    fn ask<T>(
        &mut self,
        world: &World,
        ask: impl FnOnce(&mut Finder, PairStates<'_>) -> Result<T, CollisionError>,
    ) -> Result<T, StepError> {
        // whatever happens now, the memory is not that of a world
        let version = self.version.take();
        self.before = version.filter(|version| *version == world.contact_version());
        let kept = self.before.is_some();
        let given = if kept { Vec::new() } else { remembered(world) };
        let before = if kept {
            PairStates::Kept
        } else {
            PairStates::Given(&given)
        };
        let found = ask(&mut self.finder, before);
        if found.is_err() && self.finder.on_device().is_some() {
            // what was found before is still there
            self.version = self.before.take();
        }
        found.map_err(|error| refused(error, world))
    }

    /// True if the last search went on from what the device has of this world.
    pub(crate) fn goes_on(&self) -> bool {
        self.before.is_some()
    }

    /// Searches once more where kernels have moved the bodies of the last search; what is
    /// remembered of contacts belongs to no world until [`Self::found_for`].
    pub(crate) fn search_again(&mut self, world: &World) -> Result<SearchCounts, StepError> {
        (self.version, self.before) = (None, None);
        let found = self.finder.search_again();
        found.map_err(|error| refused(error, world))
    }

    /// Takes the last search back: a frame on its contacts has failed.
    pub(crate) fn undo(&mut self) {
        self.finder.undo();
        self.version = self.before.take();
    }

    /// A frame on the contacts of the last search is done.
    pub(crate) fn found_for(&mut self, world: &World) {
        self.version = Some(world.contact_version());
    }
}

/// Where the bodies of a world are at the start of a frame.
#[derive(Debug)]
pub(crate) struct Places {
    moves: Vec<bool>,
    pub(crate) poses: Vec<Isometry3<f64>>,
}

impl Places {
    pub(crate) fn of(world: &World) -> Self {
        let pose =
            |body: &Body| Isometry3::from_parts(body.position.to_vector().into(), body.orientation);
        let bodies = world.bodies();
        Self {
            moves: bodies.iter().map(Body::is_dynamic).collect(),
            poses: bodies.iter().map(pose).collect(),
        }
    }

    /// What is looked at.
    pub(crate) fn scene<'a>(&'a self, world: &'a World, marks: &'a [u32]) -> ColliderScene<'a> {
        let settings = world.contact_settings();
        ColliderScene {
            colliders: world.colliders(),
            moves: &self.moves,
            apart: world.apart(),
            marks,
            margin: settings.margin,
            persistence: settings.persistence,
        }
    }
}

/// A contact as a world takes it.
pub(crate) fn contact(found: GpuManifold) -> FoundContact {
    FoundContact {
        colliders: found.colliders,
        memory: found.memory,
        touching: found.touching,
    }
}

/// The states of the pairs of a world.
fn remembered(world: &World) -> Vec<PairState> {
    let of = |manifold: &Manifold| {
        let colliders = manifold.colliders()?;
        let placements = colliders.map(|index| world.colliders()[index as usize].placement());
        let points = manifold.points.iter().zip(manifold.features());
        let points = points.map(|(point, feature)| {
            let [a, b] = [0, 1].map(|side| {
                let anchor = Point3::from(point.anchors[side]);
                placements[side].inverse_transform_point(&anchor).coords
            });
            ([a, b], *feature)
        });
        Some(PairState {
            colliders,
            memory: manifold.memory(),
            points: points.collect(),
        })
    };
    world.manifolds().iter().filter_map(of).collect()
}

/// The error of a step.
fn refused(error: CollisionError, world: &World) -> StepError {
    match error {
        CollisionError::Device(error) => StepError::Solve(SolveError::Device(error)),
        CollisionError::Unfinished { .. } => {
            let reason = error.to_string();
            StepError::Solve(SolveError::Device(DeviceError::Validation { reason }))
        }
        CollisionError::TooFar { body, distance, .. } => {
            let path = format!("bodies[{body}].position");
            let name = &world.bodies()[body].name;
            let expected = format!("{error}; body {name:?}");
            field(FieldError::new(path, distance, &expected))
        }
        CollisionError::Size { collider, size } => {
            let path = format!("colliders[{collider}].shape");
            field(FieldError::new(path, size, &error.to_string()))
        }
        _ => field(FieldError::new("colliders", "found", &error.to_string())),
    }
}

fn field(error: FieldError) -> StepError {
    StepError::Scheme(SchemeError::Field(error))
}
