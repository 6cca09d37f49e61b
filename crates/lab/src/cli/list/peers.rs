//! `delassus list peers`: solvers of other programs, started to see whether they are there.

use delassus_core::LawKind;
use serde_json::{Value, json};

use super::item::{Item, part};
use crate::registry::process::{
    DeclaredSolver, Hello, PeerFile, PeerProgram, hello, no_peer_folder, peer_files, peer_roots,
};

/// Every peer that has a file.
pub(super) fn all() -> Vec<Item> {
    let files = peer_files().into_iter();
    files.map(|(name, file)| item(&name, file)).collect()
}

/// What is said where no peer or no engine has a file.
pub(super) fn absent(kind: &str) -> String {
    let roots = peer_roots();
    let places: Vec<String> = roots
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    match places.is_empty() {
        true => format!("no {kind}: {}", no_peer_folder()),
        false => format!("no {kind} in {} (docs/{kind}.md)", places.join(", ")),
    }
}

/// One peer: what it says, or how to get it.
fn item(name: &str, file: Result<PeerFile, String>) -> Item {
    let file = match file {
        Ok(file) => file,
        Err(fault) => return unreadable(name, &fault, 5),
    };
    let said = PeerProgram::of_file(&file).and_then(|program| hello(&program));
    let version = match &said {
        Ok(hello) => hello.version.clone(),
        Err(_) => "not here".to_owned(),
    };
    let install = match &said {
        Ok(_) => String::new(),
        Err(_) => file.install_command(),
    };
    let solvers = match &said {
        Ok(hello) => hello.names().collect::<Vec<_>>().join(", "),
        Err(_) => file.solvers.join(", "),
    };
    let licence = file.licence.clone();
    Item {
        aliases: &[],
        line: vec![name.to_owned(), version, solvers, licence, install],
        page: page(&file, &said),
        json: json!({
            "id": name,
            "title": file.title,
            "summary": file.summary,
            "here": said.is_ok(),
            "fault": said.as_ref().err(),
            "version": said.as_ref().ok().map(|hello| &hello.version),
            "solvers": match &said {
                Ok(hello) => hello.names().map(Value::from).collect::<Vec<_>>(),
                Err(_) => file.solvers.iter().cloned().map(Value::from).collect(),
            },
            "licence": file.licence,
            "homepage": file.homepage,
            "install": file.install_command(),
        }),
    }
}

/// A peer or an engine whose file cannot be read, in a line of so many cells.
pub(super) fn unreadable(name: &str, fault: &str, cells: usize) -> Item {
    let mut line = vec![name.to_owned(), "unreadable".to_owned()];
    line.resize(cells, String::new());
    Item {
        aliases: &[],
        line,
        page: vec![part(name, fault)],
        json: json!({ "id": name, "here": false, "fault": fault }),
    }
}

fn page(file: &PeerFile, said: &Result<std::sync::Arc<Hello>, String>) -> Vec<(String, String)> {
    let mut page = vec![
        part(&file.name, format!("{}\n{}", file.title, file.summary)),
        part("licence", file.licence.as_str()),
        part("page", file.homepage.clone().unwrap_or_default()),
    ];
    match said {
        Ok(hello) => {
            page.push(part("version", versions(hello)));
            let name = &file.name;
            let solvers = hello.solvers.iter();
            page.extend(solvers.map(|own| part(&format!("peer:{name}/{}", own.name), words(own))));
        }
        Err(fault) => {
            page.push(part("not here", fault.as_str()));
            page.push(part("to install it", file.install_command()));
        }
    }
    page
}

/// Version, and what it runs on.
fn versions(hello: &Hello) -> String {
    let python = hello.python.as_ref().map(|text| format!("Python {text}"));
    let all = [Some(hello.version.clone()), python, hello.blas.clone()];
    let all: Vec<String> = all.into_iter().flatten().collect();
    all.join("; ")
}

/// What a solver declares.
fn words(own: &DeclaredSolver) -> String {
    let laws = LawKind::ALL.iter().filter_map(|law| {
        let words = own.laws.get(law.id())?;
        Some(match words.as_str() {
            "exact" => law.id().to_owned(),
            words => format!("{} ({words})", law.id()),
        })
    });
    let laws: Vec<String> = laws.collect();
    let mut lines = vec![
        laws.join(", "),
        format!("{}; takes {}", own.precision, own.operators.join(" and ")),
        format!(
            "tolerance: {} [{}]",
            own.tolerance.meaning, own.tolerance.unit
        ),
    ];
    lines.extend(own.parameters.iter().map(|parameter| {
        let (name, default) = (&parameter.name, &parameter.default);
        format!("{name} = {default}: {}", parameter.text)
    }));
    lines.join("\n")
}
