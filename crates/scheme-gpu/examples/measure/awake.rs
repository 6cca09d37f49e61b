//! Keeps a card from its rest, in which it clocks a fifth as fast, while the processor prepares
//! what is to be timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use delassus_core::DeviceError;
use delassus_solver_gpu::Device;

use crate::roofline::Copying;

/// Time after which a card has left its rest.
const WAKING: Duration = Duration::from_millis(150);
/// Bytes of a copy \[B\] and copies of a submission: some fifty microseconds of a card.
const SIZE: u64 = 16 << 20;
const COPIES: u32 = 4;

fn copying(device: &Device) -> Result<Arc<Copying>, DeviceError> {
    device.cached("copies that keep awake", || Copying::new(device, SIZE, 64))
}

/// Copies until a card has left its rest; software has none.
pub(crate) fn wake(device: &Device) -> Result<(), DeviceError> {
    if device.report().is_software {
        return Ok(());
    }
    let copying = copying(device)?;
    let start = Instant::now();
    while start.elapsed() < WAKING {
        copying.run(device, None, COPIES)?;
    }
    Ok(())
}

/// Copies beside what else runs, until it is dropped.
pub(crate) struct Awake {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), DeviceError>>>,
}

impl Awake {
    pub(crate) fn new(device: &Arc<Device>) -> Self {
        let stop = Arc::new(AtomicBool::new(device.report().is_software));
        let (device, stopped) = (Arc::clone(device), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                copying(&device)?.run(&device, None, COPIES)?;
            }
            Ok(())
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        if !matches!(ended, Some(Ok(Ok(())))) {
            eprintln!("the card was not kept awake: {ended:?}");
        }
    }
}
