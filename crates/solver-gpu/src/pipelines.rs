//! Kernels: shader text, its constants, what it binds, and how many threads it runs in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use delassus_core::DeviceError;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePass, ComputePipeline,
    ComputePipelineDescriptor, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::StorageBuffer;
use crate::device::Device;

/// Storage buffers of one kernel at most \[-\]: what WebGPU promises everywhere.
pub const MAX_BINDINGS: usize = 8;

/// A shader: constants, then files, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Shader {
    /// Name of the file with the entry point.
    pub name: &'static str,
    /// Its constants.
    pub prelude: fn() -> String,
    /// The parts, the entry point's last.
    pub parts: &'static [&'static str],
}

impl Shader {
    /// The whole text.
    pub fn source(&self) -> String {
        (self.prelude)() + &self.parts.join("\n")
    }
}

/// What a kernel does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Reads and writes it.
    Write,
}

impl Access {
    /// Those of so many buffers that are read, then of so many that are written.
    pub fn of(read: usize, written: usize) -> Vec<Self> {
        [vec![Self::Read; read], vec![Self::Write; written]].concat()
    }
}

/// The value of a shader's constant that is true or false.
pub fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

/// A compiled kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
    name: &'static str,
    workgroup: u32,
    dispatched: Arc<AtomicU64>,
}

/// Threads of one workgroup: the name of the shaders' constant.
const WORKGROUP: &str = "WORKGROUP";

impl Kernel {
    /// Compiles a shader for workgroups of `workgroup` threads; `access` lists the buffers at
    /// @binding(0), (1), ….
    ///
    /// `workgroup` becomes the constant `WORKGROUP` of the shader; `constants` are others that it
    /// declares.
    ///
    /// # Errors
    /// [`DeviceError::Shader`] with the compiler's words, [`DeviceError::Limit`] for too large a
    /// workgroup.
    pub fn new(
        device: &Device,
        shader: &Shader,
        workgroup: u32,
        constants: &[(&str, f64)],
        access: &[Access],
    ) -> Result<Self, DeviceError> {
        let name = shader.name;
        let limits = device.limits();
        let sizes = [
            limits.max_compute_invocations_per_workgroup,
            limits.max_compute_workgroup_size_x,
        ];
        for allowed in sizes {
            if workgroup > allowed {
                return Err(DeviceError::Limit {
                    what: "the workgroup",
                    needed: workgroup.into(),
                    allowed: allowed.into(),
                });
            }
        }
        let mut all = vec![(WORKGROUP, f64::from(workgroup))];
        all.extend_from_slice(constants);
        let built = device.checked(name, 0, || build(device, shader, &all, access));
        let (layout, pipeline) = built.map_err(|error| match error {
            DeviceError::Validation { reason } => DeviceError::Shader {
                shader: name,
                reason,
            },
            other => other,
        })?;
        Ok(Self {
            pipeline,
            layout,
            name,
            workgroup,
            dispatched: device.dispatch_counter(),
        })
    }

    /// Binds buffers in the order of the shader's bindings.
    ///
    /// # Errors
    /// What the driver says.
    pub fn bind(
        &self,
        device: &Device,
        buffers: &[&StorageBuffer],
    ) -> Result<BindGroup, DeviceError> {
        let mut entries = Vec::with_capacity(buffers.len());
        for (binding, buffer) in (0..).zip(buffers) {
            entries.push(BindGroupEntry {
                binding,
                resource: buffer.raw().as_entire_binding(),
            });
        }
        let descriptor = BindGroupDescriptor {
            label: Some(self.name),
            layout: &self.layout,
            entries: &entries,
        };
        device.checked(self.name, 0, || device.raw().create_bind_group(&descriptor))
    }

    /// The grid of at least `threads` threads.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if the device has no grid of that size.
    pub fn grid(&self, device: &Device, threads: usize) -> Result<Workgroups, DeviceError> {
        let groups = threads.div_ceil(self.workgroup as usize);
        Workgroups::of(groups, device.limits().max_compute_workgroups_per_dimension)
    }

    /// Records one dispatch; none for an empty grid.
    pub fn dispatch(&self, pass: &mut ComputePass<'_>, bindings: &BindGroup, grid: Workgroups) {
        if grid.x > 0 {
            self.dispatched.fetch_add(1, Ordering::Relaxed);
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.dispatch_workgroups(grid.x, grid.y, 1);
        }
    }
}

fn build(
    device: &Device,
    shader: &Shader,
    constants: &[(&str, f64)],
    access: &[Access],
) -> (BindGroupLayout, ComputePipeline) {
    let raw = device.raw();
    let label = Some(shader.name);
    let module = raw.create_shader_module(ShaderModuleDescriptor {
        label,
        source: ShaderSource::Wgsl(shader.source().into()),
    });
    let entry = |(binding, access): (u32, &Access)| BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: BufferBindingType::Storage {
                read_only: *access == Access::Read,
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<BindGroupLayoutEntry> = (0..).zip(access).map(entry).collect();
    let layout = raw.create_bind_group_layout(&BindGroupLayoutDescriptor {
        label,
        entries: &entries,
    });
    let pipeline_layout = raw.create_pipeline_layout(&PipelineLayoutDescriptor {
        label,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = raw.create_compute_pipeline(&ComputePipelineDescriptor {
        label,
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: PipelineCompilationOptions {
            constants,
            // the kernels write workgroup memory before they read it
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    (layout, pipeline)
}

/// Workgroups of a dispatch, in two dimensions: one dimension ends at 65 535 groups, 4.2 million
/// threads of 64.
///
/// The shaders number their workgroups row by row and skip those past the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workgroups {
    /// Workgroups of a row \[-\].
    pub x: u32,
    /// Rows \[-\].
    pub y: u32,
}

impl Workgroups {
    /// At least `groups` workgroups, at most `allowed` along each dimension.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if there are more than that.
    pub fn of(groups: usize, allowed: u32) -> Result<Self, DeviceError> {
        let row = groups.min(allowed as usize);
        let rows = if row == 0 { 0 } else { groups.div_ceil(row) };
        match (u32::try_from(row), u32::try_from(rows)) {
            (Ok(x), Ok(y)) if y <= allowed => Ok(Self { x, y }),
            _ => Err(DeviceError::Limit {
                what: "the dispatch (workgroups)",
                needed: groups as u64,
                allowed: u64::from(allowed) * u64::from(allowed),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::device_or_skip;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_grid_covers_every_group_with_less_than_a_row_to_spare(groups in 0_usize..20_000_000) {
            let grid = Workgroups::of(groups, 65_535).expect("fewer than 2³²");
            let (x, y) = (grid.x as usize, grid.y as usize);
            prop_assert!(x * y >= groups && x * y < groups + x.max(1));
            prop_assert!(grid.x <= 65_535 && grid.y <= 65_535);
        }
    }

    #[test]
    fn a_grid_that_is_too_large_is_an_error() {
        assert!(Workgroups::of(17, 4).is_err());
        assert_eq!(Workgroups::of(16, 4), Ok(Workgroups { x: 4, y: 4 }));
    }

    #[test]
    fn a_bad_shader_is_named() {
        let Some(device) = device_or_skip("a_bad_shader_is_named") else {
            return;
        };
        let shader = Shader {
            name: "bad.wgsl",
            prelude: String::new,
            parts: &["fn main( {"],
        };
        let kernel = Kernel::new(&device, &shader, 64, &[], &[]);
        let Err(DeviceError::Shader { shader, reason }) = kernel else {
            panic!("compiled: {kernel:?}");
        };
        assert_eq!(shader, "bad.wgsl");
        assert!(!reason.is_empty());
        assert_eq!(device.check(), Ok(()));
    }

    #[test]
    fn a_workgroup_that_is_too_large_is_an_error() {
        let Some(device) = device_or_skip("a_workgroup_that_is_too_large") else {
            return;
        };
        let shader = Shader {
            name: "any.wgsl",
            prelude: String::new,
            parts: &[],
        };
        let kernel = Kernel::new(&device, &shader, 1 << 20, &[], &[]);
        assert!(matches!(kernel, Err(DeviceError::Limit { .. })));
    }
}
