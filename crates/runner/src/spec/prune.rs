//! Goes on after an error: what is wrong is taken out of the tables of a spec, so that the rest is
//! read as well and one run shows every error.

use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

/// Sections that figures, tables, strips and gates cannot ask about.
const UNASKED: [&str; 11] = [
    "title",
    "question",
    "max_memory",
    "limits",
    "stop",
    "timing",
    "reference",
    "figure",
    "table",
    "strip",
    "gate",
];

/// What has been taken out.
#[derive(Debug, Default)]
pub(super) struct Pruned {
    /// Positions of the tables and arrays that have lost something, with those around them.
    altered: Vec<Range<usize>>,
    /// True if figures and tables could ask for something that is gone.
    asked: bool,
}

impl Pruned {
    /// True if an error at this place may come from what has been taken out.
    pub(super) fn caused(&self, span: &Range<usize>) -> bool {
        self.altered.contains(span)
    }

    /// True if what figures and tables can ask for is as in the spec.
    pub(super) fn keeps_columns(&self) -> bool {
        !self.asked
    }

    /// Takes the innermost entry at `span` out; false if there is none.
    pub(super) fn take(&mut self, root: &mut DeTable<'_>, span: &Range<usize>) -> bool {
        // an error about the spec as a whole
        if span.is_empty() {
            return false;
        }
        let Some(key) = self.of_table(root, span, 0..0) else {
            return false;
        };
        self.asked |= !UNASKED.contains(&key.as_str());
        true
    }

    /// The key of `table` that lost something or is gone; `own` is the place of the table.
    fn of_table(
        &mut self,
        table: &mut DeTable<'_>,
        span: &Range<usize>,
        own: Range<usize>,
    ) -> Option<String> {
        let mut found = None;
        for (key, item) in table.iter_mut() {
            let place = item.span();
            let inside = self.of_value(item.get_mut(), span, &place);
            if inside || covers(&key.span(), span) || covers(&place, span) {
                found = Some((key.get_ref().to_string(), inside));
                break;
            }
        }
        let (name, inside) = found?;
        if !inside {
            table.remove(name.as_str());
        }
        self.altered.push(own);
        Some(name)
    }

    /// True if something in `value`, which stands at `place`, is gone.
    fn of_value(
        &mut self,
        value: &mut DeValue<'_>,
        span: &Range<usize>,
        place: &Range<usize>,
    ) -> bool {
        let array = match value {
            DeValue::Table(table) => return self.of_table(table, span, place.clone()).is_some(),
            DeValue::Array(array) => array,
            _ => return false,
        };
        let mut gone = None;
        for (index, element) in array.iter_mut().enumerate() {
            let own = element.span();
            if self.of_value(element.get_mut(), span, &own) {
                self.altered.push(place.clone());
                return true;
            }
            if covers(&own, span) {
                gone = Some(index);
                break;
            }
        }
        let Some(gone) = gone else { return false };
        let all = std::mem::replace(array, DeArray::new())
            .into_iter()
            .enumerate();
        *array = all
            .filter(|(index, _)| *index != gone)
            .map(|(_, element)| element)
            .collect();
        self.altered.push(place.clone());
        true
    }
}

fn covers(own: &Range<usize>, span: &Range<usize>) -> bool {
    own.start <= span.start && span.end <= own.end
}
