//! `delassus list formats` and `experiments`: the kinds of files that the program knows, and the
//! specs in the folder `experiments`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use serde_json::json;

use super::super::failure::Failure;
use super::super::new::checkout;
use super::super::output::printable;
use super::item::{Item, cells, part};

/// A kind of file.
struct Format {
    id: &'static str,
    aliases: &'static [&'static str],
    /// Verbs and keys that read it.
    read: &'static str,
    /// Verbs that write it.
    written: &'static str,
    holds: &'static str,
}

const PROBLEMS: &str = "solve, convert, spec";
const BOTH: &str = "convert, export";

/// The formats of `--format` first, in its order.
const FORMATS: [Format; 13] = [
    Format {
        id: "dls",
        aliases: &["snapshot", "safetensors"],
        read: PROBLEMS,
        written: BOTH,
        holds: "snapshot: any problem to the last bit, with its warm start and solution",
    },
    Format {
        id: "fc3d",
        aliases: &["fc2d", "rfc3d"],
        read: PROBLEMS,
        written: BOTH,
        holds: "friction-contact text in local form: W, q, mu; rfc3d with rolling friction",
    },
    Format {
        id: "gfc3d",
        aliases: &["gfc2d", "grfc3d"],
        read: PROBLEMS,
        written: BOTH,
        holds: "friction-contact text in global form: masses, Jacobian, forces",
    },
    Format {
        id: "lcp",
        aliases: &[],
        read: PROBLEMS,
        written: BOTH,
        holds: "linear complementarity text: unilateral rows",
    },
    Format {
        id: "relay",
        aliases: &[],
        read: PROBLEMS,
        written: BOTH,
        holds: "linear complementarity text with bounds",
    },
    Format {
        id: "mlcp",
        aliases: &[],
        read: PROBLEMS,
        written: BOTH,
        holds: "mixed complementarity text: unilateral rows and equations",
    },
    Format {
        id: "fclib",
        aliases: &["hdf5"],
        read: PROBLEMS,
        written: BOTH,
        holds: "FCLIB (HDF5) in global form, with solution and guesses",
    },
    Format {
        id: "fclib-local",
        aliases: &[],
        read: PROBLEMS,
        written: BOTH,
        holds: "FCLIB (HDF5) in local form",
    },
    Format {
        id: "npz",
        aliases: &["numpy"],
        read: PROBLEMS,
        written: "convert, export, data",
        holds: "arrays for NumPy: a problem, or the tables of a run with its impulses",
    },
    Format {
        id: "toml",
        aliases: &["scene"],
        read: "play, check, export, [[scene]]",
        written: "export",
        holds: "a scene file: bodies, joints, colliders, contacts",
    },
    Format {
        id: "json",
        aliases: &[],
        read: "play, check, export, [[scene]]",
        written: "export",
        holds: "the same as JSON",
    },
    Format {
        id: "parquet",
        aliases: &[],
        read: "-",
        written: "data",
        holds: "the tables of a run, a typed column per quantity",
    },
    Format {
        id: "csv",
        aliases: &[],
        read: "-",
        written: "run, report, data",
        holds: "the tables of a run with every digit",
    },
];

/// Every format.
pub(super) fn formats() -> Vec<Item> {
    let item = |format: &Format| Item {
        aliases: format.aliases,
        line: cells(&[format.id, format.read, format.written, format.holds]),
        page: vec![
            part(format.id, format.holds),
            part("read by", format.read),
            part("written by", format.written),
            part("also called", format.aliases.join(", ")),
            part("more", "docs/file-formats.md"),
        ],
        json: json!({
            "id": format.id,
            "aliases": format.aliases,
            "read_by": format.read,
            "written_by": format.written,
            "holds": format.holds,
        }),
    };
    FORMATS.iter().map(item).collect()
}

/// The specs below the folder `experiments` of this folder, of one around it, or of the checkout
/// that the program was built from.
pub(super) fn experiments() -> Result<Vec<Item>, Failure> {
    let here = env::current_dir().ok();
    let own = here.as_deref().and_then(|here| {
        let mut folders = here.ancestors().map(|folder| folder.join(FOLDER));
        folders.find(|folder| folder.is_dir())
    });
    let folder = own.or_else(|| Some(checkout()?.join(FOLDER)));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        return Err(Failure::request(
            "no folder \"experiments\" here or in a folder around; go to a checkout of Delassus",
        ));
    };
    // as one types it after `run`
    let shown = match here
        .as_deref()
        .and_then(|here| folder.strip_prefix(here).ok())
    {
        Some(below) => below.to_owned(),
        None => folder.clone(),
    };
    let unread = |error| Failure::run(format!("{}: {error}", shown.display()));
    let mut items = Vec::new();
    for folder in sorted(&folder).map_err(unread)? {
        for file in sorted(&folder).unwrap_or_default() {
            items.extend(experiment(&folder, &file, &shown));
        }
    }
    Ok(items)
}

const FOLDER: &str = "experiments";
/// The spec that the name of its folder stands for.
const MAIN: &str = "experiment.toml";

fn sorted(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    // the order of a folder is the file system's; a folder's own spec comes first
    paths.sort_by_key(|path| (!path.ends_with(MAIN), path.clone()));
    Ok(paths)
}

/// A spec, if the file is one.
fn experiment(folder: &Path, file: &Path, shown: &Path) -> Option<Item> {
    let file = file.extension().filter(|e| *e == "toml").map(|_| file)?;
    let text = String::from_utf8(disk::read_named(file).ok()?).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let word = |key: &str| {
        table
            .get(key)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
    };
    let title = word("title");
    let mut path = shown.join(folder.file_name()?);
    if !file.ends_with(MAIN) {
        path.push(file.file_name()?);
    }
    let id = printable(&path.to_string_lossy());
    // a scene file next to a spec has no title
    (!title.is_empty()).then(|| Item {
        aliases: &[],
        line: cells(&[&id, &printable(title)]),
        page: vec![
            part(&id, printable(title)),
            part("question", printable(word("question"))),
            part("run it", format!("delassus run {id}")),
        ],
        json: json!({ "id": id, "title": title, "question": word("question") }),
    })
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::cli::args::ExportFormat;

    #[test]
    fn every_format_of_export_is_listed_in_its_order() {
        let variants = ExportFormat::value_variants().iter();
        let names = variants.filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        let listed: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
        assert_eq!(listed[..names.len()], names);
    }
}
