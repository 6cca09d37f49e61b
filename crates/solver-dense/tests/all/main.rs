//! The dense solvers against closed forms, planted solutions and each other.

mod agreement;
mod closed_forms;
mod common;
mod files;
mod laws;
mod limits;
mod newton;
mod pieces;
mod pivoting;
mod scenes;
mod small;
