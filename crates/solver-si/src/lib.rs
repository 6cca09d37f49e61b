//! Sequential impulses: scalar and block projected Gauss-Seidel.
