//! A command line as words. No shell takes part: nothing is expanded, joined or redirected.

/// The words of a command line: separated by blanks, and kept together by quotes.
///
/// # Errors
/// A quote that does not end.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => all.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} does not end"));
    }
    all.extend(word);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn blanks_separate_and_quotes_keep_together() {
        let split = |text| words(text).unwrap();
        assert_eq!(
            split("  python3  my_solver.py "),
            ["python3", "my_solver.py"]
        );
        assert_eq!(split("a 'b c' d\"e f\"g ''"), ["a", "b c", "de fg", ""]);
        assert_eq!(
            split("a $HOME; rm * | b"),
            ["a", "$HOME;", "rm", "*", "|", "b"]
        );
        assert!(split("").is_empty());
        assert!(words("a 'b").is_err());
    }
}
