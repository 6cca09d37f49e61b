//! From the tree of an HDF5 file to a problem.

use delassus_hdf5::{Array, Content, Group, Node, Type, ValueError};

use super::error::FclibError;
use super::{NUMBER_OF_GUESSES, groups, matrix};
use crate::field::{
    Attribute, AttributeValue, FieldFile, FieldProblem, Global, GlobalBilateral, Info, Local,
    LocalBilateral, Solution,
};

/// Reads an FCLIB file.
///
/// Time and memory are bounded by the length of `bytes`: an array is never larger than what the file holds of it. Objects and
/// attributes that the format does not know are left out.
///
/// # Errors
/// A damaged container, a file without a problem, arrays that are missing or of another type, sizes that contradict each
/// other, numbers that are not finite.
pub fn read(bytes: &[u8]) -> Result<FieldFile, FclibError> {
    let root = delassus_hdf5::read(bytes)?;
    let root = Place {
        group: &root,
        path: "",
        parent: None,
    };
    let names = [groups::LOCAL, groups::GLOBAL, groups::GLOBAL_ROLLING];
    let mut found = names
        .iter()
        .filter(|name| matrix::is_there(root.group, name));
    let (Some(name), None) = (found.next(), found.next()) else {
        return Err(FclibError::NoProblem {
            found: listed(root.group),
        });
    };
    let place = root.group(name)?;
    let spacedim = place.value("spacedim", integer)?;
    let (problem, dim) = match *name {
        groups::LOCAL => (local(&place, spacedim)?, spacedim),
        groups::GLOBAL => (global(&place, spacedim, false)?, spacedim),
        _ => (global(&place, spacedim, true)?, 5),
    };
    let file = FieldFile {
        info: info(&place)?,
        solution: solution(&root)?,
        guesses: guesses(&root)?,
        declared_dimension: (spacedim != dim).then_some(spacedim as u32),
        problem,
    };
    file.validate()?;
    Ok(file)
}

/// What stands in a file that is no problem, shortened.
fn listed(root: &Group<'_>) -> String {
    let names: Vec<&str> = root.children.iter().map(|c| &*c.name).take(5).collect();
    match (names.len(), root.children.len()) {
        (0, _) => "nothing".to_owned(),
        (shown, all) if shown < all => format!("{}, …", names.join(", ")),
        _ => names.join(", "),
    }
}

fn local(place: &Place<'_, '_>, spacedim: i32) -> Result<FieldProblem, FclibError> {
    let dim = place.dimension(spacedim, &[2, 3])?;
    let vectors = place.group("vectors")?;
    let here = ["V", "R"].map(|name| matrix::is_there(place.group, name));
    let bilateral = match here {
        [false, false] => None,
        [true, true] => Some(LocalBilateral {
            v: matrix::read(place, "V")?,
            r: matrix::read(place, "R")?,
            s: vectors.vector("s")?,
        }),
        [v, _] => {
            let (present, missing) = if v { ("V", "R") } else { ("R", "V") };
            return Err(FclibError::Unpaired {
                group: groups::LOCAL,
                present,
                missing,
            });
        }
    };
    Ok(FieldProblem::Local(Local {
        dim,
        w: matrix::read(place, "W")?,
        q: vectors.vector("q")?,
        mu: vectors.vector("mu")?,
        mu_r: None,
        bilateral,
    }))
}

fn global(place: &Place<'_, '_>, spacedim: i32, rolling: bool) -> Result<FieldProblem, FclibError> {
    let vectors = place.group("vectors")?;
    let (dim, mu_r) = if rolling {
        // the dimension of space, or the rows of a contact
        place.dimension(spacedim, &[3, 5])?;
        (5, Some(vectors.vector("mu_r")?))
    } else {
        (place.dimension(spacedim, &[2, 3])?, None)
    };
    let bilateral = if matrix::is_there(place.group, "G") {
        Some(GlobalBilateral {
            g: matrix::read(place, "G")?,
            b: vectors.vector("b")?,
        })
    } else {
        None
    };
    Ok(FieldProblem::Global(Global {
        dim,
        m: matrix::read(place, "M")?,
        h: matrix::read(place, "H")?,
        f: vectors.vector("f")?,
        w: vectors.vector("w")?,
        mu: vectors.vector("mu")?,
        mu_r,
        bilateral,
    }))
}

fn info(problem: &Place<'_, '_>) -> Result<Option<Info>, FclibError> {
    if !matrix::is_there(problem.group, "info") {
        return Ok(None);
    }
    let place = problem.group("info")?;
    let text = |name| place.optional(name, |a| a.to_text().map(<[u8]>::to_vec));
    Ok(Some(Info {
        title: text("title")?,
        description: text("description")?,
        math_info: text("math_info")?,
        attributes: place
            .group
            .attributes
            .iter()
            .filter_map(attribute)
            .collect(),
    }))
}

fn solution(root: &Place<'_, '_>) -> Result<Option<Solution>, FclibError> {
    if !matrix::is_there(root.group, groups::SOLUTION) {
        return Ok(None);
    }
    Ok(Some(unknowns(&root.group(groups::SOLUTION)?)?))
}

fn guesses(root: &Place<'_, '_>) -> Result<Vec<Solution>, FclibError> {
    if !matrix::is_there(root.group, groups::GUESSES) {
        return Ok(Vec::new());
    }
    let place = root.group(groups::GUESSES)?;
    let count = place.size(NUMBER_OF_GUESSES)?;
    // looked up by name once each, which must not take the square of their number
    let mut numbered: Vec<(&str, &Group<'_>)> = Vec::with_capacity(place.group.children.len());
    for child in &place.group.children {
        if let Node::Group(group) = &child.node {
            numbered.push((&child.name, group));
        }
    }
    numbered.sort_by_key(|(name, _)| *name);
    let guess = |k: usize| {
        let path = k.to_string();
        let found = numbered.binary_search_by_key(&path.as_str(), |(name, _)| *name);
        let missing = || ValueError::Missing { path: path.clone() };
        let index = found.map_err(|_| place.wrong(None, missing()))?;
        unknowns(&Place {
            group: numbered[index].1,
            path: numbered[index].0,
            parent: Some(&place),
        })
    };
    // a number that is too large ends at the first guess that is missing
    (1..=count).map(guess).collect()
}

fn unknowns(place: &Place<'_, '_>) -> Result<Solution, FclibError> {
    Ok(Solution {
        u: place.vector("u")?,
        r: place.vector("r")?,
        v: place.optional("v", Array::to_f64s)?,
        l: place.optional("l", Array::to_f64s)?,
    })
}

/// A group and how it is reached.
pub(super) struct Place<'g, 'a> {
    pub(super) group: &'g Group<'a>,
    path: &'g str,
    parent: Option<&'g Place<'g, 'a>>,
}

impl<'g, 'a> Place<'g, 'a> {
    /// The group `name` inside.
    pub(super) fn group<'s>(&'s self, name: &'s str) -> Result<Place<'s, 'a>, FclibError> {
        Ok(Place {
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

    fn dimension(&self, found: i32, allowed: &[i32]) -> Result<usize, FclibError> {
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

    fn wrong(&self, name: Option<&str>, source: ValueError) -> FclibError {
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

/// A fact as the attribute says it; `None` for types that facts do not have.
pub(super) fn attribute(attribute: &delassus_hdf5::Attribute<'_>) -> Option<Attribute> {
    let array = &attribute.array;
    let Content::Bytes(bytes) = &array.content else {
        return None;
    };
    if array.shape.len() > 1 {
        return None;
    }
    let value = match array.kind {
        Type::I32 => AttributeValue::I32(array.to_i32s().ok()?),
        Type::I64 => {
            let (words, _) = bytes.as_chunks::<8>();
            AttributeValue::I64(words.iter().map(|word| i64::from_le_bytes(*word)).collect())
        }
        Type::F64 => AttributeValue::F64(array.to_f64s().ok()?),
        Type::Boolean => AttributeValue::Bool(bytes.iter().map(|byte| *byte != 0).collect()),
        Type::Text { .. } | Type::VariableText { .. } => {
            AttributeValue::Text(array.to_text().ok()?.to_vec())
        }
        _ => return None,
    };
    Some(Attribute {
        name: attribute.name.clone().into_owned(),
        value,
        scalar: array.shape.is_empty(),
    })
}
