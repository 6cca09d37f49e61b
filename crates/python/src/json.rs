//! Parameters and descriptions as JSON, the form in which they go to Python and back.

use delassus_core::parameter::Map;
use pyo3::PyResult;
use serde_json::Value;

use crate::errors::refused;

/// Parameters by name.
pub(crate) fn map_of(text: &str) -> PyResult<Map> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(refused(format!(
            "parameters are names with values, not {other}"
        ))),
        Err(error) => Err(refused(format!("parameters: {error}"))),
    }
}
