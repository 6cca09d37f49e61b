//! `completions` and `man`.

use crate::support::Lab;

#[test]
fn completions_know_every_verb() {
    let lab = Lab::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = lab.run(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        for word in ["solve", "bundle", "--require-gpu", "delassus"] {
            // fish writes options without their dashes
            let word = if shell == "fish" {
                word.trim_start_matches('-')
            } else {
                word
            };
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    lab.run(&["completions", "csh"]).is_refused_with(&["csh"]);
    let object = &lab.run(&["completions", "bash", "--json"]).objects()[0];
    assert_eq!(object["schema"], "completions/1");
}

#[test]
fn a_manual_page_for_every_verb() {
    let lab = Lab::new();
    let ran = lab.run(&["man"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.contains(".TH delassus 1"),
        "{}",
        &ran.stdout[..400]
    );
    let page = lab.run(&["man", "run"]).stdout;
    assert!(
        page.contains("require") && page.contains("Examples"),
        "{page}"
    );
    let ran = lab.run(&["man", "--out", "pages"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for verb in ["", "-run", "-verify", "-man"] {
        assert!(
            lab.path(&format!("pages/delassus{verb}.1")).is_file(),
            "{verb}"
        );
    }
    lab.run(&["man", "reprot"]).is_refused_with(&["\"report\""]);
}
