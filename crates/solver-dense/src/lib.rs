//! Global reference solvers on the dense Delassus matrix, through faer.
