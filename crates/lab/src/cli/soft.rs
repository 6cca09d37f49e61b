//! `delassus soft`: the same row in the numbers of MuJoCo, as a spring, and as ERP and CFM, with
//! what each form leaves out.

use std::f64::consts::TAU;

use delassus_core::{Impedance, ParameterError, SoftRow, Softness};
use serde_json::{Map, Value, json};

use super::args::SoftVerb;
use super::failure::Failure;
use super::output::Output;
use delassus_core::numbers::{shortened, shown};

/// Rounding of hB that still counts as 1 \[-\].
const ROUNDING: f64 = 1e-12;

/// One number, or one list, with its name and its unit.
struct Number {
    key: &'static str,
    unit: &'static str,
    values: Vec<f64>,
}

/// The numbers of a row, and what they do not say.
struct Row {
    numbers: Vec<Number>,
    lost: Vec<String>,
}

impl Row {
    fn add(&mut self, key: &'static str, unit: &'static str, value: f64) {
        self.add_list(key, unit, &[value]);
    }

    fn add_list(&mut self, key: &'static str, unit: &'static str, values: &[f64]) {
        let values = values.to_vec();
        self.numbers.push(Number { key, unit, values });
    }
}

/// Runs the verb.
pub(crate) fn run(request: &SoftVerb, output: &mut Output) -> Result<(), Failure> {
    for (name, value) in [
        ("--step", request.step),
        ("--inverse-mass", request.inverse_mass),
    ] {
        if !(value.is_finite() && value > 0.0) {
            let value = shown(value);
            return Err(Failure::request(format!("{name} = {value}: must be > 0")));
        }
    }
    if !request.error.is_finite() {
        let value = shown(request.error);
        return Err(Failure::request(format!(
            "--error = {value}: must be finite [m]"
        )));
    }
    let row = match request.hertz {
        Some(hertz) => of_spring(request, hertz)?,
        None => of_impedance(request)?,
    };
    let mut numbers = row.numbers.iter();
    if let Some(number) = numbers.find(|number| number.values.iter().any(|x| !x.is_finite())) {
        return Err(Failure::request(format!(
            "{} is beyond the numbers of the computer: take less extreme values",
            number.key
        )));
    }
    print(&row, request, output)
}

/// A list of as many numbers as a parameter has.
fn list<const N: usize>(
    name: &str,
    given: Option<&Vec<f64>>,
    default: [f64; N],
) -> Result<[f64; N], Failure> {
    let Some(given) = given else {
        return Ok(default);
    };
    <[f64; N]>::try_from(given.as_slice()).map_err(|_| {
        let found = given.len();
        Failure::request(format!(
            "{name} has {found} numbers: give {N}, separated by commas"
        ))
    })
}

fn refused(error: &ParameterError) -> Failure {
    Failure::request(format!(
        "--{} = {}: {}",
        error.parameter.replace('_', "-"),
        shortened(&error.value),
        error.expected
    ))
}

/// From `solref` and `solimp` (S.24)–(S.29).
fn of_impedance(request: &SoftVerb) -> Result<Row, Failure> {
    let default = Impedance::default();
    let softness = Impedance {
        solref: list("--solref", request.solref.as_ref(), default.solref)?,
        solimp: list("--solimp", request.solimp.as_ref(), default.solimp)?,
        ..default
    };
    softness.validate().map_err(|error| refused(&error))?;
    let (h, a) = (request.step, request.inverse_mass);
    let numbers = softness.row(a, request.error, h);
    let (k, b, d, r) = (
        numbers.stiffness,
        numbers.damping,
        numbers.impedance,
        numbers.compliance,
    );
    let omega = d * k.sqrt();
    let mut row = Row {
        numbers: Vec::new(),
        lost: Vec::new(),
    };
    row.add_list("solref", "", &softness.solref);
    row.add_list("solimp", "", &softness.solimp);
    row.add("impedance", "-", d);
    row.add("K", "1/s²", k);
    row.add("B", "1/s", b);
    row.add("hB", "-", h * b);
    row.add("R", "1/kg", r);
    row.add("hertz", "Hz", omega / TAU);
    if omega > 0.0 {
        row.add("damping_ratio", "-", 0.5 * d * b / omega);
    }
    row.add("stiffness", "N/m", k * d / r);
    row.add("damping", "N·s/m", b / r);
    row.add("inerter", "kg", (1.0 - h * b) / r);
    row.add("erp", "-", h * h * k * d);
    row.add("cfm", "s/kg", h * r);
    explain_losses(&mut row, &softness, h * b, d);
    if softness.solref[0] > 0.0 && softness.solref[0] < 2.0 * h {
        let text = format!(
            "the step is too long for T: it counts as 2h = {} s",
            2.0 * h
        );
        row.lost.push(text);
    }
    Ok(row)
}

/// What frequency, spring, ERP and CFM do not say about a row with an impedance.
fn explain_losses(row: &mut Row, softness: &Impedance, damped: f64, d: f64) {
    row.lost.push(format!(
        "hertz and damping_ratio hold without a load: the row follows only the share 1 − d = {} of a load (S.28)",
        digits(1.0 - d)
    ));
    if (damped - 1.0).abs() > ROUNDING {
        row.lost.push(format!(
            "ERP and CFM have no inerter, which keeps the share 1 − hB = {} of the old velocity (S.27)",
            digits(1.0 - damped)
        ));
    }
    if softness.impedance(0.0) != softness.impedance(f64::INFINITY) {
        row.lost.push(
            "the impedance depends on the error: the numbers hold for this error only (S.24)"
                .to_owned(),
        );
    }
    row.lost.push(
        "friction of a contact is soft as well, with R/impratio: it creeps below its bound (S.30)"
            .to_owned(),
    );
}

/// From a frequency (S.3)–(S.6), (S.29).
fn of_spring(request: &SoftVerb, hertz: f64) -> Result<Row, Failure> {
    let softness = Softness::Frequency {
        hertz,
        damping_ratio: request.damping_ratio.unwrap_or(1.0),
    };
    softness.validate().map_err(|error| refused(&error))?;
    let (h, a) = (request.step, request.inverse_mass);
    let numbers: Option<SoftRow> = softness.row(a, h);
    let soft = numbers.ok_or_else(|| Failure::request("--hertz: the row is rigid"))?;
    let scales = soft.scales(a);
    let mut row = Row {
        numbers: Vec::new(),
        lost: Vec::new(),
    };
    row.add("hertz", "Hz", hertz);
    row.add("damping_ratio", "-", request.damping_ratio.unwrap_or(1.0));
    row.add("stiffness", "N/m", softness.stiffness(a, h));
    row.add("damping", "N·s/m", softness.damping(a, h));
    row.add("R", "1/kg", soft.compliance);
    row.add("erp", "-", h * soft.bias_rate);
    row.add("cfm", "s/kg", h * soft.compliance);
    row.add("bias_rate", "1/s", soft.bias_rate);
    row.add("mass_scale", "-", scales.mass_scale);
    row.add("impulse_scale", "-", scales.impulse_scale);
    match Impedance::of_row(&soft, a, h) {
        Some(impedance) => {
            row.add_list("solref", "", &impedance.solref);
            row.add_list("solimp", "", &impedance.solimp);
            row.lost.push(
                "solref and solimp give this spring at this step and this A only, with diagonal = \"exact\" (S.29)"
                    .to_owned(),
            );
            row.lost
                .push("they make friction soft as well; a spring leaves friction rigid".to_owned());
        }
        None => row.lost.push(format!(
            "no solref and solimp: the impedance would be {}, outside of 0.0001 to 0.9999",
            scales.mass_scale
        )),
    }
    Ok(row)
}

/// Six digits after the point, or of the mantissa of very small and large numbers.
fn digits(x: f64) -> String {
    if x == 0.0 {
        "0.000000".to_owned()
    } else if (1e-3..1e6).contains(&x.abs()) {
        format!("{x:.6}")
    } else {
        format!("{x:.6e}")
    }
}

fn print(row: &Row, request: &SoftVerb, output: &mut Output) -> Result<(), Failure> {
    if request.json {
        let mut object = Map::new();
        object.insert("schema".to_owned(), json!("soft/1"));
        for number in &row.numbers {
            let value = match number.values.as_slice() {
                [one] => json!(one),
                several => json!(several),
            };
            object.insert(number.key.to_owned(), value);
        }
        object.insert("lost".to_owned(), json!(row.lost));
        return output.json(&Value::Object(object));
    }
    output.line(&format!(
        "a row with A = {} 1/kg at an error of {} m and a step of {} s",
        shown(request.inverse_mass),
        shown(request.error),
        shown(request.step)
    ))?;
    for number in &row.numbers {
        let values: Vec<String> = number.values.iter().map(|x| shown(*x)).collect();
        let text = match number.values.as_slice() {
            [one] => digits(*one),
            _ => values.join(" "),
        };
        output.line(format!("  {:<14} {text} {}", number.key, number.unit).trim_end())?;
    }
    for text in &row.lost {
        output.line(&format!("  note: {text}"))?;
    }
    Ok(())
}
