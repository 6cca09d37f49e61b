//! Problems with known solutions that the laws are run on.

use delassus_core::{Friction, Law, LawKind, MassProperties, Problem, ProblemBuilder, ScaledKind};
use delassus_problems::generators::{
    CoupledPlanted, Generator, OperatorForm, Planted, ScaledPlanted,
};
use nalgebra::Vector3;

mod coupled;

pub use coupled::coupled_joints;

/// One problem with its solution.
#[derive(Debug, Clone)]
pub struct Case {
    /// Name for messages.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// A solution, one impulse per row \[N·s\], exact up to rounding; `None` if it is not known.
    pub solution: Option<Vec<f64>>,
    /// Centres of mass \[m\] of an isolated system: nothing in it is immovable.
    pub centres: Option<Vec<[f64; 3]>>,
}

/// Every case: those of each law, mixtures, and an isolated system.
pub fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = LawKind::ALL.iter().copied().flat_map(law_cases).collect();
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        all.push(planted("joints and contacts", mixed(form)));
        let degenerate = Planted {
            degenerate: 0.5,
            seed: 11,
            ..mixed(form)
        };
        all.push(planted("degenerate joints and contacts", degenerate));
        let facets = Planted {
            coulomb: 1,
            facets: 3,
            rolling: 2,
            spinning: 2,
            degenerate: 0.25,
            seed: 13,
            ..mixed(form)
        };
        all.push(planted("joints, facets and rolling", facets));
    }
    all.extend(coupled_joints());
    all.push(isolated());
    all
}

/// The cases in which every block has the law `kind`: as bodies and as a matrix, rigid, compliant
/// and with compliance that rows of a block share, small enough for an enumeration, and in the
/// plane where the law has a planar form.
pub fn law_cases(kind: LawKind) -> Vec<Case> {
    if let Some(entry) = ScaledKind::of(kind) {
        return scaled_cases(entry);
    }
    let mut found = Vec::new();
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        let base = Planted {
            bodies: 6,
            coulomb: 0,
            grounded: 0.5,
            // small enough that Coulomb's law has one solution and sweeps contract
            friction: 0.25,
            form,
            ..Planted::default()
        };
        let law = |count| count_of(kind, count, base.clone());
        let soft = |count| Planted {
            compliance: 0.05,
            ..law(count)
        };
        found.push(planted("rigid", law(5)));
        found.push(planted("compliant", soft(5)));
        if shares(kind) {
            found.push(shared(soft(5)));
        }
        let mut small = Planted {
            bodies: 3,
            ..law(small_count(kind))
        };
        if kind == LawKind::Facets {
            small.directions = 4;
        }
        if shares(kind) {
            found.push(shared(small.clone()));
        }
        found.push(planted("small", small));
        if has_plane(kind) {
            let plane = Planted {
                bodies: 4,
                contact_dim: 2,
                ..law(4)
            };
            found.push(planted("planar", plane));
        }
    }
    for case in &mut found {
        case.name = format!("{kind}, {}", case.name);
    }
    found
}

/// The cases of a scaled law: in every number of its rows, rigid, compliant, with compliance that
/// rows of a block share, and small enough for an enumeration.
fn scaled_cases(entry: &ScaledKind) -> Vec<Case> {
    let mut found = Vec::new();
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        for rows in entry.dims.iter().copied() {
            let small = (12 / rows).min(3);
            for (name, bodies, blocks, compliance, shared) in [
                ("rigid", 6, 5, 0.0, 0.0),
                ("compliant", 6, 5, 0.05, 0.0),
                ("shared compliance", 6, 5, 0.05, 0.1),
                ("small", 3, small, 0.0, 0.0),
            ] {
                let planted = Planted {
                    bodies,
                    coulomb: 0,
                    grounded: 0.5,
                    friction: 0.25,
                    compliance,
                    form,
                    ..Planted::default()
                };
                let made = ScaledPlanted {
                    planted,
                    law: entry.kind,
                    rows,
                    blocks,
                    shared,
                };
                let made = made.build().expect("parameters of this crate");
                let reference = made.reference.expect("planted problems have a solution");
                found.push(Case {
                    name: format!("{}, {name}, {rows} rows, {}", entry.kind, named(form)),
                    problem: made.problem,
                    solution: Some(reference.impulses),
                    centres: None,
                });
            }
        }
    }
    found
}

fn named(form: OperatorForm) -> &'static str {
    match form {
        OperatorForm::Bodies => "bodies",
        OperatorForm::Matrix => "matrix",
    }
}

fn mixed(form: OperatorForm) -> Planted {
    Planted {
        bodies: 8,
        equality: 3,
        gears: 1,
        bounds: 3,
        frictionless: 2,
        fixed_box: 1,
        pyramid: 1,
        disc: 1,
        coulomb: 3,
        convex_cone: 1,
        patch: 1,
        grounded: 0.5,
        friction: 0.25,
        compliance: 0.05,
        seed: 7,
        form,
        ..Planted::default()
    }
}

fn count_of(kind: LawKind, count: usize, mut planted: Planted) -> Planted {
    let field = match kind {
        LawKind::Equality => &mut planted.equality,
        LawKind::Bounds => &mut planted.bounds,
        LawKind::Frictionless => &mut planted.frictionless,
        LawKind::FixedBox => &mut planted.fixed_box,
        LawKind::Pyramid => &mut planted.pyramid,
        LawKind::Disc => &mut planted.disc,
        LawKind::Coulomb => &mut planted.coulomb,
        LawKind::ConvexCone => &mut planted.convex_cone,
        LawKind::Patch => &mut planted.patch,
        LawKind::Facets => &mut planted.facets,
        // the others resist spinning too
        _ => {
            planted.spinning = count / 2;
            planted.rolling = count - count / 2;
            return planted;
        }
    };
    *field = count;
    planted
}

/// Blocks that give at most twelve rows.
fn small_count(kind: LawKind) -> usize {
    match kind {
        LawKind::Patch => 1,
        LawKind::Bounds => 8,
        LawKind::Rolling => 2,
        _ => 3,
    }
}

fn has_plane(kind: LawKind) -> bool {
    !matches!(
        kind,
        LawKind::Equality
            | LawKind::Bounds
            | LawKind::Frictionless
            | LawKind::Patch
            | LawKind::Rolling
    )
}

/// True if a block with the law has rows that can share compliance.
fn shares(kind: LawKind) -> bool {
    kind != LawKind::Bounds
}

fn shared(planted: Planted) -> Case {
    let form = planted.form;
    let shared = CoupledPlanted {
        planted,
        shared: 0.1,
    };
    made("shared compliance", form, &shared)
}

fn planted(name: &str, parameters: Planted) -> Case {
    made(name, parameters.form, &parameters)
}

fn made(name: &str, form: OperatorForm, generator: &impl Generator) -> Case {
    let form = named(form);
    let named = generator.generate().expect("parameters of this crate");
    let reference = named.reference.expect("planted problems have a solution");
    Case {
        name: format!("{name}, {form}"),
        problem: named.problem,
        solution: Some(reference.impulses),
        centres: None,
    }
}

/// Three free bodies in a row, a ball joint and a contact between them, no ground. Its solution is
/// not known in closed form: only law 9 and the laws that need none are run on it.
fn isolated() -> Case {
    let mut builder = ProblemBuilder::new();
    let centres = vec![[0.0, 0.0, 0.0], [0.3, 1.0, -0.2], [0.1, 2.1, 0.4]];
    let masses = [1.0, 2.0, 0.5];
    let velocities = [
        [0.1, 1.0, 0.0, 0.2, -0.3, 0.5],
        [0.0, 0.0, 0.4, -0.1, 0.0, 0.2],
        [0.3, -1.5, 0.0, 0.0, 0.7, -0.4],
    ];
    let bodies: Vec<usize> = masses
        .iter()
        .zip(velocities)
        .map(|(mass, velocity)| {
            let inertia = Vector3::new(0.1, 0.2, 0.15) * *mass;
            builder.body(MassProperties::aligned(*mass, inertia), velocity)
        })
        .collect();
    for (lower, point) in [(0, [0.2, 0.5, 0.1]), (1, [0.1, 1.6, 0.2])] {
        let rows = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| {
            [
                entry(-1.0, axis, lever(point, centres[lower])),
                entry(1.0, axis, lever(point, centres[lower + 1])),
            ]
        });
        let law = Law::Contact(Friction::FixedBox { limit: 0.05 });
        let law = if lower == 0 { Law::Equality } else { law };
        builder.block(law, &[bodies[lower], bodies[lower + 1]], &rows);
    }
    let problem = builder.build().expect("a problem of this crate");
    Case {
        name: "isolated bodies".into(),
        solution: None,
        problem,
        centres: Some(centres),
    }
}

fn lever(point: [f64; 3], centre: [f64; 3]) -> Vector3<f64> {
    Vector3::from(point) - Vector3::from(centre)
}

/// Jacobian entry of the velocity along `axis` at the end of `lever`.
fn entry(sign: f64, axis: [f64; 3], lever: Vector3<f64>) -> [f64; 6] {
    let axis = sign * Vector3::from(axis);
    let moment = lever.cross(&axis);
    [axis.x, axis.y, axis.z, moment.x, moment.y, moment.z]
}
