//! What can be read off a run: names, units and meanings of the quantities over time.

use thiserror::Error;

use delassus_core::suggest::nearest;

mod quantity;
mod subject;

pub use quantity::{ObservableDoc, Quantity};
pub use subject::Subject;
use subject::number;

/// A quantity over time: one of the table, or one component of one body, joint or pair of bodies in
/// contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observable {
    /// A quantity of the whole world.
    Quantity(Quantity),
    /// `x[1].y`, `v[1].y`, `w[1].z`, `angle[1].z`: one component of the state of a body.
    Body {
        /// Which part of the state.
        part: BodyPart,
        /// The body.
        body: Subject,
        /// 0–2 for x, y, z.
        axis: usize,
    },
    /// `C[3].0`: position error of one row of a joint \[m | rad\].
    JointError {
        /// The joint.
        joint: Subject,
        /// The row.
        row: usize,
    },
    /// `force[3].y`, `torque[3].z`: what a joint does to its second body \[N\], \[N·m\].
    Reaction {
        /// True for the torque about the centre of mass.
        torque: bool,
        /// The joint.
        joint: Subject,
        /// 0–2 for x, y, z.
        axis: usize,
    },
    /// `force[0,1].y`, `torque[0,1].z`: what all contacts of two bodies do to the second one \[N\],
    /// \[N·m\].
    Contact {
        /// True for the torque about the centre of mass.
        torque: bool,
        /// The body that acts and the one that is acted on.
        bodies: [Subject; 2],
        /// 0–2 for x, y, z.
        axis: usize,
    },
}

/// A part of the state of a body, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyPart {
    /// Centre of mass \[m\].
    Position,
    /// Its velocity \[m/s\].
    Velocity,
    /// Angular velocity \[rad/s\].
    Spin,
    /// Rotation vector of the orientation \[rad\]; its length is at most π.
    Angle,
}

impl BodyPart {
    const ALL: [Self; 4] = [Self::Position, Self::Velocity, Self::Spin, Self::Angle];

    /// Symbol, unit and name.
    fn doc(self) -> [&'static str; 3] {
        match self {
            Self::Position => ["x", "m", "position"],
            Self::Velocity => ["v", "m/s", "velocity"],
            Self::Spin => ["w", "rad/s", "angular velocity"],
            Self::Angle => ["angle", "rad", "orientation"],
        }
    }
}

/// A name that is no observable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown observable {name:?}{} `delassus list observables` has their names", .nearest.as_ref().map_or_else(|| ";".to_owned(), |n| format!("; did you mean {n:?}?")))]
pub struct UnknownObservable {
    /// What was asked for.
    pub name: String,
    /// The closest name.
    pub nearest: Option<String>,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// Form, unit and meaning of the observables of one body, joint or pair in contact:
/// `(form, unit, name)`.
pub const PROBES: [(&str, &str, &str); 9] = [
    ("x[BODY].AXIS", "m", "position of a body's centre of mass"),
    ("v[BODY].AXIS", "m/s", "its velocity"),
    ("w[BODY].AXIS", "rad/s", "angular velocity of a body"),
    (
        "angle[BODY].AXIS",
        "rad",
        "rotation vector of its orientation, at most π long",
    ),
    (
        "C[JOINT].ROW",
        "m | rad",
        "position error of one row of a joint",
    ),
    (
        "force[JOINT].AXIS",
        "N",
        "force of a joint on its second body",
    ),
    (
        "torque[JOINT].AXIS",
        "N·m",
        "its torque about that body's centre of mass",
    ),
    (
        "force[BODY,BODY].AXIS",
        "N",
        "force of all contacts of the first body on the second",
    ),
    (
        "torque[BODY,BODY].AXIS",
        "N·m",
        "their torque about the second body's centre of mass",
    ),
];

impl Observable {
    /// Parses an identifier.
    ///
    /// # Errors
    /// The name with the closest known one.
    pub fn parse(name: &str) -> Result<Self, UnknownObservable> {
        if let Some(quantity) = Quantity::by_id(name) {
            return Ok(Self::Quantity(quantity));
        }
        probe(name).ok_or_else(|| {
            let ids = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
            UnknownObservable {
                name: name.to_owned(),
                nearest: form(name).or_else(|| nearest(name, ids)),
            }
        })
    }

    /// The identifier, which parses to the same observable.
    pub fn id(&self) -> String {
        match *self {
            Self::Quantity(quantity) => quantity.doc().id.to_owned(),
            Self::Body { part, body, axis } => {
                let [symbol, _, _] = part.doc();
                format!("{symbol}[{body}].{}", AXES[axis])
            }
            Self::JointError { joint, row } => format!("C[{joint}].{row}"),
            Self::Reaction {
                torque,
                joint,
                axis,
            } => {
                format!("{}[{joint}].{}", force_or(torque), AXES[axis])
            }
            Self::Contact {
                torque,
                bodies: [first, second],
                axis,
            } => format!("{}[{first},{second}].{}", force_or(torque), AXES[axis]),
        }
    }

    /// True if it has a body or a joint by its name, which only a scene can resolve.
    pub fn has_name(&self) -> bool {
        let is_name = |subject: &Subject| matches!(subject, Subject::Name(_));
        match self {
            Self::Quantity(_) => false,
            Self::Body { body: one, .. }
            | Self::JointError { joint: one, .. }
            | Self::Reaction { joint: one, .. } => is_name(one),
            Self::Contact { bodies, .. } => bodies.iter().any(is_name),
        }
    }

    /// Unit; "-" if it has none. The unit of a joint's error is that of its row.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Quantity(quantity) => quantity.doc().unit,
            Self::Body { part, .. } => part.doc()[1],
            Self::JointError { .. } => "m | rad",
            Self::Reaction { torque, .. } | Self::Contact { torque, .. } => {
                if *torque {
                    "N·m"
                } else {
                    "N"
                }
            }
        }
    }

    /// True if it is read off impulses, or off work and momentum that a scheme reports: an engine
    /// that says only how the bodies move has no values of it.
    pub fn needs_impulses(&self) -> bool {
        match self {
            Self::Quantity(quantity) => quantity.needs_impulses(),
            Self::Reaction { .. } | Self::Contact { .. } => true,
            Self::Body { .. } | Self::JointError { .. } => false,
        }
    }

    /// What it is, in a few words.
    pub fn description(&self) -> String {
        match *self {
            Self::Quantity(quantity) => quantity.doc().name.to_owned(),
            Self::Body { part, body, axis } => {
                let [_, _, name] = part.doc();
                format!("{name} of {} along {}", body.words("body"), AXES[axis])
            }
            Self::JointError { joint, row } => {
                format!("error of row {row} of {}", joint.words("joint"))
            }
            Self::Reaction {
                torque,
                joint,
                axis,
            } => {
                let (what, joint) = (force_or(torque), joint.words("joint"));
                format!("{what} of {joint} along {}", AXES[axis])
            }
            Self::Contact {
                torque,
                bodies: [first, second],
                axis,
            } => {
                let (what, axis) = (force_or(torque), AXES[axis]);
                let [first, second] = [first, second].map(|body| body.words("body"));
                format!("contact {what} of {first} on {second} along {axis}")
            }
        }
    }
}

fn force_or(torque: bool) -> &'static str {
    if torque { "torque" } else { "force" }
}

/// The parts of `NAME[INDEX].REST`.
fn split(name: &str) -> Option<(&str, &str, &str)> {
    let (what, rest) = name.split_once('[')?;
    let (index, rest) = rest.split_once("].")?;
    Some((what, index, rest))
}

fn probe(name: &str) -> Option<Observable> {
    let (what, index, rest) = split(name)?;
    let axis = AXES.iter().position(|axis| *axis == rest);
    let torque = what == "torque";
    let is_force = torque || what == "force";
    if let Some((first, second)) = index.split_once(',') {
        return Some(Observable::Contact {
            torque,
            bodies: [Subject::parse(first)?, Subject::parse(second)?],
            axis: axis.filter(|_| is_force)?,
        });
    }
    let index = Subject::parse(index)?;
    if what == "C" {
        let row = number(rest)?;
        return Some(Observable::JointError { joint: index, row });
    }
    let axis = axis?;
    if is_force {
        return Some(Observable::Reaction {
            torque,
            joint: index,
            axis,
        });
    }
    let mut parts = BodyPart::ALL.into_iter();
    let part = parts.find(|part| part.doc()[0] == what)?;
    Some(Observable::Body {
        part,
        body: index,
        axis,
    })
}

/// The form that a wrong name with an index comes closest to.
fn form(name: &str) -> Option<String> {
    let (what, rest) = name.split_once('[')?;
    let of_pair = |text: &str| text.contains(',');
    let forms = PROBES.map(|(form, _, _)| form);
    let names = forms.map(|form| form.split('[').next().unwrap_or(form));
    // a word before or after is no typing error
    let inside = || names.into_iter().find(|n| n.len() > 1 && what.contains(n));
    let close = nearest(what, names).or_else(|| inside().map(str::to_owned))?;
    let mut same = forms.iter().zip(names).filter(|(_, name)| *name == close);
    // force and torque are of a joint or of a pair
    let likely = same
        .clone()
        .find(|(form, _)| of_pair(form) == of_pair(rest));
    likely
        .or_else(|| same.next())
        .map(|(form, _)| (*form).to_owned())
}

#[cfg(test)]
mod tests;
