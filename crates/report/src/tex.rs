//! Texts and numbers for LaTeX: every sign stands for itself, whatever a name is made of.

/// Escapes a text for LaTeX with `inputenc` for UTF-8, which LaTeX loads by itself.
///
/// Signs that LaTeX does not know become the sign of a missing letter; controls are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((set, after)) = digits(rest) {
            out.push_str(&set);
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' | '\t' => out.push(' '),
            // two hyphens would be a dash
            '-' if rest.starts_with('-') => out.push_str("-{}"),
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

/// What a text begins with of digits, and the rest. With a power, as in 10⁻¹⁴, 2·10⁻⁸ or 2e−8, they
/// are one formula; so is a power alone.
fn digits(text: &str) -> Option<(String, &str)> {
    let split = |text: &'_ str, of: fn(char) -> bool| text.find(|c| !of(c)).unwrap_or(text.len());
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let (first, rest) = text.split_at(split(text, is_digit));
    let exponent = rest.strip_prefix("e−").filter(|_| !first.is_empty());
    let exponent = exponent.map(|rest| rest.split_at(split(rest, |c| c.is_ascii_digit())));
    if let Some((power, left)) = exponent.filter(|(power, _)| !power.is_empty()) {
        return Some((format!("${first}\\cdot10^{{-{power}}}$"), left));
    }
    let base = rest
        .strip_prefix('·')
        .map(|rest| rest.split_at(split(rest, is_digit)));
    let base = base.filter(|(base, _)| !first.is_empty() && !base.is_empty());
    let (formula, after) = match base {
        Some((base, after)) => (format!("{first}\\cdot{base}"), after),
        None => (first.to_owned(), rest),
    };
    let (power, left) = after.split_at(split(after, |c| raised(c).is_some()));
    let power: String = power.chars().filter_map(raised).collect();
    match (power.is_empty(), first.is_empty()) {
        (false, _) => Some((format!("${formula}^{{{power}}}$"), left)),
        (true, false) => Some((first.to_owned(), rest)),
        (true, true) => None,
    }
}

/// The sign that a sign in a power stands for.
fn raised(c: char) -> Option<char> {
    Some(match c {
        '⁻' => '-',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁰' => '0',
        '⁴'..='⁹' => char::from_digit(4 + (c as u32 - '⁴' as u32), 10)?,
        _ => return None,
    })
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

/// A sentence: what stands between backquotes is set as code, whose font has no dash in the oldest
/// encoding of TeX.
pub(crate) fn sentence(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    let set = pieces.map(|(i, piece)| match i % 2 {
        1 => format!("\\texttt{{{}}}", escape(piece).replace('–', "\\textrm{–}")),
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
        assert_eq!(escape("ω ≤ 10⁻¹⁴"), "$\\omega$ $\\le$ $10^{-14}$");
        assert_eq!(escape("2.5·10⁻⁸ m²/s"), "$2.5\\cdot10^{-8}$ m$^{2}$/s");
        assert_eq!(escape("1·k, 3.⁹ 12"), "1$\\cdot$k, $3.^{9}$ 12");
        assert_eq!(escape("Gauß–Seidel"), "Gauß–Seidel");
        assert_eq!(escape("漢\u{202e}\u{7}"), format!("{MISSING}{MISSING}"));
    }

    #[test]
    fn numbers_have_powers_of_ten() {
        assert_eq!(number("1.234e−8"), "$1.234\\cdot10^{-8}$");
        assert_eq!(number("−2.5"), "$-$2.5");
        assert_eq!(number("10\u{202f}000"), "10\\,000");
        assert_eq!(escape("p = 1.4e−8, 2"), "p = $1.4\\cdot10^{-8}$, 2");
        assert_eq!(escape("1e−"), "1e$-$");
        // a word with an e is no number
        assert_eq!(number("rate"), "rate");
        assert_eq!(number("e"), "e");
    }

    #[test]
    fn code_is_set_as_code_and_labels_are_plain() {
        assert_eq!(sentence("a `b_c` d"), "a \\texttt{b\\_c} d");
        assert_eq!(sentence("`–(k)` –"), "\\texttt{\\textrm{–}(k)} –");
        assert_eq!(label("a_b c}"), "a-b-c-");
    }
}
