//! Order-free and coloured solvers as compute shaders.
