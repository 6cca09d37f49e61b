//! The samples of a traced pass, in one list per kind of number: a report holds those of all cells.

/// One sample of the traced pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Sweeps so far \[-\].
    pub sweeps: u64,
    /// Row updates so far \[-\].
    pub row_updates: u64,
    /// One value per metric of the outcome; `None` where a metric does not apply.
    pub values: Vec<Option<f64>>,
}

impl From<SampleRow<'_>> for Sample {
    fn from(row: SampleRow<'_>) -> Self {
        Self {
            sweeps: row.sweeps,
            row_updates: row.row_updates,
            values: row.values().collect(),
        }
    }
}

/// One sample of a [`SampleTable`].
#[derive(Debug, Clone, Copy)]
pub struct SampleRow<'t> {
    /// Sweeps so far \[-\].
    pub sweeps: u64,
    /// Row updates so far \[-\].
    pub row_updates: u64,
    values: &'t [f64],
}

impl<'t> SampleRow<'t> {
    /// The value of the metric with this index; `None` where it does not apply.
    pub fn value(self, column: usize) -> Option<f64> {
        self.values.get(column).copied().and_then(applies)
    }

    /// One value per metric.
    pub fn values(self) -> impl ExactSizeIterator<Item = Option<f64>> + 't {
        self.values.iter().copied().map(applies)
    }
}

impl PartialEq for SampleRow<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.sweeps, self.row_updates) == (other.sweeps, other.row_updates)
            && self.values().eq(other.values())
    }
}

fn applies(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

/// Samples in their order. All have as many values as the first one.
#[derive(Debug, Clone, Default)]
pub struct SampleTable {
    sweeps: Counts,
    row_updates: Counts,
    /// Values of a sample \[-\].
    columns: usize,
    /// The values of one sample after those of the other; NaN where a metric does not apply.
    values: Vec<f64>,
}

impl SampleTable {
    /// Number of samples \[-\].
    pub fn len(&self) -> usize {
        self.sweeps.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Values of each sample \[-\]; zero without samples.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The sample of this index.
    pub fn get(&self, index: usize) -> Option<SampleRow<'_>> {
        let begin = index * self.columns;
        Some(SampleRow {
            sweeps: self.sweeps.get(index)?,
            row_updates: self.row_updates.get(index)?,
            values: self.values.get(begin..begin + self.columns)?,
        })
    }

    /// The first sample.
    pub fn first(&self) -> Option<SampleRow<'_>> {
        self.get(0)
    }

    /// The last sample.
    pub fn last(&self) -> Option<SampleRow<'_>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The samples in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SampleRow<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Adds a sample. Values that the first one does not have are left out, missing ones do not
    /// apply, and neither does NaN.
    pub fn push(&mut self, sample: &Sample) {
        if self.is_empty() {
            self.columns = sample.values.len();
        }
        self.sweeps.push(sample.sweeps);
        self.row_updates.push(sample.row_updates);
        for column in 0..self.columns {
            let value = sample.values.get(column).copied().flatten();
            self.values.push(value.unwrap_or(f64::NAN));
        }
    }

    /// Removes all but the first `count` samples.
    pub fn truncate(&mut self, count: usize) {
        self.sweeps.truncate(count);
        self.row_updates.truncate(count);
        self.values.truncate(count * self.columns);
    }

    /// Gives the last sample a value, if it has this column.
    pub fn set_last(&mut self, column: usize, value: f64) {
        let row = self.values.len().saturating_sub(self.columns);
        if let Some(place) = self.values[row..].get_mut(column) {
            *place = value;
        }
    }

    /// Gives memory back that no sample takes.
    pub(super) fn shrink_to_fit(&mut self) {
        self.sweeps.shrink_to_fit();
        self.row_updates.shrink_to_fit();
        self.values.shrink_to_fit();
    }
}

impl PartialEq for SampleTable {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl FromIterator<Sample> for SampleTable {
    fn from_iter<I: IntoIterator<Item = Sample>>(samples: I) -> Self {
        let mut table = Self::default();
        samples.into_iter().for_each(|sample| table.push(&sample));
        table.shrink_to_fit();
        table
    }
}

impl From<Vec<Sample>> for SampleTable {
    fn from(samples: Vec<Sample>) -> Self {
        samples.into_iter().collect()
    }
}

/// Counts, four bytes each until one needs more.
#[derive(Debug, Clone)]
enum Counts {
    Small(Vec<u32>),
    Large(Vec<u64>),
}

impl Default for Counts {
    fn default() -> Self {
        Self::Small(Vec::new())
    }
}

impl Counts {
    fn len(&self) -> usize {
        match self {
            Self::Small(counts) => counts.len(),
            Self::Large(counts) => counts.len(),
        }
    }

    fn get(&self, index: usize) -> Option<u64> {
        match self {
            Self::Small(counts) => counts.get(index).copied().map(u64::from),
            Self::Large(counts) => counts.get(index).copied(),
        }
    }

    fn push(&mut self, count: u64) {
        match (&mut *self, u32::try_from(count)) {
            (Self::Small(counts), Ok(small)) => counts.push(small),
            (Self::Large(counts), _) => counts.push(count),
            (Self::Small(counts), Err(_)) => {
                let before = counts.iter().copied().map(u64::from);
                *self = Self::Large(before.chain([count]).collect());
            }
        }
    }

    fn truncate(&mut self, count: usize) {
        match self {
            Self::Small(counts) => counts.truncate(count),
            Self::Large(counts) => counts.truncate(count),
        }
    }

    fn shrink_to_fit(&mut self) {
        match self {
            Self::Small(counts) => counts.shrink_to_fit(),
            Self::Large(counts) => counts.shrink_to_fit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(sweeps: u64, values: &[Option<f64>]) -> Sample {
        Sample {
            sweeps,
            row_updates: 3 * sweeps,
            values: values.to_vec(),
        }
    }

    #[test]
    fn samples_come_back_in_order_and_large_counts_whole() {
        let large = u64::from(u32::MAX) / 2;
        let all = [
            sample(0, &[Some(0.5), None]),
            sample(7, &[Some(-0.0), Some(f64::INFINITY)]),
            // three times as many row updates need more than four bytes
            sample(large, &[None, Some(5e-324)]),
            sample(large + 1, &[None, None]),
        ];
        let mut table: SampleTable = all.iter().cloned().collect();
        let back: Vec<Sample> = table.iter().map(Sample::from).collect();
        assert_eq!(back, all);
        assert!(back[1].values[0].is_some_and(f64::is_sign_negative));
        assert_eq!(table.get(2).unwrap().row_updates, 3 * large);
        assert_eq!(table.iter().next_back(), table.last());
        assert_eq!((table.len(), table.get(4)), (4, None));
        // equal however large the counts once were
        table.truncate(2);
        assert_eq!(table, all[..2].to_vec().into());
        table.set_last(1, 2.0);
        table.set_last(2, 3.0);
        assert_eq!(table.last().unwrap().value(1), Some(2.0));
        assert_eq!(
            (table.columns(), table.first().unwrap().value(2)),
            (2, None)
        );
        SampleTable::default().set_last(0, 1.0);
    }

    #[test]
    fn samples_take_the_memory_of_their_numbers() {
        let all = (0..1000).map(|k| sample(k, &[Some(0.5), None, Some(1.5)]));
        let table: SampleTable = all.collect();
        let bytes = |counts: &Counts| match counts {
            Counts::Small(counts) => 4 * counts.capacity(),
            Counts::Large(counts) => 8 * counts.capacity(),
        };
        let all = bytes(&table.sweeps) + bytes(&table.row_updates) + 8 * table.values.capacity();
        assert!(all <= 1000 * (4 + 4 + 3 * 8) + 64, "{all} bytes");
    }

    #[test]
    fn a_sample_without_a_value_is_equal_to_itself_and_nan_is_no_value() {
        let table: SampleTable = vec![sample(1, &[None]), sample(2, &[Some(f64::NAN)])].into();
        assert_eq!(table, table.clone());
        assert_eq!(table.last().unwrap().value(0), None);
        // of another length than the first
        let mut uneven = table.clone();
        uneven.push(&sample(3, &[Some(1.0), Some(2.0)]));
        uneven.push(&sample(4, &[]));
        let values: Vec<_> = uneven.iter().map(|row| row.value(0)).collect();
        assert_eq!(values, [None, None, Some(1.0), None]);
        // no metrics, and samples all the same
        let bare: SampleTable = vec![sample(1, &[]), sample(2, &[])].into();
        assert_eq!((bare.len(), bare.last().unwrap().sweeps), (2, 2));
    }
}
