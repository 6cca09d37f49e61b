//! Parameters in the labels of problems, schemes and solvers.

use serde_json::{Map, Value};

/// A parameter as labels name it: `n=10`, `ω=1.3`, `order=reversed`.
pub fn label(key: &str, value: &Value) -> String {
    let symbol = match key {
        "omega" => "ω",
        "beta" => "β",
        "mu" => "μ",
        _ => key,
    };
    match value {
        Value::String(text) => format!("{symbol}={text}"),
        // 1 rather than 1.0
        Value::Number(number) if number.is_f64() => {
            format!("{symbol}={}", number.as_f64().unwrap_or_default())
        }
        other => format!("{symbol}={other}"),
    }
}

/// A label without the text of parameter `key`: what cells share that differ in nothing but its
/// value.
pub fn without(text: &str, parameters: &Map<String, Value>, key: &str) -> String {
    let Some(value) = parameters.get(key) else {
        return text.to_owned();
    };
    let unwanted = label(key, value);
    let words = text.split(' ').filter(|word| *word != unwanted);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lose_one_parameter() {
        let parameters = Map::from_iter([("substeps".to_owned(), Value::from(4))]);
        let without = |text: &str| without(text, &parameters, "substeps");
        assert_eq!(without("Soft Step substeps=4 β=0.1"), "Soft Step β=0.1");
        assert_eq!(without("Soft Step substeps=40"), "Soft Step substeps=40");
        assert_eq!(without("substeps"), "substeps");
    }
}
