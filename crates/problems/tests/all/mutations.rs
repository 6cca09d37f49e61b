//! Mutated files: every reader returns a valid problem or a typed error, and never panics.

use delassus_problems::generators::{BoxProblem, Generator, OperatorForm, Planted, Stack};
use delassus_problems::{
    ContactLaw, MatrixStorage, contact_text, lcp_text, read_bytes, snapshot_bytes,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::mutation::{mutate, mutation};
use crate::snapshots::everything;

/// A valid file of every format and storage.
fn seeds() -> Vec<Vec<u8>> {
    let stack = BoxProblem::from(Stack {
        n: 2,
        ..Stack::default()
    })
    .generate()
    .unwrap()
    .problem;
    let planar = Planted {
        coulomb: 5,
        contact_dim: 2,
        form: OperatorForm::Matrix,
        ..Planted::default()
    };
    let planar = planar.generate().unwrap().problem;
    let limits = Planted {
        coulomb: 0,
        frictionless: 0,
        bounds: 1,
        ..Planted::default()
    };
    let mut rows = limits.generate().unwrap().problem.into_parts();
    for block in &mut rows.blocks {
        block.law = delassus_core::Law::UNILATERAL;
    }
    let rows = delassus_core::Problem::new(rows).unwrap();
    let mut seeds = Vec::new();
    for storage in [MatrixStorage::Dense, MatrixStorage::BlockSparse] {
        seeds.push(contact_text(&stack, storage).unwrap().into_bytes());
        seeds.push(contact_text(&planar, storage).unwrap().into_bytes());
        seeds.push(lcp_text(&rows, storage).unwrap().into_bytes());
    }
    let sparse = [
        // global, rolling, relay, mixed by parts, rectangular
        "3\n1\n0\n6\n6\n6 6\n2 0 0 0 0 0\n0 2 0 0 0 0\n0 0 2 0 0 0\n0 0 0 1 0 0\n0 0 0 0 1 0\n0 0 0 0 0 1\n\
         2\n6\n3\n1\nCSparse\ntriplet: 6-by-3, nzmax: 4 nnz: 4\n0 0 : 1\n1 1 : 1\n2 2 : 1\n3 0 : .5\n\
         -1 0 0 0 0 0\n0 0 0\n0.5\n",
        "3\n1\n0\n3\n3\n3 3\n2 1 0\n1 2 0\n0 0 1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0 0 0\n0.1\n",
        "5\n1\n0\n5\n5\n5 5\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 9 0\n0 0 0 0 9\n-1 .5 0 0 1\n0.3\n0.01\n",
        "2\n0\n2\n2\n2 2\n2 0\n0 1\n-1 3\n-1 -inf\n0.5 2\n",
        "0 1\n1 2\n1\n2 4\n3 5\n4 5\n6 7\n8\n9 10\n",
        "1 1\n1 1\n0 1 2\n0 1\n0\n4\n2\n4 2\n1 2 1 1\n0 0 1 0\n-1 -2 -3 1\n",
        "2\n1\n2\n2\n2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 2\n1 1 : 1\n-1 0\n0.5\n",
        "2\n1\n2\n2\n2\n4\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 2\n0 1 : 0.5\n1 1 : 1\n-1 0\n0.5\n",
        "2\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 2\ncol 0 : locations 0 to 0\n0 : 2\n\
         col 1 : locations 1 to 1\n1 : 1\n-1 0\n",
        "1\n1\n1\n1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 0\n0 1\n-1 -1\n",
    ];
    seeds.extend(sparse.map(|text| text.as_bytes().to_vec()));
    seeds.push(snapshot_bytes(&everything(7, OperatorForm::Bodies)));
    seeds.push(snapshot_bytes(&everything(8, OperatorForm::Matrix)));
    seeds
}

#[test]
fn the_seeds_are_valid() {
    for seed in seeds() {
        read_bytes("seed", &seed, ContactLaw::Coulomb).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn mutated_files_are_read_or_refused(
        which in any::<Index>(),
        mutations in prop::collection::vec(mutation(), 1..5),
    ) {
        let seeds = seeds_once();
        let mut bytes = seeds[which.index(seeds.len())].clone();
        for mutation in &mutations {
            mutate(&mut bytes, mutation);
        }
        match read_bytes("mutated", &bytes, ContactLaw::Coulomb) {
            Ok(named) => {
                // a problem that was read is a valid one, and its numbers are finite
                let problem = named.problem;
                prop_assert!(problem.b().iter().all(|b| b.is_finite()));
                prop_assert!(delassus_core::Problem::new(problem.into_parts()).is_ok());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

fn seeds_once() -> &'static [Vec<u8>] {
    static SEEDS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    SEEDS.get_or_init(seeds)
}
