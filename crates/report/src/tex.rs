//! Texts and numbers for LaTeX: every sign stands for itself, whatever a name is made of.

/// Escapes a text for LaTeX with `inputenc` for UTF-8, which LaTeX loads by itself.
///
/// Signs that LaTeX does not know become the sign of a missing letter; controls are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '\n' | '\t' => out.push(' '),
            // two hyphens would be a dash
            '-' if letters.peek() == Some(&'-') => out.push_str("-{}"),
            ' '..='~' => match ascii(c) {
                Some(other) => out.push_str(other),
                None => out.push(c),
            },
            _ if c.is_control() => {}
            // letters of Western Europe and what text is punctuated with
            'À'..='ÿ' if !matches!(c, '×' | '÷') => out.push(c),
            '–' | '—' | '…' | '“' | '”' | '‘' | '’' | '„' => out.push(c),
            _ => out.push_str(sign(c)),
        }
    }
    out
}

/// What stands for a sign of ASCII that means something to LaTeX, or that its old fonts draw
/// otherwise.
fn ascii(c: char) -> Option<&'static str> {
    Some(match c {
        '\\' => "\\textbackslash{}",
        '{' => "\\{",
        '}' => "\\}",
        '$' => "\\$",
        '&' => "\\&",
        '#' => "\\#",
        '%' => "\\%",
        '_' => "\\_",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '"' => "\\char34{}",
        '`' => "\\textasciigrave{}",
        // after the end of a row a bracket is an option, and an asterisk as well
        '[' => "{[}",
        ']' => "{]}",
        '*' => "{*}",
        // ?` and !` are Spanish, '' is a quotation mark
        '?' => "?{}",
        '!' => "!{}",
        '\'' => "'{}",
        _ => return None,
    })
}

/// The sign of a missing letter.
const MISSING: &str = "\\fbox{?}";

/// Signs beyond ASCII that names, units and numbers are made of.
fn sign(c: char) -> &'static str {
    match c {
        '\u{a0}' => "~",
        '\u{202f}' | '\u{2009}' => "\\,",
        '\u{200b}' => "",
        '−' => "$-$",
        '·' => "$\\cdot$",
        '×' => "$\\times$",
        '÷' => "$\\div$",
        '½' => "$\\frac12$",
        '±' => "$\\pm$",
        '≤' => "$\\le$",
        '≥' => "$\\ge$",
        '≠' => "$\\ne$",
        '≈' => "$\\approx$",
        '∞' => "$\\infty$",
        '√' => "$\\surd$",
        '∑' => "$\\sum$",
        '∂' => "$\\partial$",
        '‖' | '∥' => "$\\Vert$",
        '→' => "$\\to$",
        '←' => "$\\leftarrow$",
        '∈' => "$\\in$",
        '°' => "$^{\\circ}$",
        '§' => "\\S{}",
        '¹' => "$^{1}$",
        '²' => "$^{2}$",
        '³' => "$^{3}$",
        '⁰' => "$^{0}$",
        '⁴' => "$^{4}$",
        '⁵' => "$^{5}$",
        '⁶' => "$^{6}$",
        '⁷' => "$^{7}$",
        '⁸' => "$^{8}$",
        '⁹' => "$^{9}$",
        '⁻' => "$^{-}$",
        '₀' => "$_{0}$",
        '₁' => "$_{1}$",
        '₂' => "$_{2}$",
        '₃' => "$_{3}$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'ε' => "$\\varepsilon$",
        'ζ' => "$\\zeta$",
        'η' => "$\\eta$",
        'θ' => "$\\theta$",
        'κ' => "$\\kappa$",
        'λ' => "$\\lambda$",
        'μ' | 'µ' => "$\\mu$",
        'ν' => "$\\nu$",
        'ξ' => "$\\xi$",
        'π' => "$\\pi$",
        'ρ' => "$\\rho$",
        'σ' => "$\\sigma$",
        'τ' => "$\\tau$",
        'φ' => "$\\varphi$",
        'χ' => "$\\chi$",
        'ψ' => "$\\psi$",
        'ω' => "$\\omega$",
        'Γ' => "$\\Gamma$",
        'Δ' => "$\\Delta$",
        'Θ' => "$\\Theta$",
        'Λ' => "$\\Lambda$",
        'Σ' => "$\\Sigma$",
        'Φ' => "$\\Phi$",
        'Ω' => "$\\Omega$",
        _ => MISSING,
    }
}

/// A number as [`crate::numbers::significant`] prints it: powers of ten in place of `e`.
pub(crate) fn number(text: &str) -> String {
    let split = text.split_once('e');
    let digits = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || ".−".contains(c))
    };
    match split.filter(|(mantissa, power)| digits(mantissa) && digits(power)) {
        Some((mantissa, power)) => {
            let [mantissa, power] = [mantissa, power].map(|part| part.replace('−', "-"));
            format!("${mantissa}\\cdot10^{{{power}}}$")
        }
        None => escape(text),
    }
}

/// A sentence: what stands between backquotes is set as code.
pub(crate) fn sentence(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    let set = pieces.map(|(i, piece)| match i % 2 {
        1 => format!("\\texttt{{{}}}", escape(piece)),
        _ => escape(piece),
    });
    set.collect()
}

/// What a label may be made of; other characters are hyphens.
pub(crate) fn label(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_of_ascii_stands_for_itself() {
        let all: String = (' '..='~').collect();
        let set = escape(&all);
        // no sign that means something is left without its backslash
        let bare = set.replace("\\{", "").replace("\\}", "");
        assert_eq!(bare.matches('{').count(), bare.matches('}').count());
        for sign in ["$", "&", "#", "%", "_"] {
            let escaped = format!("\\{sign}");
            assert_eq!(
                set.matches(sign).count(),
                set.matches(&escaped).count(),
                "{sign}"
            );
        }
        assert!(!set.contains('~') && !set.contains('^') && !set.contains('"'));
        assert_eq!(escape("a--b-c"), "a-{}-b-c");
        assert_eq!(escape("\\end{table}"), "\\textbackslash{}end\\{table\\}");
    }

    #[test]
    fn signs_of_mathematics_are_set_and_unknown_ones_are_marked() {
        assert_eq!(escape("ω ≤ 10⁻⁸"), "$\\omega$ $\\le$ 10$^{-}$$^{8}$");
        assert_eq!(escape("Gauß–Seidel"), "Gauß–Seidel");
        assert_eq!(escape("漢\u{202e}\u{7}"), format!("{MISSING}{MISSING}"));
    }

    #[test]
    fn numbers_have_powers_of_ten() {
        assert_eq!(number("1.234e−8"), "$1.234\\cdot10^{-8}$");
        assert_eq!(number("−2.5"), "$-$2.5");
        assert_eq!(number("10\u{202f}000"), "10\\,000");
        // a word with an e is no number
        assert_eq!(number("rate"), "rate");
        assert_eq!(number("e"), "e");
    }

    #[test]
    fn code_is_set_as_code_and_labels_are_plain() {
        assert_eq!(sentence("a `b_c` d"), "a \\texttt{b\\_c} d");
        assert_eq!(label("a_b c}"), "a-b-c-");
    }
}
