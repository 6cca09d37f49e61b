//! Doc comments as texts.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The first paragraph of a doc comment on one line, without the escapes of rustdoc; empty if there
/// is none.
pub(crate) fn first_paragraph(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(line);
    let lines = lines.skip_while(String::is_empty);
    let lines = lines.take_while(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    text.replace("\\[", "[").replace("\\]", "]")
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = &pair.value
    else {
        return None;
    };
    pair.path
        .is_ident("doc")
        .then(|| text.value().trim().to_owned())
}

/// `HeavyTip` as `heavy-tip`.
pub(crate) fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn the_first_paragraph_is_the_text() {
        let field: syn::ItemStruct = parse_quote! {
            /// Edges \[half\] of a
            /// box.
            ///
            /// Not shown.
            struct A;
        };
        assert_eq!(first_paragraph(&field.attrs), "Edges [half] of a box.");
        let bare: syn::ItemStruct = parse_quote!(
            struct A;
        );
        assert_eq!(first_paragraph(&bare.attrs), "");
    }

    #[test]
    fn names_are_kebab_case_as_serde_writes_them() {
        let names = ["HeavyTip", "None", "Avx512", "FixedBox"];
        assert_eq!(
            names.map(kebab),
            ["heavy-tip", "none", "avx512", "fixed-box"]
        );
    }
}
