//! The command line as its users meet it: the program is spawned, its streams and exit codes are
//! read.

mod absent_solvers;
#[cfg(unix)]
mod bad_inputs;
mod budget;
mod bundle_lists;
mod bundles;
mod catalogue;
mod cite;
mod commands;
mod compare;
mod convert;
mod copied_folders;
mod criteria;
#[cfg(target_os = "linux")]
mod damages;
mod data;
mod demo;
mod destinations;
mod engines;
mod export;
mod folder;
mod forged_texts;
mod forger;
mod forgeries;
mod fsck;
mod gallery;
mod gate;
#[cfg(all(feature = "gpu", target_os = "linux"))]
mod gpu;
mod help;
#[cfg(target_os = "linux")]
mod hostile_folders;
#[cfg(target_os = "linux")]
mod hostile_sizes;
mod inspect;
#[cfg(unix)]
mod isolation;
#[cfg(unix)]
mod kills;
mod links;
mod list;
#[cfg(unix)]
mod lock;
mod looks;
mod memory;
mod names;
mod new;
mod origins;
mod orphans;
mod other_specs;
mod own_solver;
mod packaging;
mod pages;
mod parts;
mod passing;
mod peers;
mod plan;
mod play;
mod plot;
#[cfg(unix)]
mod processes;
mod programs;
mod python_peers;
#[cfg(unix)]
mod read_only;
mod reference;
mod report;
#[cfg(unix)]
mod reruns;
mod roots;
mod runs;
mod same_results;
#[cfg(target_os = "linux")]
mod schedulers;
mod schema;
mod show;
mod signals;
mod soft;
mod solutions;
mod solve;
#[cfg(unix)]
mod stores;
mod streams;
mod support;
mod tutorials;
mod typing_errors;
mod unfinished;
mod versions;
#[cfg(unix)]
mod watch;
mod words;
mod workflow;
mod worlds;
