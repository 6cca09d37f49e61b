//! Names of solvers: compositions of wrappers, and what features add.

use delassus_core::EntryError;
use delassus_core::registry::names;
use delassus_registry::{Registry, behind_features, schemes};

use crate::pairs::on_a_device;

#[test]
fn what_a_build_leaves_out_is_told_from_what_does_not_exist() {
    let mut text = String::new();
    for (name, feature) in behind_features() {
        text = Registry::empty().find(name).unwrap_err().to_string();
        let expected =
            format!("solver {name} is not in this build; build with `--features {feature}`");
        assert_eq!(text, expected);
    }
    assert!(!text.is_empty(), "features add nothing");
    let error = Registry::standard().find("gpu-jacob").unwrap_err();
    assert!(matches!(error, EntryError::UnknownId { .. }), "{error}");
}

#[test]
fn names_that_features_add_are_those_of_devices_and_of_other_authors() {
    let registry = Registry::standard();
    let mut others = registry.entries().to_vec();
    others.retain(|entry| on_a_device(entry) || entry.descriptor.id == "clarabel");
    let mut here: Vec<&str> = names(&others).collect();
    let mut schemes = schemes();
    schemes.retain(|entry| entry.descriptor.id == "gpu-soft-step");
    here.extend(names(&schemes));
    let mut listed: Vec<&str> = behind_features().map(|(name, _)| name).collect();
    here.sort_unstable();
    listed.sort_unstable();
    assert_eq!(here, listed);
}

#[test]
fn names_are_read_from_the_inside() {
    let registry = Registry::standard();
    let id = |name: &str| registry.find(name).map(|entry| entry.descriptor.id);
    for name in [
        "best-so-far(anderson(block-gs))",
        " best-so-far ( anderson(block-gs ) ) ",
        "best-so-far(anderson(nsgs))",
    ] {
        assert_eq!(id(name), Ok("best-so-far(anderson(block-gs))"), "{name}");
    }
    let entry = registry.find("anderson(psor)").unwrap();
    let names: Vec<&str> = entry.parameters.iter().map(|doc| doc.name).collect();
    assert_eq!(names[0], "omega");
    assert!(names.contains(&"anderson.depth"), "{names:?}");
    assert!(entry.defaults.contains_key("anderson.growth"));
    assert!(entry.descriptor.citations.contains(&"Walker2011"));
    assert!(entry.descriptor.citations.contains(&"Cryer1971"));
}

#[test]
fn what_names_nothing_is_refused_with_what_was_meant() {
    let registry = Registry::standard();
    let text = |name: &str| registry.find(name).unwrap_err().to_string();
    let deep = format!("{}pgs{}", "anderson(".repeat(9), ")".repeat(9));
    for (name, expected) in [
        (
            "best-so-far",
            "best-so-far wraps a solver; write best-so-far(SOLVER)",
        ),
        ("best-so-far()", "a name is missing"),
        ("(pgs)", "a name is missing"),
        ("best-so-far(pgs", "parentheses do not match"),
        ("best-so-far(pgs))", "parentheses do not match"),
        ("pgs)(", "parentheses do not match"),
        ("best-so-far(pgs) fast", "\"fast\" follows"),
        (
            "pgs(block-gs)",
            "pgs is not a wrapper and contains no other solver",
        ),
        (
            "andreson(pgs)",
            "unknown wrapper \"andreson\"; did you mean \"anderson\"?",
        ),
        (
            "anderson(blok-gs)",
            "unknown solver \"blok-gs\"; did you mean \"block-gs\"?",
        ),
        ("anderson(best-so-far)", "best-so-far wraps a solver"),
        ("anderson(anderson(pgs))", "anderson occurs twice"),
        (deep.as_str(), "more than 8 nested names"),
    ] {
        assert!(text(name).contains(expected), "{name}: {}", text(name));
    }
}

#[test]
fn parameters_of_wrappers_carry_their_names() {
    let registry = Registry::standard();
    let entry = registry.find("best-so-far(anderson(psor))").unwrap();
    let build = |key: &str, value: serde_json::Value| {
        let given = delassus_core::parameter::Map::from_iter([(key.to_owned(), value)]);
        entry.build(&given).map(drop)
    };
    assert_eq!(build("anderson.depth", 8.into()), Ok(()));
    assert_eq!(build("omega", 1.0.into()), Ok(()));
    for (key, value, expected) in [
        (
            "anderson.dpeth",
            8.into(),
            "did you mean \"anderson.depth\"?",
        ),
        ("depth", 8.into(), "did you mean \"anderson.depth\"?"),
        ("omgea", 1.0.into(), "did you mean \"omega\"?"),
        (
            "anderson.depth",
            0.into(),
            "anderson.depth = 0 is out of range",
        ),
        (
            "anderson.depth",
            "deep".into(),
            "anderson.depth: invalid type",
        ),
        ("omega", 3.0.into(), "omega = 3 is out of range"),
    ] {
        let error = build(key, value).unwrap_err();
        assert!(error.to_string().contains(expected), "{key}: {error}");
        assert_eq!(error.parameter(), Some(key));
    }
}
