//! `#[derive(Choice)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Variant};

use crate::text::{first_paragraph, kebab};

/// The implementations for one enum.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        let message = "a choice is an enum whose variants have no data";
        return Err(Error::new_spanned(&input.ident, message));
    };
    let mut names = Vec::new();
    let mut texts = Vec::new();
    for variant in &data.variants {
        let (name, text) = described(variant)?;
        names.push(name);
        texts.push(text);
    }
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let own = &input.ident;
    let by_name = by_name(own);
    Ok(quote! {
        impl ::delassus_core::Choice for #own {
            const ALL: &'static [Self] = &[#(Self::#variants),*];
            const CHOICES: &'static [::delassus_core::ChoiceDoc] = &[
                #(::delassus_core::ChoiceDoc { name: #names, text: #texts }),*
            ];

            fn name(self) -> &'static str {
                match self {
                    #(Self::#variants => #names),*
                }
            }
        }

        impl ::delassus_core::parameter::ParameterValue for #own {
            const NAMES: &'static [::delassus_core::ChoiceDoc] =
                <Self as ::delassus_core::Choice>::CHOICES;
        }

        #by_name
    })
}

/// Writing a choice as its name, and reading it from that.
fn by_name(own: &Ident) -> TokenStream {
    quote! {
        impl ::core::fmt::Display for #own {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(::delassus_core::Choice::name(*self))
            }
        }

        impl ::core::str::FromStr for #own {
            type Err = ::delassus_core::UnknownName;

            fn from_str(text: &str) -> ::core::result::Result<Self, Self::Err> {
                <Self as ::delassus_core::Choice>::from_name(text)
            }
        }

        impl ::delassus_core::parameter::serde::Serialize for #own {
            fn serialize<S: ::delassus_core::parameter::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(::delassus_core::Choice::name(*self))
            }
        }

        impl<'de> ::delassus_core::parameter::serde::Deserialize<'de> for #own {
            fn deserialize<D: ::delassus_core::parameter::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::delassus_core::parameter::deserialize_choice(deserializer)
            }
        }
    }
}

/// Name and description of a variant.
fn described(variant: &Variant) -> Result<(String, String)> {
    if !matches!(variant.fields, Fields::Unit) {
        let message = "a choice is an enum whose variants have no data";
        return Err(Error::new_spanned(variant, message));
    }
    let mut name = kebab(&variant.ident.to_string());
    for attribute in variant.attrs.iter().filter(|a| a.path().is_ident("choice")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("expected `name = \"…\"`"));
            }
            name = meta.value()?.parse::<LitStr>()?.value();
            Ok(())
        })?;
    }
    let text = first_paragraph(&variant.attrs);
    if text.is_empty() {
        let message = "a choice has a doc comment: it is the text that `list` prints";
        return Err(Error::new_spanned(variant, message));
    }
    Ok((name, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn variants_have_names_and_texts() {
        let made = derive(&parse_quote! {
            enum Order {
                /// As they come.
                Natural,
                /// Otherwise.
                #[choice(name = "there-and-back")]
                Symmetric,
            }
        });
        let text = made.unwrap().to_string();
        assert!(
            text.contains("name : \"natural\" , text : \"As they come.\""),
            "{text}"
        );
        assert!(text.contains("\"there-and-back\""), "{text}");
    }

    #[test]
    fn what_is_no_choice_is_refused() {
        let wrong: [(DeriveInput, &str); 4] = [
            (
                parse_quote!(
                    struct A {}
                ),
                "an enum",
            ),
            (
                parse_quote! {
                    enum A {
                        /// With data.
                        B(f64),
                    }
                },
                "no data",
            ),
            (
                parse_quote!(
                    enum A {
                        B,
                    }
                ),
                "doc comment",
            ),
            (
                parse_quote! {
                    enum A {
                        /// Renamed.
                        #[choice(rename = "b")]
                        B,
                    }
                },
                "expected `name",
            ),
        ];
        for (input, message) in wrong {
            let error = derive(&input).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
