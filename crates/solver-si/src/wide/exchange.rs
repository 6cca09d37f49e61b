//! What the threads of a sweep tell each other: the velocities of the bodies that more than one of them moves.
//!
//! Every thread has its own array of velocities, so kernels write plain memory. The plan fixes who touches a body in
//! which colour; between two touches by different threads the first one puts the velocity into a slot of the body, and
//! the second one waits for that thread, and for no other, and takes it. A slot is written by one thread and read by
//! the next that touches the body, in turns, so one slot per body is enough and the values are those of one thread.
//!
//! Cost: 32 bytes each way per such body and turn. Threads whose bodies are apart never wait.
//! Theory: docs/theory/14-wide.md.

use std::sync::atomic::{AtomicU64, Ordering};

use delassus_core::{BodyRows, Traffic};

use super::lanes::BodyRow;
use super::plan::Group;

/// Set beside a body whose velocity comes from the sweep before.
const FROM_LAST_SWEEP: u32 = 1 << 31;

/// Turns of the loop after which a waiting thread lets others run \[-\]: some ten microseconds.
const PATIENCE: u32 = 1_000;

/// A counter with a cache line of its own, and the one that is fetched with it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counter(pub(crate) AtomicU64);

/// One velocity on its way, two numbers per word.
pub(crate) type Slot = [AtomicU64; 4];

/// What one thread does in one step: a colour, or the overflow.
#[derive(Debug, Clone, Default)]
struct Step {
    /// Threads to wait for, and how many steps ago they must be done.
    waits: Vec<(usize, u64)>,
    imports: Vec<u32>,
    exports: Vec<u32>,
}

/// The part of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange {
    steps: Vec<Step>,
    /// Bodies whose velocities the thread reads, apart from the first thread, which holds all.
    pub(crate) touched: Vec<u32>,
    /// Bodies that the thread is the last to touch in a sweep.
    pub(crate) owned: Vec<u32>,
}

/// Who touches a body: step and thread.
type Touch = (usize, usize);

/// Nobody.
const NONE: Touch = (usize::MAX, usize::MAX);

impl Exchange {
    /// The exchanges of all threads.
    pub(crate) fn plan(
        groups: &[Group],
        bodies: &BodyRows,
        threads: usize,
        steps: usize,
    ) -> Vec<Self> {
        let one = Self {
            steps: vec![Step::default(); steps],
            ..Self::default()
        };
        let mut all = vec![one; threads];
        let mut first = vec![NONE; bodies.len()];
        let mut last = vec![NONE; bodies.len()];
        for group in groups {
            // the overflow comes after the colours
            let step = group.colour.unwrap_or(steps - 1);
            let now = (step, group.part);
            for block in &group.first_blocks {
                for body in bodies.bodies_of(*block as usize) {
                    all[group.part].touched.push(*body);
                    let at = *body as usize;
                    if bodies.mass[at].is_immovable() {
                        continue;
                    }
                    if last[at] == NONE {
                        first[at] = now;
                    } else if last[at].1 != now.1 {
                        hand_over(&mut all, *body, last[at], now, 0);
                    }
                    last[at] = now;
                }
            }
        }
        for (body, at) in (0u32..).zip(0..bodies.len()) {
            let (from, to) = (last[at], first[at]);
            if from == NONE {
                all[0].owned.push(body);
                continue;
            }
            if from.1 != to.1 {
                hand_over(&mut all, body | FROM_LAST_SWEEP, from, to, steps);
            }
            all[from.1].owned.push(body);
        }
        for exchange in &mut all {
            exchange.touched.sort_unstable();
            exchange.touched.dedup();
        }
        all
    }

    /// Bytes that a sweep moves between threads.
    pub(crate) fn traffic(&self) -> Traffic {
        let handed = |step: &Step| step.imports.len() + step.exports.len();
        let bodies = self.steps.iter().map(handed).sum::<usize>();
        Traffic {
            // index, and the velocity from one array to the other
            read: (bodies * size_of::<u32>()) as u64,
            written: 0,
            gathered: (2 * bodies * size_of::<BodyRow>()) as u64,
        }
    }

    /// Waits for what step `now` of a pass needs, and takes it; `at` is its place in a sweep.
    ///
    /// The first sweep of a sum takes nothing from the sweep before: the sum starts from the free velocities.
    pub(crate) fn take(
        &self,
        (at, now): (usize, u64),
        starts: bool,
        done: &[Counter],
        slots: &[Slot],
        velocities: &mut [BodyRow],
    ) {
        let step = &self.steps[at];
        for (thread, lag) in &step.waits {
            wait_until(|| done[*thread].0.load(Ordering::Acquire) + lag > now);
        }
        for body in &step.imports {
            if body & FROM_LAST_SWEEP == 0 {
                velocities[*body as usize] = read(&slots[*body as usize]);
            } else if !starts {
                let body = (body & !FROM_LAST_SWEEP) as usize;
                velocities[body] = read(&slots[body]);
            }
        }
    }

    /// Hands over what others need after step `now` of a pass.
    pub(crate) fn give(
        &self,
        (at, now): (usize, u64),
        done: &Counter,
        slots: &[Slot],
        velocities: &[BodyRow],
    ) {
        let step = &self.steps[at];
        if step.exports.is_empty() {
            return;
        }
        for body in &step.exports {
            write(&slots[*body as usize], &velocities[*body as usize]);
        }
        done.0.store(now + 1, Ordering::Release);
    }
}

/// A body goes from one thread to another; `turn` is the length of a sweep if that is in the next one.
fn hand_over(all: &mut [Exchange], body: u32, from: Touch, to: Touch, turn: usize) {
    let plain = body & !FROM_LAST_SWEEP;
    all[from.1].steps[from.0].exports.push(plain);
    let step = &mut all[to.1].steps[to.0];
    step.imports.push(body);
    let lag = (to.0 + turn - from.0) as u64;
    let source = from.1;
    match step.waits.iter_mut().find(|(thread, _)| *thread == source) {
        Some((_, least)) => *least = lag.min(*least),
        None => step.waits.push((source, lag)),
    }
}

/// Spins, since a colour takes microseconds; lets others run if it takes longer.
pub(crate) fn wait_until(mut met: impl FnMut() -> bool) {
    let mut turns = 0;
    while !met() {
        if turns < PATIENCE {
            turns += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

/// Puts a velocity into a slot.
pub(crate) fn write(slot: &Slot, row: &BodyRow) {
    for (word, pair) in slot.iter().zip(row.as_chunks::<2>().0) {
        let bits = u64::from(pair[0].to_bits()) | u64::from(pair[1].to_bits()) << 32;
        word.store(bits, Ordering::Relaxed);
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "a word holds two numbers of 32 bits"
)]
fn read(slot: &Slot) -> BodyRow {
    let mut row = [0.0; 8];
    for (word, pair) in slot.iter().zip(row.as_chunks_mut::<2>().0) {
        let bits = word.load(Ordering::Relaxed);
        *pair = [
            f32::from_bits(bits as u32),
            f32::from_bits((bits >> 32) as u32),
        ];
    }
    row
}
