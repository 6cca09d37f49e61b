//! The commit of a checkout.

use std::path::Path;
use std::process::{Command, Stdio};

/// The commit that is checked out in a folder, hexadecimal; `None` outside of a checkout, before
/// its first commit, and without git.
pub(crate) fn head(folder: &Path) -> Option<String> {
    let folder = match folder == Path::new("") {
        true => Path::new("."),
        false => folder,
    };
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(folder)
        .args(["rev-parse", "--verify", "HEAD"]);
    let answer = git.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let answer = answer.ok().filter(|answer| answer.status.success())?;
    let commit = String::from_utf8(answer.stdout).ok()?;
    let commit = commit.trim();
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_of_a_checkout_has_the_commit_that_is_checked_out() {
        // tests of workers end all other children of this process
        #[cfg(unix)]
        let _no_worker_ends = crate::isolate::own_children();
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.arg("-C").arg(folder.path());
            git.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
            git.args(arguments)
                .output()
                .is_ok_and(|answer| answer.status.success())
        };
        assert_eq!(head(folder.path()), None);
        if !git(&["init", "-q"]) {
            delassus_skips::skip("checkout", "there is no git");
            return;
        }
        assert_eq!(head(folder.path()), None, "no commit yet");
        fs::create_dir(folder.path().join("specs")).unwrap();
        let mut last = None;
        for message in ["first", "second"] {
            assert!(git(&["commit", "-q", "--allow-empty", "-m", message]));
            let found = head(&folder.path().join("specs"));
            assert!(found.is_some() && found != last, "{found:?}");
            last = found;
        }
        assert_eq!(head(&folder.path().join("nowhere")), None);
    }
}
