//! With what and where a run was made. No host name, no user, no absolute path.

use std::time::{SystemTime, UNIX_EPOCH};

use delassus_solver_si::VectorLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::key;
use crate::origin::{Origin, machines, one_or_all};
use crate::record::CellRecord;

/// What the program was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// Version of the program.
    pub version: &'static str,
    /// The last commit that touched the program's source; "unknown" outside of a repository.
    pub commit: &'static str,
    /// "true" if the source differed from that commit, "false", or "unknown".
    pub dirty: &'static str,
    /// The compiler.
    pub rustc: &'static str,
    /// The target triple.
    pub target: &'static str,
    /// "release" or "debug".
    pub profile: &'static str,
    /// Optimisation level of the program itself.
    pub opt_level: &'static str,
}

impl Build {
    /// Whether the source differed from the commit; `None` if that is not known.
    pub fn modified(&self) -> Option<bool> {
        self.dirty.parse().ok()
    }
}

/// What this program was built from.
pub fn build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION"),
        commit: env!("DELASSUS_COMMIT"),
        dirty: env!("DELASSUS_DIRTY"),
        rustc: env!("DELASSUS_RUSTC"),
        target: env!("DELASSUS_TARGET"),
        profile: env!("DELASSUS_PROFILE"),
        opt_level: env!("DELASSUS_OPT_LEVEL"),
    }
}

/// Versions of the packages that matter to numbers, files and pictures.
pub fn versions() -> Map<String, Value> {
    let packages = env!("DELASSUS_VERSIONS").split(';');
    let pairs = packages.filter_map(|package| package.split_once(' '));
    pairs
        .map(|(name, version)| (name.to_owned(), Value::from(version)))
        .collect()
}

/// The machine that the program runs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor; "unknown" where the system does not say.
    pub cpu: String,
    /// The widest vector instructions that the processor offers.
    pub vector_level: String,
    /// The vector level that wide solvers take by default, with what the environment asks for; why not, if none.
    pub solver_level: String,
    /// Logical cores that the program may use \[-\].
    pub logical_cores: usize,
    /// The data caches that the first core sees, by name, with their sizes \[B\].
    pub caches: Map<String, Value>,
    /// Operating system, with the kernel's release where the system says.
    pub os: String,
}

impl Machine {
    /// True if times of one are times of the other: the same processor and vector level, as many cores.
    pub fn times_as(&self, other: &Self) -> bool {
        let facts = |machine: &Self| {
            (
                machine.cpu.clone(),
                machine.solver_level.clone(),
                machine.logical_cores,
            )
        };
        facts(self) == facts(other)
    }
}

/// Looks at this machine.
pub fn machine() -> Machine {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    let release = release.map(|text| format!(" {}", text.trim()));
    Machine {
        cpu: cpu(),
        vector_level: vector_level().to_owned(),
        solver_level: solver_level(),
        logical_cores: std::thread::available_parallelism().map_or(1, usize::from),
        caches: caches(),
        os: format!("{}{}", std::env::consts::OS, release.unwrap_or_default()),
    }
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = info.lines();
    let line = lines.find_map(|line| line.strip_prefix("model name"));
    let model = line.and_then(|rest| rest.split_once(':'));
    model.map_or_else(
        || std::env::var("PROCESSOR_IDENTIFIER").unwrap_or_else(|_| "unknown".to_owned()),
        |(_, name)| name.trim().to_owned(),
    )
}

fn vector_level() -> &'static str {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return "avx512f";
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return "avx2";
        }
        if std::arch::is_x86_feature_detected!("sse2") {
            return "sse2";
        }
    }
    if cfg!(target_arch = "aarch64") {
        return "neon";
    }
    "none"
}

fn solver_level() -> String {
    match VectorLevel::automatic() {
        Ok(level) if VectorLevel::available().contains(&level) => level.id().to_owned(),
        Ok(level) => format!("none: this processor does not have {}", level.id()),
        Err(error) => format!("none: {error}"),
    }
}

/// Why this machine cannot run a solver with these parameters: a vector level that its processor does not have.
pub(crate) fn lacks(parameters: &Map<String, Value>) -> Option<String> {
    let level = parameters.get("level")?.as_str()?;
    let named = VectorLevel::NAMED.into_iter().find(|l| l.id() == level)?;
    let has = VectorLevel::available().contains(&named);
    (!has).then(|| format!("this processor does not have the vector level {level}"))
}

/// The data caches that the first core sees, by name, with their sizes \[B\]; none where the system does not say.
pub fn caches() -> Map<String, Value> {
    let mut found = Map::new();
    let folder = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache");
    // a processor has four or five
    for index in 0..16 {
        let read = |name: &str| {
            let path = folder.join(format!("index{index}")).join(name);
            std::fs::read_to_string(path).map(|text| text.trim().to_owned())
        };
        if let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size"))
            && kind != "Instruction"
            && let Some(bytes) = bytes(&size)
        {
            found.insert(format!("L{level}"), Value::from(bytes));
        }
    }
    found
}

/// Number of tasks that ran or waited over the last minute \[-\], where the system says.
pub(crate) fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// A size as the system writes it, "48K" or "32M".
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) if text.ends_with('K') => (number, 1 << 10),
        Some(number) if text.ends_with('M') => (number, 1 << 20),
        Some(number) => (number, 1 << 30),
        None => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// The manifest of a run: what the program is, and where and when its cells ran, from the cells themselves.
///
/// Where cells differ, an entry lists what they say; `machines` has every machine with the number and the dates of its
/// cells. Equal cells give equal manifests. `spec_sha256` is the hash of the spec's text.
pub fn manifest(spec_sha256: &str, records: &[CellRecord]) -> Value {
    let build = build();
    let origins: Vec<&Origin> = records.iter().filter_map(|r| r.origin.as_ref()).collect();
    let one = |pick: &dyn Fn(&Origin) -> Value| one_or_all(origins.iter().map(|o| pick(o)));
    json!({
        "date": origins.iter().map(|o| o.date.as_str()).max(),
        "delassus": build.version,
        "commit": build.commit,
        "modified": build.modified(),
        "rustc": build.rustc,
        "target": build.target,
        "profile": build.profile,
        "opt_level": build.opt_level,
        "binary_sha256": key::build_id(),
        "spec_sha256": spec_sha256,
        "schema": key::SCHEMA,
        "cpu": one(&|o| json!(o.machine.cpu)),
        "vector_level": one(&|o| json!(o.machine.vector_level)),
        "solver_level": one(&|o| json!(o.machine.solver_level)),
        "logical_cores": one(&|o| json!(o.machine.logical_cores)),
        "caches": one(&|o| json!(o.machine.caches)),
        "jobs": one(&|o| json!(o.jobs)),
        "os": one(&|o| json!(o.machine.os)),
        "machines": machines(&origins),
        "packages": versions(),
    })
}

/// The date of now.
pub(crate) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH);
    utc(seconds.map_or(0, |d| d.as_secs()))
}

/// Seconds since 1970 as `2026-01-31T23:59:59Z`, by the days-from-civil algorithm run backwards.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // days since 0000-03-01, so that a leap day is the last of its year
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cell;
    use delassus_core::Status;

    fn record() -> CellRecord {
        let mut record = cell("p", "s", Status::Solved, 1, |_| None);
        let origin = Origin::begun(&machine(), 1, &record.solver);
        record.origin = Some(Origin {
            date: "2026-01-02T00:00:00Z".to_owned(),
            ..origin
        });
        record
    }

    #[test]
    fn dates() {
        // from `date -u -d @N`
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }

    #[test]
    fn sizes_of_caches() {
        let sizes = ["48K", "32M", "1G", "64", "K", "4T", ""].map(bytes);
        let expected = [Some(49_152), Some(33_554_432), Some(1 << 30), Some(64)];
        assert_eq!(sizes[..4], expected);
        assert_eq!(sizes[4..], [None; 3]);
        for (name, size) in caches() {
            assert!(name.starts_with('L') && size.as_u64() > Some(0), "{name}");
        }
    }

    #[test]
    fn a_machine_lacks_the_levels_that_are_not_available() {
        let with = |level: &str| Map::from_iter([("level".to_owned(), Value::from(level))]);
        for level in VectorLevel::NAMED {
            let has = VectorLevel::available().contains(&level);
            assert_eq!(lacks(&with(level.id())).is_none(), has, "{}", level.id());
        }
        // not a level: the solver itself refuses it
        assert!(lacks(&with("sse9")).is_none() && lacks(&Map::new()).is_none());
    }

    #[test]
    fn a_manifest_lists_what_its_cells_differ_in() {
        let mut records = vec![record(), record(), record()];
        let one = manifest("0", &records);
        assert_eq!(
            (&one["jobs"], &one["machines"][0]["cells"]),
            (&1.into(), &3.into())
        );
        assert_eq!(one["date"], "2026-01-02T00:00:00Z");
        assert_eq!(one["solver_level"], machine().solver_level);
        assert_eq!(one, manifest("0", &records), "no date of now");
        let origin = records[1].origin.as_mut().unwrap();
        origin.machine.solver_level = "another".to_owned();
        origin.date = "2026-01-01T00:00:00Z".to_owned();
        origin.jobs = 4;
        let two = manifest("0", &records);
        assert_eq!(two["jobs"], json!([1, 4]));
        assert_eq!(
            two["solver_level"],
            json!([machine().solver_level, "another"])
        );
        assert_eq!(two["cpu"], machine().cpu);
        assert_eq!(two["date"], "2026-01-02T00:00:00Z");
        assert_eq!(two["machines"][1]["last"], "2026-01-01T00:00:00Z");
        assert_eq!(two["machines"][0]["cells"], 2);
    }

    #[test]
    fn says_what_it_must_and_nothing_private() {
        let manifest = manifest("0", &[record()]);
        let text = manifest.to_string();
        for private in ["HOME", "USER", "PWD", "HOSTNAME"] {
            let value = std::env::var(private).unwrap_or_default();
            // a user named "s" is in every text
            assert!(
                value.len() < 5 || !text.contains(&value),
                "{private}: {text}"
            );
        }
        let commit = manifest["commit"].as_str().unwrap_or_default();
        let hash = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
        assert!(hash || commit == "unknown", "{commit}");
        assert!(
            manifest["rustc"]
                .as_str()
                .is_some_and(|v| v.starts_with("rustc 1."))
        );
        assert_eq!(manifest["binary_sha256"].as_str().map(str::len), Some(64));
        assert!(manifest["logical_cores"].as_u64().is_some_and(|n| n >= 1));
        assert!(versions().contains_key("nalgebra"), "{:?}", versions());
    }
}
