//! Names of observables, and what is said of misspelt ones.

use super::*;

#[test]
fn every_identifier_parses_to_itself() {
    for (index, quantity) in Quantity::ALL.iter().enumerate() {
        let parsed = Observable::parse(quantity.doc().id);
        assert_eq!(parsed, Ok(Observable::Quantity(*quantity)));
        let twice = Quantity::ALL[..index]
            .iter()
            .any(|q| q.doc().id == quantity.doc().id);
        assert!(!twice, "{}", quantity.doc().id);
    }
    for id in [
        "x[1].y",
        "v[0].x",
        "w[12].z",
        "angle[3].z",
        "C[4].2",
        "force[0].y",
        "torque[7].x",
        "force[0,12].y",
        "torque[3,1].z",
        "x[weight].y",
        "angle[r1/left hip.2].z",
        "C[door-hinge].4",
        "force[größe].x",
        "force[ground,0].y",
        "torque[0,b2].y",
    ] {
        let observable = Observable::parse(id).unwrap();
        assert_eq!(observable.id(), id);
        assert!(!observable.unit().is_empty() && !observable.description().is_empty());
    }
}

#[test]
fn a_name_stands_where_a_number_can() {
    let parsed = Observable::parse("v[weight].y").unwrap();
    assert_eq!(
        parsed,
        Observable::Body {
            part: BodyPart::Velocity,
            body: Subject::Name("weight"),
            axis: 1
        }
    );
    assert_eq!(parsed.description(), "velocity of weight along y");
    assert_eq!(
        Observable::parse("C[3].0").unwrap().description(),
        "error of row 0 of joint 3"
    );
}

#[test]
fn typing_errors_find_what_was_meant() {
    let nearest = |name: &str| Observable::parse(name).unwrap_err().nearest;
    assert_eq!(nearest("drift_mx").as_deref(), Some("drift_max"));
    assert_eq!(nearest("energy_eror").as_deref(), Some("energy_error"));
    assert_eq!(nearest("forse[1].x").as_deref(), Some("force[JOINT].AXIS"));
    assert_eq!(nearest("x[1].q").as_deref(), Some("x[BODY].AXIS"));
    let pair = Some("force[BODY,BODY].AXIS");
    assert_eq!(nearest("forse[1,2].x").as_deref(), pair);
    assert_eq!(nearest("contact_force[1,2].x").as_deref(), pair);
    assert_eq!(nearest("force[1,2]").as_deref(), pair);
    assert_eq!(nearest("x[1,2].x").as_deref(), Some("x[BODY].AXIS"));
    assert_eq!(
        nearest("penetraton_p95").as_deref(),
        Some("penetration_p95")
    );
    assert_eq!(nearest("cone_use").as_deref(), Some("cone_use_max"));
    assert_eq!(nearest("slip_mx").as_deref(), Some("slip_max"));
    for name in [
        "x[-1].x",
        "x[+1].x",
        "C[1].+0",
        "C[1]",
        "x",
        "",
        "é[1].x",
        "q[1].x",
        "force[1,2,3].x",
        "force[1,-2].x",
        "force[,].x",
        "torque[1, 2].x",
        "v[0,1].x",
        "x[].x",
        "x[ a].x",
        "x[a[b].x",
        "x[a\u{1b}b].x",
        "x[a,b].x",
        "x[weight]",
    ] {
        assert!(Observable::parse(name).is_err(), "{name}");
    }
}
