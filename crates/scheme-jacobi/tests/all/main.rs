//! Schemes of Jacobi iterations in worlds that find their contacts.

mod tutorial;
