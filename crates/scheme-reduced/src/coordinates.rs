//! The coordinates of one joint of a tree, and what they do to the body that hangs on it.
//!
//! A joint places its child by p_c = p_p + R_p α − R_c β, R_c = R_p Q (Q.1): α and β are the
//! joint's point in the axes of parent and child. Slides and a rod change α (a slide along an axis
//! of the child: β), turns change Q. Coordinates count from the pose that the frame begins with, so
//! that no angle wraps and no chart has a singularity on the way.

use delassus_dynamics::rotation;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// How the child may turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RotationFreedom {
    /// It is a point mass, without orientation.
    Point,
    /// Not at all.
    Fixed,
    /// About an axis of the parent.
    Axis(Vector3<f64>),
    /// About an axis of the parent and one of the child, perpendicular to each other.
    Cross([Vector3<f64>; 2]),
    /// In all ways.
    Ball,
}

/// Up to three directions along which the joint's point slides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Slides {
    /// In the axes of the body that carries them.
    pub(crate) axes: [Vector3<f64>; 3],
    pub(crate) count: usize,
    /// True if the child carries them.
    pub(crate) on_child: bool,
}

/// A massless rod from the parent's point to the child's, with an orientation of its own, about
/// whose axis z it lies and does not turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rod {
    /// \[m\]
    pub(crate) length: f64,
    /// In the axes of the parent, at the start of the frame.
    pub(crate) start: UnitQuaternion<f64>,
}

/// One joint of a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coordinates {
    /// The joint's point in the axes of parent and child, at zero slides \[m\].
    pub(crate) anchors: [Vector3<f64>; 2],
    pub(crate) turn: RotationFreedom,
    pub(crate) slides: Slides,
    pub(crate) rod: Option<Rod>,
    /// Orientation of the child in the axes of the parent at the start of the frame.
    pub(crate) start: UnitQuaternion<f64>,
    /// Slides at the start of the frame \[m\].
    pub(crate) slid: [f64; 3],
}

/// What one unit of a speed does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Column {
    /// Rate of α in the axes of the parent.
    pub(crate) alpha: Vector3<f64>,
    /// Angular velocity of the child relative to the parent, in the axes of the parent.
    pub(crate) turn: Vector3<f64>,
    /// Rate of β in the axes of the child.
    pub(crate) beta: Vector3<f64>,
}

/// A joint at some coordinates and speeds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posed {
    /// Q.
    pub(crate) orientation: UnitQuaternion<f64>,
    pub(crate) alpha: Vector3<f64>,
    pub(crate) beta: Vector3<f64>,
    pub(crate) columns: [Column; 6],
    pub(crate) count: usize,
    /// Sum of the columns times the speeds.
    pub(crate) rate: Column,
    /// Rate of that sum at constant speeds, each half in its own axes.
    pub(crate) drift: Column,
}

impl Posed {
    fn push(&mut self, column: Column, speed: f64) {
        self.columns[self.count] = column;
        self.count += 1;
        self.rate.alpha += speed * column.alpha;
        self.rate.turn += speed * column.turn;
        self.rate.beta += speed * column.beta;
    }
}

impl Coordinates {
    /// Number of speeds: the freedoms of the joint \[-\].
    pub(crate) fn speeds(&self) -> usize {
        let turn = match self.turn {
            RotationFreedom::Point | RotationFreedom::Fixed => 0,
            RotationFreedom::Axis(_) => 1,
            RotationFreedom::Cross(_) => 2,
            RotationFreedom::Ball => 3,
        };
        let rod = if self.rod.is_some() { 2 } else { 0 };
        self.slides.count + turn + rod
    }

    /// Number of coordinates: orientations count four \[-\].
    pub(crate) fn numbers(&self) -> usize {
        let turn = match self.turn {
            RotationFreedom::Point | RotationFreedom::Fixed => 0,
            RotationFreedom::Axis(_) => 1,
            RotationFreedom::Cross(_) => 2,
            RotationFreedom::Ball => 4,
        };
        let rod = if self.rod.is_some() { 4 } else { 0 };
        self.slides.count + turn + rod
    }

    /// Writes the coordinates of the start of the frame.
    pub(crate) fn begin(&self, y: &mut [f64]) {
        y.fill(0.0);
        y[..self.slides.count].copy_from_slice(&self.slid[..self.slides.count]);
        let last = y.len();
        if let Some(rod) = &self.rod {
            put(&mut y[last - 4..], &rod.start);
        }
        if self.turn == RotationFreedom::Ball {
            let first = self.slides.count;
            put(&mut y[first..first + 4], &self.start);
        }
    }

    /// The joint at coordinates `y` and speeds `u`.
    pub(crate) fn pose(&self, y: &[f64], u: &[f64]) -> Posed {
        let mut posed = Posed {
            orientation: self.start,
            alpha: self.anchors[0],
            beta: self.anchors[1],
            columns: [Column::default(); 6],
            count: 0,
            rate: Column::default(),
            drift: Column::default(),
        };
        let slides = self.slides.count;
        for (axis, (s, speed)) in self.slides.axes.iter().zip(y.iter().zip(u)).take(slides) {
            let mut column = Column::default();
            if self.slides.on_child {
                posed.beta += *s * axis;
                column.beta = *axis;
            } else {
                posed.alpha += *s * axis;
                column.alpha = *axis;
            }
            posed.push(column, *speed);
        }
        self.turn(&mut posed, &y[slides..], &u[slides..]);
        if let Some(rod) = &self.rod {
            let (y, u) = (&y[y.len() - 4..], &u[u.len() - 2..]);
            rod.pose(&mut posed, y, u);
        }
        posed
    }

    fn turn(&self, posed: &mut Posed, y: &[f64], u: &[f64]) {
        let about = |turn: Vector3<f64>| Column {
            turn,
            ..Column::default()
        };
        match self.turn {
            RotationFreedom::Point | RotationFreedom::Fixed => {}
            RotationFreedom::Axis(axis) => {
                posed.orientation = rotation::about(&axis, y[0]) * self.start;
                posed.push(about(axis), u[0]);
            }
            RotationFreedom::Cross([first, second]) => {
                let turned = rotation::about(&first, y[0]) * self.start;
                posed.orientation = turned * rotation::about(&second, y[1]);
                let second = turned * second;
                posed.push(about(first), u[0]);
                posed.push(about(second), u[1]);
                // the second axis goes round with the first turn
                posed.drift.turn = u[0] * u[1] * first.cross(&second);
            }
            RotationFreedom::Ball => {
                posed.orientation = get(&y[..4]);
                let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
                for (axis, speed) in axes.into_iter().zip(u) {
                    posed.push(about(axis), *speed);
                }
            }
        }
    }

    /// Moves the coordinates by constant speeds over `h` \[s\], without leaving their manifold.
    pub(crate) fn advance(&self, y: &mut [f64], u: &[f64], h: f64) {
        let (numbers, speeds) = (y.len(), u.len());
        let plain = self.slides.count
            + match self.turn {
                RotationFreedom::Axis(_) => 1,
                RotationFreedom::Cross(_) => 2,
                RotationFreedom::Point | RotationFreedom::Fixed | RotationFreedom::Ball => 0,
            };
        for (y, u) in y.iter_mut().zip(u).take(plain) {
            *y += h * u;
        }
        if self.turn == RotationFreedom::Ball {
            let spin = Vector3::new(u[plain], u[plain + 1], u[plain + 2]);
            let y = &mut y[plain..plain + 4];
            let turned = rotation::turned(&get(y), &(h * spin));
            put(y, &turned);
        }
        if self.rod.is_some() {
            let y = &mut y[numbers - 4..];
            let spin = rod_spin(&get(y), &u[speeds - 2..]);
            let turned = rotation::turned(&get(y), &(h * spin));
            put(y, &turned);
        }
    }

    /// Rates of the coordinates (Q.4); those of an orientation as of four numbers.
    pub(crate) fn rates(&self, y: &[f64], u: &[f64], out: &mut [f64]) {
        let (numbers, speeds) = (y.len(), u.len());
        let slides = self.slides.count;
        let plain = numbers.min(speeds);
        out[..plain].copy_from_slice(&u[..plain]);
        if self.turn == RotationFreedom::Ball {
            let spin = Vector3::new(u[slides], u[slides + 1], u[slides + 2]);
            spin_rates(&y[slides..slides + 4], &spin, &mut out[slides..slides + 4]);
        }
        if self.rod.is_some() {
            let y = &y[numbers - 4..];
            let spin = rod_spin(&get(y), &u[speeds - 2..]);
            spin_rates(y, &spin, &mut out[numbers - 4..]);
        }
    }

    /// Brings orientations back to unit length.
    pub(crate) fn normalize(&self, y: &mut [f64]) {
        let numbers = y.len();
        if self.turn == RotationFreedom::Ball {
            let y = &mut y[self.slides.count..self.slides.count + 4];
            let unit = get(y);
            put(y, &unit);
        }
        if self.rod.is_some() {
            let y = &mut y[numbers - 4..];
            let unit = get(y);
            put(y, &unit);
        }
    }
}

impl Rod {
    /// Adds the rod to α, with its two speeds.
    fn pose(&self, posed: &mut Posed, y: &[f64], u: &[f64]) {
        let frame = get(y);
        let along = self.length * (frame * Vector3::z());
        posed.alpha += along;
        for (axis, speed) in [Vector3::x(), Vector3::y()].iter().zip(u) {
            let column = Column {
                alpha: (frame * axis).cross(&along),
                ..Column::default()
            };
            posed.push(column, *speed);
        }
        let spin = rod_spin(&frame, u);
        posed.drift.alpha += spin.cross(&spin.cross(&along));
    }
}

/// Angular velocity of a rod in the axes of the parent \[rad/s\].
fn rod_spin(frame: &UnitQuaternion<f64>, u: &[f64]) -> Vector3<f64> {
    frame * Vector3::new(u[0], u[1], 0.0)
}

fn spin_rates(y: &[f64], spin: &Vector3<f64>, out: &mut [f64]) {
    let q = Quaternion::new(y[0], y[1], y[2], y[3]);
    let rate = Quaternion::from_parts(0.0, 0.5 * spin) * q;
    out.copy_from_slice(&[rate.w, rate.i, rate.j, rate.k]);
}

fn get(y: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(y[0], y[1], y[2], y[3]))
}

fn put(y: &mut [f64], q: &UnitQuaternion<f64>) {
    y.copy_from_slice(&[q.w, q.i, q.j, q.k]);
}

impl Coordinates {
    /// Adds an angular velocity in the axes of a parent that stands still to the speeds \[rad/s\].
    pub(crate) fn turn_speeds(&self, y: &[f64], spin: &Vector3<f64>, u: &mut [f64]) {
        let (numbers, speeds) = (y.len(), u.len());
        if self.turn == RotationFreedom::Ball {
            let first = self.slides.count;
            for (u, spin) in u[first..first + 3].iter_mut().zip(spin.iter()) {
                *u += spin;
            }
        }
        if self.rod.is_some() {
            let local = get(&y[numbers - 4..]).inverse() * spin;
            u[speeds - 2] += local.x;
            u[speeds - 1] += local.y;
        }
    }
}
