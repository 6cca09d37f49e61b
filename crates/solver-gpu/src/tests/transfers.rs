//! Transfers: what arrives, through how many buffers, and how many bytes.

use std::sync::Arc;

use delassus_core::{ImpulseSolver, Problem, Start};
use delassus_problems::generators::{BoxProblem, Wall};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, Pack};
use delassus_solver_jacobi::rule::StepRule;

use super::common::{bits, everything, grid, prepared, problem, settings};
use crate::buffers::{GpuQuad, StorageBuffer, submit_and_read};
use crate::control::Control;
use crate::device::Device;
use crate::dispatches::{DispatchSettings, Dispatches};
use crate::staging::{BufferRange, CHUNK, SMALL, TransferCounts};
use crate::testing::device_or_skip;
use crate::tiles::ManifoldLayout;

/// A device of its own, whose transfers nobody else adds to.
fn own(test: &str) -> Option<Arc<Device>> {
    device_or_skip(test)?;
    Some(Arc::new(Device::open("", u64::MAX).expect("an adapter")))
}

fn transfers(device: &Device) -> TransferCounts {
    crate::staging::transfers(device).expect("counts")
}

/// How many words so many bytes are.
fn words_of(bytes: u64) -> usize {
    usize::try_from(bytes / 4).expect("memory of this machine")
}

/// Words that repeat nowhere.
fn words(count: usize, seed: u32) -> Vec<u32> {
    let word = |i: u32| i.wrapping_mul(2_654_435_761).wrapping_add(seed);
    (0_u32..).map(word).take(count).collect()
}

#[test]
fn long_transfers_go_through_a_few_buffers_that_serve_again() {
    let Some(device) = own("long_transfers_go_through_a_few_buffers") else {
        return;
    };
    // four chunks and some words
    let count = words_of(4 * CHUNK) + 12_345;
    let size = 4 * count as u64;
    let buffer = StorageBuffer::zeroed(&device, "numbers", size).expect("room");
    let before = transfers(&device);
    for round in 0..3 {
        let content = words(count, round);
        buffer.write(&device, &content).expect("the same size");
        let read: Vec<u32> = buffer.read(&device, 0..count).expect("all of it");
        assert!(read == content, "round {round}");
        let counted = transfers(&device).since(&before);
        let rounds = u64::from(round) + 1;
        assert_eq!(counted.bytes, [rounds * size; 2]);
        assert_eq!(counted.chunks, [5 * rounds; 2]);
        assert!(counted.largest.iter().all(|largest| *largest <= CHUNK));
        // three of 16 MiB that are busy, and one that fits the rest
        assert!(counted.made.iter().all(|made| *made <= 4), "{counted:?}");
    }
    let after = transfers(&device);
    buffer
        .write(&device, &words(count, 7))
        .expect("the same size");
    buffer.read::<u32>(&device, 0..count).expect("all of it");
    assert_eq!(transfers(&device).since(&after).made, [0, 0]);
}

#[test]
fn short_transfers_take_no_staging_buffer_up() {
    let Some(device) = own("short_transfers_take_no_staging_buffer_up") else {
        return;
    };
    let count = words_of(SMALL);
    let buffer = StorageBuffer::zeroed(&device, "numbers", SMALL).expect("room");
    let content = words(count, 3);
    buffer
        .write_at(&device, 0, &content[..count - 1])
        .expect("it fits");
    assert_eq!(transfers(&device).made[0], 0);
    buffer.write(&device, &content).expect("the same size");
    assert_eq!(
        (transfers(&device).made[0], transfers(&device).chunks[0]),
        (1, 1)
    );
    assert_eq!(buffer.read(&device, 0..count), Ok(content));
}

/// So many words of a buffer.
fn part(from: &StorageBuffer, first: usize, words: usize) -> BufferRange<'_> {
    BufferRange {
        from: from.raw(),
        first: 4 * first as u64,
        bytes: 4 * words as u64,
    }
}

#[test]
fn parts_follow_each_other_over_the_borders_of_chunks() {
    let Some(device) = own("parts_follow_each_other") else {
        return;
    };
    let long = words(5 * words_of(CHUNK) / 4, 11);
    let short = words(1000, 13);
    let of = |content: &[u32]| StorageBuffer::holding(&device, "words", content).expect("room");
    let (one, other) = (of(&long), of(&short));
    let parts = [
        part(&other, 17, 100),
        part(&one, 5, long.len() - 9),
        part(&other, 0, 0),
        part(&other, 1, 999),
    ];
    let expected = [&short[17..117], &long[5..long.len() - 4], &short[1..]].concat();
    let mut read = vec![0_u32; expected.len()];
    let encoder = || device.raw().create_command_encoder(&Default::default());
    let bytes = bytemuck::cast_slice_mut(&mut read);
    submit_and_read(&device, "the parts", encoder(), &parts, bytes).expect("inside");
    assert!(read == expected);
    let short_of = submit_and_read(&device, "the parts", encoder(), &parts, &mut [0; 4]);
    assert!(short_of.is_err());
}

/// What a solve without momentum writes, and what its second preparation does.
#[test]
fn a_preparation_uploads_its_problem_and_nothing_else() {
    let Some(device) = own("a_preparation_uploads_its_problem") else {
        return;
    };
    let wall = problem(&BoxProblem::from(Wall {
        base: 30,
        ..Wall::default()
    }));
    let settings = DispatchSettings {
        acceleration: Acceleration::None,
        guard: false,
        residuals: false,
        workgroup: 64,
        submission: 64,
        layout: ManifoldLayout::Manifolds,
        fused: false,
    };
    let pack = |problem: &Problem| Pack::<f32>::new(problem, StepRule::default()).expect("bodies");
    let cold = vec![0.0; wall.rows()];
    let before = transfers(&device);
    let mut dispatches =
        Dispatches::new(Arc::clone(&device), settings, pack(&wall), &cold).expect("room");
    let first = transfers(&device);
    let p = pack(&wall);
    let quads = p.manifolds.heads.len()
        + p.manifolds.numbers.len()
        + (BODY_MASS + BODY_FREE) * p.bodies.len();
    let words = p.slots.first_slot.len() + p.slots.slots.len();
    // four copies of the control: two are made, and two restart the momentum
    let control = 4 * size_of::<Control>();
    let expected = size_of::<GpuQuad>() * quads + 4 * words + control;
    assert_eq!(first.since(&before).bytes, [expected as u64, 0]);
    // warm: one quad per point more, in the same buffers
    let warm: Vec<f64> = (0..wall.rows())
        .map(|row| 0.25 * (row % 5) as f64)
        .collect();
    let again = |pack: &mut Pack<f32>| {
        *pack = Pack::new(&wall, StepRule::default())?;
        Ok(())
    };
    dispatches.repeat(settings, &warm, again).expect("room");
    let second = transfers(&device).since(&first);
    let impulses = size_of::<GpuQuad>() * p.manifolds.points();
    assert_eq!(second.bytes, [(expected + impulses) as u64, 0]);
    assert_eq!(second.made, [0, 0]);
    let mut read = vec![0.0; wall.rows()];
    dispatches.read_impulses(&mut read).expect("impulses");
    assert_eq!(read, warm);
}

#[test]
fn a_solver_that_is_prepared_again_has_the_bits_of_a_new_one() {
    if device_or_skip("a_solver_that_is_prepared_again").is_none() {
        return;
    }
    let problems = [problem(&everything(5)), grid(), problem(&everything(5))];
    for parameters in settings() {
        let mut again = prepared(parameters.clone(), &grid());
        again.iterate(&grid(), 9).expect("iterations");
        for problem in &problems {
            let mut fresh = prepared(parameters.clone(), problem);
            again.prepare(problem, Start::Cold).expect("room");
            for solver in [&mut fresh, &mut again] {
                solver.iterate(problem, 23).expect("iterations");
            }
            assert_eq!(bits(&mut again, problem), bits(&mut fresh, problem));
        }
    }
}
