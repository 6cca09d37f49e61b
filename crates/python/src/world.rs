//! Worlds that a scheme advances.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use delassus_core::{ImpulseSolver, Problem};
use delassus_dynamics::{Body, Collider, Inertia, Joint, Manifold, Material, SchemeEntry, World};
use delassus_registry::scheme;
use delassus_scenes::{build, read};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::{of_file, refused};
use crate::json::map_of;
use crate::problem::{NativeProblem, matrix};
use crate::replay::Recording;
use crate::shapes::{ShapeSpec, shape_of, solid};
use crate::solve::registry;
use crate::solver::{Declaration, PythonSolver, Raised, take};
use crate::stepping::{EnteredWorld, SharedWorld};

/// The entry of a scheme; finding one makes the list of all, so it is kept.
fn scheme_entry(id: &str) -> PyResult<SchemeEntry> {
    static FOUND: Mutex<BTreeMap<String, SchemeEntry>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = found.get(id) {
        return Ok(entry.clone());
    }
    let entry = scheme(id).map_err(refused)?;
    found.insert(id.to_owned(), entry.clone());
    Ok(entry)
}

/// The solver of this name with its parameters.
fn named_solver(name: &str, parameters: &str) -> PyResult<Box<dyn ImpulseSolver>> {
    let entry = registry().find(name).map_err(refused)?;
    entry.build(&map_of(parameters)?).map_err(refused)
}

/// A solver of Python, whose exceptions wait in `raised`.
fn own_solver(
    make: &Py<PyAny>,
    declaration: &Declaration,
    raised: &Raised,
) -> PyResult<Box<dyn ImpulseSolver>> {
    let solver = PythonSolver::new(make, declaration.descriptor()?, raised);
    match take(raised) {
        Some(error) => Err(error),
        None => Ok(Box::new(solver)),
    }
}

/// A world of Python.
#[pyclass(frozen, module = "delassus._native")]
pub(crate) struct NativeWorld {
    shared: Arc<SharedWorld>,
}

/// Position [m] and orientation (x, y, z, w) of a body.
pub(crate) fn pose_numbers(body: &Body) -> [f64; 7] {
    let (p, q) = (body.position.to_vector(), body.orientation);
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w]
}

/// Linear and angular velocity of a body.
pub(crate) fn velocity_numbers(body: &Body) -> [f64; 6] {
    let (v, w) = (body.velocity, body.spin);
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

fn rotation([x, y, z, w]: [f64; 4]) -> PyResult<UnitQuaternion<f64>> {
    let quaternion = Quaternion::new(w, x, y, z);
    UnitQuaternion::try_new(quaternion, 1e-9).ok_or_else(|| {
        refused("the orientation is zero or not finite: give a quaternion (x, y, z, w)")
    })
}

/// What a body is made of: position, orientation (x, y, z, w), velocity, spin.
type BodyState = ([f64; 3], [f64; 4], [f64; 3], [f64; 3]);

/// Bodies, points, normals and separations of all contacts.
type ContactArrays<'py> = (
    Bound<'py, PyArray2<i64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

impl NativeWorld {
    fn of(world: World) -> Self {
        Self {
            shared: Arc::new(SharedWorld::new(world)),
        }
    }

    fn enter(&self) -> PyResult<EnteredWorld<'_>> {
        self.shared.enter()
    }

    fn join(&self, make: impl FnOnce(&World) -> PyResult<Joint>) -> PyResult<()> {
        let mut state = self.enter()?;
        let joint = make(&state.world)?;
        state.world.add_joint(joint).map_err(refused)?;
        Ok(())
    }

    /// The world and its scheme, for another thread.
    pub(crate) fn shared(&self) -> Arc<SharedWorld> {
        Arc::clone(&self.shared)
    }

    /// Numbers of every body.
    pub(crate) fn numbers<const N: usize>(
        &self,
        of: impl Fn(&Body) -> [f64; N],
    ) -> PyResult<Vec<f64>> {
        let state = self.enter()?;
        Ok(state.world.bodies().iter().flat_map(of).collect())
    }

    /// The replay so far; `None` for a world that is not recorded.
    pub(crate) fn recorded(&self) -> PyResult<Option<Vec<u8>>> {
        let state = self.enter()?;
        let recording = state.recording.as_ref();
        recording.map(Recording::bytes).transpose()
    }
}

#[pymethods]
impl NativeWorld {
    #[new]
    fn new(gravity: [f64; 3]) -> PyResult<Self> {
        Ok(Self::of(World::new(gravity.into()).map_err(refused)?))
    }

    #[staticmethod]
    fn scene(py: Python<'_>, id: &str, parameters: &str) -> PyResult<Self> {
        let parameters = map_of(parameters)?;
        let world = py.detach(|| build(id, &parameters));
        Ok(Self::of(world.map_err(refused)?))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let world = py.detach(|| read(&path));
        Ok(Self::of(world.map_err(|error| {
            of_file(format!("{}: {error}", path.display()))
        })?))
    }

    /// A world with the same state; without a scheme.
    fn copy(&self) -> PyResult<Self> {
        Ok(Self::of(self.enter()?.world.clone()))
    }

    /// Sets the scheme, around a solver by name and parameters, around one of Python (`own`: what
    /// makes it, and what it declares), or around none.
    #[pyo3(signature = (id, parameters, solver, own))]
    fn set_scheme(
        &self,
        id: &str,
        parameters: &str,
        solver: Option<(String, String)>,
        own: Option<(Py<PyAny>, Declaration)>,
    ) -> PyResult<()> {
        let raised = Raised::default();
        let inner = match (solver, own) {
            (Some((name, parameters)), _) => Some(named_solver(&name, &parameters)?),
            (None, Some((make, declaration))) => Some(own_solver(&make, &declaration, &raised)?),
            (None, None) => None,
        };
        let entry = scheme_entry(id)?;
        let made = entry.build_with(&map_of(parameters)?, inner);
        let mut state = self.enter()?;
        state.scheme = Some(made.map_err(refused)?);
        state.raised = raised;
        Ok(())
    }

    fn step(&self, py: Python<'_>, frames: u32, dt: f64) -> PyResult<()> {
        for frame in 0..frames {
            let stepped = py.detach(|| self.shared.advance(dt));
            stepped.map_err(|failure| match frames {
                1 => failure.exception(),
                _ => failure.exception_in_frame(frame, frames),
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Keeps one in `every` frames from now on.
    fn record(&self, every: u32) -> PyResult<()> {
        if every == 0 {
            return Err(refused(
                "every = 0: one frame in how many is kept, 1 or more",
            ));
        }
        let mut state = self.enter()?;
        state.recording = Some(Recording::begin(&state.world, every));
        Ok(())
    }

    fn freeze(&self, py: Python<'_>, dt: f64, name: &str) -> PyResult<NativeProblem> {
        let freeze = || -> PyResult<Problem> { self.enter()?.world.freeze(dt).map_err(refused) };
        let problem = py.detach(freeze)?;
        Ok(NativeProblem::of(problem, name, "a world of Python"))
    }

    /// Adds a body; without a mass it is fixed, without moments it has those of its shape, or is a
    /// point.
    fn add_body(
        &self,
        mass: Option<f64>,
        moments: Option<[f64; 3]>,
        state: BodyState,
        shape: Option<ShapeSpec>,
        friction: f64,
    ) -> PyResult<usize> {
        let (position, orientation, velocity, spin) = state;
        // a world stays as it was where the shape is refused
        let made = shape.as_ref().map(|(kind, sizes)| shape_of(kind, sizes));
        let made = made.transpose()?;
        let inertia = match (mass, moments, &shape) {
            (None, ..) => None,
            (Some(mass), Some(moments), _) => Some(Inertia::new(mass, moments.into())),
            (Some(mass), None, Some((kind, sizes))) => Some(solid(kind, sizes, mass)?),
            (Some(mass), None, None) => Some(Inertia::point(mass)),
        };
        let body = match inertia {
            Some(inertia) => Body::dynamic(inertia, position.into()),
            None => Body::fixed(position.into()),
        };
        let body = body
            .turned(rotation(orientation)?)
            .moving(velocity.into(), spin.into());
        let mut state = self.enter()?;
        if state.recording.is_some() {
            return Err(refused("the world is recorded: add bodies before record()"));
        }
        let world = &mut state.world;
        let handle = world.add_body(body).map_err(refused)?;
        if let Some(shape) = made {
            let collider = Collider::new(0, shape).of(Material::rough(friction));
            if let Err(error) = world.add_collider(handle, collider) {
                world.remove_body(handle).map_err(refused)?;
                return Err(refused(error));
            }
        }
        world.body_index(handle).map_err(refused)
    }

    fn add_joint(
        &self,
        kind: &str,
        a: usize,
        b: usize,
        first: [f64; 3],
        second: [f64; 3],
    ) -> PyResult<()> {
        let (first, second): (Vector3<f64>, Vector3<f64>) = (first.into(), second.into());
        self.join(|world| {
            let joint = match kind {
                "ball" => world.ball_joint(a, b, first),
                "hinge" => world.hinge(a, b, first, second),
                "slider" => world.slider(a, b, first),
                "fixed" => world.fixed(a, b),
                "distance" => world.distance(a, b, first, second),
                _ => {
                    return Err(refused(format!(
                        "unknown joint {kind:?}: ball, hinge, slider, fixed or distance"
                    )));
                }
            };
            joint.map_err(refused)
        })
    }

    fn add_contact(
        &self,
        a: usize,
        b: usize,
        point: [f64; 3],
        normal: [f64; 3],
        friction: f64,
    ) -> PyResult<()> {
        let world = &mut self.enter()?.world;
        let added = world.add_contact(a, b, point.into(), normal.into(), friction);
        added.map_err(refused)
    }

    fn set_gravity(&self, gravity: [f64; 3]) -> PyResult<()> {
        let set = self.enter()?.world.set_gravity(gravity.into());
        set.map_err(refused)
    }

    fn set_pose(&self, body: usize, position: [f64; 3], orientation: [f64; 4]) -> PyResult<()> {
        let turned = rotation(orientation)?;
        let set = self.enter()?.world.set_pose(body, position.into(), turned);
        set.map_err(refused)
    }

    fn set_velocity(&self, body: usize, velocity: [f64; 3], spin: [f64; 3]) -> PyResult<()> {
        let world = &mut self.enter()?.world;
        let set = world.set_velocity(body, velocity.into(), spin.into());
        set.map_err(refused)
    }

    fn set_wrench(&self, body: usize, force: [f64; 3], torque: [f64; 3]) -> PyResult<()> {
        let world = &mut self.enter()?.world;
        let set = world.set_wrench(body, force.into(), torque.into());
        set.map_err(refused)
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.enter()?.world.time())
    }

    #[getter]
    fn bodies(&self) -> PyResult<usize> {
        Ok(self.enter()?.world.bodies().len())
    }

    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        let state = self.enter()?;
        let bodies = state.world.bodies().iter();
        Ok(bodies.map(|body| body.name.clone()).collect())
    }

    fn energy(&self) -> PyResult<[f64; 3]> {
        let energy = self.enter()?.world.energy();
        Ok([energy.kinetic, energy.potential, energy.spring])
    }

    fn state_hash(&self) -> PyResult<u64> {
        Ok(self.enter()?.world.state_hash())
    }

    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.numbers(pose_numbers)?, 7)
    }

    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.numbers(velocity_numbers)?, 6)
    }

    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<ContactArrays<'py>> {
        let (mut bodies, mut points) = (Vec::new(), Vec::new());
        let (mut normals, mut separations) = (Vec::new(), Vec::new());
        let state = self.enter()?;
        let world = &state.world;
        let index = |body: usize| i64::try_from(body).map_err(refused);
        let take = |manifold: &Manifold| -> PyResult<()> {
            let [a, b] = manifold.bodies;
            let poses = [a, b].map(|body| world.bodies()[body].pose());
            let frame = manifold.frame(poses);
            for (arms, separation) in frame.arms.iter().zip(&frame.separations) {
                bodies.extend([index(a)?, index(b)?]);
                let point = poses[0].position.to_vector() + arms[0];
                points.extend([point.x, point.y, point.z]);
                normals.extend([frame.normal.x, frame.normal.y, frame.normal.z]);
                separations.push(*separation);
            }
            Ok(())
        };
        world.manifolds().iter().try_for_each(take)?;
        let count = separations.len();
        Ok((
            bodies.into_pyarray(py).reshape([count, 2])?,
            points.into_pyarray(py).reshape([count, 3])?,
            normals.into_pyarray(py).reshape([count, 3])?,
            separations.into_pyarray(py),
        ))
    }
}
