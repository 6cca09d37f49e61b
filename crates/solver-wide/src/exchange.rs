//! What the threads of a sweep exchange: the velocities of the bodies that more than one of them
//! moves.
//!
//! Every thread has its own array of velocities, so kernels write plain memory. The plan fixes who
//! touches a body in which colour; between two touches by different threads the first one puts the
//! velocity into a slot of the body, and the second one waits for that thread, and for no other,
//! and takes it. A slot is written by one thread and read by the next that touches the body, in
//! turns, so one slot per body is enough and the values are those of one thread.
//!
//! Cost: 32 bytes each way per such body and turn. Threads whose bodies are apart never wait.
//! Theory: docs/theory/14-wide.md.

use std::sync::atomic::{AtomicU64, Ordering};

use delassus_core::{BodyRows, Traffic};

use super::lanes::BodyRow;
use super::plan::Group;

/// Set with a body whose velocity comes from the sweep before.
const FROM_LAST_SWEEP: u32 = 1 << 31;

/// Turns of the loop after which a waiting thread lets others run \[-\]: some ten microseconds.
const PATIENCE: u32 = 1_000;

/// A counter with a cache line of its own, and the one that is fetched with it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counter(pub(crate) AtomicU64);

/// One velocity on its way, two numbers per word.
pub(crate) type Slot = [AtomicU64; 4];

/// A thread to wait for, and how many steps ago it must be done.
#[derive(Debug, Clone, Copy)]
struct Wait {
    thread: usize,
    lag: u64,
}

/// When a thread is where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadMoment {
    /// Place in a sweep.
    pub(crate) step: usize,
    /// Steps since the task began.
    pub(crate) now: u64,
}

/// What one thread does in one step: a colour, or the overflow.
#[derive(Debug, Clone, Default)]
struct Step {
    waits: Vec<Wait>,
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
    /// Those of them that other threads touch too.
    told: Vec<u32>,
    /// Bodies that the thread touches and another one is the last to.
    received: Vec<u32>,
}

/// Who touches a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Touch {
    step: usize,
    thread: usize,
}

/// The first and the last touch of a body in a sweep.
#[derive(Debug, Clone, Copy)]
struct Touches {
    first: Touch,
    last: Touch,
}

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
        let mut touches: Vec<Option<Touches>> = vec![None; bodies.len()];
        for group in groups {
            let now = Touch {
                // the overflow comes after the colours
                step: group.colour.unwrap_or(steps - 1),
                thread: group.part,
            };
            for block in &group.first_blocks {
                for body in bodies.bodies_of(*block as usize) {
                    all[group.part].touched.push(*body);
                    let at = *body as usize;
                    if bodies.mass[at].is_immovable() {
                        continue;
                    }
                    let own = touches[at].get_or_insert(Touches {
                        first: now,
                        last: now,
                    });
                    if own.last.thread != now.thread {
                        hand_over(&mut all, *body, own.last, now, 0);
                    }
                    own.last = now;
                }
            }
        }
        for (body, touches) in (0u32..).zip(touches) {
            let Some(Touches { first, last }) = touches else {
                all[0].owned.push(body);
                continue;
            };
            if last.thread != first.thread {
                hand_over(&mut all, body | FROM_LAST_SWEEP, last, first, steps);
            }
            all[last.thread].owned.push(body);
        }
        for exchange in &mut all {
            exchange.touched.sort_unstable();
            exchange.touched.dedup();
        }
        share(&mut all, bodies.len());
        all
    }

    /// Publishes the velocities that other threads wait for at a barrier.
    pub(crate) fn publish(&self, slots: &[Slot], velocities: &[BodyRow]) {
        for body in &self.told {
            write(&slots[*body as usize], &velocities[*body as usize]);
        }
    }

    /// Takes over the velocities that other threads have published.
    pub(crate) fn receive(&self, slots: &[Slot], velocities: &mut [BodyRow]) {
        for body in &self.received {
            velocities[*body as usize] = read(&slots[*body as usize]);
        }
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

    /// Waits for what a step needs, and takes it.
    ///
    /// The first sweep of a sum takes nothing from the sweep before: the sum starts from the free
    /// velocities.
    pub(crate) fn take(
        &self,
        moment: ThreadMoment,
        starts: bool,
        done: &[Counter],
        slots: &[Slot],
        velocities: &mut [BodyRow],
    ) {
        let step = &self.steps[moment.step];
        for Wait { thread, lag } in &step.waits {
            wait_until(|| done[*thread].0.load(Ordering::Acquire) + lag > moment.now);
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

    /// Hands over what others need after a step.
    pub(crate) fn give(
        &self,
        moment: ThreadMoment,
        done: &Counter,
        slots: &[Slot],
        velocities: &[BodyRow],
    ) {
        let step = &self.steps[moment.step];
        if step.exports.is_empty() {
            return;
        }
        for body in &step.exports {
            write(&slots[*body as usize], &velocities[*body as usize]);
        }
        done.0.store(moment.now + 1, Ordering::Release);
    }
}

/// Finds the bodies that more than one thread touches.
fn share(all: &mut [Exchange], bodies: usize) {
    let mut threads = vec![0_u32; bodies];
    for body in all.iter().flat_map(|exchange| &exchange.touched) {
        threads[*body as usize] += 1;
    }
    for exchange in all {
        let shared = |body: &u32| threads[*body as usize] > 1;
        let own = |body: &u32| exchange.owned.binary_search(body).is_ok();
        let told = exchange.owned.iter().copied().filter(shared);
        exchange.told = told.collect();
        let touched = exchange.touched.iter().copied();
        exchange.received = touched.filter(|body| shared(body) && !own(body)).collect();
    }
}

/// A body goes from one thread to another; `turn` is the length of a sweep if that is in the next
/// one.
fn hand_over(all: &mut [Exchange], body: u32, from: Touch, to: Touch, turn: usize) {
    let plain = body & !FROM_LAST_SWEEP;
    all[from.thread].steps[from.step].exports.push(plain);
    let step = &mut all[to.thread].steps[to.step];
    step.imports.push(body);
    let lag = (to.step + turn - from.step) as u64;
    let thread = from.thread;
    match step.waits.iter_mut().find(|wait| wait.thread == thread) {
        Some(wait) => wait.lag = lag.min(wait.lag),
        None => step.waits.push(Wait { thread, lag }),
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
