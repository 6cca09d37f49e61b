//! The form of a cell's file: a version, a checksum, and the record as JSON.

use serde::Deserialize;

use crate::key;

/// Version of the format of a cell's file. The first format had no number; `docs/results.md` says
/// what else it may hold.
pub const SCHEMA: u32 = 2;

/// A cell's file is this, the version, a comma, [`SUM`], 64 hexadecimal digits, [`MIDDLE`], the
/// record, [`END`]: JSON whose record is checksummed. In the first version, a brace and what
/// follows the comma.
const HEAD: &str = "{\"schema\":";
const SUM: &str = "\"sha256\":\"";
const MIDDLE: &str = "\",\"record\":";
const END: &str = "}\n";

/// The bytes of a cell's file with this record as JSON, and the checksum in them.
pub fn cell_file(json: &[u8]) -> (Vec<u8>, String) {
    let sum = key::of_bytes(json);
    let head = format!("{HEAD}{SCHEMA},{SUM}{sum}{MIDDLE}");
    ([head.as_bytes(), json, END.as_bytes()].concat(), sum)
}

/// Version of the form of a cell's file, if it says one that there is.
pub fn schema_of(bytes: &[u8]) -> Option<u32> {
    checked(bytes).ok().map(|file| file.schema)
}

/// The names of problem and solver in a file that may be damaged, if they can be read: what is lost
/// with it.
pub fn names_in(bytes: &[u8]) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Names {
        problem: Name,
        scheme: Option<Method>,
        solver: Label,
    }
    #[derive(Deserialize)]
    struct Name {
        name: String,
    }
    #[derive(Deserialize)]
    struct Method {
        method: String,
    }
    #[derive(Deserialize)]
    struct Label {
        label: String,
    }
    let middle = MIDDLE.as_bytes();
    let at = bytes
        .windows(middle.len())
        .position(|part| part == middle)?;
    let record = bytes[at + middle.len()..].strip_suffix(END.as_bytes())?;
    let names: Names = serde_json::from_slice(record).ok()?;
    let method = names
        .scheme
        .map_or(names.solver.label, |scheme| scheme.method);
    Some((names.problem.name, method))
}

/// A whole file of a cell.
pub(super) struct CellFile<'b> {
    /// Version of its form.
    pub(super) schema: u32,
    /// Checksum of the record.
    pub(super) sum: String,
    /// The record.
    pub(super) json: &'b [u8],
}

/// Takes a cell's file apart; the reason if it is not whole.
pub(super) fn checked(bytes: &[u8]) -> Result<CellFile<'_>, String> {
    let cut = || "it is cut short, or no cell".to_owned();
    let (schema, rest) = match bytes.strip_prefix(HEAD.as_bytes()) {
        None => (1, bytes.strip_prefix(b"{").ok_or_else(cut)?),
        Some(rest) => {
            let end = rest.iter().position(|byte| *byte == b',').ok_or_else(cut)?;
            let version = std::str::from_utf8(&rest[..end]).unwrap_or_default();
            match version.parse() {
                Ok(SCHEMA) if version == SCHEMA.to_string() => (SCHEMA, &rest[end + 1..]),
                Ok(newer) if newer > SCHEMA => {
                    return Err(format!(
                        "it has schema {newer}, and this program reads schemas up to {SCHEMA}: take the program that wrote it"
                    ));
                }
                _ => return Err(cut()),
            }
        }
    };
    let rest = rest.strip_prefix(SUM.as_bytes()).ok_or_else(cut)?;
    let (sum, rest) = rest.split_at_checked(64).ok_or_else(cut)?;
    let rest = rest.strip_prefix(MIDDLE.as_bytes()).ok_or_else(cut)?;
    let json = rest.strip_suffix(END.as_bytes()).ok_or_else(cut)?;
    let own = key::of_bytes(json);
    if own.as_bytes() != sum {
        return Err("its checksum is wrong".to_owned());
    }
    let sum = own;
    Ok(CellFile { schema, sum, json })
}
