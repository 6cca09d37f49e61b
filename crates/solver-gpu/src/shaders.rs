//! The shaders: WGSL files, joined by plain concatenation behind the constants that the twins
//! define.

use crate::pipelines::Shader;
use crate::prelude::prelude;

/// Declarations of every kernel: constants of the pipeline, the control.
pub const LAYOUT: &str = include_str!("shaders/layout.wgsl");
/// Sums and products of vectors with the order of additions written out.
pub const VECTORS: &str = include_str!("shaders/vectors.wgsl");

/// Steps of a contact point from the masses of its bodies.
pub const STEPS: &str = include_str!("shaders/steps.wgsl");

/// Files that several shaders are made of.
macro_rules! parts {
    ($($name:ident = $file:literal;)*) => {
        $(const $name: &str = include_str!(concat!("shaders/", $file));)*
    };
}

parts! {
    LAWS = "laws.wgsl";
    SUMS = "sums.wgsl";
    MOMENTUM = "momentum.wgsl";
    JOINED = "joined.wgsl";
    TREE = "tree.wgsl";
    LEVELS = "levels.wgsl";
    BODY_STEP = "body_step.wgsl";
    LARGEST = "largest.wgsl";
    MANIFOLD_STEP = "manifold_step.wgsl";
    UNIT_STEP = "unit_step.wgsl";
    MASSES = "masses.wgsl";
    PIECE_MEMORY = "piece_memory.wgsl";
    FUSED_MEMORY = "fused_memory.wgsl";
    FUSED_THREADS = "fused.wgsl";
    RESIDUAL_MEMORY = "residual_memory.wgsl";
    MANIFOLD_MEMORY = "manifold_memory.wgsl";
    MANIFOLD_POINTS = "manifold_points.wgsl";
    MANIFOLD_THREADS = "manifolds.wgsl";
    TILE_MEMORY = "tile_memory.wgsl";
    UNIT_MEMORY = "unit_memory.wgsl";
    ASYNC_MEMORY = "async_memory.wgsl";
    ACCUMULATE_CAS = "accumulate_cas.wgsl";
    ACCUMULATE_FLOAT = "accumulate_float.wgsl";
    ACCUMULATE_FIXED = "accumulate_fixed.wgsl";
    WRENCH_FLOAT = "wrench_float.wgsl";
    ASYNC = "async.wgsl";
}

/// Shaders, by their name and the parts before the file of that name, which ends them if it is no
/// part itself.
macro_rules! shaders {
    ($($(#[$doc:meta])* $name:ident = [$($part:ident),*] $($file:literal)? $(as $called:literal)?;)*) => {
        $($(#[$doc])* pub const $name: Shader = Shader {
            name: concat!($($file)? $($called)?),
            prelude,
            parts: &[LAYOUT, VECTORS, $($part,)* $(include_str!(concat!("shaders/", $file)))?],
        };)*

        /// Every shader of the crate but those of frames: what the validation test reads.
        #[cfg(test)]
        const ALL: &[Shader] = &[$($name),*];
    };
}

shaders! {
    /// One thread per manifold.
    MANIFOLDS = [LAWS, SUMS, MANIFOLD_STEP, MASSES, PIECE_MEMORY, MANIFOLD_MEMORY, MANIFOLD_POINTS, MANIFOLD_THREADS]
        as "manifolds.wgsl";
    /// The same of manifolds in tiles.
    TILES = [LAWS, SUMS, MANIFOLD_STEP, MASSES, PIECE_MEMORY, TILE_MEMORY, MANIFOLD_THREADS] as "tiles.wgsl";
    /// One thread per unit of row blocks.
    ROWS = [LAWS, SUMS, UNIT_STEP, MASSES, PIECE_MEMORY, UNIT_MEMORY] "rows.wgsl";
    /// One thread per body, and one workgroup that controls the momentum.
    BODIES = [SUMS, MOMENTUM, TREE, LEVELS, MASSES, BODY_STEP] "bodies.wgsl";
    /// One thread per manifold, which sums the wrenches on its bodies itself.
    FUSED = [LAWS, SUMS, MOMENTUM, TREE, LEVELS, MASSES, BODY_STEP, MANIFOLD_STEP, FUSED_MEMORY, MANIFOLD_MEMORY,
        MANIFOLD_POINTS, FUSED_THREADS] as "fused.wgsl";
    /// The same of manifolds in tiles.
    FUSED_TILES = [LAWS, SUMS, MOMENTUM, TREE, LEVELS, MASSES, BODY_STEP, MANIFOLD_STEP, FUSED_MEMORY, TILE_MEMORY,
        FUSED_THREADS] as "fused_tiles.wgsl";
    /// The natural residual of the manifolds.
    RESIDUAL = [LAWS, LARGEST, MANIFOLD_STEP, RESIDUAL_MEMORY, MANIFOLD_MEMORY] "residual.wgsl";
    /// The natural residual of the row blocks.
    RESIDUAL_ROWS = [LAWS, LARGEST, UNIT_STEP, RESIDUAL_MEMORY, UNIT_MEMORY] "residual_rows.wgsl";
    /// One workgroup per problem, for all iterations.
    RESIDENT = [LAWS, JOINED, MOMENTUM, TREE, BODY_STEP, MANIFOLD_STEP, UNIT_STEP] "resident.wgsl";
    /// One thread per task of a colour.
    COLOURED = [LAWS, JOINED, MANIFOLD_STEP, UNIT_STEP] "coloured.wgsl";
    /// One thread per piece, velocities added to by compare and exchange.
    ASYNC_CAS = [LAWS, JOINED, MANIFOLD_STEP, UNIT_STEP, ASYNC_MEMORY, ACCUMULATE_CAS, WRENCH_FLOAT, ASYNC]
        as "accumulate_cas.wgsl";
    /// The same with the device's addition of f32, which not every device has.
    ASYNC_FLOAT = [LAWS, JOINED, MANIFOLD_STEP, UNIT_STEP, ASYNC_MEMORY, ACCUMULATE_FLOAT, WRENCH_FLOAT, ASYNC]
        as "accumulate_float.wgsl";
    /// The same in whole numbers.
    ASYNC_FIXED = [LAWS, JOINED, MANIFOLD_STEP, UNIT_STEP, ASYNC_MEMORY, ACCUMULATE_FIXED, ASYNC]
        as "accumulate_fixed.wgsl";
    /// One thread per body makes velocities of whole numbers.
    FIXED_BODIES = [JOINED, ACCUMULATE_FIXED] "fixed_bodies.wgsl";
    /// One workgroup per world, for the numbers that differ from world to world.
    WORLDS = [STEPS] "worlds.wgsl";
    /// Wrenches of all pieces, or velocities of all bodies.
    RENEW = [LAWS, JOINED, BODY_STEP, MANIFOLD_STEP, UNIT_STEP] "renew.wgsl";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Control, State};
    use crate::joined::ProblemRecord;
    use crate::pipelines::MAX_BINDINGS;
    use crate::testing::wgsl::{assert_mirrored, valid};
    use crate::world_numbers::WorldHeader;
    use naga::AddressSpace;
    use naga::valid::Capabilities;

    /// No capability beyond those of every WebGPU device, but for the one shader that names its
    /// own.
    #[test]
    fn every_shader_is_valid_everywhere() {
        for shader in ALL {
            let capabilities = if shader.name == ASYNC_FLOAT.name {
                Capabilities::SHADER_FLOAT32_ATOMIC
            } else {
                Capabilities::empty()
            };
            let module = valid(shader.name, &shader.source(), capabilities);
            let storage = module
                .global_variables
                .iter()
                .filter(|(_, variable)| matches!(variable.space, AddressSpace::Storage { .. }));
            let bindings = storage.count();
            assert!(bindings <= MAX_BINDINGS, "{}: {bindings}", shader.name);
            let entries = module.entry_points.iter().map(|e| e.name.as_str());
            assert_eq!(entries.collect::<Vec<_>>(), ["main"], "{}", shader.name);
        }
    }

    #[test]
    fn shaders_know_the_fields_of_the_host() {
        let module = valid("resident", &RESIDENT.source(), Capabilities::empty());
        assert_mirrored::<Control>(&module);
        assert_mirrored::<State>(&module);
        assert_mirrored::<ProblemRecord>(&module);
        let module = valid("worlds", &WORLDS.source(), Capabilities::empty());
        assert_mirrored::<WorldHeader>(&module);
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
