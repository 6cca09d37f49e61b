//! Data of other programs' files as problems, and problems as such data.

use delassus_core::{
    Friction, Law, LawKind, MassProperties, MemoryLimit, Operator, Problem, ProblemBuilder,
};
use delassus_formats::{
    FieldFile, FieldProblem, Global, GlobalBilateral, StoredMatrix, StoredSolution, text,
};
use delassus_problems::generators::{BoxProblem, Generator, Stack};
use delassus_problems::{
    ContactLaw, FieldForm, GlobalForm, MatrixStorage, NamedProblem, form_text, generate,
    problem_of, problem_of_in, read_bytes, to_field, to_matrix,
};
use nalgebra::{Matrix3, Vector3};

fn problem(file: &FieldFile, form: GlobalForm) -> NamedProblem {
    problem_of_in(file, ContactLaw::Coulomb, form, MemoryLimit::NONE).unwrap()
}

fn read(source: &str) -> Problem {
    read_bytes("file.dat", source.as_bytes(), ContactLaw::Coulomb)
        .unwrap()
        .problem
}

/// A as rows of numbers.
fn dense(problem: &Problem) -> Vec<Vec<f64>> {
    let mut columns = Vec::new();
    for row in 0..problem.rows() {
        let mut unit = vec![0.0; problem.rows()];
        unit[row] = 1.0;
        let mut out = vec![0.0; problem.rows()];
        problem.apply_delassus(&unit, &mut out);
        columns.push(out);
    }
    columns
}

/// Largest difference of A and b, relative to the largest number of each.
fn difference(one: &Problem, other: &Problem) -> f64 {
    assert_eq!(one.rows(), other.rows());
    let relative = |a: &[f64], b: &[f64]| {
        let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let pairs = a.iter().zip(b);
        let worst = pairs.fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        if scale > 0.0 { worst / scale } else { worst }
    };
    let (a, b) = (dense(one).concat(), dense(other).concat());
    relative(&a, &b).max(relative(one.b(), other.b()))
}

fn stack() -> NamedProblem {
    let stack = Stack {
        n: 3,
        ..Stack::default()
    };
    BoxProblem::from(stack).generate().unwrap()
}

/// Two bodies, one with a full inertia, a contact between them, one with a moving floor, and a
/// joint of three rows.
fn jointed() -> NamedProblem {
    let mut builder = ProblemBuilder::new();
    let floor = builder.body(MassProperties::immovable(), [0.1, 0.0, -0.2, 0.0, 0.3, 0.0]);
    let mut heavy = MassProperties::aligned(2.0, Vector3::new(0.4, 0.5, 0.6));
    heavy.inverse_inertia = Matrix3::new(2.0, 0.3, 0.1, 0.3, 3.0, -0.2, 0.1, -0.2, 4.0);
    let heavy = builder.body(heavy, [0.0, -1.0, 0.2, 0.5, 0.0, -0.3]);
    let light = MassProperties::aligned(0.5, Vector3::repeat(0.1));
    let light = builder.body(light, [0.3, -1.0, 0.0, 0.0, 0.7, 0.0]);
    let axes = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let row = |d: [f64; 3], arm: [f64; 3], sign: f64| {
        let r = Vector3::from(arm).cross(&Vector3::from(d));
        [d[0], d[1], d[2], r.x, r.y, r.z].map(|x| sign * x)
    };
    let rows = |one: [f64; 3], other: [f64; 3]| -> Vec<[[f64; 6]; 2]> {
        let rows = axes.iter();
        rows.map(|d| [row(*d, one, -1.0), row(*d, other, 1.0)])
            .collect()
    };
    let coulomb = |mu| Law::Contact(Friction::Coulomb { mu });
    builder.block(
        coulomb(0.4),
        &[floor, heavy],
        &rows([0.1, 0.0, 0.3], [0.0, -0.5, 0.2]),
    );
    builder.bias(&[0.01, 0.0, 0.0]);
    builder.block(
        Law::Equality,
        &[heavy, light],
        &rows([0.2, 0.5, 0.0], [-0.1, 0.0, 0.4]),
    );
    builder.bias(&[0.0, 0.02, -0.03]);
    builder.block(
        coulomb(0.7),
        &[heavy, light],
        &rows([0.0, 0.5, 0.1], [0.3, -0.2, 0.0]),
    );
    NamedProblem::new("jointed", builder.build().unwrap(), "by hand")
}

#[test]
fn bodies_become_global_problems_and_bodies_again() {
    for named in [stack(), jointed()] {
        let exported = to_field(&named, FieldForm::Global, MatrixStorage::BlockSparse).unwrap();
        assert!(exported.losses.is_empty(), "{:?}", exported.losses);
        exported.file.validate().unwrap();
        let bodies = problem(&exported.file, GlobalForm::Fitting);
        assert!(
            bodies.provenance.contains("rigid bodies"),
            "{}",
            bodies.provenance
        );
        assert!(matches!(bodies.problem.operator(), Operator::Bodies(_)));
        let reduced = problem(&exported.file, GlobalForm::Reduced);
        assert!(
            reduced.provenance.contains("sparse Cholesky"),
            "{}",
            reduced.provenance
        );
        // both ways are the same problem
        assert!(difference(&bodies.problem, &reduced.problem) < 1e-12);
        // and the local form of the first problem is it too
        let local = to_field(&named, FieldForm::Local, MatrixStorage::BlockSparse).unwrap();
        let local = problem(&local.file, GlobalForm::Fitting);
        assert!(difference(&bodies.problem, &local.problem) < 1e-12);
        assert_eq!(local.problem.blocks()[0].law, named.problem.blocks()[0].law);
    }
}

#[test]
fn joints_become_bilateral_rows() {
    let named = jointed();
    let local = to_field(&named, FieldForm::Local, MatrixStorage::Dense).unwrap();
    let FieldProblem::Local(form) = &local.file.problem else {
        panic!("not local")
    };
    let bilateral = form.bilateral.as_ref().unwrap();
    assert_eq!((form.contacts(), bilateral.s.len()), (2, 3));
    // the joint stands between the contacts in the problem, and after them in the form
    let matrix = dense(&to_matrix(&named.problem).unwrap());
    let order = [0, 1, 2, 6, 7, 8, 3, 4, 5];
    let back = problem(&local.file, GlobalForm::Fitting).problem;
    for (i, row) in dense(&back).iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            assert_eq!(*value, matrix[order[i]][order[j]]);
        }
    }
    assert_eq!(back.blocks()[2].law, Law::Equality);
    // text has no place for them
    let error = form_text(&named.problem, FieldForm::Local, MatrixStorage::Dense).unwrap_err();
    assert!(error.to_string().contains("3 bilateral rows"), "{error}");
}

#[test]
fn one_cube_on_a_plane_is_read_from_a_global_file() {
    // m = 2, moment 1/3, one corner at (½, −½, 0), gravity for one step of 0.1 s
    let masses = "6\n6\n1\nCSparse\ntriplet: 6-by-6, nzmax: 6 nnz: 6\n0 0 : 2\n1 1 : 2\n2 2 : 2\n\
                  3 3 : .25\n4 4 : .25\n5 5 : .25\n";
    let jacobian = "6\n3\n1\nCSparse\ntriplet: 6-by-3, nzmax: 6 nnz: 6\n1 0 : 1\n5 0 : .5\n0 1 : 1\n5 1 : .5\n\
                    2 2 : 1\n3 2 : -.5\n";
    let source = format!("3\n1\n2\n{masses}2\n{jacobian}0 -2 0 0 0 0\n0 0 0\n0.5\n");
    let named = read_bytes("cube.dat", source.as_bytes(), ContactLaw::Coulomb).unwrap();
    assert!(
        named
            .provenance
            .contains("matrix-free: M is that of 1 rigid bodies")
    );
    // W_NN = 1/m + x²/I, W_TT = 1/m + y²/I, coupling x y / I with the arm's sign
    assert_eq!(named.problem.diagonal()[0], 0.5 + 1.0);
    assert_eq!(dense(&named.problem)[0], [1.5, 1.0, 0.0]);
    assert_eq!(named.problem.b(), [-1.0, 0.0, 0.0]);
}

#[test]
fn planar_bodies_have_three_freedoms() {
    let global = Global {
        dim: 2,
        m: StoredMatrix::triplets(
            6,
            6,
            (0..6).map(|i| (i, i, [2.0, 2.0, 0.5][i as usize % 3])),
        ),
        h: StoredMatrix::triplets(
            6,
            2,
            [
                (1, 0, 1.0),
                (2, 0, 0.5),
                (4, 0, -1.0),
                (0, 1, 1.0),
                (3, 1, -1.0),
            ],
        ),
        f: vec![0.0, -2.0, 0.5, 0.0, 0.0, 0.0],
        w: vec![0.25, 0.0],
        mu: vec![0.3],
        mu_r: None,
        bilateral: Some(GlobalBilateral {
            g: StoredMatrix::triplets(6, 1, [(5, 0, 1.0)]),
            b: vec![0.125],
        }),
    };
    let file = FieldFile::from(FieldProblem::Global(global));
    let bodies = problem(&file, GlobalForm::Fitting);
    assert_eq!(bodies.problem.bodies().unwrap().len(), 2);
    let reduced = problem(&file, GlobalForm::Reduced);
    assert!(difference(&bodies.problem, &reduced.problem) < 1e-15);
    // v = (0, −1, 1): u_N = −1 + 0.5 + 0.25
    assert_eq!(bodies.problem.b(), [-0.25, 0.0, 0.125]);
}

#[test]
fn rolling_friction_has_five_rows_and_its_law() {
    let source = "5\n1\n0\n5\n5\n5 5\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 9 0\n0 0 0 0 9\n-1 .5 0 0 1\n0.3\n0.01\n";
    let rolling = read(source);
    let Law::Rolling(law) = &rolling.blocks()[0].law else {
        panic!("no rolling friction")
    };
    assert_eq!((law.mu, law.rolling, law.spinning), (0.3, 0.01, None));
    let written = form_text(&rolling, FieldForm::Local, MatrixStorage::Dense).unwrap();
    assert_eq!(read(&written), rolling);
}

#[test]
fn relays_become_bounds_and_bounds_relays() {
    let relay = read("2\n0\n2\n2\n2 2\n2 0\n0 1\n-1 3\n-1 -inf\n0.5 2\n");
    let bounds = |problem: &Problem| -> Vec<Law> {
        problem
            .blocks()
            .iter()
            .map(|block| block.law.clone())
            .collect()
    };
    let law = |lower, upper| Law::Bounds { lower, upper };
    assert_eq!(
        bounds(&relay),
        [law(-1.0, 0.5), law(f64::NEG_INFINITY, 2.0)]
    );
    assert_eq!(FieldForm::fitting(&relay), FieldForm::Relay);
    let written = form_text(&relay, FieldForm::Relay, MatrixStorage::Dense).unwrap();
    assert_eq!(read(&written), relay);
}

#[test]
fn mixed_problems_are_read_in_every_form() {
    let by_matrix = "1 0\n1 2\n0 1 3\n0 1\n0\n3\n3\n3 3\n1 6 7\n4 2 3\n5 4 5\n8 9 10\n";
    // C is 1 × 2, D is 2 × 1, B row by row
    let by_parts = "0 1\n1 2\n1\n2 4\n3 5\n4 5\n6 7\n8\n9 10\n";
    let (one, other) = (read(by_matrix), read(by_parts));
    assert_eq!(one, other);
    assert_eq!(FieldForm::fitting(&one), FieldForm::Mlcp);
    let written = form_text(&one, FieldForm::Mlcp, MatrixStorage::BlockSparse).unwrap();
    assert_eq!(read(&written), one);
    let lcp = read("1\n0\n1\n1\n1 1\n2\n-1\n");
    assert_eq!(FieldForm::fitting(&lcp), FieldForm::Lcp);
}

#[test]
fn a_rectangular_mixed_problem_becomes_square_without_changing_its_solutions() {
    // three equations u − 1 = 0, 2 u − 2 = 0, v + u − 3 = 0 of one free unknown, and v ≥ 0 ⊥ u + 1
    // ≥ 0, M by columns
    let source = "1 1\n1 1\n0 1 2\n0 1\n0\n4\n2\n4 2\n1 2 1 1\n0 0 1 0\n-1 -2 -3 1\n";
    let problem = read(source);
    assert_eq!(problem.rows(), 4);
    let laws: Vec<LawKind> = problem.blocks().iter().map(|b| b.law.kind()).collect();
    assert_eq!(laws, [LawKind::Equality, LawKind::Bounds]);
    // u = 1, v = 2: the equations hold, whatever the two unknowns that were added are
    for added in [0.0, 7.0] {
        let mut w = vec![0.0; 4];
        problem.shifted_velocity(&[1.0, added, -added, 2.0], &mut w);
        assert_eq!(w, [0.0, 0.0, 0.0, 2.0]);
    }
    // more unknowns than equations: 0 = 0 is added
    let wide = read("1 0\n2 1\n0 2 3\n0 1\n0\n2\n3\n2 3\n1 0\n1 0\n0 5\n-1 -2\n");
    let mut w = vec![0.0; 3];
    wide.shifted_velocity(&[0.25, 0.75, 0.4], &mut w);
    assert_eq!(w, [0.0, 0.0, 0.0]);
}

#[test]
fn stored_impulses_are_a_reference_only_if_they_give_their_velocities() {
    let source = "2\n1\n0\n2\n2\n2 2\n2 0\n0 1\n-1 0\n0.5\n";
    let mut file = text::read(source.as_bytes()).unwrap();
    let solution = |r: [f64; 2], u: [f64; 2]| StoredSolution {
        r: r.to_vec(),
        u: u.to_vec(),
        v: None,
        l: None,
    };
    file.solution = Some(solution([0.5, 0.0], [0.0, 0.0]));
    file.guesses = vec![solution([0.25, 0.0], [0.0, 0.0])];
    let known = problem(&file, GlobalForm::Fitting);
    assert_eq!(known.reference_impulses(), Some([0.5, 0.0].as_slice()));
    assert_eq!(known.warm_start, Some(vec![0.25, 0.0]));
    // as many files have it: velocities of the solution, impulses zero
    file.solution = Some(solution([0.0, 0.0], [0.0, 0.0]));
    let unknown = problem(&file, GlobalForm::Fitting);
    assert_eq!(unknown.reference, None);
    assert!(
        unknown.provenance.contains("left out"),
        "{}",
        unknown.provenance
    );
}

#[test]
fn solutions_and_starts_take_the_order_of_the_file() {
    let mut named = jointed();
    let impulses: Vec<f64> = (1..=9).map(f64::from).collect();
    named.warm_start = Some(impulses);
    let exported = to_field(&named, FieldForm::Global, MatrixStorage::Dense).unwrap();
    let guess = &exported.file.guesses[0];
    assert_eq!(guess.r, [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]);
    assert_eq!(guess.l.as_deref(), Some([4.0, 5.0, 6.0].as_slice()));
    // u = Hᵀ v + w of the velocities stored with them
    let FieldProblem::Global(global) = &exported.file.problem else {
        panic!("not global")
    };
    let mut u = vec![0.0; 6];
    global
        .h
        .multiply_transposed(guess.v.as_ref().unwrap(), &mut u);
    for ((u, w), expected) in u.iter().zip(&global.w).zip(&guess.u) {
        assert!((u + w - expected).abs() < 1e-12);
    }
}

#[test]
fn compliance_goes_into_the_matrix_and_is_said() {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    builder.block(
        Law::UNILATERAL,
        &[body],
        &[[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]],
    );
    builder.compliance(&[0.25]);
    let named = NamedProblem::new("soft", builder.build().unwrap(), "by hand");
    let exported = to_field(&named, FieldForm::Lcp, MatrixStorage::Dense).unwrap();
    assert_eq!(exported.losses.len(), 1);
    assert!(exported.losses[0].starts_with("the compliance of 1 rows is added"));
    let FieldProblem::Lcp(lcp) = exported.file.problem else {
        panic!("not linear")
    };
    assert_eq!(
        (lcp.m.values(), lcp.q.as_slice()),
        ([0.75].as_slice(), [-1.0].as_slice())
    );
    let refused = |form| {
        to_field(&named, form, MatrixStorage::Dense)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(FieldForm::Global).contains("no place for compliance"));
    let text = form_text(&named.problem, FieldForm::Lcp, MatrixStorage::Dense);
    assert!(
        text.unwrap_err()
            .to_string()
            .contains("no place for compliance")
    );
}

#[test]
fn a_matrix_has_no_masses_and_a_chain_has_a_global_form() {
    let named = read_bytes("f", b"1\n0\n1\n1\n1 1\n2\n-1\n", ContactLaw::Coulomb).unwrap();
    let error = to_field(&named, FieldForm::Global, MatrixStorage::Dense).unwrap_err();
    assert!(error.to_string().contains("given by its matrix"), "{error}");
    let chain = generate("chain", &serde_json::Map::new()).unwrap();
    let exported = to_field(&chain, FieldForm::Global, MatrixStorage::Dense).unwrap();
    let back = problem_of(&exported.file, ContactLaw::Coulomb, MemoryLimit::NONE).unwrap();
    assert!(difference(&chain.problem, &back.problem) < 1e-12);
}
