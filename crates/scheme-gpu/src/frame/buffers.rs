//! The memory of a frame on the device.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::frame::PackedFrame;
use delassus_scheme_jacobi::stepping::{BiasPass, Settings, Total};
use delassus_solver_gpu::buffers::{GpuQuad, StorageBuffer};
use delassus_solver_gpu::control::{Control, index};
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, Iterate};

/// Entries of the residual history \[-\]: the last pass writes one that is not read.
pub(crate) const HISTORY: u32 = 1;

/// `Header` of `frame.wgsl`: what all of a frame share, and how many there are of each.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    pub(crate) settings: Settings<f32>,
    pub(crate) bodies: u32,
    pub(crate) contacts: u32,
    pub(crate) row_contacts: u32,
    pub(crate) joints: u32,
    pub(crate) slots: u32,
}

/// What the kernels of a frame begin with, uploaded by the host or written by the kernels that pack
/// rows; `true` stands for points packed as rows and for row blocks, `false` for manifolds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Input {
    Header,
    Inertia,
    Motion,
    Contacts(bool),
    Joints,
    JointRows,
    Bodies,
    Adjacency,
    Slots,
    Impulses(bool),
    /// The control before the first iteration.
    First,
    /// Those of even and odd iterations.
    Control(usize),
    Heads(BiasPass, bool),
    Numbers(BiasPass, bool),
}

/// The content of a buffer, and what errors call it.
#[derive(Debug)]
pub(super) struct BufferPart<'a> {
    what: &'static str,
    content: Cow<'a, [u8]>,
}

impl BufferPart<'_> {
    pub(super) fn bytes(&self) -> u64 {
        self.content.len() as u64
    }
}

/// What a frame uploads.
pub(super) type Parts<'a> = BTreeMap<Input, BufferPart<'a>>;

fn part<'a, T: Pod>(what: &'static str, content: &'a [T]) -> BufferPart<'a> {
    let content = Cow::Borrowed(bytemuck::cast_slice(content));
    BufferPart { what, content }
}

fn owned<T: Pod>(what: &'static str, content: &[T]) -> BufferPart<'static> {
    let content = Cow::Owned(bytemuck::cast_slice(content).to_vec());
    BufferPart { what, content }
}

fn joined<T: Pod>(what: &'static str, parts: &[&[T]]) -> BufferPart<'static> {
    owned(what, &parts.concat())
}

fn header(frame: &PackedFrame<f32>) -> Result<Header, DeviceError> {
    let stepping = &frame.stepping;
    Ok(Header {
        settings: stepping.settings,
        bodies: index(stepping.motion.len())?,
        contacts: index(stepping.contacts.len())?,
        row_contacts: index(stepping.row_contacts.len())?,
        joints: index(stepping.joints.len())?,
        slots: index(frame.packs[0].slots.body.len())?,
    })
}

/// What a frame uploads, for a device that sums `hubs` with a workgroup each.
pub(super) fn parts<'a>(
    frame: &'a PackedFrame<f32>,
    hubs: &[u32],
) -> Result<Parts<'a>, DeviceError> {
    let (stepping, pack) = (&frame.stepping, &frame.packs[0]);
    let schedule = &frame.schedule;
    let first = Control::new(pack, hubs, schedule.acceleration, schedule.guarded, HISTORY)?;
    let [even, odd] = first.of_halves();
    let mut iterate = Iterate::new(pack);
    iterate.load(pack, &frame.impulses);
    let slots = &pack.slots;
    let adjacency = [slots.first_slot.as_slice(), &slots.slots, hubs];
    let adjacency = joined("the slots of the bodies", &adjacency);
    let bodies = joined("the bodies", &[&pack.bodies.mass, &pack.bodies.free]);
    let contacts = part("the contacts", &stepping.contacts);
    let row_contacts = part("the contacts packed as rows", &stepping.row_contacts);
    let joint_rows = part("the rows of the joints", &stepping.rows);
    let points = owned("the impulses of the points", &iterate.points);
    let rows = owned("the impulses of the rows", &iterate.rows);
    let mut parts = BTreeMap::from([
        (Input::Header, owned("the settings", &[header(frame)?])),
        (Input::Inertia, part("the inertia", &stepping.inertia)),
        (Input::Motion, part("the motion", &stepping.motion)),
        (Input::Contacts(false), contacts),
        (Input::Contacts(true), row_contacts),
        (Input::Joints, part("the joints", &stepping.joints)),
        (Input::JointRows, joint_rows),
        (Input::Bodies, bodies),
        (Input::Adjacency, adjacency),
        (Input::Slots, part("the bodies of the slots", &slots.body)),
        (Input::Impulses(false), points),
        (Input::Impulses(true), rows),
        (Input::First, owned("the first control", &[first])),
        (Input::Control(0), owned("the control", &[even])),
        (Input::Control(1), owned("the control", &[odd])),
    ]);
    parts.extend(pass_rows(frame));
    Ok(parts)
}

/// Heads and numbers of the rows in the two passes.
fn pass_rows(frame: &PackedFrame<f32>) -> Parts<'_> {
    let mut parts = Parts::new();
    for (pass, pack) in BiasPass::BOTH.into_iter().zip(&frame.packs) {
        let (m, u) = (&pack.manifolds, &pack.units);
        let points = joined("the points of the manifolds", &[&m.numbers, &m.extras]);
        parts.insert(Input::Heads(pass, false), part("the manifolds", &m.heads));
        parts.insert(Input::Numbers(pass, false), points);
        parts.insert(Input::Heads(pass, true), part("the row blocks", &u.heads));
        parts.insert(Input::Numbers(pass, true), part("the rows", &u.numbers));
    }
    parts
}

/// How many there are of what only the kernels of a frame write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// With the world \[-\].
    pub(crate) bodies: usize,
    pub(crate) slots: usize,
    /// Entries of sums \[-\].
    pub(crate) sums: usize,
}

/// The buffers of a frame: those that it begins with, and those that only its kernels write.
#[derive(Debug)]
pub(crate) struct Buffers {
    inputs: BTreeMap<Input, StorageBuffer>,
    pub(super) velocity: StorageBuffer,
    pub(super) wrench: StorageBuffer,
    pub(super) sums: StorageBuffer,
    pub(crate) totals: StorageBuffer,
    pub(super) history: StorageBuffer,
    momentum: bool,
}

impl Buffers {
    pub(super) fn new(
        device: &Device,
        frame: &PackedFrame<f32>,
        parts: &Parts<'_>,
        momentum: bool,
    ) -> Result<Self, DeviceError> {
        let upload = |(key, part): (&Input, &BufferPart<'_>)| {
            let buffer = StorageBuffer::holding(device, part.what, &part.content)?;
            Ok((*key, buffer))
        };
        let inputs: Result<_, DeviceError> = parts.iter().map(upload).collect();
        let pack = &frame.packs[0];
        let sizes = Sizes {
            bodies: pack.bodies.len(),
            slots: pack.slots.body.len(),
            sums: Control::sum_entries(pack),
        };
        Self::with_inputs(device, inputs?, sizes, momentum)
    }

    /// What only the kernels of a frame write, beside what it begins with.
    pub(crate) fn with_inputs(
        device: &Device,
        inputs: BTreeMap<Input, StorageBuffer>,
        sizes: Sizes,
        momentum: bool,
    ) -> Result<Self, DeviceError> {
        let velocities = BODY_FREE * sizes.bodies * if momentum { 2 } else { 1 };
        let (slots, sums) = (sizes.slots, sizes.sums);
        let quad = size_of::<GpuQuad>();
        let zeroed = |what, bytes: usize| StorageBuffer::zeroed(device, what, bytes as u64);
        Ok(Self {
            inputs,
            velocity: zeroed("the velocities", quad * velocities)?,
            wrench: zeroed("the wrenches", 2 * quad * slots)?,
            sums: zeroed("the sums", 2 * size_of::<f32>() * sums)?,
            totals: zeroed("the sums of the wrenches", size_of::<Total<f32>>() * slots)?,
            history: zeroed("the residual history", quad * HISTORY as usize)?,
            momentum,
        })
    }

    /// True if the parts of another frame have the same sizes.
    pub(super) fn fits(&self, parts: &Parts<'_>, momentum: bool) -> bool {
        let sizes = self.inputs.values().map(StorageBuffer::bytes);
        self.momentum == momentum && sizes.eq(parts.values().map(BufferPart::bytes))
    }

    pub(super) fn write(&self, device: &Device, parts: &Parts<'_>) -> Result<(), DeviceError> {
        for (buffer, part) in self.inputs.values().zip(parts.values()) {
            buffer.write(device, &part.content)?;
        }
        Ok(())
    }

    /// Velocities at the end of a frame: linear, then angular, of every body and of the world.
    pub(crate) fn read_velocities(
        &self,
        device: &Device,
        bodies: usize,
    ) -> Result<Vec<[GpuQuad; BODY_FREE]>, DeviceError> {
        let first = if self.momentum { bodies } else { 0 };
        self.velocity.read(device, first..first + bodies)
    }

    pub(crate) fn of(&self, what: Input) -> &StorageBuffer {
        &self.inputs[&what]
    }

    /// Several of what a frame begins with.
    pub(crate) fn all<const N: usize>(&self, what: [Input; N]) -> [&StorageBuffer; N] {
        what.map(|what| self.of(what))
    }
}
