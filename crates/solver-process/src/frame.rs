//! Messages between the program and a peer: a length, JSON, and raw arrays (docs/peers.md).

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// Most bytes of the JSON of a message \[B\].
pub const MOST_JSON: usize = 64 << 10;
/// Most levels of the JSON of a message \[-\].
pub const MOST_DEPTH: usize = 8;
/// Most arrays of a message \[-\].
pub const MOST_ARRAYS: usize = 16;
/// Most bytes of the name of an array \[B\].
const MOST_NAME: usize = 64;

/// What the entries of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrayType {
    /// f64
    F64,
    /// f32
    F32,
    /// u64
    U64,
    /// u32
    U32,
    /// u8
    U8,
}

impl ArrayType {
    /// Size of an entry \[B\].
    fn size(self) -> u64 {
        match self {
            Self::F64 | Self::U64 => 8,
            Self::F32 | Self::U32 => 4,
            Self::U8 => 1,
        }
    }
}

/// What the JSON says about an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayHead {
    /// Its name.
    pub name: String,
    /// What its entries are.
    pub dtype: ArrayType,
    /// How many there are \[-\].
    pub length: u64,
}

/// An array of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameArray {
    /// Name, type and length.
    pub head: ArrayHead,
    /// Its entries, little-endian.
    pub bytes: Vec<u8>,
}

impl FrameArray {
    /// Bytes.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            head: ArrayHead {
                name: name.to_owned(),
                dtype: ArrayType::U8,
                length: bytes.len() as u64,
            },
            bytes,
        }
    }

    /// Numbers.
    pub fn of_numbers(name: &str, numbers: &[f64]) -> Self {
        Self {
            head: ArrayHead {
                name: name.to_owned(),
                dtype: ArrayType::F64,
                length: numbers.len() as u64,
            },
            bytes: numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }

    /// The numbers; `None` if it has another type.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        if self.head.dtype != ArrayType::F64 {
            return None;
        }
        let (numbers, rest) = self.bytes.as_chunks::<8>();
        rest.is_empty()
            .then(|| numbers.iter().map(|b| f64::from_le_bytes(*b)).collect())
    }
}

/// A message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PeerMessage {
    /// Its JSON, without the list of arrays.
    pub head: Map<String, Value>,
    /// Its arrays, in order.
    pub arrays: Vec<FrameArray>,
}

/// Why no message was read or written.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The pipe ended where a message may begin.
    #[error("the process ended its output")]
    End,
    /// The pipe failed or ended inside a message.
    #[error("the pipe broke inside a message: {0}")]
    Pipe(#[from] io::Error),
    /// The length of the JSON is not allowed.
    #[error(
        "a message begins with the length {0} of its JSON, which must be 1 to {MOST_JSON} bytes: did the program print to its standard output?"
    )]
    Length(u32),
    /// The JSON is none, or not an object.
    #[error("the JSON of a message cannot be read: {0}")]
    Json(String),
    /// The JSON is nested too deep.
    #[error("the JSON of a message has more than {MOST_DEPTH} levels")]
    Depth,
    /// The list of arrays is not allowed.
    #[error("the arrays of a message: {0}")]
    Arrays(String),
}

impl PeerMessage {
    /// The array of this name.
    pub fn array(&self, name: &str) -> Option<&FrameArray> {
        self.arrays.iter().find(|array| array.head.name == name)
    }

    /// Writes the message and flushes.
    ///
    /// # Errors
    /// JSON of more than [`MOST_JSON`] bytes, a broken pipe.
    pub fn write(&self, out: &mut impl Write) -> Result<(), FrameError> {
        let mut head = self.head.clone();
        let arrays: Vec<&ArrayHead> = self.arrays.iter().map(|array| &array.head).collect();
        let json = |error: serde_json::Error| FrameError::Json(error.to_string());
        let arrays = serde_json::to_value(arrays).map_err(json)?;
        head.insert("arrays".to_owned(), arrays);
        let text = serde_json::to_vec(&head).map_err(json)?;
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        if text.len() > MOST_JSON {
            return Err(FrameError::Length(length));
        }
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&text)?;
        for array in &self.arrays {
            out.write_all(&array.bytes)?;
        }
        Ok(out.flush()?)
    }

    /// Reads a message whose arrays have at most `allowed` bytes together. Sizes are checked before
    /// anything of that size is read.
    ///
    /// # Errors
    /// The end of the pipe, or what is wrong with the message.
    pub fn read(input: &mut impl Read, allowed: u64) -> Result<Self, FrameError> {
        let length = begin(input)?;
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if size == 0 || size > MOST_JSON {
            return Err(FrameError::Length(length));
        }
        let mut text = vec![0; size];
        input.read_exact(&mut text)?;
        if depth(&text) > MOST_DEPTH {
            return Err(FrameError::Depth);
        }
        let json = |error: serde_json::Error| FrameError::Json(error.to_string());
        let mut head: Map<String, Value> = serde_json::from_slice(&text).map_err(json)?;
        let heads = match head.remove("arrays") {
            None | Some(Value::Null) => Vec::new(),
            Some(list) => serde_json::from_value(list)
                .map_err(|error| FrameError::Arrays(error.to_string()))?,
        };
        let sizes = sizes(&heads, allowed)?;
        let mut arrays = Vec::with_capacity(heads.len());
        for (head, size) in heads.into_iter().zip(sizes) {
            let mut bytes = vec![0; size];
            input.read_exact(&mut bytes)?;
            arrays.push(FrameArray { head, bytes });
        }
        Ok(Self { head, arrays })
    }
}

/// The length of the JSON; an end of the pipe before it is no broken message.
fn begin(input: &mut impl Read) -> Result<u32, FrameError> {
    let mut length = [0; 4];
    let mut have = 0;
    while have < length.len() {
        match input.read(&mut length[have..]) {
            Ok(0) if have == 0 => return Err(FrameError::End),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(more) => have += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(u32::from_le_bytes(length))
}

/// Bytes of each array.
fn sizes(heads: &[ArrayHead], allowed: u64) -> Result<Vec<usize>, FrameError> {
    let refuse = |what: String| Err(FrameError::Arrays(what));
    if heads.len() > MOST_ARRAYS {
        return refuse(format!("{} are more than {MOST_ARRAYS}", heads.len()));
    }
    let mut left = allowed;
    let mut sizes = Vec::with_capacity(heads.len());
    for (index, head) in heads.iter().enumerate() {
        if head.name.is_empty() || head.name.len() > MOST_NAME {
            return refuse(format!("a name must have 1 to {MOST_NAME} bytes"));
        }
        if heads[..index].iter().any(|other| other.name == head.name) {
            return refuse(format!("{:?} is there twice", head.name));
        }
        let size = head.length.checked_mul(head.dtype.size());
        let fits = size.filter(|size| *size <= left);
        let Some(size) = fits.and_then(|size| usize::try_from(size).ok()) else {
            let (name, length) = (&head.name, head.length);
            return refuse(format!(
                "{name:?} has {length} entries, and an answer here may have {allowed} bytes of arrays"
            ));
        };
        left -= size as u64;
        sizes.push(size);
    }
    Ok(sizes)
}

/// Levels of the JSON; what is no JSON has some number too.
fn depth(text: &[u8]) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                level += 1;
                deepest = deepest.max(level);
            }
            b'}' | b']' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw(json: &str, rest: &[u8]) -> Vec<u8> {
        let length = u32::try_from(json.len()).unwrap();
        [&length.to_le_bytes(), json.as_bytes(), rest].concat()
    }

    fn refusal(bytes: &[u8], allowed: u64) -> String {
        let error = PeerMessage::read(&mut &bytes[..], allowed).unwrap_err();
        error.to_string()
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let mut frame = PeerMessage::default();
        frame.head.insert("op".to_owned(), json!("solve"));
        let numbers = [1.5, -0.0, f64::MIN_POSITIVE];
        frame.arrays.push(FrameArray::of_numbers("start", &numbers));
        let bytes = FrameArray::of_bytes("problem", vec![3, 1, 4]);
        frame.arrays.push(bytes);
        let mut written = Vec::new();
        frame.write(&mut written).unwrap();
        let read = PeerMessage::read(&mut &written[..], 27).unwrap();
        assert_eq!(read, frame);
        let start = read.array("start").unwrap().numbers().unwrap();
        assert_eq!(start.map_bits(), numbers.map(f64::to_bits));
        assert!(refusal(&written, 26).contains("\"problem\" has 3 entries"));
        assert_eq!(read.array("problem").unwrap().numbers(), None);
    }

    trait Bits {
        fn map_bits(&self) -> Vec<u64>;
    }

    impl Bits for Vec<f64> {
        fn map_bits(&self) -> Vec<u64> {
            self.iter().map(|x| x.to_bits()).collect()
        }
    }

    #[test]
    fn sizes_are_checked_before_anything_is_read() {
        let huge =
            r#"{"arrays":[{"name":"impulses","dtype":"f64","length":18446744073709551615}]}"#;
        assert!(refusal(&raw(huge, &[]), 1 << 40).contains("18446744073709551615 entries"));
        let twice = r#"{"arrays":[{"name":"a","dtype":"u8","length":0},{"name":"a","dtype":"u8","length":0}]}"#;
        assert!(refusal(&raw(twice, &[]), 8).contains("twice"));
        assert!(refusal(b"hello world", 8).contains("did the program print"));
        assert!(refusal(&[0; 4], 8).contains("length 0"));
        assert!(refusal(&raw("[1]", &[]), 8).contains("cannot be read"));
        assert!(refusal(&raw("{} x", &[]), 8).contains("cannot be read"));
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(8), "]".repeat(8));
        assert!(refusal(&raw(&deep, &[]), 8).contains("levels"));
        let quoted = format!("{{\"a\":\"\\\"{}\"}}", "[".repeat(99));
        assert!(PeerMessage::read(&mut &raw(&quoted, &[])[..], 8).is_ok());
        assert!(matches!(
            PeerMessage::read(&mut io::empty(), 8),
            Err(FrameError::End)
        ));
        assert!(refusal(&[1, 0], 8).contains("broke"));
        let cut = r#"{"arrays":[{"name":"a","dtype":"f64","length":1}]}"#;
        assert!(refusal(&raw(cut, &[0; 7]), 8).contains("broke"));
    }
}
