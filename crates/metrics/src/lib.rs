//! Residuals and certificates of a frozen constraint problem, in f64, computed outside every solver.
