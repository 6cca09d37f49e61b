//! Entries that are no worlds of one structure.

use super::refusal;

/// A valid entry, to be spoiled.
const WALLS: &str = r#"title = "T"
[[problem]]
use = "wall"
base = 2
friction = [0.2, 0.8]
as_worlds = true
[[solver]]
use = "pgs"
"#;

fn spoiled(line: &str, by: &str) -> String {
    let (from, to) = (format!("{line}\n"), format!("{by}\n"));
    assert_eq!(WALLS.matches(&from).count(), 1, "{line}");
    refusal(&WALLS.replacen(&from, &to, 1))
}

#[test]
fn other_structures_are_named_with_the_world_and_what_to_do() {
    let message = spoiled("base = 2", "base = [2, 3]");
    for part in [
        "as_worlds: world 2, \"wall base=3 friction=0.2\", has another structure than world 0",
        "bodies, and world 0 has",
        "(base differ), or leave as_worlds out",
        "experiment.toml:6:13",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = spoiled("base = 2", "base = 2\nlaw = [\"coulomb\", \"disc\"]");
    assert!(
        message.contains("has another law than in world 0"),
        "{message}"
    );
    let message = spoiled("base = 2", "base = 2\nsize = [1.0, 1.5]");
    assert!(message.contains("other axes or arms"), "{message}");
}

#[test]
fn keys_that_do_not_go_together_are_refused() {
    for (by, part) in [
        (
            "as_worlds = true\nas_matrix = true",
            "as_worlds needs the bodies",
        ),
        (
            "as_worlds = true\nreference_law = \"disc\"",
            "as_worlds and reference_law do not go together",
        ),
        ("draws = 3", "draws goes with as_worlds = true"),
        ("draw_seed = 3", "draw_seed goes with draws"),
        (
            "as_worlds = true\ndraws = 0",
            "draws must be a whole number from 1 to 100000",
        ),
        ("as_worlds = 1", "as_worlds must be true or false"),
    ] {
        let message = spoiled("as_worlds = true", by);
        assert!(message.contains(part), "{part}: {message}");
    }
    for (by, part) in [
        (
            "friction = [0.8, 0.2]\ndraws = 3",
            "draws: friction must have one value, or two",
        ),
        (
            "friction = [0.2, 0.5, 0.8]\ndraws = 3",
            "draws: friction must have one value, or two",
        ),
        (
            "friction = 0.2\ndraws = 3",
            "draws: no parameter has two values",
        ),
    ] {
        let message = spoiled("friction = [0.2, 0.8]", by);
        assert!(message.contains(part), "{part}: {message}");
    }
    let many = "use = \"many-worlds\"\nfriction_least = [0.2, 0.3]";
    let text = WALLS.replace("use = \"wall\"\nbase = 2\nfriction = [0.2, 0.8]", many);
    let message = refusal(&text);
    assert!(
        message.contains("many-worlds makes worlds itself"),
        "{message}"
    );
    let message = refusal(&format!("{WALLS}[timing]\n"));
    assert!(
        message.contains("as_worlds does not go with timing"),
        "{message}"
    );
    let table = "use = \"pgs\"\n[[table]]\nid = \"w\"\nshow = { worlds = {} }\n";
    let text = WALLS.replace("as_worlds = true\n", "");
    let message = refusal(&text.replace("use = \"pgs\"\n", table));
    assert!(
        message.contains("worlds needs a [[problem]] with as_worlds = true"),
        "{message}"
    );
}
