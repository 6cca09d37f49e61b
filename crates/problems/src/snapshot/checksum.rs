//! The checksum of a snapshot: SHA-256 over metadata and tensors.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::keys;

/// What the checksum covers of one tensor.
pub(crate) struct Content<'a> {
    pub(crate) dtype: &'static str,
    pub(crate) shape: &'a [usize],
    pub(crate) data: &'a [u8],
}

/// `sha256:` and 64 hexadecimal digits.
///
/// Hashed in this order: the metadata by key without the checksum itself, then the tensors by name.
/// Every text and every data block is preceded by its length as 64-bit little-endian, and a shape
/// by its rank, so that nothing can move from one field to the next.
pub(crate) fn checksum(
    metadata: &BTreeMap<&str, &str>,
    tensors: &BTreeMap<&str, Content<'_>>,
) -> String {
    let mut hasher = Sha256::new();
    for (key, value) in metadata {
        if *key != keys::CHECKSUM {
            bytes(&mut hasher, key.as_bytes());
            bytes(&mut hasher, value.as_bytes());
        }
    }
    for (name, tensor) in tensors {
        bytes(&mut hasher, name.as_bytes());
        bytes(&mut hasher, tensor.dtype.as_bytes());
        number(&mut hasher, tensor.shape.len());
        for extent in tensor.shape {
            number(&mut hasher, *extent);
        }
        bytes(&mut hasher, tensor.data);
    }
    let mut text = "sha256:".to_owned();
    for byte in hasher.finalize() {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

fn bytes(hasher: &mut Sha256, data: &[u8]) {
    number(hasher, data.len());
    hasher.update(data);
}

fn number(hasher: &mut Sha256, value: usize) {
    hasher.update((value as u64).to_le_bytes());
}

fn digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}
