//! The header of an array in NumPy's own format, versions 1 to 3: a dictionary in Python's syntax.

use super::element::size_of;

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    /// Type of the elements, as NumPy names it.
    pub(super) descr: String,
    /// True if the first axis runs fastest.
    pub(super) fortran_order: bool,
    /// Extent of each axis \[-\].
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// The header, and the bytes of as many elements as it declares.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), String> {
        let rest = bytes
            .strip_prefix(b"\x93NUMPY")
            .ok_or("does not begin as an array of NumPy does")?;
        let short = "ends within its header";
        let (version, rest) = rest.split_first_chunk::<2>().ok_or(short)?;
        let (length, rest) = match version[0] {
            1 => {
                let (length, rest) = rest.split_first_chunk::<2>().ok_or(short)?;
                (usize::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk::<4>().ok_or(short)?;
                let length = u32::from_le_bytes(*length);
                (usize::try_from(length).unwrap_or(usize::MAX), rest)
            }
            other => {
                return Err(format!(
                    "has version {other} of the format; 1 to 3 are read"
                ));
            }
        };
        let (text, data) = rest.split_at_checked(length).ok_or(short)?;
        let text = std::str::from_utf8(text).map_err(|_| "has a header that is not text")?;
        let header = Literal(text).header()?;
        let elements = header.shape.iter().try_fold(1_usize, |all, extent| {
            // an extent of zero must not hide an overflow
            all.checked_mul((*extent).max(1))
        });
        let size = size_of(&header.descr)?;
        let declared = elements.and_then(|elements| elements.checked_mul(size));
        let declared = match header.shape.contains(&0) {
            true => declared.map(|_| 0),
            false => declared,
        };
        if declared != Some(data.len()) {
            return Err(format!(
                "has {} bytes, which are not the elements of type {:?} and shape {:?}",
                data.len(),
                header.descr,
                header.shape
            ));
        }
        Ok((header, data))
    }

    /// Bytes that the elements take as they are kept \[B\], estimated.
    pub(super) fn memory(&self) -> u64 {
        let elements = self
            .shape
            .iter()
            .fold(1_u64, |all, extent| all.saturating_mul(*extent as u64));
        // a text is a list of characters of its own; other orders need a copy
        let element = if self.descr.contains('U') { 64 } else { 8 };
        elements.saturating_mul(element * (1 + u64::from(self.fortran_order)))
    }
}

/// What is left of a literal.
struct Literal<'a>(&'a str);

impl<'a> Literal<'a> {
    /// The dictionary of a header, its keys in any order.
    fn header(mut self) -> Result<Header, String> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.take("}") {
            let key = self.quoted()?;
            self.expect(":")?;
            match key {
                "descr" if self.starts('[') => {
                    return Err("has fields; save each as an array".to_owned());
                }
                "descr" => descr = Some(self.quoted()?.to_owned()),
                "fortran_order" => order = Some(self.truth()?),
                "shape" => shape = Some(self.shape()?),
                _ => return Err(format!("has a header with the unknown key {key:?}")),
            }
            if !self.take(",") && !self.starts('}') {
                return Err(self.odd("a comma"));
            }
        }
        let missing = |key: &str| format!("has a header without {key:?}");
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    fn odd(&self, expected: &str) -> String {
        let found: String = self.0.trim().chars().take(20).collect();
        format!("has a header with {found:?} where {expected} should stand")
    }

    fn starts(&self, sign: char) -> bool {
        self.0.trim_start().starts_with(sign)
    }

    /// Passes `token`, if it is next.
    fn take(&mut self, token: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(self.odd(token)),
        }
    }

    fn quoted(&mut self) -> Result<&'a str, String> {
        let quote = if self.starts('"') { "\"" } else { "'" };
        self.expect(quote)?;
        let (text, rest) = self.0.split_once(quote).ok_or_else(|| self.odd(quote))?;
        self.0 = rest;
        Ok(text)
    }

    fn truth(&mut self) -> Result<bool, String> {
        if self.take("True") {
            return Ok(true);
        }
        self.expect("False").map(|()| false)
    }

    /// A tuple of whole numbers.
    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            self.0 = self.0.trim_start();
            let end = self.0.find(|c: char| !c.is_ascii_digit());
            let (digits, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
            shape.push(digits.parse().map_err(|_| self.odd("an extent"))?);
            self.0 = rest;
            if !self.take(",") && !self.starts(')') {
                return Err(self.odd("a comma"));
            }
        }
        Ok(shape)
    }
}
