//! Keeps frames of a world while it runs, and makes a replay of a bounded size of them.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::ReplayError;
use crate::codec::{Contact, Header, Replay, ReplayFrame, added};
use crate::extent::Extent;
use crate::limits::Limits;
use crate::quantise::{LogScale, PositionGrid, direction_code, orientation, orientation_code};
use crate::stage::{SceneGeometry, index};

/// Where nothing is drawn: this many times the size of the scene at its start from where that was
/// \[-\].
const FAR: f64 = 20.0;
/// What a camera does not follow, likewise \[-\].
const OUT_OF_SIGHT: f64 = 3.0;
/// Share of the places of bodies on either side that it need not show: of a few that fly or roll
/// away \[-\].
const ASIDE: f64 = 0.01;
/// Contacts of a frame below which frames are left out before more contacts are.
const FEW: usize = 64;

/// Largest coordinate that is drawn \[m\]: what is beyond stands there, so that differences of
/// places are finite, also in single precision.
const EDGE: f64 = 1e30;

/// The finite place within the largest coordinates.
fn within_edge(place: Vector3<f64>) -> Vector3<f64> {
    place.map(|x| x.clamp(-EDGE, EDGE))
}

/// A world at one instant, as it is recorded; all lists but that of the contacts have an entry per
/// body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameState {
    /// The time \[s\].
    pub time: f64,
    /// Centres of mass \[m\].
    pub positions: Vec<Vector3<f64>>,
    /// From body axes to world axes.
    pub orientations: Vec<UnitQuaternion<f64>>,
    /// Speeds of the centres of mass \[m/s\].
    pub speeds: Vec<f64>,
    /// Residuals of the last solve \[-\]; empty where there was none.
    pub residuals: Vec<f64>,
    /// The points that touch or push.
    pub contacts: Vec<ContactState>,
}

/// A contact point at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactState {
    /// The bodies.
    pub bodies: [u32; 2],
    /// Where it is \[m\].
    pub place: Vector3<f64>,
    /// The unit normal, from the first body to the second.
    pub normal: Vector3<f64>,
    /// The impulse on the second body in the last substep \[N·s\].
    pub impulse: Vector3<f64>,
    /// The overlap \[m\].
    pub depth: f64,
}

/// Keeps frames of a world.
#[derive(Debug, Clone)]
pub struct Recorder {
    limits: Limits,
    stage: SceneGeometry,
    /// Reach of the solids of each body \[m\]; `None` without one that ends.
    reach: Vec<Option<f64>>,
    held: usize,
    frames: Vec<Snapshot>,
}

/// A frame as it was, but for what is quantised by itself.
#[derive(Debug, Clone)]
struct Snapshot {
    time: f64,
    places: Vec<Vector3<f64>>,
    turns: Vec<[u16; 3]>,
    speeds: Vec<f64>,
    residuals: Vec<f64>,
    contacts: Vec<Touch>,
}

#[derive(Debug, Clone, Copy)]
struct Touch {
    bodies: [u32; 2],
    place: Vector3<f64>,
    normal: [u8; 2],
    impulse: f64,
    direction: [u8; 2],
    depth: f64,
}

impl Recorder {
    /// Begins with the state of a world at the start of a run.
    pub fn new(stage: SceneGeometry, start: FrameState, limits: Limits) -> Self {
        let mut reach: Vec<Option<f64>> = vec![None; stage.bodies.len()];
        for solid in &stage.solids {
            let own = &mut reach[solid.body as usize];
            *own = solid.reach().map(|r| own.unwrap_or(0.0).max(r)).or(*own);
        }
        let mut recorder = Self {
            limits,
            stage,
            reach,
            held: 0,
            frames: Vec::new(),
        };
        recorder.keep(start);
        recorder
    }

    /// True if the turn of a frame, counted from one, has come.
    pub fn keeps(&self, frame: u64) -> bool {
        frame.is_multiple_of(self.limits.every.max(1))
    }

    /// Keeps the state after a frame whose turn has come.
    pub fn keep(&mut self, mut state: FrameState) {
        if !self.limits.contacts {
            state.contacts.clear();
        }
        let snapshot = Snapshot::new(state, self.stage.bodies.len(), self.frames.last());
        self.held += snapshot.size();
        self.frames.push(snapshot);
        while self.held > self.limits.held && self.frames.len() > 2 {
            self.halve();
        }
    }

    /// Leaves out every second frame.
    fn halve(&mut self) {
        let mut keep = false;
        self.frames.retain(|_| {
            keep = !keep;
            keep
        });
        self.limits.every *= 2;
        self.held = self.frames.iter().map(Snapshot::size).sum();
    }

    /// The replay, thinned until it fits, and the bytes of its file.
    ///
    /// # Errors
    /// None in practice, see [`Replay::to_bytes`].
    pub fn finish(mut self) -> Result<(Replay, Vec<u8>), ReplayError> {
        loop {
            let most = self.frames.iter().map(|frame| frame.contacts.len()).max();
            let mut most = most.unwrap_or(0);
            loop {
                let replay = self.replay(most);
                let bytes = replay.to_bytes()?;
                if bytes.len() <= self.limits.bytes || (most == 0 && self.frames.len() < 3) {
                    return Ok((replay, bytes));
                }
                if most <= FEW && self.frames.len() > 2 {
                    break;
                }
                most /= 2;
            }
            self.halve();
        }
    }

    /// Everything in codes, with `most` contacts per frame.
    fn replay(&self, most: usize) -> Replay {
        let (middle, size) = self.start();
        let far = Vector3::repeat(FAR * size);
        let clamp = |p: &Vector3<f64>| p.sup(&(middle - far)).inf(&(middle + far));
        let places = self.frames.iter().flat_map(|frame| &frame.places);
        let touches = self
            .frames
            .iter()
            .flat_map(|f| &f.contacts)
            .map(|t| &t.place);
        let (low, high) = places
            .chain(touches)
            .map(clamp)
            .fold((middle, middle), |(l, h), p| (l.inf(&p), h.sup(&p)));
        // what has left the scene takes part in no scale
        let drawn = |p: &Vector3<f64>| (p - middle).amax() <= FAR * size;
        let touches = || {
            let all = self.frames.iter().flat_map(|frame| &frame.contacts);
            all.filter(|touch| drawn(&touch.place))
        };
        let of_bodies = |values: fn(&Snapshot) -> &Vec<f64>| {
            let frames = self.frames.iter();
            let all = frames.flat_map(|frame| frame.places.iter().zip(values(frame)));
            top(all.filter(|(place, _)| drawn(place)).map(|(_, x)| *x))
        };
        let mut header = Header {
            stage: self.stage.clone(),
            grid: PositionGrid::new(&low, &high),
            view: self.view(&middle, size).map(Into::into),
            speed: of_bodies(|frame| &frame.speeds),
            residual: of_bodies(|frame| &frame.residuals),
            impulse: top(touches().map(|touch| touch.impulse)),
            depth: top(touches().map(|touch| touch.depth)),
            every: self.limits.every,
            left_out: 0,
            times: self.frames.iter().map(|frame| frame.time).collect(),
            added: Vec::new(),
        };
        let mut frames: Vec<ReplayFrame> = Vec::with_capacity(self.frames.len());
        for snapshot in &self.frames {
            let frame = snapshot.quantised(&header, most);
            header.left_out += u64::from(index(snapshot.contacts.len() - frame.contacts.len()));
            let before = frames.last().map_or(&[][..], |last| &last.contacts);
            header.added.push(added(before, &frame.contacts));
            frames.push(frame);
        }
        Replay { header, frames }
    }

    /// Middle and largest half length of the bodies at the start, those that can move if there are
    /// any \[m\].
    fn start(&self) -> (Vector3<f64>, f64) {
        let first = self.frames.first();
        let [low, high] = self.extent(first.into_iter(), |_| true);
        let size = (0.5 * (high - low)).amax();
        (0.5 * (low + high), if size > 1e-6 { size } else { 1.0 })
    }

    /// The box around all that moves, without what has left the scene.
    fn view(&self, middle: &Vector3<f64>, size: f64) -> [Vector3<f64>; 2] {
        let near = |p: &Vector3<f64>| (p - middle).amax() < (1.0 + OUT_OF_SIGHT) * size;
        self.extent(self.frames.iter(), near)
    }

    /// The box of bodies and joints; the anchors at what does not move are always in it.
    fn extent<'f>(
        &self,
        frames: impl Iterator<Item = &'f Snapshot>,
        near: impl Fn(&Vector3<f64>) -> bool,
    ) -> [Vector3<f64>; 2] {
        let subject: Vec<bool> = (0..self.stage.bodies.len())
            .map(|body| self.stage.is_subject(body))
            .collect();
        let mut extent = Extent::default();
        for frame in frames {
            for (body, place) in frame.places.iter().enumerate() {
                if subject[body] && near(place) {
                    extent.add(*place, self.reach[body].unwrap_or(0.0));
                }
            }
            for link in &self.stage.links {
                for (body, point) in link.ends(|body| frame.pose(body)) {
                    match subject[body] {
                        true if near(&point) => extent.add(point, 0.0),
                        true => {}
                        false => extent.fix(point),
                    }
                }
            }
        }
        match extent.is_empty() {
            true => [Vector3::repeat(-1.0), Vector3::repeat(1.0)],
            false => extent.corners(ASIDE),
        }
    }
}

fn top(magnitudes: impl Iterator<Item = f64>) -> LogScale {
    LogScale {
        top: magnitudes.filter(|m| m.is_finite()).fold(0.0, f64::max),
    }
}

impl Snapshot {
    /// A body without a finite place or orientation stays as it was last; a contact without a
    /// finite place is left out.
    fn new(state: FrameState, bodies: usize, last: Option<&Self>) -> Self {
        let touch = |contact: ContactState| Touch {
            bodies: contact.bodies,
            place: within_edge(contact.place),
            normal: direction_code(&contact.normal),
            impulse: contact.impulse.norm(),
            direction: direction_code(&contact.impulse),
            depth: contact.depth,
        };
        let is_finite = |place: &Vector3<f64>| place.iter().all(|x| x.is_finite());
        let touching = state.contacts.into_iter();
        let touching = touching.filter(|contact| is_finite(&contact.place));
        let mut contacts: Vec<Touch> = touching.map(touch).collect();
        contacts.sort_by_key(|touch| touch.bodies);
        let mut residuals = state.residuals;
        residuals.resize(bodies, 0.0);
        let places = state
            .positions
            .into_iter()
            .enumerate()
            .map(|(body, place)| match (is_finite(&place), last) {
                (true, _) => within_edge(place),
                (false, Some(last)) => last.places[body],
                (false, None) => Vector3::zeros(),
            });
        let turns = state.orientations.iter().enumerate().map(|(body, turn)| {
            match (turn.coords.iter().all(|x| x.is_finite()), last) {
                (true, _) => orientation_code(turn),
                (false, Some(last)) => last.turns[body],
                (false, None) => orientation_code(&UnitQuaternion::identity()),
            }
        });
        let speed = |speed: f64| if speed.is_nan() { f64::INFINITY } else { speed };
        Self {
            time: state.time,
            places: places.collect(),
            turns: turns.collect(),
            speeds: state.speeds.into_iter().map(speed).collect(),
            residuals,
            contacts,
        }
    }

    fn pose(&self, body: usize) -> Isometry3<f64> {
        Isometry3::from_parts(self.places[body].into(), orientation(self.turns[body]))
    }

    fn size(&self) -> usize {
        self.places.len() + self.contacts.len()
    }

    /// In codes, with the strongest and deepest `most` contacts.
    fn quantised(&self, header: &Header, most: usize) -> ReplayFrame {
        let mut strength: Vec<(f64, f64)> =
            self.contacts.iter().map(|c| (c.impulse, c.depth)).collect();
        let order = |a: &(f64, f64), b: &(f64, f64)| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1));
        strength.sort_by(order);
        let least = strength.get(most).copied();
        let contacts = self.contacts.iter().filter(|c| {
            // those that are as strong as the first one left out go with it
            least.is_none_or(|least| order(&(c.impulse, c.depth), &least).is_lt())
        });
        let contacts = contacts.map(|touch| Contact {
            bodies: touch.bodies,
            place: header.grid.code(&touch.place),
            normal: touch.normal,
            impulse: header.impulse.code(touch.impulse),
            direction: touch.direction,
            depth: header.depth.code(touch.depth),
        });
        ReplayFrame {
            places: self.places.iter().map(|p| header.grid.code(p)).collect(),
            turns: self.turns.clone(),
            speeds: self.speeds.iter().map(|v| header.speed.code(*v)).collect(),
            residuals: self
                .residuals
                .iter()
                .map(|r| header.residual.code(*r))
                .collect(),
            contacts: contacts.collect(),
        }
    }
}
