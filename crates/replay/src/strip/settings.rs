//! How a strip is drawn.

use serde::{Deserialize, Serialize};

use crate::colour::ColourBy;

/// When the stills are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "frames is a number of frames, or a list of times [s]"
)]
pub enum StillTimes {
    /// This many, evenly from the first to the last recorded frame.
    Count(u32),
    /// At these times \[s\], the nearest recorded frames.
    Times(Vec<f64>),
}

/// How a strip is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct StripSettings {
    /// When the stills are.
    pub moments: StillTimes,
    /// What bodies are coloured by.
    pub quantity: ColourBy,
    /// Draw contact points and their impulses.
    pub contacts: bool,
    /// Where the view is from: angle about the vertical from the z axis towards the x axis, and
    /// above the ground \[°\].
    pub view: [f64; 2],
}
