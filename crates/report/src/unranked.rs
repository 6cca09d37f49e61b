//! The remark about runs that are not ranked, because they stepped another scene.

use crate::record::CellRecord;

/// Most runs that a remark names \[-\].
const MOST: usize = 12;

/// What is done with the runs of another scene among these, `how`, and why; `None` without any.
pub(crate) fn remark<'r>(
    how: &str,
    records: impl IntoIterator<Item = &'r CellRecord>,
) -> Option<String> {
    // what several runs have in common is said once
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    for record in records {
        let name = format!("{}, {}", record.method(), record.problem.name);
        for what in record.other_scene() {
            match lines.iter_mut().find(|(known, _)| *known == what) {
                Some((_, names)) => names.push(name.clone()),
                None => lines.push((what, vec![name.clone()])),
            }
        }
    }
    let shown = |(what, names): (&str, Vec<String>)| {
        let more = names.len().saturating_sub(MOST);
        let mut names: Vec<String> = names.into_iter().take(MOST).collect();
        names.extend((more > 0).then(|| format!("{more} more")));
        format!("{}: {what}", names.join(" and "))
    };
    let lines: Vec<String> = lines.into_iter().map(shown).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "{how}, because they step another scene: {}.",
            lines.join("; ")
        )
    })
}
