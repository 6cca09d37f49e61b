//! The remark about runs that are not ranked, because they stepped another scene.

use crate::record::CellRecord;

/// Most runs that a remark names \[-\].
const MOST: usize = 12;

/// What is done with the runs of another scene among these, `how`, and why; `None` without any.
pub(crate) fn remark<'r>(
    how: &str,
    records: impl IntoIterator<Item = &'r CellRecord>,
) -> Option<String> {
    let lines = records.into_iter().flat_map(|record| {
        let name = format!("{}, {}", record.method(), record.problem.name);
        record
            .other_scene()
            .map(move |what| format!("{name}: {what}"))
    });
    let mut lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("{more} more"));
    }
    (!lines.is_empty()).then(|| {
        format!(
            "{how}, because they step another scene: {}.",
            lines.join("; ")
        )
    })
}
