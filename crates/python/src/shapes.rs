//! Shapes by name and sizes.

use delassus_dynamics::{
    Capsule, Cuboid, Cylinder, HalfSpace, Inertia, Shape, ShapeGeometry, Sphere,
};
use pyo3::PyResult;

use crate::errors::refused;

/// A shape by name and sizes.
pub(crate) type ShapeSpec = (String, Vec<f64>);

/// The shape with this name.
pub(crate) fn shape_of(kind: &str, sizes: &[f64]) -> PyResult<Shape> {
    Ok(match (kind, sizes) {
        ("sphere", [radius]) => Sphere::new(*radius).into(),
        ("box", [x, y, z]) => Cuboid::new(*x, *y, *z).into(),
        ("capsule", [half, radius]) => Capsule::new(*half, *radius).into(),
        ("cylinder", [half, radius]) => Cylinder::new(*half, *radius).into(),
        ("half-space", []) => HalfSpace::default().into(),
        _ => {
            let count = sizes.len();
            return Err(refused(format!(
                "no shape {kind:?} with {count} sizes: sphere(radius), box(x, y, z) with halves of the edges, \
                 capsule(half length, radius), cylinder(half length, radius), half-space()"
            )));
        }
    })
}

/// The inertia of a shape with a mass.
pub(crate) fn solid(kind: &str, sizes: &[f64], mass: f64) -> PyResult<Inertia> {
    let inertia = match (kind, sizes) {
        ("sphere", [radius]) => Sphere::new(*radius).solid(mass),
        ("box", [x, y, z]) => Cuboid::new(*x, *y, *z).solid(mass),
        ("capsule", [half, radius]) => Capsule::new(*half, *radius).solid(mass),
        ("cylinder", [half, radius]) => Cylinder::new(*half, *radius).solid(mass),
        _ => HalfSpace::default().solid(mass),
    };
    inertia.map_err(refused)
}
