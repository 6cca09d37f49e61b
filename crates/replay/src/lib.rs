//! Recorded motion: a [`Recorder`] keeps the frames that it is given, a [`Replay`] is what it kept,
//! [`page`] makes one HTML page that plays several side by side, [`strip`] draws stills of them for
//! papers. This crate knows no world: the program that steps one passes its [`stage`] and frames.
//!
//! A replay is for looking at. Its numbers are quantised, with the bounds that [`quantise`] states;
//! what is measured of a run stands in its record.

pub mod base64;
pub mod codec;
pub mod colour;
mod encode;
mod error;
mod extent;
mod limits;
pub mod page;
pub mod quantise;
mod recorder;
pub mod solid;
pub mod stage;
pub mod strip;

pub use codec::{Contact, Replay, ReplayFrame};
pub use encode::sealed;
pub use error::ReplayError;
pub use limits::Limits;
pub use recorder::{ContactState, FrameState, Recorder};
