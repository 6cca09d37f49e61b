//! What a program of a solver has started outside of any cell: it ends with this program.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Stdio;

use crate::peers::{SCRIPT, has_python};
use crate::processes::{ended, lives, send, wait_for};
use crate::support::{LCP, Lab, write_chain};

/// Starts a process in a session of its own, whose parent is gone, and never says what it is.
const SILENT: &str = "(setsid sh -c 'echo $$ > number.part; mv number.part number; exec sleep 1000' &)\n\
                      sleep 1000\n";

/// A spec in whose folder the script lies.
const SPEC: &str = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\n\
                    use = \"cmd:sh silent.sh\"\n";

/// The number of the process that a script has started.
fn number(lab: &Lab) -> u32 {
    let path = lab.path("number");
    let number = wait_for("a process of the solver", || {
        fs::read_to_string(&path).ok()?.trim().parse().ok()
    });
    fs::remove_file(path).expect("the number");
    number
}

#[test]
fn what_a_program_starts_before_its_first_word_ends_at_a_signal() {
    let lab = Lab::new();
    lab.file("lcp.dat", LCP);
    lab.file("silent.sh", SILENT);
    lab.file("s/experiment.toml", SPEC);
    for verb in [
        &["solve", "lcp.dat", "--solver", "cmd:sh silent.sh"][..],
        &["run", "s", "--out", "r"],
    ] {
        for (name, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
            let mut command = lab.command(verb);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = command.spawn().expect("the program starts");
            let orphan = number(&lab);
            assert!(lives(orphan), "{verb:?}, {name}");
            send(name, &[child.id()]);
            let ran = ended(child);
            assert_eq!(ran.code, code, "{verb:?}, {name}: {}", ran.stderr);
            wait_for("its end", || (!lives(orphan)).then_some(()));
        }
    }
}

#[test]
fn what_a_program_has_left_ends_with_a_solve() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let start = "import subprocess\nsubprocess.run([\"sh\", \"-c\", \"(setsid sh -c 'echo $$ > \
                 number.part; mv number.part number; exec sleep 1000' > /dev/null 2>&1 &)\"])\n";
    lab.file("solver.py", format!("{start}{SCRIPT}"));
    write_chain(&lab, 4);
    let solver = "cmd:python3 solver.py";
    let ran = lab.run(&["solve", "chain.dls", "--solver", solver]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let orphan = number(&lab);
    wait_for("its end", || (!lives(orphan)).then_some(()));
}
