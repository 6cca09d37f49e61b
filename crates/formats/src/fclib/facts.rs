//! Facts: attributes of an HDF5 file, in their types.

use delassus_hdf5::{Array, ArrayData, Type};

use crate::field::{AttributeValue, FileAttribute};

/// A fact as the attribute says it; `None` for types that facts do not have.
pub(super) fn attribute(attribute: &delassus_hdf5::Attribute<'_>) -> Option<FileAttribute> {
    let array = &attribute.array;
    let ArrayData::Bytes(bytes) = &array.content else {
        return None;
    };
    if array.shape.len() > 1 {
        return None;
    }
    let value = match array.kind {
        Type::I32 => AttributeValue::I32(array.to_i32s().ok()?),
        Type::I64 => {
            let (words, _) = bytes.as_chunks::<8>();
            AttributeValue::I64(words.iter().map(|word| i64::from_le_bytes(*word)).collect())
        }
        Type::F64 => AttributeValue::F64(array.to_f64s().ok()?),
        Type::Boolean => AttributeValue::Bool(bytes.iter().map(|byte| *byte != 0).collect()),
        Type::Text { .. } | Type::VariableText { .. } => {
            AttributeValue::Text(array.to_text().ok()?.to_vec())
        }
        _ => return None,
    };
    Some(FileAttribute {
        name: attribute.name.clone().into_owned(),
        value,
        scalar: array.shape.is_empty(),
    })
}

/// The array of a fact.
pub(super) fn attribute_array(fact: &FileAttribute) -> Array<'static> {
    let mut array = match &fact.value {
        AttributeValue::I32(values) => Array::i32s(values),
        AttributeValue::F64(values) => Array::f64s(values),
        AttributeValue::I64(values) => {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            Array::new(vec![values.len() as u64], Type::I64, bytes)
        }
        AttributeValue::Bool(values) => {
            let bytes: Vec<u8> = values.iter().map(|value| u8::from(*value)).collect();
            Array::new(vec![values.len() as u64], Type::Boolean, bytes)
        }
        AttributeValue::Text(text) => {
            let mut array = Array::text(text);
            array.shape = vec![1];
            array
        }
    };
    if fact.scalar {
        array.shape.clear();
    }
    array
}
