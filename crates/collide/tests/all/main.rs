//! Shapes, pairs and manifolds against closed forms and against each other.

mod analytic;
mod boxes;
mod degenerate;
mod flush;
mod hulls;
mod inertias;
mod moments;
mod resting;
mod rims;
mod support;
mod surfaces;
