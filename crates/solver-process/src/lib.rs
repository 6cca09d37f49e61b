//! Solvers of other programs, each in a process of its own, behind the solver trait.
//!
//! A peer is a program that reads problems and writes impulses (docs/peers.md). [`entry()`] makes
//! an entry of a registry from the hello of one: `cmd:python3 my_solver.py` for a command line,
//! `py:MODULE:CLASS` for a class of Python, `peer:NAME/SOLVER` for one that [`PeerFile`] describes.
//! [`ProcessSolver`] sends it problems. Its answers are judged outside, as those of every solver;
//! what it claims is kept next to it.
//!
//! A peer cannot harm the program: it has a process group with limits, a deadline that ends the
//! group, a pipe whose sizes are checked before they are read, and an environment without what
//! does not concern it. A process that ends is started again for the next problem.

mod check;
mod child;
mod entry;
mod frame;
mod hello;
mod last_words;
mod left_out;
mod limits;
mod peer_file;
mod pool;
mod program;
mod solver;
mod words;

pub use check::{CheckVerdict, CheckedCase, check};
pub use child::Peer;
pub use entry::{Commands, entry, like, linked_elsewhere};
pub use frame::{
    ArrayHead, ArrayType, FrameArray, FrameError, MOST_ARRAYS, MOST_DEPTH, MOST_JSON, PeerMessage,
};
pub use hello::{
    DeclaredParameter, DeclaredSolver, DeclaredTolerance, Hello, PROTOCOL, TAKEN,
    fault_of_parameters, is_name, long,
};
pub use left_out::{leave_out, left_out};
pub use limits::{before_first, has_started, kill_all, running};
pub use peer_file::{
    ENGINE_FILE, ListedFile, PEER_FILE, PEERS, PeerFile, VENV, all as peer_files,
    engines as engine_files, folder as peer_folder, no_folder as no_peer_folder,
    roots as peer_roots,
};
pub use pool::{answered, end_all, failed, give, greeting, hello, take};
pub use program::{COMMAND, PEER, PYTHON, PeerProgram, ProcessName, is_process, set_interpreter};
pub use solver::ProcessSolver;
pub use words::words;
