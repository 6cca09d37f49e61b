//! `#[derive(Parameters)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Result, Type};

use crate::attributes::{FieldAttributes, check_of};
use crate::range::Range;
use crate::text::first_paragraph;

/// A field with what it says about itself.
struct Parameter<'a> {
    name: &'a Ident,
    kind: &'a Type,
    attributes: FieldAttributes,
    text: String,
}

/// The implementations for one struct.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let defaults = fields.iter().map(default);
    let own_docs = fields.iter().filter_map(documented);
    let names = fields.iter().map(|field| field.name);
    let (mut all_docs, mut validated) = (Vec::new(), Vec::new());
    for (index, field) in fields.iter().enumerate() {
        let (name, kind, own) = (field.name, field.kind, own_index(&fields, index));
        if field.attributes.flatten {
            all_docs.push(quote!(docs.extend(<#kind as ::delassus_core::Parameters>::docs());));
            validated.push(quote!(::delassus_core::Parameters::validate(&self.#name)?;));
        } else {
            all_docs.push(quote!(docs.push(OWN[#own]);));
            validated.push(quote!(OWN[#own].check(&self.#name)?;));
        }
    }
    let checked = check_of(&input.attrs)?.map(|method| quote!(#method(self)?;));
    let written = fields.iter().map(written);
    let (own, value) = (&input.ident, value_of_key(&fields));
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        const _: () = {
            const OWN: &[::delassus_core::ParameterDoc] = &[#(#own_docs),*];

            impl #generics ::core::default::Default for #own #arguments #bounds {
                fn default() -> Self {
                    Self { #(#names: #defaults),* }
                }
            }

            impl #generics ::delassus_core::Parameters for #own #arguments #bounds {
                fn docs() -> ::std::vec::Vec<::delassus_core::ParameterDoc> {
                    let mut docs = ::std::vec::Vec::new();
                    #(#all_docs)*
                    docs
                }

                fn validate(&self) -> ::core::result::Result<(), ::delassus_core::ParameterError> {
                    #(#validated)*
                    #checked
                    Ok(())
                }

                fn write(&self, map: &mut ::delassus_core::parameter::Map) {
                    #(#written)*
                    let _ = map;
                }

                fn set(
                    &mut self,
                    key: &str,
                    value: &::delassus_core::parameter::Value,
                ) -> ::core::option::Option<::core::result::Result<(), ::std::string::String>> {
                    let _ = value;
                    #value
                }
            }
        };
    })
}

/// Sets the parameter of `key` to `value`; `None` for the key of no parameter.
fn value_of_key(fields: &[Parameter<'_>]) -> TokenStream {
    let own_keys = fields.iter().filter(|field| !field.attributes.flatten);
    let own_keys = own_keys.map(|field| {
        let (name, key) = (field.name, field.key());
        quote!(#key => Some(::delassus_core::parameter::read(value).map(|value| self.#name = value)),)
    });
    let flattened = fields.iter().filter(|field| field.attributes.flatten);
    let flattened = flattened.map(|field| {
        let name = field.name;
        quote!(.or_else(|| ::delassus_core::Parameters::set(&mut self.#name, key, value)))
    });
    quote! {
        match key {
            #(#own_keys)*
            _ => None #(#flattened)*,
        }
    }
}

fn fields(input: &DeriveInput) -> Result<Vec<Parameter<'_>>> {
    let only = "parameters are the named fields of a struct";
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, only));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, only));
    };
    fields.named.iter().map(Parameter::new).collect()
}

impl<'a> Parameter<'a> {
    fn new(field: &'a Field) -> Result<Self> {
        let attributes = FieldAttributes::parse(field)?;
        let text = first_paragraph(&field.attrs);
        if text.is_empty() {
            let message = "a parameter has a doc comment: it is the text that `list` prints";
            return Err(Error::new_spanned(field, message));
        }
        match &field.ident {
            Some(name) => Ok(Self {
                name,
                kind: &field.ty,
                attributes,
                text,
            }),
            None => Err(Error::new_spanned(field, "a parameter has a name")),
        }
    }

    fn key(&self) -> String {
        self.name.to_string()
    }

    /// True if the numbers of the field are real, so that they could be infinite.
    fn is_real(&self) -> bool {
        self.kind.to_token_stream().to_string().contains("f64")
    }
}

fn default(field: &Parameter<'_>) -> TokenStream {
    match &field.attributes.default {
        Some(value) => value.to_token_stream(),
        None => quote!(::core::default::Default::default()),
    }
}

/// Place of a field among those that are no groups.
fn own_index(fields: &[Parameter<'_>], index: usize) -> usize {
    let before = fields[..index].iter();
    before.filter(|field| !field.attributes.flatten).count()
}

/// The description of a field; a group has its own.
fn documented(field: &Parameter<'_>) -> Option<TokenStream> {
    let kind = field.kind;
    if field.attributes.flatten {
        return None;
    }
    let (key, text, unit) = (field.key(), &field.text, &field.attributes.unit);
    let all = (String::new(), Range::ALL);
    let (shown, range) = field.attributes.range.as_ref().unwrap_or(&all);
    let (low, high) = (range.low.tokens(), range.high.tokens());
    let expected = range.expected(shown, unit, field.is_real());
    Some(quote! {
        ::delassus_core::ParameterDoc {
            name: #key,
            text: #text,
            unit: #unit,
            range: ::delassus_core::parameter::Range {
                text: #shown,
                expected: #expected,
                bounds: (#low, #high),
            },
            choices: <#kind as ::delassus_core::parameter::ParameterValue>::NAMES,
        }
    })
}

fn written(field: &Parameter<'_>) -> TokenStream {
    let (name, key) = (field.name, field.key());
    if field.attributes.flatten {
        return quote!(::delassus_core::Parameters::write(&self.#name, map););
    }
    quote!(::delassus_core::parameter::write(map, #key, &self.#name);)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn what_is_no_struct_of_documented_fields_is_refused() {
        let wrong: [(DeriveInput, &str); 4] = [
            (
                parse_quote!(
                    enum A {
                        B,
                    }
                ),
                "named fields",
            ),
            (
                parse_quote!(
                    struct A(f64);
                ),
                "named fields",
            ),
            (
                parse_quote!(
                    struct A {
                        n: usize,
                    }
                ),
                "doc comment",
            ),
            (
                parse_quote! {
                    #[parameters(test = "Self::check")]
                    struct A {}
                },
                "expected `check",
            ),
        ];
        for (input, message) in wrong {
            let error = derive(&input).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn keys_stand_in_the_order_of_the_fields() {
        let made = derive(&parse_quote! {
            struct A {
                /// First.
                #[parameter(default = 2, unit = "-", range = ">= 1")]
                n: usize,
                /// The group.
                #[parameter(flatten)]
                group: Group,
                /// Last.
                last: bool,
            }
        });
        let text = made.unwrap().to_string();
        let at = |what: &str| text.find(what).unwrap();
        assert!(at("docs . push (OWN [0usize])") < at("Group as :: delassus_core :: Parameters"));
        assert!(at("Group as :: delassus_core :: Parameters") < at("docs . push (OWN [1usize])"));
        assert!(text.contains("\"it must be >= 1\""), "{text}");
    }
}
