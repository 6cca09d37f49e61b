//! The tables in Markdown, as they stand in the records of `docs/performance`.

use std::fmt::Write;

use delassus_solver_wide::VectorLevel;

use super::machine::Bandwidth;
use super::peer::PeerRow;
use super::{Samples, TimedEntry};

/// Head of the table of the wide solver.
pub const HEADER: &str = "| work | elements | vectors | ns per element: median (least) | bytes per element: streamed + gathered | limit of memory, ns | residual after 20 sweeps | Rapier, ns (lanes) | ours / Rapier | elsewhere, ns |";
/// Head of the table of the peer.
pub const PEER_HEADER: &str =
    "| Rapier's work | elements | lanes | rows per element | ns per element: median (least) |";
/// Head of the table of the machine.
pub const MACHINE_HEADER: &str = "| array | read in order by one core |";

/// Everything that one run found.
#[derive(Debug, Clone, Default)]
pub struct TimedRun {
    /// The wide solver.
    pub samples: Vec<Samples>,
    /// The peer, if it ran.
    pub peers: Vec<PeerRow>,
    /// Lines above the tables: processor, load.
    pub notes: Vec<String>,
}

/// All tables of a run.
pub fn render(run: &TimedRun, bandwidth: &Bandwidth) -> String {
    let mut text = String::new();
    for note in &run.notes {
        let _ = writeln!(text, "{note}");
    }
    head(&mut text, HEADER);
    for samples in &run.samples {
        let _ = writeln!(text, "{}", row(samples, run, bandwidth));
    }
    if !run.peers.is_empty() {
        head(&mut text, PEER_HEADER);
        for peer in &run.peers {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} ({}) |",
                peer.word,
                peer.elements,
                peer.lanes,
                peer.rows,
                time(peer.median),
                time(peer.least)
            );
        }
    }
    head(&mut text, MACHINE_HEADER);
    for (bytes, rate) in &bandwidth.rates {
        let _ = writeln!(
            text,
            "| {:.2} MB | {:.0} GB/s |",
            *bytes as f64 * 1e-6,
            rate * 1e-9
        );
    }
    text
}

fn head(text: &mut String, header: &str) {
    let columns = header.matches('|').count().saturating_sub(1);
    let _ = writeln!(text, "\n{header}\n|{}", "---|".repeat(columns));
}

fn row(samples: &Samples, run: &TimedRun, bandwidth: &Bandwidth) -> String {
    let entry = &samples.entry;
    let per = |bytes: u64| bytes as f64 / samples.elements as f64;
    let (bytes, limit) = match samples.traffic {
        Some(traffic) => {
            let streamed = traffic.read + traffic.written;
            let limit = bandwidth
                .of(streamed)
                .map(|rate| 1e9 * per(streamed) / rate);
            let bytes = format!("{:.0} + {:.0}", per(streamed), per(traffic.gathered));
            (bytes, limit.map_or(String::new(), time))
        }
        None => Default::default(),
    };
    let residual = samples
        .residual
        .map_or(String::new(), |r| format!("{r:.1e}"));
    let (peer, ratio) = peer_columns(samples, &run.peers);
    format!(
        "| {} | {} | {} | {}{} | {bytes} | {limit} | {residual} | {peer} | {ratio} | {} |",
        entry.title(),
        samples.elements,
        entry.level(),
        format_args!("{} ({})", time(samples.median()), time(samples.least())),
        speedup(samples, &run.samples),
        entry.times_elsewhere()
    )
}

/// The peer's build with the same or narrower vectors that is fastest, and our median over its.
fn peer_columns(samples: &Samples, peers: &[PeerRow]) -> (String, String) {
    let Some(word) = samples.entry.peer() else {
        return Default::default();
    };
    let fair = |peer: &&PeerRow| peer.word == word && peer.lanes <= lanes(&samples.entry).max(4);
    let best = peers.iter().filter(fair);
    match best.min_by(|a, b| a.median.total_cmp(&b.median)) {
        Some(peer) => (
            format!("{} ({})", time(peer.median), peer.lanes),
            format!("{:.2}", samples.median() / peer.median),
        ),
        None => Default::default(),
    }
}

fn lanes(entry: &TimedEntry) -> usize {
    match entry.level {
        VectorLevel::Auto => usize::MAX,
        level => level.lanes(),
    }
}

/// How many times faster two threads are than one, from the same run.
fn speedup(samples: &Samples, all: &[Samples]) -> String {
    let entry = samples.entry;
    let work = entry.work.with_one_thread();
    if work == entry.work {
        return String::new();
    }
    let one = TimedEntry { work, ..entry };
    let one = all.iter().find(|other| other.entry == one);
    one.map_or(String::new(), |one| {
        format!("; {:.2} × one", one.median() / samples.median())
    })
}

/// Two digits or three, as the noise allows \[ns\].
fn time(ns: f64) -> String {
    if ns.abs() < 10.0 {
        format!("{ns:.1}")
    } else {
        format!("{ns:.0}")
    }
}
