//! The shaders: WGSL files, joined by plain concatenation behind the constants that the twins define.

use delassus_solver_jacobi::kernels::bodies::HUB;
use delassus_solver_jacobi::kernels::control::{DELAY, FIRST_HOLD, LARGEST_RHO, RISE};
use delassus_solver_jacobi::kernels::sums::CHUNK;
use delassus_solver_jacobi::real::Real;

use crate::pipelines::Shader;

const LAYOUT: &str = include_str!("shaders/layout.wgsl");
const VECTORS: &str = include_str!("shaders/vectors.wgsl");
const LAWS: &str = include_str!("shaders/laws.wgsl");
const SUMS: &str = include_str!("shaders/sums.wgsl");
const MOMENTUM: &str = include_str!("shaders/momentum.wgsl");
const JOINT: &str = include_str!("shaders/joint.wgsl");
const TREE: &str = include_str!("shaders/tree.wgsl");
const BODY_STEP: &str = include_str!("shaders/body_step.wgsl");
const LARGEST: &str = include_str!("shaders/largest.wgsl");
const MANIFOLD_STEP: &str = include_str!("shaders/manifold_step.wgsl");
const UNIT_STEP: &str = include_str!("shaders/unit_step.wgsl");

/// The constants of the twins, as WGSL: written down once, so that the two cannot drift apart.
pub(crate) fn constants() -> String {
    // the shortest digits that round to the f32 that the twin has
    let float = |name: &str, x: f64| format!("const {name}: f32 = {:?};\n", f32::of(x));
    let count = |name: &str, n: usize| format!("const {name}: u32 = {n}u;\n");
    [
        "// Constants of the twins.\n".into(),
        float("RISE", RISE),
        float("LARGEST_RHO", LARGEST_RHO),
        count("FIRST_HOLD", FIRST_HOLD as usize),
        count("DELAY", DELAY as usize),
        count("CHUNK", CHUNK),
        count("HUB", HUB),
    ]
    .concat()
}

/// One thread per manifold.
pub const MANIFOLDS: Shader = Shader {
    name: "manifolds.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        SUMS,
        MANIFOLD_STEP,
        include_str!("shaders/manifolds.wgsl"),
    ],
};

/// One thread per unit of row blocks.
pub const ROWS: Shader = Shader {
    name: "rows.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        SUMS,
        UNIT_STEP,
        include_str!("shaders/rows.wgsl"),
    ],
};

/// One thread per body, and one workgroup that controls the momentum.
pub const BODIES: Shader = Shader {
    name: "bodies.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        SUMS,
        MOMENTUM,
        TREE,
        BODY_STEP,
        include_str!("shaders/bodies.wgsl"),
    ],
};

/// The natural residual of the manifolds.
pub const RESIDUAL: Shader = Shader {
    name: "residual.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        LARGEST,
        MANIFOLD_STEP,
        include_str!("shaders/residual.wgsl"),
    ],
};

/// The natural residual of the row blocks.
pub const RESIDUAL_ROWS: Shader = Shader {
    name: "residual_rows.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        LARGEST,
        UNIT_STEP,
        include_str!("shaders/residual_rows.wgsl"),
    ],
};

/// One workgroup per problem, for all iterations.
pub const RESIDENT: Shader = Shader {
    name: "resident.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        JOINT,
        MOMENTUM,
        TREE,
        BODY_STEP,
        MANIFOLD_STEP,
        UNIT_STEP,
        include_str!("shaders/resident.wgsl"),
    ],
};

/// One thread per task of a colour.
pub const COLOURED: Shader = Shader {
    name: "coloured.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        JOINT,
        MANIFOLD_STEP,
        UNIT_STEP,
        include_str!("shaders/coloured.wgsl"),
    ],
};

const ASYNC_MEMORY: &str = include_str!("shaders/async_memory.wgsl");
const ACCUMULATE_FIXED: &str = include_str!("shaders/accumulate_fixed.wgsl");
const WRENCH_FLOAT: &str = include_str!("shaders/wrench_float.wgsl");
const ASYNC: &str = include_str!("shaders/async.wgsl");

/// One thread per piece, velocities added to by compare and exchange.
pub const ASYNC_CAS: Shader = Shader {
    name: "accumulate_cas.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        JOINT,
        MANIFOLD_STEP,
        UNIT_STEP,
        ASYNC_MEMORY,
        include_str!("shaders/accumulate_cas.wgsl"),
        WRENCH_FLOAT,
        ASYNC,
    ],
};

/// The same with the device's addition of f32, which not every device has.
pub const ASYNC_FLOAT: Shader = Shader {
    name: "accumulate_float.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        JOINT,
        MANIFOLD_STEP,
        UNIT_STEP,
        ASYNC_MEMORY,
        include_str!("shaders/accumulate_float.wgsl"),
        WRENCH_FLOAT,
        ASYNC,
    ],
};

/// The same in whole numbers.
pub const ASYNC_FIXED: Shader = Shader {
    name: "accumulate_fixed.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        JOINT,
        MANIFOLD_STEP,
        UNIT_STEP,
        ASYNC_MEMORY,
        ACCUMULATE_FIXED,
        ASYNC,
    ],
};

/// One thread per body makes velocities of whole numbers.
pub const FIXED_BODIES: Shader = Shader {
    name: "fixed_bodies.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        JOINT,
        ACCUMULATE_FIXED,
        include_str!("shaders/fixed_bodies.wgsl"),
    ],
};

/// Wrenches of all pieces, or velocities of all bodies.
pub const RENEW: Shader = Shader {
    name: "renew.wgsl",
    parts: &[
        LAYOUT,
        VECTORS,
        LAWS,
        JOINT,
        BODY_STEP,
        MANIFOLD_STEP,
        UNIT_STEP,
        include_str!("shaders/renew.wgsl"),
    ],
};

/// Every shader of the crate: what the validation test reads.
pub const ALL: &[Shader] = &[
    MANIFOLDS,
    ROWS,
    BODIES,
    RESIDUAL,
    RESIDUAL_ROWS,
    RESIDENT,
    COLOURED,
    ASYNC_CAS,
    ASYNC_FLOAT,
    ASYNC_FIXED,
    FIXED_BODIES,
    RENEW,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines::MAX_BINDINGS;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use naga::{AddressSpace, front::wgsl};

    /// No capability beyond those of every WebGPU device, but for the one shader that names its own.
    #[test]
    fn every_shader_is_valid_everywhere() {
        for shader in ALL {
            let source = shader.source();
            let module = match wgsl::parse_str(&source) {
                Ok(module) => module,
                Err(error) => panic!("{}: {}", shader.name, error.emit_to_string(&source)),
            };
            let capabilities = if shader.name == ASYNC_FLOAT.name {
                Capabilities::SHADER_FLOAT32_ATOMIC
            } else {
                Capabilities::empty()
            };
            let mut validator = Validator::new(ValidationFlags::all(), capabilities);
            if let Err(error) = validator.validate(&module) {
                panic!("{}: {}", shader.name, error.emit_to_string(&source));
            }
            let storage = module
                .global_variables
                .iter()
                .filter(|(_, variable)| matches!(variable.space, AddressSpace::Storage { .. }));
            let bindings = storage.count();
            assert!(bindings <= MAX_BINDINGS, "{}: {bindings}", shader.name);
            let entries: Vec<&str> = module
                .entry_points
                .iter()
                .map(|e| e.name.as_str())
                .collect();
            assert_eq!(entries, ["main"], "{}", shader.name);
        }
    }

    #[test]
    fn every_file_belongs_to_a_shader() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/shaders");
        let sources: Vec<String> = ALL.iter().map(Shader::source).collect();
        for entry in std::fs::read_dir(folder).expect("the folder of the shaders") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            assert!(
                sources.iter().any(|s| s.contains(&text)),
                "{}",
                path.display()
            );
        }
    }
}
