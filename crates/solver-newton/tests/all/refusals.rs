//! What is refused, and how it is said.

use delassus_core::{ImpulseSolver, Start};
use delassus_solver_newton::Sap;
use serde_json::json;

use crate::common::{made, solver};

#[test]
fn rigid_rows_are_refused_with_what_to_do() {
    let problem = made("wall", json!({ "base": 2, "law": "convex-cone" }));
    let mut sap: Sap = solver(json!({}));
    let error = sap.prepare(&problem, Start::Cold).expect_err("rigid");
    assert_eq!(
        error.to_string(),
        "sap divides by the compliance, but row 0 has none; use prox-newton, or make the row soft"
    );
}

#[test]
fn coulombs_law_is_not_convex() {
    let problem = made("planted", json!({ "coulomb": 3, "compliance": 0.1 }));
    let mut sap: Sap = solver(json!({}));
    assert!(sap.prepare(&problem, Start::Cold).is_err());
}
