//! Order-free solvers: projected Jacobi in f64 and f32.
