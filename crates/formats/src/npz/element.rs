//! Elements of arrays as NumPy stores them.

use super::array::NpyValues;

/// Bytes of an element of this type, at least one \[B\].
pub(super) fn size_of(descr: &str) -> Result<usize, String> {
    let unknown = || {
        let hint = if descr.contains('O') {
            "objects are not read; give them a type: .astype(float), .astype(str)"
        } else {
            "read are little-endian numbers of 1 to 8 bytes, and str"
        };
        format!("has elements of type {descr:?}; {hint}")
    };
    let (order, kind) = descr.split_at_checked(1).ok_or_else(unknown)?;
    let size = match kind {
        "f8" | "i8" | "u8" => 8,
        "f4" | "i4" | "u4" => 4,
        "i2" | "u2" => 2,
        "i1" | "u1" | "b1" => 1,
        text => {
            let characters = text.strip_prefix('U').and_then(|n| n.parse::<usize>().ok());
            let bytes = characters.and_then(|n| n.checked_mul(4));
            bytes.filter(|bytes| *bytes > 0).ok_or_else(unknown)?
        }
    };
    match order {
        "<" => Ok(size),
        "|" if size == 1 => Ok(size),
        _ => Err(unknown()),
    }
}

/// The elements of an array of this type, which [`size_of`] accepts.
pub(super) fn elements(descr: &str, data: &[u8]) -> Result<NpyValues, String> {
    let size = size_of(descr)?;
    let kind = descr.get(1..2).unwrap_or_default();
    let words = data.chunks_exact(size);
    match kind {
        "f" => Ok(NpyValues::F64(words.map(real).collect())),
        "U" => words
            .map(text)
            .collect::<Result<_, _>>()
            .map(NpyValues::Text),
        kind => {
            let signed = kind == "i";
            let whole = |word| whole(word, signed).ok_or("has a number above 2^63");
            let values = words.map(whole).collect::<Result<_, _>>();
            values.map(NpyValues::I64).map_err(str::to_owned)
        }
    }
}

/// A number of four or eight bytes.
fn real(word: &[u8]) -> f64 {
    match (word.first_chunk::<8>(), word.first_chunk::<4>()) {
        (Some(eight), _) => f64::from_le_bytes(*eight),
        (None, Some(four)) => f64::from(f32::from_le_bytes(*four)),
        (None, None) => f64::NAN,
    }
}

/// A whole number of one to eight bytes; `None` for one that i64 does not hold.
fn whole(word: &[u8], signed: bool) -> Option<i64> {
    let negative = signed && word.last().is_some_and(|byte| *byte >= 128);
    let mut eight = [if negative { u8::MAX } else { 0 }; 8];
    eight[..word.len()].copy_from_slice(word);
    match signed {
        true => Some(i64::from_le_bytes(eight)),
        false => i64::try_from(u64::from_le_bytes(eight)).ok(),
    }
}

/// A text of four bytes a character, zeros after its end.
fn text(word: &[u8]) -> Result<String, String> {
    let (characters, _) = word.as_chunks::<4>();
    let character = |four: &[u8; 4]| char::from_u32(u32::from_le_bytes(*four));
    let text: Option<String> = characters.iter().map(character).collect();
    let text = text.ok_or("has a text of what are no characters")?;
    Ok(text.trim_end_matches('\0').to_owned())
}

/// Elements whose first axis runs fastest, with the last axis fastest.
pub(super) fn in_rows<T: Clone>(values: &[T], shape: &[usize]) -> Vec<T> {
    let place = |index: usize| {
        let (mut rest, mut place, mut stride) = (index, 0, values.len());
        for extent in shape.iter().rev() {
            stride /= extent;
            place += (rest % extent) * stride;
            rest /= extent;
        }
        values[place].clone()
    };
    (0..values.len()).map(place).collect()
}
