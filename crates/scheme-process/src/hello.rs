//! What an engine says about itself before it is asked anything.

use delassus_core::PeerClock;
use delassus_solver_process::{DeclaredParameter, PeerMessage, fault_of_parameters, is_name, long};
use serde::Deserialize;
use serde_json::Value;

/// Most sentences about what differs \[-\].
pub(crate) const MOST_NOTES: usize = 32;
/// Names that parameters of an engine may not have: those of the driver, and keys of a spec.
pub(crate) const TAKEN: [&str; 8] = [
    FRAME_SECONDS,
    "use",
    "label",
    "solvers",
    "scenes",
    "seconds",
    "every",
    "dt",
];
/// Time of one frame at most, a parameter of every engine.
pub const FRAME_SECONDS: &str = "frame_seconds";

/// The hello of an engine, checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct EngineHello {
    /// Name of the program.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Hash of its files.
    pub hash: Option<String>,
    /// "f64" or "f32", of positions and velocities.
    pub precision: String,
    /// The clock of its times.
    pub clock: PeerClock,
    /// What differs from a scheme of this program in every scene, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What a user may set.
    #[serde(default)]
    pub parameters: Vec<DeclaredParameter>,
}

impl EngineHello {
    /// Reads and checks the first message of an engine.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of(message: &PeerMessage) -> Result<Self, String> {
        let hello = serde_json::from_value::<Self>(Value::Object(message.head.clone()));
        let hello = hello.map_err(|error| format!("its hello cannot be read: {error}"))?;
        match hello.fault() {
            Some(fault) => Err(format!("its hello: {fault}")),
            None => Ok(hello),
        }
    }

    /// Name, version and hash: what decides the bits of its answers.
    pub fn identity(&self) -> String {
        let hash = self.hash.iter().map(|hash| format!(", {hash}"));
        format!("{} {}", self.engine, self.version) + &hash.collect::<String>()
    }

    /// The first thing that is wrong.
    fn fault(&self) -> Option<String> {
        if !is_name(&self.engine) {
            return Some("engine must be 1 to 32 of a-z, 0-9, _ and -".to_owned());
        }
        if !["f64", "f32"].contains(&self.precision.as_str()) {
            return Some("precision must be \"f64\" or \"f32\"".to_owned());
        }
        let texts = [&self.version].into_iter().chain(&self.hash);
        texts
            .chain(&self.notes)
            .find_map(|text| long(text))
            .or_else(|| {
                let many = self.notes.len() > MOST_NOTES;
                many.then(|| format!("more than {MOST_NOTES} notes"))
            })
            .or_else(|| fault_of_parameters(&self.parameters, &TAKEN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hello(change: impl FnOnce(&mut Value)) -> Result<EngineHello, String> {
        let mut all = json!({
            "protocol": 1, "engine": "mine", "version": "0.3", "precision": "f32", "clock": "own",
            "parameters": [{ "name": "substeps", "default": 4, "text": "Substeps per frame." }],
        });
        change(&mut all);
        let head = all.as_object().unwrap().clone();
        EngineHello::of(&PeerMessage {
            head,
            arrays: Vec::new(),
        })
    }

    #[test]
    fn a_hello_is_read_and_its_faults_are_named() {
        let read = hello(|_| {}).unwrap();
        assert_eq!(read.identity(), "mine 0.3");
        let hashed = hello(|h| h["hash"] = json!("sha256:7")).unwrap();
        assert_eq!(hashed.identity(), "mine 0.3, sha256:7");
        type Change = fn(&mut Value);
        let wrong: [(Change, &str); 6] = [
            (|h| h["engine"] = json!("My Engine"), "engine must be"),
            (|h| h["precision"] = json!("f16"), "precision"),
            (|h| h["clock"] = json!("sun"), "cannot be read"),
            (|h| h["notes"] = json!(vec!["a"; 33]), "more than 32 notes"),
            (|h| h["notes"] = json!(["a".repeat(201)]), "200 bytes"),
            (
                |h| h["parameters"][0]["name"] = json!("dt"),
                "the driver has a parameter of this name",
            ),
        ];
        for (change, text) in wrong {
            let error = hello(change).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }
}
