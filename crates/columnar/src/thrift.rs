//! Thrift's compact protocol, as far as the headers of Parquet need it.

/// Types of fields.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes fields of nested structures; numbers of fields grow within each.
#[derive(Debug)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    /// Number of the last field of each structure that is open.
    last: Vec<u8>,
}

impl Writer {
    /// The outermost structure.
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            last: vec![0],
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Ends a structure; in a list the next one begins.
    pub(crate) fn end(&mut self) {
        self.bytes.push(0);
        if let Some(last) = self.last.last_mut() {
            *last = 0;
        }
    }

    pub(crate) fn i32(&mut self, field: u8, value: i32) {
        self.head(field, I32);
        self.zigzag(i64::from(value));
    }

    /// A number that is not negative.
    pub(crate) fn i64(&mut self, field: u8, value: u64) {
        self.head(field, I64);
        self.zigzag(i64::try_from(value).unwrap_or(i64::MAX));
    }

    pub(crate) fn text(&mut self, field: u8, text: &str) {
        self.head(field, BINARY);
        self.string(text);
    }

    pub(crate) fn structure(&mut self, field: u8, write: impl FnOnce(&mut Self)) {
        self.head(field, STRUCT);
        self.last.push(0);
        write(self);
        self.end();
        self.last.pop();
    }

    /// A list of structures; `write` ends each of them.
    pub(crate) fn list(&mut self, field: u8, count: usize, write: impl FnOnce(&mut Self)) {
        self.head(field, LIST);
        self.count(count, STRUCT);
        self.last.push(0);
        write(self);
        self.last.pop();
    }

    pub(crate) fn numbers(&mut self, field: u8, values: &[i32]) {
        self.head(field, LIST);
        self.count(values.len(), I32);
        values
            .iter()
            .for_each(|value| self.zigzag(i64::from(*value)));
    }

    /// A list of one text.
    pub(crate) fn texts(&mut self, field: u8, text: &str) {
        self.head(field, LIST);
        self.count(1, BINARY);
        self.string(text);
    }

    fn head(&mut self, field: u8, kind: u8) {
        let last = self.last.last().copied().unwrap_or(0);
        // numbers of fields grow, and by less than sixteen
        self.bytes.push((field - last) << 4 | kind);
        if let Some(last) = self.last.last_mut() {
            *last = field;
        }
    }

    fn count(&mut self, count: usize, kind: u8) {
        match u8::try_from(count) {
            Ok(few) if few < 15 => self.bytes.push(few << 4 | kind),
            _ => {
                self.bytes.push(0xf0 | kind);
                varint(&mut self.bytes, count as u64);
            }
        }
    }

    fn string(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Small magnitudes in few bytes, whatever their sign.
    fn zigzag(&mut self, value: i64) {
        #[expect(clippy::cast_sign_loss, reason = "the bits are meant")]
        let folded = (value << 1 ^ value >> 63) as u64;
        varint(&mut self.bytes, folded);
    }
}

/// Seven bits per byte, the lowest first.
pub(crate) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            bytes.push(low & 0x7f);
            return;
        }
        bytes.push(low | 0x80);
    }
}
