//! Verbs that write one file: to a regular file, to a new name, or to standard output; nothing else
//! is replaced.

use std::fs;

use crate::support::{LCP, Lab};

/// A folder with results and a problem file.
fn lab() -> Lab {
    let lab = Lab::new();
    let spec = "title = \"T\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"pgs\"\n[stop]\nmax_sweeps = 5\n";
    lab.file("spec.toml", spec);
    let ran = lab.run(&["run", "spec.toml", "--out", "results", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    lab.file("lcp.dat", LCP);
    lab
}

/// Every verb that writes one file, without its name.
const VERBS: [&[&str]; 6] = [
    &["export", "pendulum", "--frame", "2", "--out"],
    &["export", "pendulum", "--format", "toml", "--out"],
    &["convert", "lcp.dat", "--format", "dls"],
    &["plot", "results", "--out"],
    &["schema", "--out"],
    &["bundle", "results", "--out"],
];

/// The endings that tell forms.
fn named(verb: &[&str], stem: &str) -> String {
    let ending = match verb {
        ["export", _, "--format", ..] => "toml",
        ["bundle", ..] => "zip",
        ["plot", ..] => "svg",
        ["schema", ..] => "json",
        _ => "dls",
    };
    format!("{stem}.{ending}")
}

#[test]
fn standard_output_has_the_bytes_of_the_file() {
    let lab = lab();
    for verb in VERBS {
        let file = named(verb, "file");
        let ran = lab.run(&[verb, &[&file]].concat());
        assert_eq!(ran.code, 0, "{verb:?}: {}", ran.stderr);
        let bytes = fs::read(lab.path(&file)).expect("a file");
        for name in ["-", "/dev/stdout"] {
            let mut command = lab.command(&[verb, &[name]].concat());
            let output = command.output().expect("the program starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{verb:?} {name}: {said}");
            assert!(output.stdout == bytes, "{verb:?} {name}");
        }
        let both = lab.run(&[verb, &["-", "--json"]].concat());
        both.is_refused_with(&["--json", "standard output"]);
        assert!(!lab.path("-").exists());
        fs::remove_file(lab.path(&file)).expect("a file");
    }
    let all = ["export", "pendulum", "--frame", "2", "--all", "--out", "-"];
    lab.run(&all).is_refused_with(&["--all"]);
}

/// Every verb that makes a folder.
const MAKERS: [&[&str]; 12] = [
    &["run", "spec.toml", "--out"],
    &["plan", "spec.toml", "--out"],
    &["watch", "spec.toml", "--out"],
    &["gate", "spec.toml", "--out"],
    &["merge", "results", "--out"],
    &["status", "spec.toml", "--out"],
    &["compare", "results", "--out"],
    &["data", "results", "--out"],
    &["demo", "--out"],
    &["man", "--out"],
    &["solve", "lcp.dat", "--save"],
    &["reference", "lcp.dat", "--save"],
];

#[test]
fn standard_output_is_no_folder() {
    let lab = lab();
    for verb in MAKERS {
        for name in ["-", "/dev/stdout"] {
            let ran = lab.run(&[verb, &[name]].concat());
            ran.is_refused_with(&["that is standard output, and a folder is made"]);
        }
        assert!(!lab.path("-").exists(), "{verb:?}");
    }
    let ran = lab.run(&["run", "spec.toml", "--out", "./-", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(lab.path("-/report.html").is_file());
}

/// What stands in the place of a folder that is to be made is named, and stays.
#[cfg(unix)]
#[test]
fn what_is_no_folder_is_refused_by_every_verb() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    let lab = lab();
    lab.file("file", "own");
    let made = Command::new("mkfifo").arg(lab.path("pipe")).status();
    assert!(made.expect("mkfifo starts").success());
    let _listener = UnixListener::bind(lab.path("socket")).expect("a socket");
    symlink("pipe", lab.path("link")).expect("a link");
    symlink("nothing", lab.path("dangling")).expect("a link");
    for verb in MAKERS
        .into_iter()
        .chain([&["report", "results", "--out"][..]])
    {
        for (name, kind) in [
            ("file", "a file"),
            ("pipe", "a pipe"),
            ("socket", "a socket"),
            ("link", "a pipe"),
            ("dangling", "a link to nothing"),
            ("/dev/null", "a device"),
        ] {
            let ran = lab.run(&[verb, &[name]].concat());
            let said = format!("that is {kind}, and a folder is made: name one, as ./results");
            ran.is_refused_with(&[&said]);
        }
    }
    assert_eq!(fs::read(lab.path("file")).expect("it stays"), b"own");
    assert!(!lab.path("nothing").exists());
    // a folder over a link is one, and nothing is made below a file
    fs::create_dir(lab.path("far")).expect("a folder");
    symlink("far", lab.path("near")).expect("a link");
    let ran = lab.run(&["man", "--out", "near"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let run = lab.run(&["run", "spec.toml", "--out", "file/inside", "--quiet"]);
    let demo = lab.run(&["demo", "--out", "file/inside", "--quiet"]);
    let what = "cannot write file/inside: a file stands where a folder should";
    assert!(run.stderr.contains(what), "{}", run.stderr);
    assert_eq!((run.code, &run.stderr), (3, &demo.stderr));
    assert_eq!(demo.code, 3, "{}", demo.stderr);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    let lab = lab();
    fs::create_dir(lab.path("folder")).expect("a folder");
    for verb in VERBS {
        let [pipe, socket, device, link, dangling] =
            ["pipe", "socket", "device", "link", "dangling"].map(|stem| named(verb, stem));
        let made = Command::new("mkfifo").arg(lab.path(&pipe)).status();
        assert!(made.expect("mkfifo starts").success());
        let _listener = UnixListener::bind(lab.path(&socket)).expect("a socket");
        symlink(lab.path(&pipe), lab.path(&link)).expect("a link");
        symlink("nothing", lab.path(&dangling)).expect("a link");
        let mut mknod = Command::new("mknod");
        mknod.arg(lab.path(&device)).args(["c", "1", "3"]);
        // for the superuser alone
        let has_device = mknod.output().is_ok_and(|output| output.status.success());
        let mut refused = vec![
            (pipe.as_str(), "a pipe"),
            (&socket, "a socket"),
            (&link, "a link to a pipe"),
            (&dangling, "a link to nothing"),
            ("/dev/null", "a device"),
        ];
        if has_device {
            refused.push((&device, "a device"));
        }
        for (name, kind) in refused {
            let ran = lab.run(&[verb, &[name]].concat());
            ran.is_refused_with(&[kind, "or - for standard output"]);
        }
        let kind = |name: &str| {
            fs::symlink_metadata(lab.path(name))
                .expect("it stays")
                .file_type()
        };
        assert!(kind(&pipe).is_fifo() && kind(&socket).is_socket());
        assert!(kind(&link).is_symlink() && kind(&dangling).is_symlink());
        assert!(!has_device || kind(&device).is_char_device());
        for name in [&pipe, &socket, &link, &dangling, &device] {
            let _ = fs::remove_file(lab.path(name));
        }
    }
    let null = fs::metadata("/dev/null").expect("it stays").file_type();
    assert!(null.is_char_device());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_leads_to_the_file() {
    use std::os::unix::fs::symlink;

    let lab = lab();
    for verb in VERBS {
        let [file, link] = ["file", "link"].map(|stem| named(verb, stem));
        lab.file("far/old", "old");
        symlink("far/old", lab.path(&link)).expect("a link");
        for name in [&file, &link] {
            let ran = lab.run(&[verb, &[name]].concat());
            assert_eq!(ran.code, 0, "{verb:?}: {}", ran.stderr);
        }
        let is_link = fs::symlink_metadata(lab.path(&link)).is_ok_and(|there| there.is_symlink());
        assert!(is_link, "{verb:?}");
        let [there, wanted] =
            ["far/old", &file].map(|name| fs::read(lab.path(name)).expect("a file"));
        assert!(there == wanted, "{verb:?}");
        fs::remove_file(lab.path(&link)).expect("a link");
    }
}

/// A name says what a file is: one that says otherwise is refused, and nothing is written.
#[test]
fn names_end_as_files_of_their_form() {
    let lab = lab();
    let npz = [
        "export", "pendulum", "--frame", "0", "--format", "npz", "--out",
    ];
    let text = [
        "export", "stack", "--frame", "1", "--format", "fc3d", "--out",
    ];
    for (verb, allowed, wrong) in [
        (VERBS[0], ".dls", &["x.npz", "x.dat", "x.png", "x"][..]),
        (&npz, ".npz", &["x.dls", "x"]),
        (&text, ".dat or .txt", &["x.dls"]),
        (VERBS[1], ".toml", &["x.json", "x"]),
        (VERBS[3], ".svg or .pdf", &["x.png", "x.svgz", "x", "svg"]),
        (VERBS[4], ".json", &["x.toml", "x"]),
        (VERBS[5], ".zip", &["x.tar.gz", "x"]),
    ] {
        for name in wrong {
            let ran = lab.run(&[verb, &[name]].concat());
            ran.is_refused_with(&[
                &format!("--out {name}: "),
                &format!("end its name in {allowed}"),
            ]);
            assert!(!lab.path(name).exists(), "{verb:?} {name}");
        }
    }
    for name in ["x.PDF", "x.svg"] {
        let ran = lab.run(&[VERBS[3], &[name]].concat());
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
    }
    let pdf = fs::read(lab.path("x.PDF")).expect("a figure");
    assert!(pdf.starts_with(b"%PDF-"));
}

/// A place that no archive can have is refused before anything in the folder is drawn again.
#[test]
fn a_refused_bundle_draws_nothing() {
    let lab = lab();
    lab.file("README.md", "# Another page\n");
    let page = || fs::read(lab.path("results/report.html")).expect("a page");
    let before = page();
    for out in ["x.tar", "results"] {
        let ran = lab.run(&["bundle", "results", "--out", out]);
        ran.is_refused_with(&["--out"]);
    }
    assert!(page() == before);
}
