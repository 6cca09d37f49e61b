//! The bits of a solve or a motion, step by step, and where two of them part.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use delassus_core::Problem;
use delassus_dynamics::World;

/// The bits of every number after every step, and what the numbers are called.
pub(super) struct Track {
    names: Vec<String>,
    steps: Vec<Vec<u64>>,
}

/// What of a body is looked at, in order.
const FIELDS: [&str; 16] = [
    "position.x",
    "position.y",
    "position.z",
    "low part of position.x",
    "low part of position.y",
    "low part of position.z",
    "orientation.i",
    "orientation.j",
    "orientation.k",
    "orientation.w",
    "velocity.x",
    "velocity.y",
    "velocity.z",
    "spin.x",
    "spin.y",
    "spin.z",
];

impl Track {
    /// No steps yet; the numbers are the impulses of a problem.
    pub(super) fn of_rows(problem: &Problem) -> Self {
        let blocks = problem.blocks().iter().enumerate();
        let names = blocks.flat_map(|(index, block)| {
            (0..block.dim).map(move |row| format!("block {index}, impulse of row {row}"))
        });
        Self {
            names: names.collect(),
            steps: Vec::new(),
        }
    }

    /// No steps yet; the numbers are the state of a world.
    pub(super) fn of_bodies(world: &World) -> Self {
        let bodies = 0..world.bodies().len();
        let names = bodies.flat_map(|body| FIELDS.map(|field| format!("body {body}, {field}")));
        Self {
            names: names.collect(),
            steps: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, bits: impl Iterator<Item = u64>) {
        self.steps.push(bits.collect());
        let last = self.steps.last().map(Vec::len);
        assert_eq!(last, Some(self.names.len()), "every number has a name");
    }

    pub(super) fn push_world(&mut self, world: &World) {
        let bits = world.bodies().iter().flat_map(|body| {
            let turn = body.orientation.coords.iter().chain(body.velocity.iter());
            let rest = turn.chain(body.spin.iter()).map(|x| x.to_bits());
            body.position.bits().chain(rest).collect::<Vec<_>>()
        });
        self.push(bits);
    }

    /// Steps that were taken \[-\].
    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// A blank and a hash of 64 bits (FNV-1a) per step.
    pub(super) fn hashes(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let bytes = step.iter().flat_map(|bits| bits.to_le_bytes());
            let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            let _ = write!(text, " {hash:016x}");
        }
        text
    }

    /// The first step and number that differ, with both values and their distance.
    pub(super) fn first_difference(&self, other: &Self) -> Option<String> {
        for (step, (ours, theirs)) in self.steps.iter().zip(&other.steps).enumerate() {
            let pairs = ours.iter().zip(theirs).zip(&self.names);
            for ((a, b), name) in pairs {
                if a != b {
                    let [x, y] = [a, b].map(|bits| f64::from_bits(*bits));
                    let ulps = ordered(*a).abs_diff(ordered(*b));
                    return Some(format!(
                        "step {step}, {name}: {x:e} and {y:e}, {ulps} ulps apart"
                    ));
                }
            }
        }
        let (ours, theirs) = (self.steps.len(), other.steps.len());
        (ours != theirs).then(|| format!("{ours} steps and {theirs}"))
    }

    /// Compares with the track of that name in a folder; writes it there if there is none.
    pub(super) fn compare_in(&self, dir: &Path, name: &str) -> Option<String> {
        let path = dir.join(name.replace('/', "+"));
        let Ok(text) = fs::read_to_string(&path) else {
            let line = |step: &Vec<u64>| {
                let words: Vec<String> = step.iter().map(|bits| format!("{bits:x}")).collect();
                words.join(" ") + "\n"
            };
            fs::create_dir_all(dir).expect("the folder of states");
            let text: String = self.steps.iter().map(line).collect();
            fs::write(&path, text).expect("a file of states");
            return None;
        };
        let number = |word| u64::from_str_radix(word, 16).expect("a file of states");
        let steps = text
            .lines()
            .map(|line| line.split_whitespace().map(number).collect());
        let there = Self {
            names: Vec::new(),
            steps: steps.collect(),
        };
        self.first_difference(&there)
    }
}

/// Bits as an integer that grows with the number: neighbours differ by one.
fn ordered(bits: u64) -> i128 {
    let magnitude = i128::from(bits & !(1 << 63));
    if bits >> 63 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

#[test]
fn the_first_difference_has_step_name_and_distance() {
    let track = |last: f64| Track {
        names: vec!["a".to_owned(), "b".to_owned()],
        steps: vec![vec![0, 1.0_f64.to_bits()], vec![0, last.to_bits()]],
    };
    let (one, next) = (track(1.0), track(1.0 + f64::EPSILON));
    assert_eq!(one.first_difference(&track(1.0)), None);
    let found = one.first_difference(&next).expect("a difference");
    assert!(found.starts_with("step 1, b: 1e0 and "), "{found}");
    assert!(found.ends_with(", 1 ulps apart"), "{found}");
    assert_ne!(one.hashes(), next.hashes());
    // across zero
    assert_eq!(ordered(0), ordered((-0.0_f64).to_bits()));
    let folder = std::env::temp_dir().join(format!("delassus-states-{}", std::process::id()));
    assert_eq!(one.compare_in(&folder, "x/y"), None);
    let again = next.compare_in(&folder, "x/y").expect("a difference");
    fs::remove_dir_all(&folder).expect("the folder of states");
    assert!(again.contains("step 1, b"), "{again}");
}
