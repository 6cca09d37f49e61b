//! A snapshot that holds NaN and has a valid checksum.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The bytes of a snapshot with NaN as its first bias; `None` for bytes that are no snapshot.
pub(super) fn with_nan(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut parts = Container::of(bytes)?;
    let offsets = parts.header.get("rows/bias")?.get("data_offsets")?;
    let first = usize::try_from(offsets.get(0)?.as_u64()?).ok()?;
    let number = parts.data.get_mut(first..first + 8)?;
    number.copy_from_slice(&f64::NAN.to_le_bytes());
    parts.bytes()
}

/// A container, taken apart.
struct Container {
    header: Map<String, Value>,
    data: Vec<u8>,
}

impl Container {
    fn of(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (header, data) = rest.split_at_checked(length)?;
        Some(Self {
            header: serde_json::from_slice(header).ok()?,
            data: data.to_vec(),
        })
    }

    /// The bytes with a new checksum.
    fn bytes(mut self) -> Option<Vec<u8>> {
        let checksum = self.checksum()?;
        let metadata = self.header.get_mut("__metadata__")?.as_object_mut()?;
        metadata.insert("checksum".to_owned(), Value::String(checksum));
        let mut header = serde_json::to_vec(&self.header).ok()?;
        // arrays begin at multiples of eight bytes
        header.resize(header.len().next_multiple_of(8), b' ');
        let length = (header.len() as u64).to_le_bytes();
        Some([&length[..], &header, &self.data].concat())
    }

    /// The checksum of docs/file-formats.md.
    fn checksum(&self) -> Option<String> {
        let mut hasher = Sha256::new();
        let metadata = self.header.get("__metadata__")?.as_object()?;
        let metadata: BTreeMap<&String, &Value> = metadata.iter().collect();
        for (key, value) in metadata
            .iter()
            .filter(|(key, _)| key.as_str() != "checksum")
        {
            add(&mut hasher, key.as_bytes());
            add(&mut hasher, value.as_str()?.as_bytes());
        }
        let tensors = self
            .header
            .iter()
            .filter(|(name, _)| *name != "__metadata__");
        for (name, tensor) in tensors.collect::<BTreeMap<&String, &Value>>() {
            add(&mut hasher, name.as_bytes());
            add(&mut hasher, tensor.get("dtype")?.as_str()?.as_bytes());
            let shape = tensor.get("shape")?.as_array()?;
            hasher.update((shape.len() as u64).to_le_bytes());
            for extent in shape {
                hasher.update(extent.as_u64()?.to_le_bytes());
            }
            let offsets = tensor.get("data_offsets")?;
            let offset = |i: usize| usize::try_from(offsets.get(i)?.as_u64()?).ok();
            add(&mut hasher, self.data.get(offset(0)?..offset(1)?)?);
        }
        let digest = hasher.finalize();
        let digits: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("sha256:{}", digits.concat()))
    }
}

/// Adds bytes with their length in front.
fn add(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use delassus_core::{ContactLaw, Friction};
    use delassus_problems::{NamedProblem, read_bytes, snapshot_bytes};

    use super::super::planted::{Ending, MU, contacts};
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_format_and_only_the_number_is_refused() {
        let law = Friction::Disc { mu: MU };
        let planted = contacts(law, &[Ending::Sticks], [0.0; 3]).unwrap();
        let bytes = snapshot_bytes(&NamedProblem::new("a", planted.problem, "planted"));
        let again = Container::of(&bytes).unwrap().bytes().unwrap();
        assert!(read_bytes("a", &again, ContactLaw::Coulomb).is_ok());
        let damaged = with_nan(&bytes).unwrap();
        let error = read_bytes("a", &damaged, ContactLaw::Coulomb).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("finite") && !error.contains("checksum"),
            "{error}"
        );
        assert_eq!(with_nan(b"none"), None);
    }
}
