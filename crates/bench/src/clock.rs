//! Processor time of a thread, to which other programs on the machine add nothing but what they
//! push out of its caches.

/// A clock that runs while the thread that started it does.
#[derive(Debug, Clone, Copy)]
pub struct ThreadClock(f64);

impl ThreadClock {
    /// Starts a clock for this thread.
    pub fn start() -> Self {
        Self(thread_time())
    }

    /// Processor time since the start \[s\]; ask on the same thread.
    pub fn seconds(&self) -> f64 {
        thread_time() - self.0
    }
}

/// Processor time that work on this thread takes \[s\].
pub fn seconds(work: impl FnOnce()) -> f64 {
    let clock = ThreadClock::start();
    work();
    clock.seconds()
}

#[cfg(unix)]
fn thread_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Time since the first call, which includes that of other programs.
#[cfg(not(unix))]
fn thread_time() -> f64 {
    static FIRST: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    FIRST.elapsed().as_secs_f64()
}
