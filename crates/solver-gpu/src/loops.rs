//! How many turns of loops a kernel makes: software Vulkan ends the loops of a workgroup after 65
//! 535 turns.
//!
//! Mesa's llvmpipe counts the turns of all loops of all vectors of a workgroup together and leaves
//! every loop when the count is used up, without an error: a long kernel would stop in the middle
//! and look finished. Kernels that run many iterations in one dispatch are therefore cut into
//! dispatches of fewer turns on software adapters, and whether they came to their end is read back
//! everywhere. A dispatch that makes one iteration cannot be cut: units that are too long for it
//! are refused.

use delassus_core::DeviceError;
use delassus_solver_jacobi::kernels::coloured::{TaskOrder, UNIT};
use delassus_solver_jacobi::kernels::{PASSES, sums::CHUNK};
use delassus_solver_jacobi::pack::{MAX_POINTS, Pack};

use crate::device::Device;

/// Threads of one vector at least \[-\]: those of SSE.
const LANES: usize = 4;

/// Turns that a dispatch is given \[-\]. The estimates below count every loop once; lanes that take
/// different branches can make the turns of each of the five branches that a row's law chooses
/// between.
const BUDGET: usize = 65_535 / 5;

/// Iterations of one dispatch, if each thread makes `turns` in one: all that are wanted, on
/// hardware.
pub(crate) fn per_dispatch(device: &Device, turns: usize, workgroup: u32, wanted: u32) -> u32 {
    if !device.report().is_software {
        return wanted;
    }
    let vectors = workgroup as usize / LANES;
    let allowed = BUDGET / (turns * vectors).max(1);
    let allowed = u32::try_from(allowed).unwrap_or(u32::MAX);
    wanted.min(allowed).max(1)
}

/// Turns of the loops of one manifold: loads, sweeps, stores.
const MANIFOLD: usize = MAX_POINTS * (2 + PASSES as usize) + 1;

/// Turns of the loops of one unit.
fn of_unit(pack: &Pack<f32>, unit: usize) -> usize {
    let [first, count, _, sides] = pack.units.heads[unit].map(|x| x as usize);
    let heads = &pack.units.heads[pack.units.len()..][first..first + count];
    let rows: usize = heads.iter().map(|head| head[1] as usize).sum();
    let row = 3 + 2 * sides;
    let (lists, sweeps) = (count + rows, PASSES as usize * (count + rows * row));
    2 * lists + sweeps + sides * (2 + lists)
}

/// Refuses units that a software adapter would not come to the end of: one thread makes all turns
/// of a unit.
///
/// # Errors
/// [`DeviceError::Limit`] for the longest unit.
pub fn check_units(device: &Device, pack: &Pack<f32>, workgroup: u32) -> Result<(), DeviceError> {
    if !device.report().is_software {
        return Ok(());
    }
    let turns: Vec<usize> = (0..pack.units.len()).map(|u| of_unit(pack, u)).collect();
    // a vector of lanes makes as many turns as the longest of them
    let of_group = |group: &[usize]| -> usize {
        let vectors = group.chunks(LANES);
        vectors.map(|v| largest(v.iter().copied())).sum()
    };
    let needed = largest(turns.chunks(workgroup as usize).map(of_group));
    if needed <= BUDGET {
        return Ok(());
    }
    Err(DeviceError::Limit {
        what: "the loops of software Vulkan (rows between the same bodies)",
        needed: needed as u64,
        allowed: BUDGET as u64,
    })
}

fn largest(all: impl Iterator<Item = usize>) -> usize {
    all.max().unwrap_or(0)
}

/// Turns of an iteration of `resident.wgsl`.
pub(crate) fn of_resident(pack: &Pack<f32>, workgroup: u32) -> usize {
    let threads = workgroup as usize;
    let (manifolds, units) = (pack.manifolds.len(), pack.units.len());
    let unit = largest((0..units).map(|unit| of_unit(pack, unit)));
    let ends = pack.slots.first_slot.windows(2);
    let slots = largest(ends.map(|end| (end[1] - end[0]) as usize));
    let chunks = manifolds.div_ceil(CHUNK) + units.div_ceil(CHUNK);
    1 + manifolds.div_ceil(threads) * (1 + MANIFOLD)
        + units.div_ceil(threads) * (1 + unit)
        + pack.bodies.len().div_ceil(threads) * (1 + slots)
        + chunks.div_ceil(threads) * (1 + 2 * CHUNK)
        // the first thread's levels: less than two trees per chunk of chunks
        + 2 * (chunks.div_ceil(CHUNK) + 1) * (1 + 2 * CHUNK)
}

/// Turns of every task of a colouring.
pub(crate) fn of_tasks(pack: &Pack<f32>, order: &TaskOrder) -> Vec<usize> {
    let piece = |piece: &u32| {
        if piece & UNIT == 0 {
            1 + MANIFOLD
        } else {
            1 + of_unit(pack, (piece & !UNIT) as usize)
        }
    };
    let ends = order.first_piece.windows(2);
    let tasks = ends.map(|end| &order.pieces[end[0] as usize..end[1] as usize]);
    tasks
        .map(|pieces| 1 + pieces.iter().map(piece).sum::<usize>())
        .collect()
}

/// Turns of a span whose tasks make `turns`, on `threads` threads.
pub(crate) fn of_span(turns: &[usize], serial: bool, threads: usize) -> usize {
    if serial {
        return 1 + turns.iter().sum::<usize>();
    }
    1 + turns.len().div_ceil(threads) * (1 + largest(turns.iter().copied()))
}

/// Cuts tasks that one thread solves into pieces that it comes to the end of.
pub(crate) fn cut(device: &Device, turns: &[usize]) -> Vec<usize> {
    if !device.report().is_software {
        return vec![turns.len()];
    }
    let (mut pieces, mut sum) = (Vec::new(), 0);
    for turns in turns {
        match pieces.last_mut() {
            Some(piece) if sum + turns <= BUDGET => *piece += 1,
            _ => {
                pieces.push(1);
                sum = 0;
            }
        }
        sum += turns;
    }
    pieces
}
