//! Everything that a GPU has to be asked, in under ten minutes: bandwidth, transfers, launches,
//! iterations, preparation, frames, contacts, bodies that stay and batches of worlds, as one page
//! of Markdown on standard output. What is done meanwhile goes to standard error.
//!
//! ```text
//! cargo run --release -p delassus-scheme-gpu --example measure [-- LARGEST [SECONDS]] > card.md
//! ```
//!
//! `LARGEST` is the number of contact points to stop at, a million without it; frames stop at a
//! ninth as many bodies, batches at 4096 worlds. `SECONDS` is the time of one section, 60 without
//! it: what would take longer than what is left is left out, and the page says so, as it does of
//! what the device does not hold. `DELASSUS_ADAPTER` chooses the adapter.

mod awake;
mod contacts;
mod frames;
mod page;
mod points;
mod pyramids;
mod roofline;
mod stays;
mod worlds;

use std::error::Error;

use delassus_solver_gpu::Device;

use page::Section;

/// Contact points of the largest problem where the command line names none \[-\].
const LARGEST: usize = 1_000_000;
/// Time of a section where the command line names none \[s\].
const SECONDS: f64 = 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let largest = given.next().map_or(Ok(LARGEST), |text| text.parse())?;
    let seconds = given.next().map_or(Ok(SECONDS), |text| text.parse())?;
    let device = Device::shared("")?;
    page::head(&device, largest, seconds);
    let section = |title: &str| Section::begin(title, seconds);
    roofline::bandwidth(&device, section("Copy"))?;
    roofline::transfers(&device, section("Transfers"))?;
    roofline::launches(&device, section("Launches"))?;
    points::iterations(&device, largest, section("Iterations"))?;
    points::workgroups(&device, largest, section("Workgroups"))?;
    points::preparation(&device, largest, section("Preparation"))?;
    frames::frames(&device, largest / 9, section("Frames"))?;
    contacts::contacts(&device, largest / 9, section("Contacts"))?;
    stays::stays(&device, largest / 9, section("Bodies that stay"))?;
    let worlds = (largest / 100).min(4096);
    worlds::batches(&device, worlds, section("Worlds"))?;
    worlds::accuracy(&device, worlds, section("Worlds to a residual"))?;
    page::foot();
    Ok(())
}
