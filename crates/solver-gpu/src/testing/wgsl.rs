//! What holds for the text of every shader.

use std::fmt::Debug;

use bytemuck::Zeroable;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner, front::wgsl};

/// The module of a text that is valid with no more than some capabilities.
pub(crate) fn valid(name: &str, source: &str, capabilities: Capabilities) -> Module {
    let module = match wgsl::parse_str(source) {
        Ok(module) => module,
        Err(error) => panic!("{name}: {}", error.emit_to_string(source)),
    };
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if let Err(error) = validator.validate(&module) {
        panic!("{name}: {}", error.emit_to_string(source));
    }
    module
}

/// Compares a struct of ours, which has no gaps, with that of a shader: names of the fields, and
/// that there are no gaps.
pub(crate) fn assert_mirrored<T: Debug + Zeroable>(module: &Module) {
    let shown = format!("{:#?}", T::zeroed());
    let mut lines = shown.lines();
    let name = lines.next().and_then(|line| line.strip_suffix(" {"));
    let name = name.expect("a struct with fields");
    let own = lines.filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    let own: Vec<&str> = own.map(|(field, _)| field).collect();
    let own: Vec<&str> = own.into_iter().filter(|f| !f.starts_with(' ')).collect();
    let mut types = module.types.iter().map(|(_, of)| of);
    let of = types.find(|of| of.name.as_deref() == Some(name));
    let Some(TypeInner::Struct { members, span }) = of.map(|of| &of.inner) else {
        panic!("no shader knows {name}");
    };
    let theirs: Vec<&str> = members.iter().filter_map(|m| m.name.as_deref()).collect();
    assert_eq!(own, theirs, "{name}");
    let mut end = 0;
    for member in members {
        assert_eq!(member.offset, end, "{name}: a gap before {:?}", member.name);
        end += module.types[member.ty].inner.size(module.to_ctx());
    }
    assert_eq!((end, end as usize), (*span, size_of::<T>()), "{name}");
}
