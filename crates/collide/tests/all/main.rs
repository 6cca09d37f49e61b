//! Shapes, pairs and manifolds against closed forms and against each other.

mod moments;
