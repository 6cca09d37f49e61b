//! The native module of the Python package `delassus`: arrays in, arrays out, without the
//! interpreter while a native solver works.
//!
//! The package around it (`python/delassus`) has the classes that users see, with their
//! documentation. The module says nothing by itself: names, defaults and shapes of arguments are
//! those of the package.

mod arrays;
mod check;
mod errors;
mod figure;
mod files;
mod json;
mod laws;
mod lists;
mod matrices;
mod peer;
mod problem;
mod program;
mod replay;
mod shapes;
mod solve;
mod solver;
mod stepping;
mod table;
mod world;
mod worlds;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("DelassusError", py.get_type::<errors::DelassusError>())?;
    module.add("FileError", py.get_type::<errors::FileError>())?;
    module.add("SolverError", py.get_type::<errors::SolverError>())?;
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<problem::NativeProblem>()?;
    module.add_class::<world::NativeWorld>()?;
    module.add_class::<table::NativeTable>()?;
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve_own, module)?)?;
    module.add_function(wrap_pyfunction!(solve::reference, module)?)?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(figure::convergence_figure, module)?)?;
    module.add_function(wrap_pyfunction!(lists::listed, module)?)?;
    module.add_function(wrap_pyfunction!(program::run_program, module)?)?;
    module.add_class::<peer::NativeSolver>()?;
    module.add_function(wrap_pyfunction!(worlds::replay_page, module)?)?;
    module.add_function(wrap_pyfunction!(worlds::step_worlds, module)?)?;
    module.add_function(wrap_pyfunction!(worlds::gather_poses, module)?)?;
    module.add_function(wrap_pyfunction!(worlds::gather_velocities, module)?)?;
    // workers of a run start this interpreter again
    if let Ok(interpreter) = py.import("sys")?.getattr("executable")?.extract::<String>() {
        delassus_registry::process::set_interpreter(interpreter);
    }
    Ok(())
}
