//! The memory of a frame on the device.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::frame::PackedFrame;
use delassus_scheme_jacobi::stepping::{BiasPass, Settings, Total};
use delassus_solver_gpu::buffers::{Quad, Storage};
use delassus_solver_gpu::control::{Control, index};
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, Iterate};

/// Entries of the residual history \[-\]: that of the last pass is kept for nobody.
const HISTORY: u32 = 1;

/// `Header` of `frame.wgsl`: what all of a frame share, and how many there are of each.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    settings: Settings<f32>,
    bodies: u32,
    contacts: u32,
    loose: u32,
    joints: u32,
    slots: u32,
}

/// What is uploaded; `true` stands for loose points and for row blocks, `false` for manifolds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Upload {
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
pub(super) type Parts<'a> = BTreeMap<Upload, BufferPart<'a>>;

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
        loose: index(stepping.loose.len())?,
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
    let adjacency = joined(
        "the slots of the bodies",
        &[&slots.first_slot, &slots.slots, hubs],
    );
    let bodies = joined("the bodies", &[&pack.bodies.mass, &pack.bodies.free]);
    let mut parts = BTreeMap::from([
        (Upload::Header, owned("the settings", &[header(frame)?])),
        (Upload::Inertia, part("the inertia", &stepping.inertia)),
        (Upload::Motion, part("the motion", &stepping.motion)),
        (
            Upload::Contacts(false),
            part("the contacts", &stepping.contacts),
        ),
        (
            Upload::Contacts(true),
            part("the loose contacts", &stepping.loose),
        ),
        (Upload::Joints, part("the joints", &stepping.joints)),
        (
            Upload::JointRows,
            part("the rows of the joints", &stepping.rows),
        ),
        (Upload::Bodies, bodies),
        (Upload::Adjacency, adjacency),
        (Upload::Slots, part("the bodies of the slots", &slots.body)),
        (
            Upload::Impulses(false),
            owned("the impulses of the points", &iterate.points),
        ),
        (
            Upload::Impulses(true),
            owned("the impulses of the rows", &iterate.rows),
        ),
        (Upload::First, owned("the first control", &[first])),
        (Upload::Control(0), owned("the control", &[even])),
        (Upload::Control(1), owned("the control", &[odd])),
    ]);
    parts.extend(rows(frame));
    Ok(parts)
}

/// Heads and numbers of the rows in the two passes.
fn rows(frame: &PackedFrame<f32>) -> Parts<'_> {
    let mut parts = Parts::new();
    for (pass, pack) in BiasPass::BOTH.into_iter().zip(&frame.packs) {
        let (m, u) = (&pack.manifolds, &pack.units);
        let points = joined("the points of the manifolds", &[&m.numbers, &m.extras]);
        parts.insert(Upload::Heads(pass, false), part("the manifolds", &m.heads));
        parts.insert(Upload::Numbers(pass, false), points);
        parts.insert(Upload::Heads(pass, true), part("the row blocks", &u.heads));
        parts.insert(Upload::Numbers(pass, true), part("the rows", &u.numbers));
    }
    parts
}

/// The buffers of a frame: those that are uploaded, and those that only the device writes.
#[derive(Debug)]
pub(super) struct Buffers {
    uploaded: BTreeMap<Upload, Storage>,
    pub(super) velocity: Storage,
    pub(super) wrench: Storage,
    pub(super) sums: Storage,
    pub(super) totals: Storage,
    pub(super) history: Storage,
    momentum: bool,
}

impl Buffers {
    pub(super) fn new(
        device: &Device,
        frame: &PackedFrame<f32>,
        parts: &Parts<'_>,
        momentum: bool,
    ) -> Result<Self, DeviceError> {
        let upload = |(key, part): (&Upload, &BufferPart<'_>)| {
            let buffer = Storage::holding(device, part.what, &part.content)?;
            Ok((*key, buffer))
        };
        let uploaded: Result<_, DeviceError> = parts.iter().map(upload).collect();
        let pack = &frame.packs[0];
        let slots = pack.slots.body.len();
        let velocities = BODY_FREE * pack.bodies.len() * if momentum { 2 } else { 1 };
        let quad = size_of::<Quad>();
        let zeroed = |what, bytes: usize| Storage::zeroed(device, what, bytes as u64);
        Ok(Self {
            uploaded: uploaded?,
            velocity: zeroed("the velocities", quad * velocities)?,
            wrench: zeroed("the wrenches", 2 * quad * slots)?,
            sums: zeroed(
                "the sums",
                2 * size_of::<f32>() * Control::sum_entries(pack),
            )?,
            totals: zeroed("the sums of the wrenches", size_of::<Total<f32>>() * slots)?,
            history: zeroed("the residual history", quad * HISTORY as usize)?,
            momentum,
        })
    }

    /// True if the parts of another frame have the same sizes.
    pub(super) fn fits(&self, parts: &Parts<'_>, momentum: bool) -> bool {
        let sizes = self.uploaded.values().map(Storage::bytes);
        self.momentum == momentum && sizes.eq(parts.values().map(BufferPart::bytes))
    }

    pub(super) fn write(&self, device: &Device, parts: &Parts<'_>) -> Result<(), DeviceError> {
        for (buffer, part) in self.uploaded.values().zip(parts.values()) {
            buffer.write(device, &part.content)?;
        }
        Ok(())
    }

    pub(super) fn of(&self, what: Upload) -> &Storage {
        &self.uploaded[&what]
    }

    /// Several of what is uploaded.
    pub(super) fn all<const N: usize>(&self, what: [Upload; N]) -> [&Storage; N] {
        what.map(|what| self.of(what))
    }
}
