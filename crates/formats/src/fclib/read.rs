//! From the tree of an HDF5 file to a problem.

use delassus_hdf5::{Array, Group, Node, ValueError};

use super::error::FclibError;
use super::facts::attribute;
use super::place::{GroupPath, integer};
use super::{NUMBER_OF_GUESSES, groups, matrix};
use crate::field::{
    FieldFile, FieldProblem, Global, GlobalBilateral, Info, Local, LocalBilateral, StoredSolution,
};

/// Reads an FCLIB file.
///
/// Time and memory are bounded by the length of `bytes`: an array is never larger than what the
/// file holds of it. Objects and attributes that are not part of the format are left out.
///
/// # Errors
/// A damaged container, a file without a problem, arrays that are missing or of another type, sizes
/// that contradict each other, numbers that are not finite.
pub fn read(bytes: &[u8]) -> Result<FieldFile, FclibError> {
    let root = delassus_hdf5::read(bytes)?;
    let root = GroupPath {
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

fn local(place: &GroupPath<'_, '_>, spacedim: i32) -> Result<FieldProblem, FclibError> {
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

fn global(
    place: &GroupPath<'_, '_>,
    spacedim: i32,
    rolling: bool,
) -> Result<FieldProblem, FclibError> {
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

fn info(problem: &GroupPath<'_, '_>) -> Result<Option<Info>, FclibError> {
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

fn solution(root: &GroupPath<'_, '_>) -> Result<Option<StoredSolution>, FclibError> {
    if !matrix::is_there(root.group, groups::SOLUTION) {
        return Ok(None);
    }
    Ok(Some(unknowns(&root.group(groups::SOLUTION)?)?))
}

fn guesses(root: &GroupPath<'_, '_>) -> Result<Vec<StoredSolution>, FclibError> {
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
        unknowns(&GroupPath {
            group: numbered[index].1,
            path: numbered[index].0,
            parent: Some(&place),
        })
    };
    // a number that is too large ends at the first guess that is missing
    (1..=count).map(guess).collect()
}

fn unknowns(place: &GroupPath<'_, '_>) -> Result<StoredSolution, FclibError> {
    Ok(StoredSolution {
        u: place.vector("u")?,
        r: place.vector("r")?,
        v: place.optional("v", Array::to_f64s)?,
        l: place.optional("l", Array::to_f64s)?,
    })
}
