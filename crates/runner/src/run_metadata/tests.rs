//! Paths of the files of a run.

use std::fs;

use super::*;

#[test]
fn relative_paths() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("x/a"), dir.path().join("y"));
    fs::create_dir_all(&a).unwrap();
    fs::create_dir_all(&b).unwrap();
    let file = b.join("f");
    fs::write(&file, "").unwrap();
    assert_eq!(relative(&a, &file), Some(PathBuf::from("../../y/f")));
    assert_eq!(relative(&b, &file), Some(PathBuf::from("f")));
    assert_eq!(relative(&b, &b.join("missing")), None);
}
