//! The frozen problems that the project ships: names and contents.

use std::error::Error;

use delassus_formats::fclib;
use delassus_metrics::Evaluator;
use delassus_problems::generators::{
    BoxProblem, Boxes, ChainProblem, ContactLaw, FixedBodies, Freezing, Generator, JointGrid,
    JointGridProblem, MassOrder, OperatorForm, PainleveRodProblem, Planted, SoftnessParameters,
    Stack, Wall,
};
use delassus_problems::{
    FieldForm, KnownSolution, MatrixStorage, NamedProblem, contact_text, lcp_text, snapshot_bytes,
    to_field, to_matrix,
};

/// Name and bytes of one file.
pub(crate) type Frozen = (&'static str, Vec<u8>);

/// Every file.
pub(crate) fn files() -> Result<Vec<Frozen>, Box<dyn Error>> {
    let mut files = Vec::new();
    for (file, problem) in boxes()?.into_iter().chain(others()?) {
        files.push((file, snapshot_bytes(&judged(file, problem)?)));
    }
    let incline = incline().generate()?.problem;
    let text = contact_text(&incline, MatrixStorage::Dense)?;
    files.push(("incline-fc3d.dat", text.into_bytes()));
    let stack = BoxProblem::from(Stack {
        n: 3,
        ..Stack::default()
    });
    let text = contact_text(&stack.generate()?.problem, MatrixStorage::BlockSparse)?;
    files.push(("stack-3-fc3d.dat", text.into_bytes()));
    let text = lcp_text(&ring().generate()?.problem, MatrixStorage::Dense)?;
    files.push(("ring-lcp.dat", text.into_bytes()));
    files.extend(fclib_files()?);
    Ok(files)
}

/// Local, global, and global with joints; each with its solution.
fn fclib_files() -> Result<Vec<Frozen>, Box<dyn Error>> {
    let joined = Planted {
        bodies: 3,
        equality: 1,
        coulomb: 2,
        seed: 5,
        ..Planted::default()
    };
    let problems = [
        (
            "incline-local.hdf5",
            incline().generate()?,
            FieldForm::Local,
        ),
        (
            "incline-global.hdf5",
            incline().generate()?,
            FieldForm::Global,
        ),
        ("planted-joint.hdf5", joined.generate()?, FieldForm::Global),
    ];
    let mut files = Vec::new();
    for (name, mut problem, form) in problems {
        problem.name = name.trim_end_matches(".hdf5").to_owned();
        let exported = to_field(&problem, form, MatrixStorage::BlockSparse)?;
        files.push((name, fclib::write(&exported.file)?));
    }
    Ok(files)
}

/// Names the problem after its file and bounds the residual of its reference.
///
/// Residuals are of the order of rounding; recording them as powers of ten keeps the files
/// independent of the order in which the metrics add.
fn judged(file: &'static str, mut problem: NamedProblem) -> Result<NamedProblem, Box<dyn Error>> {
    problem.name = file.trim_end_matches(".dls").to_owned();
    if let Some(reference) = &mut problem.reference {
        let mut evaluator = Evaluator::new(&problem.problem)?;
        let residual = evaluator.evaluate(&reference.impulses)?.natural_map;
        let bounds = [1e-16, 1e-15, 1e-14, 1e-13, 1e-12];
        let bound = bounds.into_iter().find(|bound| residual <= *bound);
        let refused = || format!("{file}: the reference leaves a residual of {residual:e}");
        reference.residual = Some(bound.ok_or_else(refused)?);
    }
    Ok(problem)
}

type Problems = Vec<(&'static str, NamedProblem)>;

fn boxes() -> Result<Problems, Box<dyn Error>> {
    let stack = BoxProblem::from(Stack {
        n: 5,
        ..Stack::default()
    });
    let heavy = BoxProblem::from(Stack {
        n: 10,
        boxes: Boxes {
            mass_ratio: 100.0,
            mass_order: MassOrder::HeavyLast,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    let soft = BoxProblem {
        system: Stack {
            n: 5,
            ..Stack::default()
        },
        step: Freezing {
            softness: SoftnessParameters {
                hertz: 30.0,
                ..SoftnessParameters::default()
            },
            ..Freezing::default()
        },
    };
    let wall = |law| {
        BoxProblem::from(Wall {
            base: 4,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        })
    };
    Ok(vec![
        ("stack-5.dls", stack.generate()?),
        ("stack-10-heavy-top.dls", heavy.generate()?),
        ("stack-5-soft.dls", soft.generate()?),
        ("wall-4-coulomb.dls", wall(ContactLaw::Coulomb).generate()?),
        ("wall-4-pyramid.dls", wall(ContactLaw::Pyramid).generate()?),
        ("wall-4-patch.dls", wall(ContactLaw::Patch).generate()?),
        ("incline.dls", incline().generate()?),
        ("ring.dls", ring().generate()?),
    ])
}

fn others() -> Result<Problems, Box<dyn Error>> {
    let grid = JointGridProblem::from(JointGrid {
        n: 4,
        fixed: FixedBodies::TopRow,
        ..JointGrid::default()
    });
    let mixed = Planted {
        bodies: 12,
        equality: 4,
        gears: 1,
        bounds: 4,
        frictionless: 2,
        fixed_box: 2,
        pyramid: 2,
        disc: 2,
        coulomb: 6,
        convex_cone: 2,
        patch: 2,
        redundant: 2,
        mass_ratio: 10.0,
        ..Planted::default()
    };
    let contacts = Planted {
        bodies: 8,
        coulomb: 16,
        redundant: 2,
        form: OperatorForm::Matrix,
        seed: 2,
        ..Planted::default()
    };
    Ok(vec![
        ("chain-10.dls", ChainProblem::default().generate()?),
        ("joint-grid-4.dls", grid.generate()?),
        ("planted-mixed.dls", mixed.generate()?),
        ("planted-contacts-matrix.dls", contacts.generate()?),
        ("painleve-three.dls", rod(0.05, None)?),
        ("painleve-impact.dls", rod(-0.05, Some([0.3425, -0.415]))?),
    ])
}

/// One box sliding down a slope of 40 degrees.
fn incline() -> BoxProblem<Stack> {
    BoxProblem::from(Stack {
        n: 1,
        boxes: Boxes {
            tilt: 0.698_131_7,
            friction: 0.3,
            ..Boxes::default()
        },
        ..Stack::default()
    })
}

/// A cube on its four lower corners: redundant normals.
fn ring() -> BoxProblem<Stack> {
    BoxProblem::from(Stack {
        n: 1,
        boxes: Boxes {
            law: ContactLaw::Frictionless,
            ..Boxes::default()
        },
        ..Stack::default()
    })
}

/// The rod as a matrix problem, with its solution if there is only one.
fn rod(velocity: f64, solution: Option<[f64; 2]>) -> Result<NamedProblem, Box<dyn Error>> {
    let rod = PainleveRodProblem {
        normal_velocity: velocity,
        ..PainleveRodProblem::default()
    };
    let mut named = rod.generate()?;
    named.problem = to_matrix(&named.problem)?;
    named.provenance.push_str(", assembled");
    named.reference = solution.map(|impulses| KnownSolution {
        impulses: impulses.to_vec(),
        provenance: "closed form: sticking, the only solution".to_owned(),
        residual: None,
    });
    Ok(named)
}
