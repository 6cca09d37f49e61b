//! The adapters that GPU solvers find on this machine.

use super::fact::Fact;

/// One line per adapter, with the limits that decide how large a problem may be.
#[cfg(feature = "gpu")]
pub(super) fn facts(warnings: &mut Vec<String>) -> Vec<Fact> {
    use super::fact::fact;
    use delassus_solver_gpu::adapters::{ADAPTER_VARIABLE, adapters};
    use serde_json::json;

    let found = adapters();
    if found.is_empty() {
        warnings.push(
            "no adapter: cells of solvers that compute on a GPU end as unsupported; `tests/software-vulkan.sh` installs a software one on Debian"
                .to_owned(),
        );
        return vec![fact("adapters", "none", json!([]))];
    }
    if found.iter().all(|adapter| adapter.is_software) {
        warnings.push(
            "every adapter is software: GPU solvers give right answers here and meaningless times"
                .to_owned(),
        );
    }
    let mut facts = Vec::new();
    for (index, adapter) in found.iter().enumerate() {
        let (key, json) = match index {
            0 => ("adapters", json!(found)),
            _ => ("", json!(null)),
        };
        let shown = format!(
            "{} ({}, {}, {})",
            adapter.name, adapter.backend, adapter.kind, adapter.driver
        );
        facts.push(fact(key, shown, json));
        facts.push(fact("", limits(adapter), json!(null)));
    }
    facts.push(fact(
        "",
        format!("the first is used; {ADAPTER_VARIABLE} chooses by a part of the name"),
        json!(null),
    ));
    facts
}

/// Sizes and abilities in one line.
#[cfg(feature = "gpu")]
fn limits(adapter: &delassus_solver_gpu::AdapterReport) -> String {
    let abilities = [
        (adapter.timestamps, "timestamps"),
        (adapter.float_atomics, "float atomics"),
        (adapter.subgroups, "subgroups"),
    ];
    let has = abilities.iter().filter(|(has, _)| *has);
    let mut words = vec![
        format!("buffers up to {} MiB", adapter.max_buffer_size >> 20),
        format!("bindings up to {} MiB", adapter.max_storage_binding >> 20),
        format!("{} storage buffers", adapter.max_storage_buffers),
        format!("workgroups of {}", adapter.max_workgroup_size),
        format!("{} KiB shared", adapter.max_workgroup_memory >> 10),
    ];
    words.extend(has.map(|(_, name)| (*name).to_owned()));
    if !adapter.default_limits {
        words.push("below the limits that the kernels need".to_owned());
    }
    words.join(", ")
}

/// A build without graphics code knows no adapters.
#[cfg(not(feature = "gpu"))]
pub(super) fn facts(_warnings: &mut Vec<String>) -> Vec<Fact> {
    vec![super::fact(
        "adapters",
        "not looked for: this program was built without `--features gpu`",
        serde_json::Value::Null,
    )]
}
