//! What the wide solver keeps from problem to problem, how many bytes a sweep moves, and that it
//! allocates nothing.

use delassus_core::{
    BodyRows, Friction, ImpulseSolver, Law, Operator, Problem, Solver, Start, Traffic,
};
use delassus_solver_si::Pgs;
use delassus_solver_wide::VectorLevel;
use delassus_solver_wide::wide_pgs::Layout;
use serde_json::json;

use crate::made::{short_manifolds, turned_joints};
use crate::support::run;
use crate::sweeps::{LAYOUTS, bits, coloured, made, problems, wide};

fn pgs() -> Pgs {
    Pgs::new(Default::default()).expect("the defaults")
}

/// The same blocks over another number of bodies, or with the ground taken away: nothing of the old
/// ones is left.
#[test]
fn a_used_solver_forgets_the_bodies_of_the_last_problem() {
    let plain = made("stack", json!({ "n": 3, "law": "patch" }));
    let changed = |change: fn(&mut BodyRows)| {
        let mut parts = plain.clone().into_parts();
        if let Operator::Bodies(rows) = &mut parts.operator {
            change(rows);
        }
        Problem::new(parts).expect("still valid")
    };
    let more = changed(|rows| {
        let mass = rows.mass[1];
        rows.mass.extend([mass; 40]);
        rows.free_velocity.extend([0.5; 240]);
    });
    let movable_ground = changed(|rows| rows.mass[0] = rows.mass[1]);
    for layout in LAYOUTS {
        let mut solver = wide(layout, VectorLevel::Auto, 1, 64);
        for problem in [&more, &plain, &movable_ground, &plain, &more] {
            let found = run(&mut solver, problem, Start::Cold, 4);
            let mut fresh = wide(layout, VectorLevel::Auto, 1, 64);
            assert_eq!(
                bits(&found),
                bits(&run(&mut fresh, problem, Start::Cold, 4))
            );
        }
    }
}

/// One box on the ground, four points: bytes of a sweep, counted by hand from the layouts.
#[test]
fn traffic_is_what_the_layouts_hold() {
    let problem = made("stack", json!({ "n": 1, "law": "coulomb" }));
    let traffic = |solver: &mut dyn ImpulseSolver| {
        assert_eq!(solver.facts().traffic, None, "nothing prepared");
        solver.prepare(&problem, Start::Cold).expect("accepted");
        solver.facts().traffic.expect("prepared")
    };
    for level in VectorLevel::available() {
        let lanes = level.lanes() as u64;
        // both bodies in every lane, the box written back
        let gathered = 32 * (2 * lanes + 1);
        let found = traffic(&mut wide(Layout::Recompute, level, 1, 64));
        // 26 numbers of the manifold and 12 of each point, in lines of 64 bytes
        assert_eq!(found.read, (4 * 74 * lanes).next_multiple_of(64));
        assert_eq!(found.written, 4 * 12 * lanes);
        assert_eq!(found.gathered, gathered);
        let found = traffic(&mut wide(Layout::Projection, level, 1, 64));
        // per point: two bodies; velocity to impulse and back, 36 each; λ, b, R; two bounds,
        // activity; A_tn and A_sn
        assert_eq!(found.read, 4 * 4 * (2 + 72 + 9 + 3 + 2) * lanes);
        assert_eq!(found.written, 4 * 12 * lanes);
        assert_eq!(found.gathered, 4 * gathered);
    }
    let row = 96 + 24 + 8;
    // matrix, indices of the block, its body, its activity, its law
    let block = 72 + 56 + 4 + 8 + 24;
    for solver in [&mut pgs() as &mut dyn ImpulseSolver, &mut coloured(64)] {
        let found = traffic(solver);
        assert_eq!(found.read, 12 * row + 4 * block);
        assert_eq!(found.written, 12 * 8);
        assert_eq!(found.gathered, 4 * 2 * 48);
    }
}

/// Allocations are those of the calling thread, which does the first part of the work as the others
/// do theirs.
#[test]
fn sweeps_allocate_nothing() {
    for (name, problem) in problems() {
        for threads in [1, 2, 3] {
            let mut solver = wide(Layout::Recompute, VectorLevel::Auto, threads, 64);
            solver.prepare(&problem, Start::Cold).expect("accepted");
            let mut outcome = Ok(Default::default());
            // past the renewal of the velocities
            let counted = allocation_counter::measure(|| outcome = solver.iterate(&problem, 70));
            outcome.expect("finite");
            assert_eq!(counted.count_total, 0, "{name}, {threads} threads");
        }
    }
}

/// The plan of the last problem is kept only while packing finds every contact where it was.
#[test]
fn a_used_solver_sees_contacts_that_change_their_kind() {
    let plain = made("wall", json!({ "base": 6, "law": "coulomb" }));
    let skewed = |first: usize, last: usize| {
        let mut parts = plain.clone().into_parts();
        if let Operator::Bodies(rows) = &mut parts.operator {
            let entries = rows.first_entry[first]..rows.first_entry[last];
            rows.jacobian.edit(|all| {
                for entry in &mut all[entries] {
                    entry[4] += 0.05 * entry[1];
                }
            });
        }
        Problem::new(parts).expect("still valid")
    };
    let mut frictional = plain.clone().into_parts();
    for block in frictional.blocks.iter_mut().skip(9).take(2) {
        block.law = Law::Contact(Friction::Coulomb { mu: 0.9 });
    }
    let frictional = Problem::new(frictional).expect("still valid");
    // one manifold is none any more, one loses its second half, one breaks where the friction does
    let all = [
        &plain,
        &skewed(4, 8),
        &plain,
        &skewed(10, 12),
        &frictional,
        &plain,
    ];
    for threads in [1, 2] {
        let mut used = wide(Layout::Recompute, VectorLevel::Auto, threads, 64);
        for problem in all {
            let found = run(&mut used, problem, Start::Cold, 4);
            let mut fresh = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
            let expected = run(&mut fresh, problem, Start::Cold, 4);
            assert_eq!(bits(&found), bits(&expected));
            assert_eq!(
                used.prepared().expect("prepared").counts().filled,
                fresh.prepared().expect("prepared").counts().filled
            );
        }
    }
}

/// The bytes of one sweep of the layout `recompute`.
fn traffic(problem: &Problem, level: VectorLevel) -> Traffic {
    let mut solver = wide(Layout::Recompute, level, 1, 64);
    solver.prepare(problem, Start::Cold).expect("accepted");
    solver.facts().traffic.expect("prepared")
}

/// A patch, a frictionless manifold and joints, counted by hand.
#[test]
fn traffic_of_patches_normals_and_joints() {
    let stack = |law: &str| made("stack", json!({ "n": 1, "law": law }));
    let joints =
        |dof: usize, count: usize| made("joint-graph", json!({ "count": count, "dof": dof }));
    for level in VectorLevel::available() {
        let lanes = level.lanes() as u64;
        let lines = |numbers: u64| (4 * numbers * lanes).next_multiple_of(64);
        // the box on its ground: both bodies in every lane, the box written back
        let gathered = 32 * (2 * lanes + 1);
        // 24 numbers of the manifold and 6 of each point
        let found = traffic(&stack("frictionless"), level);
        assert_eq!(found.read, lines(24 + 4 * 6));
        assert_eq!(found.written, 4 * 4 * lanes);
        assert_eq!(found.gathered, gathered);
        // and of friction μ, activity, 4 for the middle, 4 levers, λ, b and R of three rows, two
        // masses
        let found = traffic(&stack("patch"), level);
        assert_eq!(
            found.read,
            lines(24 + 4 * 6) + 4 * (2 + 4 + 4 + 9 + 2) * lanes
        );
        assert_eq!(found.written, 4 * 7 * lanes);
        assert_eq!(found.gathered, gathered);
        for (turning, rows) in [(0, 3), (1, 4), (2, 5), (3, 6)] {
            let found = traffic(&joints(rows, 1), level);
            let dof = 3 + turning;
            // two bodies, arms, inertias and masses; axes; W⁻¹, symmetric; b and λ
            let numbers = 2 + 6 + 12 + 2 + 3 * turning + dof * (dof + 1) / 2 + 2 * dof;
            assert_eq!(found.read, lines(numbers), "{dof} rows");
            assert_eq!(found.written, 4 * dof * lanes);
            assert_eq!(found.gathered, 32 * (2 * lanes + 2));
        }
    }
}

/// Manifolds and joints with other rows: packing sees that they are not what the plan says.
#[test]
fn a_used_solver_sees_joints_and_patches_that_change_their_kind() {
    let plain = [
        turned_joints(0.0),
        short_manifolds(),
        made("stack", json!({ "n": 3, "law": "patch" })),
        made("wall", json!({ "base": 4, "law": "frictionless" })),
    ];
    for plain in plain {
        let skewed = |first: usize, last: usize| {
            let mut parts = plain.clone().into_parts();
            if let Operator::Bodies(rows) = &mut parts.operator {
                let entries = rows.first_entry[first]..rows.first_entry[last];
                rows.jacobian.edit(|all| {
                    for entry in &mut all[entries] {
                        let [x, y, z] = [entry[0], entry[1], entry[2]];
                        // an angular part along the normal: no arm has it
                        for (to, linear) in entry[3..].iter_mut().zip([x, y, z]) {
                            *to += 0.05 * linear;
                        }
                    }
                });
            }
            Problem::new(parts).expect("still valid")
        };
        let all = [&plain, &skewed(0, 1), &plain, &skewed(1, 3), &plain];
        let mut used = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let mut filled = Vec::new();
        for problem in all {
            let found = run(&mut used, problem, Start::Cold, 4);
            let mut fresh = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
            let expected = run(&mut fresh, problem, Start::Cold, 4);
            assert_eq!(bits(&found), bits(&expected));
            assert_eq!(
                used.prepared().expect("prepared").counts().filled,
                fresh.prepared().expect("prepared").counts().filled
            );
            let read = fresh.facts().traffic.expect("prepared").read;
            filled.push(read);
        }
        assert!(
            filled[1] > filled[0],
            "the skewed rows keep their Jacobians"
        );
    }
}

/// Problems that give their points, and the same ones as rows: the numbers are read in two places,
/// and nothing else differs.
#[test]
fn points_and_their_rows_are_packed_into_the_same_bits() {
    for law in ["coulomb", "pyramid", "disc", "fixed-box"] {
        let given = made("wall", json!({ "base": 5, "law": law }));
        let mut parts = given.clone().into_parts();
        if let Operator::Bodies(rows) = &mut parts.operator {
            assert!(rows.jacobian.has_points(), "{law}");
            rows.jacobian.edit(|_| {});
        }
        let rows = Problem::new(parts).expect("the same problem");
        assert_eq!(given.diagonal(), rows.diagonal());
        for level in VectorLevel::available() {
            let of = |problem: &Problem| {
                let mut solver = wide(Layout::Recompute, level, 1, 64);
                let impulses = run(&mut solver, problem, Start::Cold, 6);
                (bits(&impulses), solver.facts().traffic)
            };
            let jacobian = |problem: &Problem| problem.bodies().unwrap().jacobian.clone();
            assert_eq!(of(&given), of(&rows), "{law}");
            assert!(jacobian(&rows).is_derived());
            assert_eq!(jacobian(&given), jacobian(&rows));
        }
        let fresh = made("wall", json!({ "base": 5, "law": law }));
        let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        run(&mut solver, &fresh, Start::Cold, 1);
        assert!(
            !fresh.bodies().unwrap().jacobian.is_derived(),
            "{law}: nobody asked for rows"
        );
    }
}

/// In every preparation of a problem with enough manifolds, the threads of the pool interrupt their
/// wait for tasks and pack.
#[test]
fn threads_pack_their_parts_again_and_again() {
    let problem = made("wall", json!({ "base": 16, "law": "coulomb" }));
    let mut alone = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
    let mut impulses = vec![0.0; problem.rows()];
    let expected: Vec<_> = (0..30)
        .map(|_| {
            impulses = run(&mut alone, &problem, Start::Warm(&impulses), 2);
            bits(&impulses)
        })
        .collect();
    for threads in [2, 3] {
        let mut solver = wide(Layout::Recompute, VectorLevel::Auto, threads, 64);
        let mut impulses = vec![0.0; problem.rows()];
        for expected in &expected {
            impulses = run(&mut solver, &problem, Start::Warm(&impulses), 2);
            assert_eq!(bits(&impulses), *expected, "{threads} threads");
        }
    }
}
