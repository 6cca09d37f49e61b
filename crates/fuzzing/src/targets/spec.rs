//! Specs: a spec or an error with a place in the text.

use std::path::Path;

use delassus_runner::spec;

use super::REGISTRY;
use crate::bounded::bounded_with_room;

pub(crate) fn meet(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    // a pattern looks at whatever lies on the disk
    if text.contains("file") && text.contains(['*', '?']) {
        return;
    }
    let registry = &*REGISTRY;
    let file = Path::new("nowhere/experiment.toml");
    match bounded_with_room(bytes, || spec::of_text(file, text.to_owned(), registry)) {
        Ok(spec) => {
            let again = spec::of_text(file, spec.text.clone(), registry);
            assert!(again.is_ok_and(|again| again == spec), "another spec");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\0') || text.contains('\0'), "{message}");
            if let Some(place) = &error.place {
                let lines = text.lines().count().max(1);
                assert!((1..=lines + 1).contains(&place.line), "{message}");
            }
        }
    }
}
