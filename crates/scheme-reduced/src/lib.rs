//! Joint trees in reduced coordinates: the articulated-body method as a time-stepping scheme.
//!
//! - `tree`, `form`, `bodies`, `refusals`: from bodies and joints of a world to trees and their
//!   coordinates;
//! - `coordinates`: what a joint leaves free;
//! - `articulated`: the two passes over the bodies, and `reactions`: what they say of the joints;
//! - `integrator`, `balance`: steps, and the momentum of trees that nothing holds.
//!
//! Theory: docs/theory/18-reduced-coordinates.md (Q.1–Q.16).

mod articulated;
mod articulated_body;
mod balance;
mod bodies;
mod coordinates;
mod form;
mod integrator;
mod reactions;
mod refusals;
mod spatial;
mod tree;

pub use articulated_body::{ArticulatedBody, ArticulatedBodyParameters, accelerations};
pub use integrator::Integrator;
pub use spatial::Spatial;

/// The identifier of the scheme.
const ID: &str = "articulated-body";
