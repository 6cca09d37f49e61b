//! Seeded scenes for time-stepping experiments, and the scene file format.
//!
//! A scene is a parameter struct that implements [`Scene`]; [`scenes()`] lists all of them, and
//! [`build`] makes the world of one by its identifier. A scene file holds the parts of a world
//! instead ([`read`], [`write()`]). The y axis points up, lengths are in metres, and no
//! scene has a time step. [`closed_forms()`] gives what is known exactly of a scene's motion.

mod boxes;
mod closed_forms;
mod curve;
mod document;
mod drum;
mod error;
mod faults;
mod file;
mod fixing;
mod include;
mod lines;
mod message;
mod names;
pub mod oracles;
mod origins;
mod pile;
mod rig;
mod rope;
mod scene;
pub mod scenes;
mod site;
mod soft;
mod unread;
mod wording;

pub use boxes::BoxWorld;
pub use closed_forms::{SchemeSteps, closed_forms};
pub use error::{SceneError, SceneFault};
pub use file::{of_bytes, read, read_fixing_inertia, text, write};
pub use fixing::FixedInertia;
pub use rig::Spring;
pub use scene::{Scene, SceneDescriptor, SceneEntry, Scenes};
pub use scenes::{build, scenes};
pub use site::CommonParameters;
pub use soft::SoftForm;
