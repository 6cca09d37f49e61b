//! Scene files: a world is written and read again, the same to the last bit.

use std::path::Path;

use delassus_scenes::{of_bytes, text};

use crate::bounded::bounded_with_room;

/// What begins like JSON is read as JSON, everything else as TOML.
pub(crate) fn meet(bytes: &[u8]) {
    let json = bytes.trim_ascii_start().starts_with(b"{");
    let file = Path::new(if json { "scene.json" } else { "scene.toml" });
    let world = match bounded_with_room(bytes, || of_bytes(file, bytes)) {
        Ok(world) => world,
        Err(error) => {
            assert!(error.to_string().starts_with("scene."), "{error}");
            return;
        }
    };
    let written = text(&world, file).expect("a name with a form");
    let again = of_bytes(file, written.as_bytes()).expect("what is written is read");
    let twice = text(&again, file).expect("a name with a form");
    assert!(twice == written, "a round trip changes the scene");
}
