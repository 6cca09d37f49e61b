//! One opened device, shared by all solvers of the process, and how its failures become errors.
//!
//! The program asks for WebGPU's default limits with two fields raised to what the adapter has: the
//! size of a buffer and of a binding. Kernels that run here therefore run on every adapter that
//! WebGPU admits.
//!
//! A driver reports failures in three ways, and each ends as a [`DeviceError`]: checked calls
//! through error scopes, unchecked ones through a handler that keeps the first, and the loss of the
//! device through a callback. wgpu's own default is to panic; nothing here does.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use delassus_core::DeviceError;
use wgpu::{DeviceDescriptor, ErrorFilter, Features, Limits, PollType, Queue, SubmissionIndex};

use crate::adapters::{self, AdapterReport};

/// Devices that are open, under the wish that they were opened with.
static OPEN: Mutex<Vec<(String, Arc<Device>)>> = Mutex::new(Vec::new());

/// An opened adapter.
#[derive(Debug)]
pub struct Device {
    raw: wgpu::Device,
    queue: Queue,
    report: AdapterReport,
    limits: Limits,
    failure: Arc<Mutex<Option<DeviceError>>>,
    kept: Mutex<BTreeMap<String, Arc<dyn Any + Send + Sync>>>,
    dispatches: Arc<AtomicU64>,
}

impl Device {
    /// The device of the adapter that fits `wish` (a part of its name; empty: the environment
    /// variable [`adapters::ADAPTER_VARIABLE`], otherwise the first adapter). Solvers of one
    /// process share it.
    ///
    /// # Errors
    /// [`DeviceError::NoAdapter`], or what the driver says when it opens the device.
    pub fn shared(wish: &str) -> Result<Arc<Self>, DeviceError> {
        let wish = adapters::wish_or_variable(wish);
        let mut open = lock(&OPEN);
        // a lost device does not come back: the next solver opens another
        open.retain(|(_, device)| device.failure().is_none());
        if let Some((_, device)) = open.iter().find(|(name, _)| *name == wish) {
            return Ok(Arc::clone(device));
        }
        let device = Arc::new(Self::open(&wish, u64::MAX)?);
        open.push((wish, Arc::clone(&device)));
        Ok(device)
    }

    /// Opens a device of its own, with buffers of at most `largest_buffer` bytes.
    ///
    /// # Errors
    /// As [`Self::shared`].
    pub fn open(wish: &str, largest_buffer: u64) -> Result<Self, DeviceError> {
        let (adapter, report) = adapters::choose(wish)?;
        let allowed = adapter.limits();
        let limits = Limits {
            max_buffer_size: allowed.max_buffer_size.min(largest_buffer),
            max_storage_buffer_binding_size: allowed
                .max_storage_buffer_binding_size
                .min(largest_buffer),
            ..Limits::default()
        };
        let wanted = Features::TIMESTAMP_QUERY
            | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
            | Features::SHADER_FLOAT32_ATOMIC;
        let descriptor = DeviceDescriptor {
            label: Some("delassus"),
            required_features: adapter.features() & wanted,
            required_limits: limits.clone(),
            ..DeviceDescriptor::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (raw, queue) = opened.map_err(|error| DeviceError::NoAdapter {
            reason: format!("{} cannot be opened: {error}", report.name),
        })?;
        let failure = Arc::new(Mutex::new(None));
        let device = Self {
            raw,
            queue,
            report,
            limits,
            failure,
            kept: Mutex::default(),
            dispatches: Arc::default(),
        };
        device.listen();
        Ok(device)
    }

    /// Keeps the first failure that no error scope catches.
    fn listen(&self) {
        let failure = Arc::clone(&self.failure);
        let keep = move |error: wgpu::Error| {
            lock(&failure).get_or_insert_with(|| typed(error, "a command", 0));
        };
        self.raw.on_uncaptured_error(Arc::new(keep));
        let failure = Arc::clone(&self.failure);
        self.raw.set_device_lost_callback(move |why, message| {
            if let Some(lost) = lost(why, message) {
                lock(&failure).get_or_insert(lost);
            }
        });
    }

    /// What the adapter is.
    pub fn report(&self) -> &AdapterReport {
        &self.report
    }

    /// The limits that the device was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// True if passes can be timed on the device.
    pub fn has_timestamps(&self) -> bool {
        self.raw.features().contains(Features::TIMESTAMP_QUERY)
    }

    /// True if kernels can add to f32 memory atomically.
    pub fn has_float_atomics(&self) -> bool {
        self.raw
            .features()
            .contains(Features::SHADER_FLOAT32_ATOMIC)
    }

    /// Dispatches that have been recorded since the device was opened \[-\]. On a card each takes
    /// microseconds, whatever it computes.
    pub fn dispatches(&self) -> u64 {
        self.dispatches.load(Ordering::Relaxed)
    }

    /// The count of [`Self::dispatches`], for kernels.
    pub(crate) fn dispatch_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.dispatches)
    }

    /// The device of wgpu.
    pub fn raw(&self) -> &wgpu::Device {
        &self.raw
    }

    /// Its queue.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The first failure since the device was opened.
    pub fn failure(&self) -> Option<DeviceError> {
        lock(&self.failure).clone()
    }

    /// An error if the device has failed.
    ///
    /// # Errors
    /// The first failure since the device was opened.
    pub fn check(&self) -> Result<(), DeviceError> {
        self.failure().map_or(Ok(()), Err)
    }

    /// Runs `work` and turns what the driver says about it into an error; `what` and `bytes` name
    /// it.
    ///
    /// # Errors
    /// What the driver says, or an earlier failure of the device.
    pub fn checked<T>(
        &self,
        what: &'static str,
        bytes: u64,
        work: impl FnOnce() -> T,
    ) -> Result<T, DeviceError> {
        self.check()?;
        // popped in reverse order
        let memory = self.raw.push_error_scope(ErrorFilter::OutOfMemory);
        let internal = self.raw.push_error_scope(ErrorFilter::Internal);
        let validation = self.raw.push_error_scope(ErrorFilter::Validation);
        let result = work();
        let mut errors = [None, None, None];
        for (slot, scope) in errors.iter_mut().zip([validation, internal, memory]) {
            *slot = pollster::block_on(scope.pop());
        }
        match errors.into_iter().flatten().next() {
            Some(error) => Err(typed(error, what, bytes)),
            None => Ok(result),
        }
    }

    /// What `build` makes, built once per key: compiled kernels, which all solvers with the same
    /// constants share.
    ///
    /// # Errors
    /// What `build` says.
    pub fn cached<T: Any + Send + Sync>(
        &self,
        key: &str,
        build: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<Arc<T>, DeviceError> {
        let found = lock(&self.kept).get(key).cloned();
        if let Some(Ok(kept)) = found.map(Arc::downcast::<T>) {
            return Ok(kept);
        }
        let built = Arc::new(build()?);
        let kept: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(&built);
        lock(&self.kept).insert(key.into(), kept);
        Ok(built)
    }

    /// Waits until everything submitted so far is done.
    ///
    /// # Errors
    /// A lost device, or an earlier failure.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.poll(PollType::wait_indefinitely())
    }

    /// Waits until a submission and those before it are done.
    pub(crate) fn wait_for(&self, submission: &SubmissionIndex) -> Result<(), DeviceError> {
        self.poll(PollType::Wait {
            submission_index: Some(submission.clone()),
            timeout: None,
        })
    }

    fn poll(&self, what: PollType) -> Result<(), DeviceError> {
        let done = self.raw.poll(what);
        self.check()?;
        done.map(|_| ()).map_err(|error| DeviceError::Lost {
            reason: error.to_string(),
        })
    }
}

/// What the driver says, as an error of this program.
fn typed(error: wgpu::Error, what: &'static str, bytes: u64) -> DeviceError {
    match error {
        wgpu::Error::OutOfMemory { .. } => DeviceError::OutOfMemory { what, bytes },
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            DeviceError::Validation {
                reason: format!("{what}: {description}"),
            }
        }
    }
}

/// The error of a device that was lost; none if the program closed it.
fn lost(why: wgpu::DeviceLostReason, message: String) -> Option<DeviceError> {
    let reason = match message.is_empty() {
        true => "the driver gives no reason".to_owned(),
        false => message,
    };
    (why != wgpu::DeviceLostReason::Destroyed).then_some(DeviceError::Lost { reason })
}

/// A panic elsewhere leaves these plain values intact.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::device_or_skip;

    #[test]
    fn solvers_share_a_device() {
        let Some(one) = device_or_skip("solvers_share_a_device") else {
            return;
        };
        let other = Device::shared("").expect("opened before");
        assert!(Arc::ptr_eq(&one, &other));
    }

    #[test]
    fn a_refused_command_is_an_error_and_the_device_goes_on() {
        let Some(device) = device_or_skip("a_refused_command_is_an_error") else {
            return;
        };
        let bad = wgpu::BufferDescriptor {
            label: None,
            size: 16,
            // mapping for reading excludes use as storage
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        };
        let made = device.checked("a buffer", 16, || device.raw().create_buffer(&bad));
        assert!(
            matches!(made, Err(DeviceError::Validation { .. })),
            "{made:?}"
        );
        assert_eq!(device.check(), Ok(()));
    }

    #[test]
    fn an_unchecked_failure_is_kept_and_closes_the_device() {
        if device_or_skip("an_unchecked_failure_is_kept").is_none() {
            return;
        }
        // a device of its own: the shared one must stay whole
        let device = Device::open("", u64::MAX).expect("an adapter exists");
        let shader = wgpu::ShaderSource::Wgsl("not a shader".into());
        let module = wgpu::ShaderModuleDescriptor {
            label: None,
            source: shader,
        };
        let _ = device.raw().create_shader_module(module);
        assert!(matches!(
            device.check(),
            Err(DeviceError::Validation { .. })
        ));
        assert!(device.checked("a buffer", 16, || ()).is_err());
    }

    #[test]
    fn full_memory_and_refusals_are_told_apart() {
        let full = wgpu::Error::OutOfMemory {
            source: "full".into(),
        };
        let error = typed(full, "impulses", 64);
        let (what, bytes) = ("impulses", 64);
        assert_eq!(error, DeviceError::OutOfMemory { what, bytes });
    }

    #[test]
    fn a_lost_device_is_reported_in_the_words_of_its_driver() {
        let (driver, closed) = (
            wgpu::DeviceLostReason::Unknown,
            wgpu::DeviceLostReason::Destroyed,
        );
        let words = |message: &str| lost(driver, message.to_owned()).map(|e| e.to_string());
        let expected = |why: &str| format!("the device was lost: {why}; build the solver anew");
        assert_eq!(words("hung"), Some(expected("hung")));
        assert_eq!(words(""), Some(expected("the driver gives no reason")));
        assert_eq!(lost(closed, "hung".to_owned()), None);
    }

    #[test]
    fn an_unknown_adapter_is_an_error() {
        let device = Device::shared("no adapter is called like this");
        assert!(matches!(device, Err(DeviceError::NoAdapter { .. })));
    }
}
