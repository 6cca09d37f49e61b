//! Groups of a file with their paths, for errors that say where.

use delassus_hdf5::{Array, Group, ValueError};

use super::error::FclibError;

/// A group and how it is reached.
pub(super) struct GroupPath<'g, 'a> {
    pub(super) group: &'g Group<'a>,
    pub(super) path: &'g str,
    pub(super) parent: Option<&'g GroupPath<'g, 'a>>,
}

impl<'g, 'a> GroupPath<'g, 'a> {
    /// The group `name` inside.
    pub(super) fn group<'s>(&'s self, name: &'s str) -> Result<GroupPath<'s, 'a>, FclibError> {
        Ok(GroupPath {
            group: self.group.group(name).map_err(|e| self.wrong(None, e))?,
            path: name,
            parent: Some(self),
        })
    }

    /// What `take` makes of the array `name`.
    pub(super) fn value<T>(
        &self,
        name: &str,
        take: impl FnOnce(&Array<'a>) -> Result<T, ValueError>,
    ) -> Result<T, FclibError> {
        let dataset = self.group.dataset(name).map_err(|e| self.wrong(None, e))?;
        take(&dataset.array).map_err(|e| self.wrong(Some(name), e))
    }

    /// The same, or `None` if there is no such array.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        take: impl FnOnce(&Array<'a>) -> Result<T, ValueError>,
    ) -> Result<Option<T>, FclibError> {
        match self.group.get(name) {
            Some(_) => Ok(Some(self.value(name, take)?)),
            None => Ok(None),
        }
    }

    pub(super) fn vector(&self, name: &str) -> Result<Vec<f64>, FclibError> {
        self.value(name, Array::to_f64s)
    }

    /// A count, which must not be negative.
    pub(super) fn size(&self, name: &str) -> Result<usize, FclibError> {
        let value = self.value(name, integer)?;
        usize::try_from(value)
            .map_err(|_| self.number(name, value.into(), "it must not be negative"))
    }

    /// Indices, which must not be negative.
    pub(super) fn indices(&self, name: &str) -> Result<Vec<u32>, FclibError> {
        let values = self.value(name, Array::to_i32s)?;
        if let Some(value) = values.iter().find(|value| **value < 0) {
            return Err(self.number(name, (*value).into(), "no index is negative"));
        }
        Ok(values.into_iter().map(i32::cast_unsigned).collect())
    }

    pub(super) fn at_least(
        &self,
        name: &str,
        found: usize,
        expected: usize,
    ) -> Result<(), FclibError> {
        if found >= expected {
            return Ok(());
        }
        Err(FclibError::Entries {
            offset: self.offset(name),
            place: self.place(Some(name)),
            found,
            expected,
        })
    }

    pub(super) fn dimension(&self, found: i32, allowed: &[i32]) -> Result<usize, FclibError> {
        if allowed.contains(&found) {
            return Ok(found as usize);
        }
        let expected = if allowed.contains(&5) {
            "it must be 3 or 5"
        } else {
            "it must be 2 or 3"
        };
        Err(self.number("spacedim", found.into(), expected))
    }

    pub(super) fn number(&self, name: &str, found: i64, expected: &'static str) -> FclibError {
        FclibError::Number {
            offset: self.offset(name),
            place: self.place(Some(name)),
            found,
            expected,
        }
    }

    fn offset(&self, name: &str) -> u64 {
        let dataset = self.group.dataset(name);
        dataset.map_or(self.group.offset, |dataset| dataset.array.offset) as u64
    }

    /// Path of the group, or of the array `name` in it.
    fn place(&self, name: Option<&str>) -> String {
        let mut names: Vec<&str> = name.into_iter().collect();
        let mut at = Some(self);
        while let Some(place) = at {
            names.push(place.path);
            at = place.parent;
        }
        names.reverse();
        names.retain(|name| !name.is_empty());
        names.join("/")
    }

    pub(super) fn wrong(&self, name: Option<&str>, source: ValueError) -> FclibError {
        FclibError::Value {
            place: self.place(name),
            source,
        }
    }
}

/// The only element of an array of integers.
pub(super) fn integer(array: &Array<'_>) -> Result<i32, ValueError> {
    array.to_i32()
}

/// The only element of an array of real numbers.
pub(super) fn single(array: &Array<'_>) -> Result<f64, ValueError> {
    let count = array.count();
    match array.to_f64s()?.first() {
        Some(value) if count == 1 => Ok(*value),
        _ => Err(ValueError::Count {
            offset: array.offset as u64,
            found: count,
            expected: 1,
        }),
    }
}
