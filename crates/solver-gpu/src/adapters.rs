//! The graphics adapters of this machine, and which of them a solver gets.
//!
//! Software adapters (Mesa's llvmpipe, Microsoft's WARP) run every kernel and prove its numbers,
//! but say nothing about speed: they come last in the choice, and a report says which one it was. A
//! machine without any driver, or without the Vulkan loader, has an empty list, which is an answer
//! and not a failure.

use std::cmp::Reverse;
use std::sync::OnceLock;

use delassus_core::{Choice, DeviceError};
use serde::Serialize;
use wgpu::{Adapter, Backends, DeviceType, Features, Instance, InstanceDescriptor, InstanceFlags};

/// The environment variable that names an adapter by a part of its name, backend or driver.
pub const ADAPTER_VARIABLE: &str = "DELASSUS_ADAPTER";

/// What kind of processor an adapter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Choice)]
pub enum AdapterKind {
    /// The processor itself, through a software driver.
    Software,
    /// Not known to the driver.
    Other,
    /// A share of a device, on a virtual machine.
    Virtual,
    /// On the processor's chip, sharing its memory.
    Integrated,
    /// A device with memory of its own.
    Discrete,
}

impl AdapterKind {
    fn of(kind: DeviceType) -> Self {
        match kind {
            DeviceType::Cpu => Self::Software,
            DeviceType::Other => Self::Other,
            DeviceType::VirtualGpu => Self::Virtual,
            DeviceType::IntegratedGpu => Self::Integrated,
            DeviceType::DiscreteGpu => Self::Discrete,
        }
    }
}

/// What one adapter is and what it allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdapterReport {
    /// The device's name, from its driver.
    pub name: String,
    /// The interface that it is reached through: "vulkan", "metal", "dx12".
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// What kind of processor it is.
    pub kind: AdapterKind,
    /// True if the kernels run on the processor: right, but of no use for timing.
    pub is_software: bool,
    /// Largest buffer \[B\].
    pub max_buffer_size: u64,
    /// Largest part of a buffer that a kernel can see \[B\].
    pub max_storage_binding: u64,
    /// Storage buffers that one kernel can see \[-\].
    pub max_storage_buffers: u32,
    /// Threads of one workgroup \[-\].
    pub max_workgroup_size: u32,
    /// Workgroups along one dimension of a dispatch \[-\].
    pub max_workgroups: u32,
    /// Memory that one workgroup shares \[B\].
    pub max_workgroup_memory: u32,
    /// True if passes can be timed on the device.
    pub timestamps: bool,
    /// True if a kernel can add to f32 memory atomically.
    pub float_atomics: bool,
    /// True if the threads of a subgroup can exchange registers.
    pub subgroups: bool,
    /// True if the adapter has every default limit of WebGPU, which the kernels are written for.
    pub default_limits: bool,
}

impl AdapterReport {
    fn of(adapter: &Adapter) -> Self {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let features = adapter.features();
        let kind = AdapterKind::of(info.device_type);
        Self {
            name: info.name,
            backend: info.backend.to_string(),
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .into(),
            kind,
            is_software: kind == AdapterKind::Software,
            max_buffer_size: limits.max_buffer_size,
            max_storage_binding: limits.max_storage_buffer_binding_size,
            max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
            max_workgroup_size: limits.max_compute_invocations_per_workgroup,
            max_workgroups: limits.max_compute_workgroups_per_dimension,
            max_workgroup_memory: limits.max_compute_workgroup_storage_size,
            timestamps: features.contains(Features::TIMESTAMP_QUERY),
            float_atomics: features.contains(Features::SHADER_FLOAT32_ATOMIC),
            subgroups: features.contains(Features::SUBGROUP),
            default_limits: wgpu::Limits::default().check_limits(&limits),
        }
    }

    /// Name, interface and driver in one line: what decides the bits of an answer.
    pub fn identity(&self) -> String {
        format!("{} ({}, {})", self.name, self.backend, self.driver)
    }

    /// True if `part` occurs in the name, backend or driver; capitals do not matter.
    fn is_called(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        let names = [&self.name, &self.backend, &self.driver];
        names.iter().any(|name| name.to_lowercase().contains(&part))
    }
}

/// The adapters of this machine: hardware first, in the order of [`AdapterKind`] and then of the
/// drivers.
///
/// Empty without a driver. The list is asked for anew each time, since devices come and go.
pub fn adapters() -> Vec<AdapterReport> {
    let found = enumerate();
    found.into_iter().map(|(_, report)| report).collect()
}

/// The report of the adapter that a solver with this `wish` would get.
///
/// # Errors
/// [`DeviceError::NoAdapter`] if there is none, or none of that name.
pub fn chosen(wish: &str) -> Result<AdapterReport, DeviceError> {
    choose(wish).map(|(_, report)| report)
}

/// The first adapter that fits: `wish`, otherwise the environment variable, otherwise the first of
/// all.
pub(crate) fn choose(wish: &str) -> Result<(Adapter, AdapterReport), DeviceError> {
    let part = wish_or_variable(wish);
    pick(enumerate(), &part)
}

/// The adapter that the caller names, or that of the environment variable.
pub(crate) fn wish_or_variable(wish: &str) -> String {
    if wish.is_empty() {
        std::env::var(ADAPTER_VARIABLE).unwrap_or_default()
    } else {
        wish.into()
    }
}

fn pick<T>(found: Vec<(T, AdapterReport)>, part: &str) -> Result<(T, AdapterReport), DeviceError> {
    let names: Vec<String> = found.iter().map(|(_, r)| r.name.clone()).collect();
    let reason = || match (names.as_slice(), part) {
        ([], _) => "no driver offers a device".into(),
        (names, part) => format!("none is called \"{part}\"; there are: {}", names.join(", ")),
    };
    let mut found = found.into_iter();
    let first = found.find(|(_, report)| report.is_called(part));
    first.ok_or_else(|| DeviceError::NoAdapter { reason: reason() })
}

/// The loader of the drivers, opened once.
static INSTANCE: OnceLock<Instance> = OnceLock::new();

fn enumerate() -> Vec<(Adapter, AdapterReport)> {
    // wgpu panics on platforms that it has no backend for
    if Instance::enabled_backend_features().is_empty() {
        return Vec::new();
    }
    // wgpu's own checks stay; those of the drivers' debug layers cost time and are not installed
    // everywhere
    let instance = INSTANCE.get_or_init(|| {
        Instance::new(InstanceDescriptor {
            flags: InstanceFlags::empty(),
            ..InstanceDescriptor::new_without_display_handle()
        })
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    let report = |adapter: Adapter| {
        let report = AdapterReport::of(&adapter);
        (adapter, report)
    };
    let mut list: Vec<_> = adapters.into_iter().map(report).collect();
    // stable: within one kind the drivers' order
    list.sort_by_key(|(_, report)| Reverse(report.kind));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str, kind: AdapterKind) -> (usize, AdapterReport) {
        let report = AdapterReport {
            name: name.into(),
            backend: "vulkan".into(),
            driver: "Mesa 22".into(),
            kind,
            is_software: kind == AdapterKind::Software,
            max_buffer_size: 0,
            max_storage_binding: 0,
            max_storage_buffers: 8,
            max_workgroup_size: 256,
            max_workgroups: 65_535,
            max_workgroup_memory: 16_384,
            timestamps: false,
            float_atomics: false,
            subgroups: false,
            default_limits: true,
        };
        (name.len(), report)
    }

    #[test]
    fn a_wish_is_a_part_of_a_name_in_any_case() {
        let list = || {
            vec![
                called("Big Device", AdapterKind::Discrete),
                called("llvmpipe", AdapterKind::Software),
            ]
        };
        let name = |part| pick(list(), part).map(|(_, report)| report.name);
        assert_eq!(name(""), Ok("Big Device".into()));
        assert_eq!(name("LLVM"), Ok("llvmpipe".into()));
        assert_eq!(name("mesa"), Ok("Big Device".into()));
        let Err(DeviceError::NoAdapter { reason }) = name("riva") else {
            panic!("an adapter called riva");
        };
        assert!(
            reason.contains("riva") && reason.contains("llvmpipe"),
            "{reason}"
        );
    }

    #[test]
    fn a_machine_without_drivers_says_so() {
        let none: Vec<(u8, AdapterReport)> = Vec::new();
        let Err(DeviceError::NoAdapter { reason }) = pick(none, "") else {
            panic!("an adapter out of nothing");
        };
        assert!(reason.contains("no driver"), "{reason}");
    }

    #[test]
    fn hardware_comes_before_software() {
        let kinds: Vec<AdapterKind> = adapters().iter().map(|a| a.kind).collect();
        assert!(kinds.is_sorted_by_key(|kind| Reverse(*kind)), "{kinds:?}");
    }
}
