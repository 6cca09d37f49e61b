//! The command line as its users meet it: the program is spawned, its streams and exit codes are read.

mod cite;
mod commands;
mod convert;
mod criteria;
mod export;
mod folder;
mod fsck;
#[cfg(all(feature = "gpu", target_os = "linux"))]
mod gpu;
mod help;
mod inspect;
#[cfg(unix)]
mod isolation;
#[cfg(unix)]
mod kills;
mod list;
#[cfg(unix)]
mod lock;
mod memory;
mod origins;
mod own_solver;
mod plan;
mod programs;
mod reference;
mod report;
mod runs;
mod signals;
mod solutions;
mod solve;
mod streams;
mod support;
mod typing_errors;
mod words;
