//! How much memory a problem may take: estimates before anything is allocated, and a typed refusal
//! above a limit.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Limit on the memory for one problem: that of its reader or generator, of the problem, and of the
/// solver prepared for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryLimit(u64);

impl MemoryLimit {
    /// No limit: an allocation that fails ends the process.
    pub const NONE: Self = Self(u64::MAX);

    /// Creates a limit \[B\].
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The limit \[B\].
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the limit reduced by `bytes`, which are already used \[B\].
    #[must_use]
    pub const fn less(self, bytes: u64) -> Self {
        match self.0 {
            u64::MAX => self,
            limit => Self(limit.saturating_sub(bytes)),
        }
    }

    /// Fails if `what` needs more than the limit.
    ///
    /// # Errors
    /// [`MemoryError`], which says what needs how much, and the limit.
    pub fn admit(self, what: &str, needed: u64) -> Result<(), MemoryError> {
        if needed <= self.0 {
            return Ok(());
        }
        Err(MemoryError {
            what: what.to_owned(),
            needed,
            limit: self.0,
        })
    }
}

impl Default for MemoryLimit {
    /// 4 GiB, which most machines have.
    fn default() -> Self {
        Self(4 << 30)
    }
}

/// Something needs more memory than the limit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{what} needs about {}, but only {} of the memory limit is left; raise it with --max-memory, or max_memory in the spec",
    Bytes(*.needed), Bytes(*.limit)
)]
pub struct MemoryError {
    /// What needs the memory.
    pub what: String,
    /// Estimated size \[B\].
    pub needed: u64,
    /// The limit \[B\].
    pub limit: u64,
}

/// A number of bytes, printed with a binary unit: "1.5 GiB".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// Binary units, largest first, with the power of two that they stand for.
const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, power)| self.0 >> power > 0) {
            Some((unit, power)) => {
                write!(f, "{:.1} {unit}", self.0 as f64 / (1u64 << power) as f64)
            }
            None => write!(f, "{} B", self.0),
        }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Bytes(self.0).fmt(f)
    }
}

impl FromStr for MemoryLimit {
    type Err = String;

    /// Parses a whole number with the unit KiB, MiB, GiB or TiB: "16 GiB", "512MiB".
    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("{text:?} is no amount of memory, as in \"16 GiB\" or \"512 MiB\"");
        let found = UNITS
            .iter()
            .find_map(|(unit, power)| Some((text.strip_suffix(unit)?, power)));
        let (number, power) = found.ok_or_else(refuse)?;
        let number: u64 = number.trim_end().parse().map_err(|_| refuse())?;
        let bytes = number.checked_mul(1 << power).filter(|bytes| *bytes > 0);
        Ok(Self(bytes.ok_or_else(refuse)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_shown() {
        for (text, bytes) in [
            ("16 GiB", 16 << 30),
            ("512MiB", 512 << 20),
            ("1 KiB", 1024),
            ("2 TiB", 2 << 40),
        ] {
            assert_eq!(text.parse(), Ok(MemoryLimit::new(bytes)), "{text}");
        }
        for text in [
            "",
            "GiB",
            "16",
            "16 GB",
            "-1 GiB",
            "1.5 GiB",
            "0 GiB",
            "99999999999 TiB",
        ] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
        assert_eq!(Bytes(1536 << 20).to_string(), "1.5 GiB");
        assert_eq!(Bytes(700).to_string(), "700 B");
    }

    #[test]
    fn what_fits_is_admitted() {
        let limit = MemoryLimit::new(1 << 30);
        assert!(limit.admit("a problem", 1 << 30).is_ok());
        let error = limit.less(1 << 29).admit("a problem", 1 << 30).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a problem needs about 1.0 GiB, but only 512.0 MiB of the memory limit is left; raise it with \
             --max-memory, or max_memory in the spec"
        );
        assert_eq!(MemoryLimit::NONE.less(5), MemoryLimit::NONE);
    }
}
