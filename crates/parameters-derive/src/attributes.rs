//! The attributes of a field and of a struct.

use syn::{Attribute, Error, Expr, Field, LitStr, Path, Result};

use crate::range::Range;

/// What `#[parameter(…)]` says about a field.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    /// The default value, if it is not that of the type.
    pub(crate) default: Option<Expr>,
    /// The unit; empty if there is none.
    pub(crate) unit: String,
    /// The range with its text.
    pub(crate) range: Option<(String, Range)>,
    /// True if the field is a struct of parameters whose keys are among the others.
    pub(crate) flatten: bool,
}

impl FieldAttributes {
    pub(crate) fn parse(field: &Field) -> Result<Self> {
        let mut found = Self::default();
        let own = field
            .attrs
            .iter()
            .filter(|a| a.path().is_ident("parameter"));
        for attribute in own {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("default") {
                    found.default = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("unit") {
                    found.unit = meta.value()?.parse::<LitStr>()?.value();
                } else if meta.path.is_ident("range") {
                    let text: LitStr = meta.value()?.parse()?;
                    let range = Range::parse(&text.value())
                        .map_err(|reason| Error::new(text.span(), reason))?;
                    found.range = Some((text.value(), range));
                } else if meta.path.is_ident("flatten") {
                    found.flatten = true;
                } else {
                    return Err(meta.error("expected `default`, `unit`, `range` or `flatten`"));
                }
                Ok(())
            })?;
        }
        found.check(field)?;
        Ok(found)
    }

    fn check(&self, field: &Field) -> Result<()> {
        let error = |message| Err(Error::new_spanned(field, message));
        if self.flatten && (self.range.is_some() || !self.unit.is_empty()) {
            return error("a flattened group has no unit and no range of its own");
        }
        if self.range.is_some() && self.unit.is_empty() {
            return error(
                "a number with a range has a unit; write `unit = \"-\"` if it is a pure number",
            );
        }
        Ok(())
    }
}

/// The method that `#[parameters(check = "…")]` names.
pub(crate) fn check_of(attributes: &[Attribute]) -> Result<Option<Path>> {
    let mut check = None;
    for attribute in attributes
        .iter()
        .filter(|a| a.path().is_ident("parameters"))
    {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("check") {
                return Err(meta.error("expected `check = \"Self::method\"`"));
            }
            check = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            Ok(())
        })?;
    }
    Ok(check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn parsed(field: syn::FieldsNamed) -> Result<FieldAttributes> {
        FieldAttributes::parse(&field.named[0])
    }

    #[test]
    fn a_field_says_default_unit_and_range() {
        let field = parsed(parse_quote!({
            #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
            dt: f64
        }));
        let field = field.ok().unwrap();
        assert!(field.default.is_some());
        assert_eq!(field.unit, "s");
        assert_eq!(
            field.range,
            Some(("> 0".to_owned(), Range::parse("> 0").unwrap()))
        );
        assert!(!field.flatten);
    }

    #[test]
    fn wrong_attributes_say_what_to_write() {
        let wrong: [(syn::FieldsNamed, &str); 4] = [
            (
                parse_quote!({ #[parameter(defualt = 1.0)] a: f64 }),
                "expected `default`",
            ),
            (
                parse_quote!({ #[parameter(range = "> 0")] a: f64 }),
                "unit = \"-\"",
            ),
            (
                parse_quote!({ #[parameter(unit = "m", range = "positive")] a: f64 }),
                "no range",
            ),
            (
                parse_quote!({ #[parameter(flatten, unit = "m")] a: Group }),
                "flattened",
            ),
        ];
        for (field, message) in wrong {
            let error = parsed(field).err().unwrap().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_struct_names_its_check() {
        let item: syn::ItemStruct = parse_quote! {
            #[parameters(check = "Self::check")]
            struct A {}
        };
        assert!(check_of(&item.attrs).unwrap().is_some());
        let item: syn::ItemStruct = parse_quote! {
            #[parameters(chekc = "Self::check")]
            struct A {}
        };
        assert!(check_of(&item.attrs).is_err());
    }
}
