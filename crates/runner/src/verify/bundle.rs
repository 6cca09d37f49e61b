//! The texts that come with a bundle, made again from spec and manifest.

use std::path::Path;

use delassus_records::disk;
use serde_json::Value;

use super::report::VerifyReport;
use crate::key;
use crate::manifest::BINARY;
use crate::passing::{self, BundleTexts, METHOD};
use crate::registry::Registry;
use crate::saved::{BUNDLE, Saved};
use crate::spec::Spec;

/// Compares licences, citations and page of a bundle with what this program writes there; another
/// program may have had other words.
pub(super) fn check_texts(
    dir: &Path,
    (saved, spec): (&Saved, &Spec),
    manifest: &Value,
    registry: &Registry,
    verdict: &mut VerifyReport,
) {
    let is_own = manifest[BINARY].as_str() == Some(key::build_id());
    let spec_file = saved.spec_file.to_str().filter(|_| is_own);
    let Some(spec_file) = spec_file.filter(|_| dir.join(BUNDLE).exists()) else {
        return;
    };
    let of = BundleTexts {
        id: &saved.id,
        title: &spec.title,
        spec,
        spec_file,
        manifest,
        has_method: disk::open_in(dir, &format!("{METHOD}/Cargo.toml")).is_ok(),
    };
    // a spec that names what is not here has been met before
    for (name, text) in passing::texts(&of, registry).unwrap_or_default() {
        match disk::read_in(dir, &name) {
            Ok(bytes) if bytes == text.as_bytes() => verdict.made += 1,
            Ok(_) => verdict.find(&name, "is not what `delassus bundle` writes there"),
            Err(error) => verdict.find(&name, format!("cannot be read: {error}")),
        }
    }
}
