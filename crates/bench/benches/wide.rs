//! The wide solver: time per contact point and pass, per packing, per substep of Soft Step, per
//! joint.
//!
//! `cargo bench -p delassus-bench --bench wide` prints criterion's report of every entry and then
//! the table; a word after `--` keeps the entries whose names hold it. A pass is the slope between
//! two numbers of sweeps on one settled scene: `iter_custom` returns that slope, so criterion's
//! median is the time of one pass. Between two runs the solver is prepared again from the same
//! impulses, so that every run does the same work. With `DELASSUS_BENCH_TABLE=FILE` the table is
//! also written to a file.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use delassus_bench::wide::machine::{Bandwidth, load, processor};
use delassus_bench::wide::table::{TimedRun, render};
use delassus_bench::wide::{LastProblem, Sampler, Samples, TimedEntry, VectorLevel, entries};

/// Samples per entry.
const SAMPLES: usize = 21;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut run = TimedRun::default();
    let mut scenes = LastProblem::default();
    let before = load();
    for entry in entries(&VectorLevel::available()) {
        run.samples
            .extend(measure(&mut criterion, entry, &mut scenes));
    }
    criterion.final_summary();
    if run.samples.is_empty() {
        return;
    }
    run.notes.extend(processor());
    if let (Some(before), Some(after)) = (before, load()) {
        run.notes
            .push(format!("Load {before} before, {after} after the run."));
    }
    let text = render(&run, &Bandwidth::measure());
    println!("{text}");
    if let Some(path) = std::env::var_os("DELASSUS_BENCH_TABLE") {
        std::fs::write(path, text).expect("a file that can be written");
    }
}

/// Runs one entry through criterion; nothing if the filter leaves it out or the run measures
/// nothing.
fn measure(
    criterion: &mut Criterion,
    entry: TimedEntry,
    scenes: &mut LastProblem,
) -> Option<Samples> {
    let mut group = criterion.benchmark_group("wide");
    group
        .sample_size(SAMPLES)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000);
    let mut sampler: Option<Sampler> = None;
    let mut seconds = Vec::new();
    // the size is known before the scene is made
    let elements = entry.elements();
    group.throughput(Throughput::Elements(elements as u64));
    group.bench_function(BenchmarkId::from_parameter(entry.id()), |bencher| {
        let sampler = sampler
            .get_or_insert_with(|| Sampler::new(&entry, scenes).expect("a level of this machine"));
        bencher.iter_custom(|units| {
            let time = sampler.run(units).expect("a solver that runs");
            seconds.push(time);
            // a much disturbed slope may be negative, a duration may not, and criterion refuses
            // zero
            Duration::from_secs_f64((time * units as f64).max(1e-9))
        });
    });
    group.finish();
    let sampler = sampler?;
    // criterion's sample comes last, after its warm-up
    let sample = seconds.split_off(seconds.len().saturating_sub(SAMPLES));
    (!sample.is_empty()).then(|| sampler.finish(entry, sample).expect("a solver that runs"))
}
