//! Numbers of a peer, as its own program prints them.

use super::BenchError;

/// One unit of a peer's work.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerRow {
    /// Work and size, as in [`super::TimedEntry::peer`].
    pub word: String,
    /// Lanes of its build \[-\].
    pub lanes: usize,
    /// Contact points or joints \[-\].
    pub elements: usize,
    /// Rows that a unit of work visits per element, passes added.
    pub rows: String,
    /// Median per element \[ns\].
    pub median: f64,
    /// Least per element \[ns\].
    pub least: f64,
}

impl PeerRow {
    /// Reads word, elements, rows, median and least, separated by tabs.
    ///
    /// # Errors
    /// A missing field, or one that is no number.
    pub fn parse(line: &str, lanes: usize) -> Result<Self, BenchError> {
        let fail = |reason| BenchError::Peer {
            line: line.to_owned(),
            reason,
        };
        let fields: Vec<&str> = line.split('\t').collect();
        let [word, elements, rows, median, least] = fields[..] else {
            return Err(fail("five fields are due"));
        };
        let number = |text: &str| text.parse().map_err(|_| fail("not a number"));
        Ok(Self {
            word: word.to_owned(),
            lanes,
            elements: elements.parse().map_err(|_| fail("not a count"))?,
            rows: rows.to_owned(),
            median: number(median)?,
            least: number(least)?,
        })
    }
}
