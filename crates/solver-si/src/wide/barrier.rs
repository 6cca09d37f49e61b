//! Where the threads of a sweep meet between colours.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Lets threads wait for each other between colours: spinning, since a colour takes microseconds.
#[derive(Debug)]
pub(crate) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    generation: AtomicUsize,
}

/// Turns of the loop after which a waiting thread lets others run \[-\]: some ten microseconds.
const PATIENCE: u32 = 10_000;

impl Barrier {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads,
            arrived: AtomicUsize::new(0),
            generation: AtomicUsize::new(0),
        }
    }

    /// Returns when all threads have come here; what they wrote before is then visible to all.
    pub(crate) fn wait(&self) {
        let generation = self.generation.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.generation.store(generation + 1, Ordering::Release);
            return;
        }
        let mut turns = 0;
        while self.generation.load(Ordering::Acquire) == generation {
            if turns < PATIENCE {
                turns += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}
