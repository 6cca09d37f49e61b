//! Lines of cache that the threads of a warp read with each load, and bytes of an iteration.

use std::collections::BTreeSet;

use delassus_core::{ImpulseSolver, Problem};
use delassus_problems::generators::{BoxProblem, Wall};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{Pack, count_of};
use delassus_solver_jacobi::rule::{LocalSweep, StepRule};

use super::common::{prepared, problem, settings};
use crate::gpu_jacobi::GpuJacobiParameters;
use crate::testing::device_or_skip;
use crate::tiles::{ManifoldLayout, TILE, TILE_QUADS};

/// Bytes of a line of cache of a card \[B\].
const LINE: usize = 128;

fn wall() -> Problem {
    problem(&BoxProblem::from(Wall {
        base: 20,
        ..Wall::default()
    }))
}

/// Lines that a warp reads: per load of a quad of its manifolds, and per load of an impulse.
fn lines(layout: ManifoldLayout, pack: &Pack<f32>, first: usize) -> [BTreeSet<usize>; 2] {
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    let heads = &pack.manifolds.heads;
    let touched = |bytes: &mut dyn Iterator<Item = usize>| {
        bytes.map(|byte| byte / LINE).collect::<BTreeSet<_>>().len()
    };
    let warp = first..first + TILE;
    for quad in 0..TILE_QUADS {
        let at = |m: usize| 16 * layout.quad_index(m, heads[m][0], quad);
        found[0].insert(touched(&mut warp.clone().map(at)));
    }
    for point in 0..4 {
        // a quad of an impulse is one load, three single numbers are three
        let rows = match layout {
            ManifoldLayout::Manifolds => 1,
            ManifoldLayout::Tiles => 3,
        };
        for row in 0..rows {
            let at = |m: usize| 4 * layout.impulse_index(m, heads[m][0], point, row);
            found[1].insert(touched(&mut warp.clone().map(at)));
        }
    }
    found
}

#[test]
fn a_warp_reads_whole_lines_of_tiles() {
    let pack = Pack::<f32>::new(&wall(), StepRule::default()).expect("bodies");
    assert!(
        pack.manifolds
            .heads
            .iter()
            .all(|head| count_of(head[1]) == 4)
    );
    for warp in 0..pack.manifolds.len() / TILE {
        let [quads, impulses] = lines(ManifoldLayout::Tiles, &pack, TILE * warp);
        assert_eq!(
            (quads, impulses),
            (BTreeSet::from([4]), BTreeSet::from([1]))
        );
        let [quads, impulses] = lines(ManifoldLayout::Manifolds, &pack, TILE * warp);
        // 176 bytes from thread to thread, and 64
        assert_eq!(
            (quads, impulses),
            (BTreeSet::from([32]), BTreeSet::from([16]))
        );
    }
}

/// Loads of lines by the quads of a warp, and lines that hold these quads.
fn loads_and_lines(layout: ManifoldLayout, pack: &Pack<f32>, first: usize) -> [usize; 2] {
    let heads = &pack.manifolds.heads;
    let mut all = BTreeSet::new();
    let mut loads = 0;
    for quad in 0..TILE_QUADS {
        let at = |m: usize| 16 * layout.quad_index(m, heads[m][0], quad) / LINE;
        let touched: BTreeSet<usize> = (first..first + TILE).map(at).collect();
        loads += touched.len();
        all.extend(touched);
    }
    [loads, all.len()]
}

#[test]
fn lines_of_manifolds_are_loaded_eight_times_and_of_tiles_once() {
    let pack = Pack::<f32>::new(&wall(), StepRule::default()).expect("bodies");
    for warp in 0..pack.manifolds.len() / TILE {
        let of = |layout| loads_and_lines(layout, &pack, TILE * warp);
        assert_eq!(of(ManifoldLayout::Manifolds), [352, 44]);
        assert_eq!(of(ManifoldLayout::Tiles), [44, 44]);
    }
}

#[test]
fn tiles_move_fewer_bytes() {
    if device_or_skip("tiles_move_fewer_bytes").is_none() {
        return;
    }
    let problem = wall();
    let points = problem.blocks().len() as u64;
    let bodies = problem.bodies().map_or(0, |bodies| bodies.len() as u64);
    for parameters in settings() {
        let of = |layout| {
            let parameters = GpuJacobiParameters {
                layout,
                ..parameters.clone()
            };
            let solver = prepared(parameters, &problem);
            solver.facts().traffic.expect("counted").total()
        };
        let (plain, tiled) = (of(ManifoldLayout::Manifolds), of(ManifoldLayout::Tiles));
        // a number less per impulse that is read or written; momentum reads two
        let momentum = parameters.jacobi.acceleration != Acceleration::None;
        let impulses = 4 * points * if momentum { 3 } else { 2 };
        // a quad less per body, the world is one of them, and, in a block sweep, per side
        let block = parameters.jacobi.step.sweep == LocalSweep::Block;
        let sides = if block { 2 * points / 4 } else { 0 };
        let saved = impulses + 16 * (bodies + 1 + sides);
        // and the room of the last tile
        let room = (TILE * (16 * TILE_QUADS + 3 * 4 * 4 * 3)) as u64;
        assert!(
            plain - saved <= tiled && tiled <= plain - saved + room,
            "{plain} {tiled}"
        );
    }
}
