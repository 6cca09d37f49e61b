//! What this program was built from, as its build script found it.

use delassus_records::build::Build;
use delassus_registry::OPT_LEVEL;

/// What this program was built from.
pub(crate) const BUILD: Build = Build {
    version: env!("CARGO_PKG_VERSION"),
    commit: env!("DELASSUS_COMMIT"),
    dirty: env!("DELASSUS_DIRTY"),
    rustc: env!("DELASSUS_RUSTC"),
    target: env!("DELASSUS_TARGET"),
    profile: env!("DELASSUS_PROFILE"),
    solver_opt_level: OPT_LEVEL,
    packages: env!("DELASSUS_VERSIONS"),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_knows_commit_compiler_and_packages() {
        let commit = BUILD.commit;
        let hash = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
        assert!(hash || commit == "unknown", "{commit}");
        assert!(BUILD.rustc.starts_with("rustc 1."), "{}", BUILD.rustc);
        let versions = BUILD.versions();
        assert!(versions.contains_key("nalgebra"), "{versions:?}");
    }
}
