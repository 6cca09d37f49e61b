//! Matrices: storage by the sign of `nz`, facts with the numbers.

use delassus_hdf5::{Array, Group, Node};

use super::error::{FclibError, WriteFclibError};
use super::facts::{attribute, attribute_array};
use super::place::{GroupPath, integer, single};
use crate::matrix::{Compressed, MatrixEntries, MatrixFacts, StoredMatrix, Triplets};

/// Values of `nz` that name a storage; others count triplets.
const COLUMNS: i32 = -1;
const ROWS: i32 = -2;

/// Reads the matrix `name` of a problem.
pub(super) fn read(parent: &GroupPath<'_, '_>, name: &str) -> Result<StoredMatrix, FclibError> {
    let place = parent.group(name)?;
    let rows = place.size("m")?;
    let columns = place.size("n")?;
    let capacity = place.size("nzmax")? as u64;
    let nz = place.value("nz", integer)?;
    let x = place.value("x", Array::to_f64s)?;
    let storage = match nz {
        COLUMNS => MatrixEntries::Columns(compressed(&place, columns, x, capacity)?),
        ROWS => MatrixEntries::Rows(compressed(&place, rows, x, capacity)?),
        0.. => MatrixEntries::Triplets(triplets(&place, nz as usize, rows, columns, x, capacity)?),
        _ => {
            let expected = "-1 stands for columns, -2 for rows, 0 and more counts triplets";
            return Err(place.number("nz", nz.into(), expected));
        }
    };
    Ok(StoredMatrix {
        rows,
        columns,
        storage,
        facts: facts(&place)?.map(Box::new),
    })
}

fn compressed(
    place: &GroupPath<'_, '_>,
    majors: usize,
    mut values: Vec<f64>,
    capacity: u64,
) -> Result<Compressed, FclibError> {
    let mut pointers = place.indices("p")?;
    place.at_least("p", pointers.len(), majors.saturating_add(1))?;
    pointers.truncate(majors + 1);
    let mut indices = place.indices("i")?;
    // room behind the last entry is none of the matrix
    let count = pointers.last().map_or(0, |last| *last as usize);
    place.at_least("i", indices.len(), count)?;
    place.at_least("x", values.len(), count)?;
    indices.truncate(count);
    values.truncate(count);
    Ok(Compressed {
        pointers,
        indices,
        values,
        // less room than entries would make the library write past its end
        capacity: capacity.max(count as u64),
    })
}

/// Files have rows in `i` and columns in `p`; a comment of the library says the reverse, and where
/// only that fits it is taken.
fn triplets(
    place: &GroupPath<'_, '_>,
    count: usize,
    rows: usize,
    columns: usize,
    mut values: Vec<f64>,
    capacity: u64,
) -> Result<Triplets, FclibError> {
    let (mut first, mut second) = (place.indices("i")?, place.indices("p")?);
    place.at_least("i", first.len(), count)?;
    place.at_least("p", second.len(), count)?;
    place.at_least("x", values.len(), count)?;
    first.truncate(count);
    second.truncate(count);
    values.truncate(count);
    let below = |indices: &[u32], limit: usize| indices.iter().all(|k| (*k as usize) < limit);
    let usual = below(&first, rows) && below(&second, columns);
    if !usual && below(&first, columns) && below(&second, rows) {
        std::mem::swap(&mut first, &mut second);
    }
    Ok(Triplets {
        rows: first,
        columns: second,
        values,
        capacity: capacity.max(count as u64),
    })
}

fn facts(place: &GroupPath<'_, '_>) -> Result<Option<MatrixFacts>, FclibError> {
    let facts = MatrixFacts {
        comment: place.optional("comment", |a| a.to_text().map(<[u8]>::to_vec))?,
        conditioning: place.optional("conditioning", single)?,
        determinant: place.optional("determinant", single)?,
        rank: place.optional("rank", integer)?,
        attributes: place
            .group
            .attributes
            .iter()
            .filter_map(attribute)
            .collect(),
    };
    Ok(Some(facts).filter(|facts| *facts != MatrixFacts::default()))
}

/// How a matrix that is stored in a way the format does not know is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Instead {
    /// By rows, as the matrices of local problems are.
    Rows,
    /// As triplets, as those of global problems are.
    Triplets,
}

/// The group of a matrix.
pub(super) fn write(
    matrix: &StoredMatrix,
    instead: Instead,
) -> Result<Group<'static>, WriteFclibError> {
    let mut group = Group::default();
    let rows = narrow("the number of rows", matrix.rows as u64)?;
    let columns = narrow("the number of columns", matrix.columns as u64)?;
    group.add("m", Array::i32s(&[rows]));
    group.add("n", Array::i32s(&[columns]));
    match (&matrix.storage, instead) {
        (MatrixEntries::Columns(compressed), _) => {
            write_compressed(&mut group, compressed, COLUMNS)?;
        }
        (MatrixEntries::Rows(compressed), _) => write_compressed(&mut group, compressed, ROWS)?,
        (MatrixEntries::Triplets(triplets), _) => write_triplets(&mut group, triplets)?,
        (_, Instead::Rows) => write_compressed(&mut group, &by_rows(matrix), ROWS)?,
        (_, Instead::Triplets) => write_triplets(&mut group, &by_entries(matrix))?,
    }
    if let Some(facts) = &matrix.facts {
        write_facts(&mut group, facts)?;
    }
    Ok(group)
}

fn write_compressed(
    group: &mut Group<'_>,
    compressed: &Compressed,
    nz: i32,
) -> Result<(), WriteFclibError> {
    let room = compressed.capacity.max(compressed.values.len() as u64);
    group.add("nz", Array::i32s(&[nz]));
    group.add(
        "nzmax",
        Array::i32s(&[narrow("the room for entries", room)?]),
    );
    group.add("p", indices("a pointer", &compressed.pointers)?);
    group.add("i", indices("an index", &compressed.indices)?);
    group.add("x", Array::f64s(&compressed.values));
    Ok(())
}

fn write_triplets(group: &mut Group<'_>, triplets: &Triplets) -> Result<(), WriteFclibError> {
    let count = triplets.values.len() as u64;
    let room = triplets.capacity.max(count);
    group.add(
        "nz",
        Array::i32s(&[narrow("the number of entries", count)?]),
    );
    group.add(
        "nzmax",
        Array::i32s(&[narrow("the room for entries", room)?]),
    );
    group.add("i", indices("a row", &triplets.rows)?);
    group.add("p", indices("a column", &triplets.columns)?);
    group.add("x", Array::f64s(&triplets.values));
    Ok(())
}

fn indices(what: &'static str, indices: &[u32]) -> Result<Array<'static>, WriteFclibError> {
    let narrow = |index: &u32| narrow(what, u64::from(*index));
    let indices = indices.iter().map(narrow).collect::<Result<Vec<_>, _>>()?;
    Ok(Array::i32s(&indices))
}

/// Single entries of a dense matrix, without its zeros, or of one that is stored by blocks or by
/// half.
fn by_entries(matrix: &StoredMatrix) -> Triplets {
    let is_dense = matches!(matrix.storage, MatrixEntries::Dense(_));
    let mut triplets = Triplets::default();
    for (row, column, value) in matrix.entries() {
        if is_dense && value == 0.0 {
            continue;
        }
        // indices of a valid matrix have 32 bits
        let narrow = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        triplets.rows.push(narrow(row));
        triplets.columns.push(narrow(column));
        triplets.values.push(value);
    }
    triplets.capacity = triplets.values.len() as u64;
    triplets
}

/// The same, sorted by rows and columns.
fn by_rows(matrix: &StoredMatrix) -> Compressed {
    let triplets = by_entries(matrix);
    let mut order: Vec<usize> = (0..triplets.values.len()).collect();
    order.sort_by_key(|k| (triplets.rows[*k], triplets.columns[*k]));
    let mut pointers = vec![0; matrix.rows + 1];
    for row in &triplets.rows {
        pointers[*row as usize + 1] += 1;
    }
    for row in 0..matrix.rows {
        pointers[row + 1] += pointers[row];
    }
    Compressed {
        pointers,
        indices: order.iter().map(|k| triplets.columns[*k]).collect(),
        values: order.iter().map(|k| triplets.values[*k]).collect(),
        capacity: triplets.capacity,
    }
}

fn write_facts(group: &mut Group<'_>, facts: &MatrixFacts) -> Result<(), WriteFclibError> {
    if let Some(comment) = &facts.comment {
        group.add("comment", Array::text(comment));
    }
    if let Some(conditioning) = facts.conditioning {
        group.add("conditioning", Array::f64s(&[conditioning]));
    }
    if let Some(determinant) = facts.determinant {
        group.add("determinant", Array::f64s(&[determinant]));
    }
    if let Some(rank) = facts.rank {
        group.add("rank", Array::i32s(&[rank]));
    }
    for fact in &facts.attributes {
        group.add_attribute(fact.name.clone(), attribute_array(fact));
    }
    Ok(())
}

/// True if a group looks like a matrix.
pub(super) fn is_there(group: &Group<'_>, name: &str) -> bool {
    matches!(group.get(name), Some(Node::Group(_)))
}

/// A number in the format's 32 bits.
pub(super) fn narrow(what: &'static str, found: u64) -> Result<i32, WriteFclibError> {
    i32::try_from(found).map_err(|_| WriteFclibError::Large { what, found })
}
