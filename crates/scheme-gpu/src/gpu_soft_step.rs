//! `gpu-soft-step`: Soft Step with Jacobi iterations, a frame at a time on the GPU.
//!
//! Bodies, manifolds and joints go up once per frame; forces, separations, bias, warm start, iterations, poses and
//! relaxation of all substeps are one submission; poses, velocities and impulses come back once (K.23). Linear
//! velocities follow on the host from the sums of the impulses, in f64, so that action and reaction agree to its
//! rounding (K.22).
//!
//! Cost: the dispatches of `gpu-jacobi`, twelve more per substep, and one wait per frame. Nearest siblings:
//! `jacobi-soft-step`, its twin; `soft-step` with the solver `gpu-jacobi` crosses the bus several times per substep.
//!
//! Limitations: those of the twin, and no facets (F4), which no shader knows. f32 within a frame: 10⁻⁷ of the motion of a frame is lost (K.20). The bits are those
//! of one adapter.
//! Theory: docs/theory/16-gpu.md, docs/theory/10-time-stepping.md. Source: \[Catto2024\], \[Tonge2012\].

use delassus_core::{DeviceError, Fidelity, ParameterError, Parameters, Unsupported};
use delassus_dynamics::{
    ContactLaw, PositionScheme, Probe, Scheme, SchemeDescriptor, SchemeError, StepError,
    StepReport, World,
};
use delassus_scheme_jacobi::{self as twin, SoftStepParameters, soft_step};
use delassus_solver_gpu::{Device, check_workgroup};

use crate::frame::Stepper;

/// Parameters of [`GpuSoftStep`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct GpuSoftStepParameters {
    /// The frame.
    #[parameter(flatten)]
    pub frame: SoftStepParameters,
    /// Threads of a workgroup: 32, 64, 128 or 256, or 0 for what was fastest where it was measured. They change no bit of the
    /// answer.
    #[parameter(default = 0, unit = "-")]
    pub workgroup: u32,
    /// Part of the adapter's name, backend or driver. Empty: the environment variable DELASSUS_ADAPTER, otherwise the
    /// first, hardware before software.
    pub adapter: String,
}

impl GpuSoftStepParameters {
    fn check(&self) -> Result<(), ParameterError> {
        check_workgroup(self.workgroup)
    }
}

/// Soft Step with Jacobi iterations on a device (K.20–K.23).
#[derive(Debug)]
pub struct GpuSoftStep {
    parameters: GpuSoftStepParameters,
    stepper: Option<Stepper>,
}

impl GpuSoftStep {
    /// Bytes that the last frame uploaded \[B\].
    pub fn uploaded(&self) -> u64 {
        self.stepper.as_ref().map_or(0, Stepper::uploaded)
    }

    /// Time that the last frame took on the device, without uploads and readback \[s\]; `None` before the first frame and
    /// on devices without time stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, DeviceError> {
        let stepper = self.stepper.as_ref();
        stepper.map_or(Ok(None), Stepper::seconds)
    }

    fn stepper(&mut self) -> Result<&mut Stepper, DeviceError> {
        let failed = |stepper: &Stepper| stepper.device().failure().is_some();
        if self.stepper.as_ref().is_none_or(failed) {
            // a lost device does not come back: another is opened
            let device = Device::shared(&self.parameters.adapter)?;
            self.stepper = Some(Stepper::new(device, self.parameters.workgroup));
        }
        self.stepper.as_mut().ok_or_else(|| DeviceError::NoAdapter {
            reason: "no device was opened".into(),
        })
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
            "K.20", "K.21", "K.22", "K.23", "K.24", "K.25", "T.14", "T.15",
        ],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: GpuSoftStepParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            parameters,
            stepper: None,
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
        let run = |frame: &_| self.stepper()?.run(frame);
        soft_step::step::<f32>(world, (dt, &shared), probe, run)
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
