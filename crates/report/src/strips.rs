//! Strips of stills: frames of recorded motion, one row per cell.

use delassus_replay::colour::ColourBy;
use delassus_replay::strip::{StillTimes, StripSettings};
use serde_json::{Value, json};

use crate::columns::{Columns, Refusal, View};
use crate::settings::{Setting, settings};

settings! {
    /// One `[[strip]]` of a spec.
    pub struct StripSpec {
        /// File name without its ending; unique among figures and strips.
        pub id: String,
        /// What the strip shows; printed below it.
        #[serde(default)]
        pub caption: String,
        /// How many frames, evenly from the first to the last, or when \[s\].
        pub frames: StillTimes,
        /// What bodies are coloured by.
        #[serde(default)]
        pub colour: ColourBy,
        /// Draw contact points and their impulses.
        #[serde(default)]
        pub contacts: bool,
        /// Where the view is from: angle about the vertical from the z axis towards the x axis, and
        /// above the ground \[°\].
        #[serde(default = "from")]
        pub view: [f64; 2],
        scenes, schemes, solvers,
    }
}

impl Setting for StillTimes {
    fn schema() -> Value {
        let count = json!({ "type": "integer", "minimum": 0 });
        json!({ "anyOf": [count, Vec::<f64>::schema()] })
    }
}

impl Setting for ColourBy {
    fn schema() -> Value {
        // a quantity is its name
        json!({ "enum": Self::ALL })
    }
}

fn from() -> [f64; 2] {
    [30.0, 15.0]
}

/// Frames of one row.
const MOST_FRAMES: usize = 12;

impl StripSpec {
    /// The settings of the drawing.
    pub(crate) fn settings(&self) -> StripSettings {
        StripSettings {
            moments: self.frames.clone(),
            quantity: self.colour,
            contacts: self.contacts,
            view: self.view,
        }
    }
}

impl View for StripSpec {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("frames")?;
        let count = match &self.frames {
            StillTimes::Count(count) => *count as usize,
            StillTimes::Times(times) => {
                if let Some(odd) = times.iter().find(|t| !(t.is_finite() && **t >= 0.0)) {
                    let message = format!("a frame is at a time ≥ 0 [s], found {odd}");
                    return Err(Refusal::of_key("frames", message));
                }
                times.len()
            }
        };
        if !(1..=MOST_FRAMES).contains(&count) {
            let message = format!("a strip has 1 to {MOST_FRAMES} frames, found {count}");
            return Err(Refusal::of_key("frames", message));
        }
        let [about, above] = self.view;
        if !(about.is_finite() && above.abs() <= 90.0) {
            let message = "view = [about, above]: angles in degrees, the second from -90 to 90";
            return Err(Refusal::of_key("view", message));
        }
        Ok(())
    }
}
