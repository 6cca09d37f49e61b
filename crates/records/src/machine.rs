//! The machine that a program runs on. No host name, no user, no path.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The machine that the program runs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineInfo {
    /// Model of the processor; "unknown" where the system does not say.
    pub cpu: String,
    /// The widest vector instructions that the processor offers.
    pub vector_level: String,
    /// The vector level that wide solvers take by default, with what the environment asks for; why
    /// not, if none.
    pub solver_level: String,
    /// Logical cores that the program may use \[-\].
    pub logical_cores: usize,
    /// The data caches that the first core sees, by name, with their sizes \[B\].
    pub caches: Map<String, Value>,
    /// Operating system, with the kernel's release where the system says.
    pub os: String,
}

impl MachineInfo {
    /// Looks at this machine, whose wide solvers take the vector level `solver_level` by default.
    pub fn here(solver_level: String) -> Self {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease");
        let release = release.map(|text| format!(" {}", text.trim()));
        Self {
            cpu: cpu(),
            vector_level: vector_level().to_owned(),
            solver_level,
            logical_cores: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            os: format!("{}{}", std::env::consts::OS, release.unwrap_or_default()),
        }
    }

    /// True if times of one are times of the other: the same processor and vector level, as many
    /// cores.
    pub fn times_as(&self, other: &Self) -> bool {
        self.cpu == other.cpu
            && self.solver_level == other.solver_level
            && self.logical_cores == other.logical_cores
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

/// The data caches that the first core sees, by name, with their sizes \[B\]; none where the system
/// does not say.
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
pub fn load() -> Option<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
