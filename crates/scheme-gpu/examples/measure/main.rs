//! Everything that a GPU has to be asked, in under ten minutes: bandwidth, transfers, launches,
//! iterations, preparation, frames, contacts, bodies that stay and batches of worlds, as one page
//! of Markdown on standard output. What is done meanwhile goes to standard error.
//!
//! ```text
//! cargo run --release -p delassus-scheme-gpu --example measure > card.md
//! ```
//!
//! After `--` come `LARGEST [SECONDS [TITLE]]`. `LARGEST` is the number of contact points to stop
//! at, a million without it; frames stop at a ninth as many bodies, batches at 4096 worlds.
//! `SECONDS` is the time of one section, 60 without it: what would take longer than what is left is
//! left out, and the page says so, as it does of what the device does not hold. `DELASSUS_ADAPTER`
//! chooses the adapter.

mod awake;
mod contacts;
mod frames;
mod page;
mod points;
mod pyramids;
mod roofline;
mod stays;
mod structures;
mod worlds;

use std::error::Error;
use std::sync::Arc;

use delassus_solver_gpu::Device;

use page::Section;

/// Contact points of the largest problem where the command line names none \[-\].
const LARGEST: usize = 1_000_000;
/// Time of a section where the command line names none \[s\].
const SECONDS: f64 = 60.0;

/// Measures on a device up to a size, and prints a section.
type Measurement = fn(&Arc<Device>, usize, Section) -> Result<(), Box<dyn Error>>;

/// The sections of the page.
const SECTIONS: &[(&str, Measurement)] = &[
    ("Copy", |device, _, section| {
        roofline::bandwidth(device, section)
    }),
    ("Transfers", |device, _, section| {
        roofline::transfers(device, section)
    }),
    ("Launches", |device, _, section| {
        roofline::launches(device, section)
    }),
    ("Iterations", |device, largest, section| {
        points::iterations(device, largest, section)
    }),
    ("Workgroups", |device, largest, section| {
        points::workgroups(device, largest, section)
    }),
    ("Preparation", |device, largest, section| {
        points::preparation(device, largest, section)
    }),
    ("Frames", frames::frames),
    ("Contacts", contacts::contacts),
    ("Bodies that stay", stays::stays),
    ("Worlds", |device, largest, section| {
        worlds::batches(device, largest, section)
    }),
    ("Worlds of one structure", |device, largest, section| {
        structures::structures(device, largest, section)
    }),
    ("Worlds to a residual", |device, largest, section| {
        worlds::accuracy(device, largest, section)
    }),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let largest = given.next().map_or(Ok(LARGEST), |text| text.parse())?;
    let seconds = given.next().map_or(Ok(SECONDS), |text| text.parse())?;
    let title = given.next().unwrap_or_default();
    let device = Device::shared("")?;
    page::head(&device, largest, seconds);
    let worlds = (largest / 100).min(4096);
    for (name, section) in SECTIONS {
        if name.starts_with(&title) {
            let largest = match *name {
                "Frames" | "Contacts" | "Bodies that stay" => largest / 9,
                _ if name.starts_with("Worlds") => worlds,
                _ => largest,
            };
            section(&device, largest, Section::begin(name, seconds))?;
        }
    }
    page::foot();
    Ok(())
}
