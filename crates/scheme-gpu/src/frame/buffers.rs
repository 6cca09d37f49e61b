//! The memory of a frame on the device.

use std::borrow::Cow;

use bytemuck::{Pod, Zeroable};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::TOTAL_QUADS;
use delassus_scheme_jacobi::stepping::frame::Frame;
use delassus_solver_gpu::buffers::Storage;
use delassus_solver_gpu::control::{Control, index};
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, State};

/// Entries of the residual history \[-\]: that of the last pass is kept for nobody.
const HISTORY: u32 = 1;

/// `Settings` of `frame.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Settings {
    h: f32,
    inverse_h: f32,
    slop: f32,
    push: f32,
    bodies: u32,
    contacts: u32,
    loose: u32,
    joints: u32,
    slots: u32,
}

/// A buffer that is uploaded, and its content.
#[derive(Debug)]
pub(super) struct Part<'a> {
    what: &'static str,
    content: Cow<'a, [u8]>,
}

impl Part<'_> {
    pub(super) fn bytes(&self) -> u64 {
        self.content.len() as u64
    }
}

fn part<'a, T: Pod>(what: &'static str, content: &'a [T]) -> Part<'a> {
    let content = Cow::Borrowed(bytemuck::cast_slice(content));
    Part { what, content }
}

fn joined<T: Pod>(what: &'static str, first: &[T], second: &[T]) -> Part<'static> {
    let (first, second): (&[u8], &[u8]) =
        (bytemuck::cast_slice(first), bytemuck::cast_slice(second));
    let content = Cow::Owned([first, second].concat());
    Part { what, content }
}

/// Places in the list of parts.
const SETTINGS: usize = 0;
const INERTIA: usize = 1;
const MOTION: usize = 2;
/// Heads and numbers, then those of the loose points.
const CONTACTS: usize = 3;
const JOINTS: usize = 7;
const BODIES: usize = 9;
const ADJACENCY: usize = 10;
const SLOTS: usize = 11;
const POINTS: usize = 12;
const ROWS: usize = 13;
const FIRST: usize = 14;
const CONTROL: usize = 15;
/// Heads and numbers of the manifolds, then of the units; the same for the relaxed pass.
const PIECES: usize = 17;

/// What a frame uploads, in the order of the constants above.
pub(super) fn parts<'a>(frame: &'a Frame<f32>, hubs: &[u32]) -> Result<Vec<Part<'a>>, DeviceError> {
    let (stepping, pack) = (&frame.stepping, &frame.packs[0]);
    let s = &stepping.settings;
    let settings = Settings {
        h: s.h,
        inverse_h: s.inverse_h,
        slop: s.slop,
        push: s.push,
        bodies: index(pack.bodies.len())?,
        contacts: index(stepping.contacts.heads.len())?,
        loose: index(stepping.loose.heads.len())?,
        joints: index(stepping.joints.heads.len() / 2)?,
        slots: index(pack.slots.body.len())?,
    };
    let schedule = frame.schedule;
    let momentum = (schedule.acceleration, schedule.guarded);
    let first = Control::new(pack, hubs, momentum, HISTORY)?;
    let [even, odd] = first.of_halves();
    let owned = |what, content: &[u8]| Part {
        what,
        content: Cow::Owned(content.to_vec()),
    };
    let adjacency = [pack.slots.first_slot.as_slice(), &pack.slots.slots].concat();
    let mut iterate = State::new(pack);
    iterate.load(pack, &frame.impulses);
    let mut parts = vec![
        owned("the settings", bytemuck::bytes_of(&settings)),
        part("the inertia", &stepping.inertia),
        part("the motion", &stepping.motion),
        part("the contacts", &stepping.contacts.heads),
        part("the points of the contacts", &stepping.contacts.numbers),
        part("the loose contacts", &stepping.loose.heads),
        part("the loose points", &stepping.loose.numbers),
        part("the joints", &stepping.joints.heads),
        part("the rows of the joints", &stepping.joints.numbers),
        joined("the bodies", &pack.bodies.mass, &pack.bodies.free),
        joined("the slots of the bodies", &adjacency, hubs),
        part("the bodies of the slots", &pack.slots.body),
        owned(
            "the impulses of the points",
            bytemuck::cast_slice(&iterate.points),
        ),
        owned(
            "the impulses of the rows",
            bytemuck::cast_slice(&iterate.rows),
        ),
        owned("the first control", bytemuck::bytes_of(&first)),
        owned("the control", bytemuck::bytes_of(&even)),
        owned("the control", bytemuck::bytes_of(&odd)),
    ];
    for pack in &frame.packs {
        let (m, u) = (&pack.manifolds, &pack.units);
        parts.push(part("the manifolds", &m.heads));
        parts.push(joined("the points of the manifolds", &m.numbers, &m.extras));
        parts.push(part("the row blocks", &u.heads));
        parts.push(part("the rows", &u.numbers));
    }
    Ok(parts)
}

/// The buffers of a frame.
#[derive(Debug)]
pub(super) struct Buffers {
    uploaded: Vec<Storage>,
    velocity: Storage,
    wrench: Storage,
    sums: Storage,
    totals: Storage,
    history: Storage,
    momentum: bool,
}

impl Buffers {
    pub(super) fn new(
        device: &Device,
        parts: &[Part<'_>],
        momentum: bool,
    ) -> Result<Self, DeviceError> {
        let upload = |part: &Part<'_>| Storage::holding(device, part.what, &part.content);
        let uploaded: Result<Vec<Storage>, DeviceError> = parts.iter().map(upload).collect();
        let settings: Settings = bytemuck::pod_read_unaligned(&parts[SETTINGS].content);
        let control: Control = bytemuck::pod_read_unaligned(&parts[FIRST].content);
        let quad = size_of::<[f32; 4]>() as u64;
        let zeroed = |what, bytes| Storage::zeroed(device, what, bytes);
        let velocities = u64::from(settings.bodies) * BODY_FREE as u64;
        let sums = control.sum_entries() as u64;
        let slots = u64::from(settings.slots);
        Ok(Self {
            uploaded: uploaded?,
            velocity: zeroed(
                "the velocities",
                quad * velocities * if momentum { 2 } else { 1 },
            )?,
            wrench: zeroed("the wrenches", 2 * quad * slots)?,
            sums: zeroed("the sums", 2 * size_of::<f32>() as u64 * sums)?,
            totals: zeroed(
                "the sums of the wrenches",
                quad * TOTAL_QUADS as u64 * slots,
            )?,
            history: zeroed("the residual history", quad * u64::from(HISTORY))?,
            momentum,
        })
    }

    /// True if the parts of another frame have the same sizes.
    pub(super) fn fits(&self, parts: &[Part<'_>], momentum: bool) -> bool {
        let sizes = self.uploaded.iter().map(Storage::bytes);
        self.momentum == momentum && sizes.eq(parts.iter().map(Part::bytes))
    }

    pub(super) fn write(&self, device: &Device, parts: &[Part<'_>]) -> Result<(), DeviceError> {
        for (buffer, part) in self.uploaded.iter().zip(parts) {
            buffer.write(device, &part.content)?;
        }
        Ok(())
    }

    pub(super) fn motion(&self) -> &Storage {
        &self.uploaded[MOTION]
    }

    pub(super) fn totals(&self) -> &Storage {
        &self.totals
    }

    pub(super) fn points(&self) -> &Storage {
        &self.uploaded[POINTS]
    }

    pub(super) fn rows(&self) -> &Storage {
        &self.uploaded[ROWS]
    }

    pub(super) fn of_motion(&self) -> [&Storage; 4] {
        [SETTINGS, INERTIA, MOTION, BODIES].map(|part| &self.uploaded[part])
    }

    pub(super) fn of_separations(&self, loose: bool, pass: usize) -> [&Storage; 5] {
        let contacts = CONTACTS + 2 * usize::from(loose);
        let numbers = PIECES + 4 * pass + if loose { 3 } else { 1 };
        [SETTINGS, contacts, contacts + 1, MOTION, numbers].map(|part| &self.uploaded[part])
    }

    pub(super) fn of_joints(&self) -> [&Storage; 7] {
        let (biased, relaxed) = (PIECES + 3, PIECES + 7);
        let parts = [
            SETTINGS,
            JOINTS,
            JOINTS + 1,
            MOTION,
            BODIES,
            biased,
            relaxed,
        ];
        parts.map(|part| &self.uploaded[part])
    }

    pub(super) fn of_tally(&self) -> [&Storage; 5] {
        let [settings, slots, motion] = [SETTINGS, SLOTS, MOTION].map(|part| &self.uploaded[part]);
        [settings, slots, &self.wrench, motion, &self.totals]
    }

    pub(super) fn of_bounce(&self, loose: bool, parity: usize) -> [&Storage; 6] {
        let contacts = CONTACTS + 2 * usize::from(loose);
        // those of the relaxed pass
        let numbers = PIECES + 4 + if loose { 3 } else { 1 };
        let impulses = if loose { ROWS } else { POINTS };
        let control = CONTROL + parity;
        let parts = [SETTINGS, control, contacts, contacts + 1, impulses, numbers];
        parts.map(|part| &self.uploaded[part])
    }

    /// Of `poses` as well.
    pub(super) fn of_settle(&self) -> [&Storage; 3] {
        let [settings, motion] = [SETTINGS, MOTION].map(|part| &self.uploaded[part]);
        [settings, motion, &self.velocity]
    }

    pub(super) fn of_start(&self) -> [&Storage; 3] {
        [FIRST, CONTROL, CONTROL + 1].map(|part| &self.uploaded[part])
    }

    pub(super) fn of_pieces(&self, units: bool, pass: usize, parity: usize) -> [&Storage; 8] {
        let heads = PIECES + 4 * pass + if units { 2 } else { 0 };
        let impulses = if units { ROWS } else { POINTS };
        let parts = [CONTROL + parity, heads, heads + 1, impulses, BODIES];
        let [control, heads, numbers, impulses, bodies] = parts.map(|part| &self.uploaded[part]);
        [
            control,
            heads,
            numbers,
            impulses,
            bodies,
            &self.velocity,
            &self.wrench,
            &self.sums,
        ]
    }

    pub(super) fn of_bodies(&self, parity: usize) -> [&Storage; 8] {
        let parts = [CONTROL + parity, CONTROL + 1 - parity, BODIES, ADJACENCY];
        let [control, coming, bodies, adjacency] = parts.map(|part| &self.uploaded[part]);
        [
            control,
            coming,
            bodies,
            &self.velocity,
            &self.wrench,
            adjacency,
            &self.sums,
            &self.history,
        ]
    }
}
