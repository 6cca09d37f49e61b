//! The wide solver beside Rapier: one run, one table.
//!
//! `cargo bench --manifest-path crates/peers/rapier/Cargo.toml` builds the program `rapier` of this
//! crate twice, with four lanes for any processor of the architecture and with eight lanes for
//! AVX2, because Rapier chooses its vectors when it is compiled and not when it runs. Then every
//! entry of the wide solver and the peer's work on the same scene follow each other. A word after
//! `--` keeps the entries whose names hold it; `DELASSUS_BENCH_TABLE=FILE` also writes the table to
//! a file.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use delassus_bench::wide::machine::{Bandwidth, load, processor};
use delassus_bench::wide::peer::PeerRow;
use delassus_bench::wide::table::{TimedRun, render};
use delassus_bench::wide::{LastProblem, Sampler, Samples, TimedEntry, VectorLevel, entries};

/// Samples per entry.
const SAMPLES: usize = 21;
/// Time of one sample, preparation included.
const SAMPLE: Duration = Duration::from_millis(100);
/// Instructions of the build with eight lanes.
const WIDE_FLAGS: &str = "-C target-cpu=x86-64-v3";

/// A build of the peer's program.
struct Peer {
    lanes: usize,
    program: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let filter: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let keep = |name: &str| filter.is_empty() || filter.iter().any(|word| name.contains(*word));
    let peers = peers()?;
    let mut run = TimedRun::default();
    let mut scenes = LastProblem::default();
    let before = load();
    for entry in entries(&VectorLevel::available()) {
        if keep(&entry.id()) {
            run.samples.push(sample(entry, &mut scenes)?);
            beside(&entry, &peers, &mut run.peers)?;
            eprintln!("{}", entry.id());
        }
    }
    run.notes.extend(processor());
    if let (Some(before), Some(after)) = (before, load()) {
        let note = format!("Load {before} before, {after} after the run.");
        run.notes.push(note);
    }
    let text = render(&run, &Bandwidth::measure());
    println!("{text}");
    if let Some(path) = std::env::var_os("DELASSUS_BENCH_TABLE") {
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// The builds of the peer for this machine.
fn peers() -> Result<Vec<Peer>, Box<dyn Error>> {
    let mut peers = vec![Peer {
        lanes: 4,
        program: PathBuf::from(env!("CARGO_BIN_EXE_rapier")),
    }];
    if VectorLevel::available().contains(&VectorLevel::Avx2) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eight-lanes");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--release", "--bin", "rapier"])
            .args(["--features", "simd8", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", WIDE_FLAGS)
            .status()?;
        if !built.success() {
            return Err("the peer does not build with eight lanes".into());
        }
        peers.push(Peer {
            lanes: 8,
            program: target.join("release/rapier"),
        });
    }
    Ok(peers)
}

/// Draws the samples of one entry; each lasts about [`SAMPLE`].
fn sample(entry: TimedEntry, scenes: &mut LastProblem) -> Result<Samples, Box<dyn Error>> {
    let mut sampler = Sampler::new(&entry, scenes)?;
    let clock = Instant::now();
    sampler.run(1)?;
    // the first slope also warms the caches; its length says how many fit into a sample
    let fit = SAMPLE.as_secs_f64() / clock.elapsed().as_secs_f64();
    let units = entry.work.units() * (fit.clamp(1.0, 1e6) as u64);
    let mut seconds = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        seconds.push(sampler.run(units)?);
    }
    Ok(sampler.finish(entry, seconds)?)
}

/// Runs the peer's work of the same content, and its substep as shipped beside the one with equal
/// rows.
fn beside(
    entry: &TimedEntry,
    peers: &[Peer],
    rows: &mut Vec<PeerRow>,
) -> Result<(), Box<dyn Error>> {
    let Some(word) = entry.peer() else {
        return Ok(());
    };
    let shipped = word.replace("-3-rows", "");
    let mut words = vec![word];
    if words[0] != shipped {
        words.push(shipped);
    }
    words.retain(|word| rows.iter().all(|row| row.word != *word));
    for peer in peers {
        let output = Command::new(&peer.program).args(&words).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let text = String::from_utf8(output.stdout)?;
        for line in text.lines() {
            rows.push(PeerRow::parse(line, peer.lanes)?);
        }
    }
    Ok(())
}
