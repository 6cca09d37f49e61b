//! `gpu-soft-step`: Soft Step with Jacobi iterations, a frame at a time on the GPU.
//!
//! Bodies, manifolds and joints are uploaded once per frame; forces, separations, bias, warm start,
//! iterations, poses and relaxation of all substeps are one submission; poses, velocities and
//! impulses are downloaded once (K.23). Linear velocities follow on the host from the sums of the
//! impulses, in f64, so that action and reaction agree to its rounding (K.22). Contacts are found
//! by the host, or with `collision = "device"` before each frame on the device, which keeps the
//! state of the pairs (K.40–K.43): the host downloads manifolds and packs their rows. With
//! `collision = "resident"` the device packs them, too, and keeps their impulses (K.44–K.46): then
//! poses are uploaded and motion is downloaded, with the contacts if the world needs them. Joints
//! are uploaded when they change, and take part in the same solve (K.50, K.51).
//!
//! Cost: the dispatches of `gpu-jacobi`, twelve more per substep, and one wait per frame. Nearest
//! siblings: `jacobi-soft-step`, its twin; `soft-step` with the solver `gpu-jacobi` crosses the bus
//! several times per substep.
//!
//! Limitations: those of the twin, and no facets (F4), which have no shader. On the device
//! contacts are those of spheres, boxes and half-spaces, found by separating axes anew in every
//! frame, with the rounding of f32. Rows are packed there of such contacts and of joints, without
//! manifolds that were handed in, patches and friction that changes with sliding; impulses that
//! another scheme or another world in between brings up again are rounded once more. f32 within a
//! frame: 10⁻⁷ of the motion of a frame is lost (K.20). The bits are those of one adapter. Theory:
//! docs/theory/16-gpu.md, docs/theory/10-time-stepping.md. Source: \[Catto2024\], \[Tonge2012\].

use std::sync::Arc;

use delassus_core::parameter::require;
use delassus_core::{
    Choice, DeviceError, Fidelity, ParameterError, Parameters, SolveError, Unsupported,
};
use delassus_dynamics::{
    ContactLaw, PositionScheme, Probe, Scheme, SchemeDescriptor, SchemeError, Stage, StepError,
    StepReport, World,
};
use delassus_scheme_jacobi::{self as twin, SoftStepParameters, soft_step};
use delassus_solver_gpu::{Device, ManifoldLayout, check_workgroup};

use crate::collision::{self, Collision};
use crate::frame::Stepper;
use crate::resident::{self, BodyReads, Resident};

/// Who finds the contacts of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum CollisionPlace {
    /// The processor, in f64: every shape.
    #[default]
    Host,
    /// The device, in f32: spheres, boxes and half-spaces (K.40).
    Device,
    /// The device, which packs their rows, too, and keeps their impulses: worlds of such contacts
    /// and of joints (K.44, K.50).
    Resident,
}

/// Parameters of [`GpuSoftStep`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct GpuSoftStepParameters {
    /// The frame.
    #[parameter(flatten)]
    pub frame: SoftStepParameters,
    /// Threads of a workgroup: 32, 64, 128 or 256, or 0 for what was fastest where it was measured.
    /// They change no bit of the answer.
    #[parameter(default = 0, unit = "-")]
    pub workgroup: u32,
    /// Who finds the contacts of a frame.
    #[parameter(default = CollisionPlace::Host)]
    pub collision: CollisionPlace,
    /// False leaves contacts on the device where `collision` is `resident`: the world has none
    /// then, neither contact metrics nor another scheme know what touched, and a world that is
    /// stepped in turn with others starts cold.
    #[parameter(default = true)]
    pub read_contacts: bool,
    /// How manifolds lie on the device where `collision` is `resident`. It changes no bit of the
    /// answer.
    pub layout: ManifoldLayout,
    /// Part of the adapter's name, backend or driver. Empty: the environment variable
    /// DELASSUS_ADAPTER, otherwise the first, hardware before software.
    pub adapter: String,
}

impl GpuSoftStepParameters {
    fn check(&self) -> Result<(), ParameterError> {
        check_workgroup(self.workgroup)?;
        let resident = self.collision == CollisionPlace::Resident;
        let fits = resident || self.layout == ManifoldLayout::Manifolds;
        let expected = "manifolds, or collision = \"resident\": rows of the host are not in tiles";
        require(fits, "layout", self.layout, expected)
    }
}

/// Soft Step with Jacobi iterations on a device (K.20–K.23).
#[derive(Debug)]
pub struct GpuSoftStep {
    parameters: GpuSoftStepParameters,
    stepper: Option<Stepper>,
    /// `None` before the first frame, and where the host looks for contacts or packs no rows.
    collision: Option<Collision>,
    /// `None` before the first frame, and where the host packs rows.
    resident: Option<Resident>,
}

impl GpuSoftStep {
    /// Bytes that the last frame uploaded, without those of a search for contacts \[B\].
    pub fn uploaded(&self) -> u64 {
        let of_resident = self.resident.as_ref().map_or(0, Resident::uploaded);
        self.stepper.as_ref().map_or(of_resident, Stepper::uploaded)
    }

    /// Time that the last frame took on the device, without uploads and readback, and without the
    /// packing of rows where surfaces may bounce \[s\]; `None` before the first frame and on
    /// devices without time stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, DeviceError> {
        if let Some(resident) = &self.resident {
            return resident.seconds();
        }
        let stepper = self.stepper.as_ref();
        stepper.map_or(Ok(None), Stepper::seconds)
    }

    /// Time that the search for contacts of the last frame took on the device, without uploads and
    /// readback \[s\]; `None` where the host looks for contacts, before the first frame and on
    /// devices without time stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn collision_seconds(&self) -> Result<Option<f64>, DeviceError> {
        let of_resident = self.resident.as_ref().map(Resident::collision);
        let collision = self.collision.as_ref().or(of_resident);
        collision.map_or(Ok(None), Collision::seconds)
    }

    /// Advances a world by `frames` frames of `dt` \[s\] whose bodies stay on the device (K.48).
    /// The world takes over poses at the end, and velocities with [`BodyReads::All`]; contacts stay
    /// on the device. The report has the work of all frames, and no sums of momentum and work.
    ///
    /// The next call goes on from what is on the device, and uploads only the velocities, forces
    /// and gravity that were set meanwhile. [`Scheme::step`] reads the velocities first. Before the
    /// world is edited or given to another scheme they have to be read: zero frames with
    /// [`BodyReads::All`] do so.
    ///
    /// # Errors
    /// Those of [`Scheme::step`]; parameters whose `collision` is not `resident`; bodies that move
    /// without forces, that lock some of their turns, or that are farther from the origin than
    /// 32768 m; joints of bodies with locked axes; a world that was edited while its velocities
    /// were on the device. The world is then as it was before.
    pub fn advance(
        &mut self,
        world: &mut World,
        dt: f64,
        frames: u32,
        reads: BodyReads,
    ) -> Result<StepReport, StepError> {
        self.check(world)?;
        StepError::check_time_step(dt)?;
        let scheme = <Self as PositionScheme>::DESCRIPTOR.id;
        if self.parameters.collision != CollisionPlace::Resident {
            let reason = "does not find contacts where the bodies are: use \"resident\"";
            return Err(StepError::Scheme(SchemeError::Unsupported {
                scheme,
                what: "collision".to_owned(),
                reason,
            }));
        }
        let shared = self.parameters.frame;
        let resident = self.resident().map_err(SolveError::Device)?;
        resident.advance(world, dt, frames, &shared, scheme, reads)
    }

    fn collision(&mut self) -> Result<&mut Collision, DeviceError> {
        let failed = Collision::has_failed;
        opened(
            &mut self.collision,
            &self.parameters,
            failed,
            Collision::new,
        )
    }

    fn resident(&mut self) -> Result<&mut Resident, DeviceError> {
        let failed = |resident: &Resident| resident.collision().has_failed();
        let layout = self.parameters.layout;
        let make = |device, workgroup| Resident::new(device, workgroup, layout);
        opened(&mut self.resident, &self.parameters, failed, make)
    }

    fn stepper(&mut self) -> Result<&mut Stepper, DeviceError> {
        let failed = |stepper: &Stepper| stepper.device().failure().is_some();
        let make = |device, workgroup| Ok(Stepper::new(device, workgroup));
        opened(&mut self.stepper, &self.parameters, failed, make)
    }
}

/// What is there, or is made on a device. A failed device stays failed, and another is opened.
fn opened<'a, T>(
    kept: &'a mut Option<T>,
    parameters: &GpuSoftStepParameters,
    failed: impl FnOnce(&T) -> bool,
    make: impl FnOnce(Arc<Device>, u32) -> Result<T, DeviceError>,
) -> Result<&'a mut T, DeviceError> {
    if kept.as_ref().is_some_and(failed) {
        *kept = None;
    }
    match kept {
        Some(kept) => Ok(kept),
        None => {
            let device = Device::shared(&parameters.adapter)?;
            Ok(kept.insert(make(device, parameters.workgroup)?))
        }
    }
}

impl PositionScheme for GpuSoftStep {
    type Parameters = GpuSoftStepParameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "gpu-soft-step",
        aliases: &["resident-soft-step"],
        name: "Soft Step on the GPU",
        summary: "Soft Step with Jacobi iterations; all substeps of a frame stay on the device",
        citations: &["Catto2024", "Tonge2012"],
        theory: &[
            "K.20", "K.21", "K.22", "K.23", "K.24", "K.25", "K.40", "K.41", "K.42", "K.43", "K.44",
            "K.45", "K.46", "K.48", "K.50", "K.51", "T.14", "T.15",
        ],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: GpuSoftStepParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            parameters,
            stepper: None,
            collision: None,
            resident: None,
        })
    }
}

impl Scheme for GpuSoftStep {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        let solver = <Self as PositionScheme>::DESCRIPTOR.id;
        twin::check(world, solver)?;
        refuse_facets(world, solver)?;
        if self.parameters.collision != CollisionPlace::Host {
            collision::check(world, solver)?;
        }
        if self.parameters.collision == CollisionPlace::Resident {
            resident::check(world, solver)?;
        }
        match Device::shared(&self.parameters.adapter) {
            Ok(_) => Ok(Fidelity::Exact),
            Err(device) => Err(SchemeError::Solver(Unsupported::Device { solver, device })),
        }
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        let device = Device::shared(&self.parameters.adapter);
        Some(device.map(|device| device.report().identity()))
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        self.check(world)?;
        let shared = self.parameters.frame;
        match self.parameters.collision {
            CollisionPlace::Host => {
                let run = |frame: &_| self.stepper()?.run(frame);
                soft_step::step::<f32>(world, dt, &shared, probe, run)
            }
            CollisionPlace::Device => self.step_on_found(world, dt, probe),
            CollisionPlace::Resident => self.step_resident(world, dt, probe),
        }
    }
}

impl GpuSoftStep {
    /// The device finds contacts, the host packs their rows.
    fn step_on_found(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        let shared = self.parameters.frame;
        let collision = self.collision().map_err(SolveError::Device)?;
        let found = collision.find(world)?;
        let run = |frame: &_| self.stepper()?.run(frame);
        let report = world.with_found_contacts(&found, |world| {
            soft_step::advance::<f32>(world, dt, &shared, probe, run)
        })?;
        if let Some(collision) = &mut self.collision {
            collision.found_for(world);
        }
        Ok(report)
    }

    /// The device finds contacts and packs their rows.
    fn step_resident(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        let (shared, reads) = (self.parameters.frame, self.parameters.read_contacts);
        let resident = self.resident().map_err(SolveError::Device)?;
        let name = <Self as PositionScheme>::DESCRIPTOR.id;
        let report = resident.step(world, dt, &shared, name, reads)?;
        if probe.wants(Stage::Integrated) {
            let all = world.manifolds().iter();
            let impulses: Vec<f64> = all.flat_map(|m| m.impulses().iter().copied()).collect();
            let h = dt / f64::from(shared.substeps);
            soft_step::probe_end(probe, world, shared.substeps, h, &impulses);
        }
        Ok(report)
    }
}

/// No shader projects onto a polygon.
fn refuse_facets(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    let refuse = |what: String| {
        Err(SchemeError::Unsupported {
            scheme,
            what,
            reason: "have facets, which no shader knows: jacobi-soft-step does",
        })
    };
    let facets = |law: ContactLaw| {
        matches!(
            law,
            ContactLaw::Facets4 | ContactLaw::Facets8 | ContactLaw::Facets16
        )
    };
    if !world.colliders().is_empty() && facets(world.contact_settings().law) {
        return refuse("contacts".to_owned());
    }
    match world.manifolds().iter().position(|m| facets(m.law)) {
        Some(index) => refuse(format!("points of manifolds[{index}]")),
        None => Ok(()),
    }
}
