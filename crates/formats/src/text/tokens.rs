//! Words of a text file, with the line they stand on.

use crate::error::TextError;

/// Walks over the words of a file. Cheap to copy: a copy looks ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    position: usize,
    line: usize,
}

/// One word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) line: usize,
}

/// Longest piece of a file that an error message repeats, in characters.
const SHOWN: usize = 32;

/// Numbers that a message repeats at most \[-\].
const QUOTED: usize = 6;

impl Token<'_> {
    /// The word, shortened, for messages.
    pub(crate) fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.text);
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        shown
    }

    pub(crate) fn unexpected(&self, expected: &'static str) -> TextError {
        TextError::Unexpected {
            line: self.line,
            expected,
            found: self.shown(),
        }
    }

    /// The word as a count or index: digits only.
    pub(crate) fn integer(&self) -> Option<usize> {
        let digits = self.text.iter().all(u8::is_ascii_digit);
        let text = std::str::from_utf8(self.text).ok()?;
        if digits { text.parse().ok() } else { None }
    }
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            line: 1,
        }
    }

    /// Line of the next character.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// Bytes that are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The next word, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        while let Some(byte) = self.bytes.get(self.position) {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.line += usize::from(*byte == b'\n');
            self.position += 1;
        }
        let rest = &self.bytes[self.position..];
        let length = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        self.position += length;
        Some(Token {
            text: &rest[..length],
            line: self.line,
        })
    }

    /// The next word.
    pub(crate) fn expect(&mut self, expected: &'static str) -> Result<Token<'a>, TextError> {
        let token = self.next();
        token.ok_or(TextError::UnexpectedEnd {
            line: self.line,
            expected,
        })
    }

    /// The next word, which must be a count or an index.
    pub(crate) fn integer(&mut self, expected: &'static str) -> Result<usize, TextError> {
        let token = self.expect(expected)?;
        token.integer().ok_or_else(|| token.unexpected(expected))
    }

    /// The next word, which must be a finite number; `what` it belongs to.
    pub(crate) fn number(&mut self, what: &'static str) -> Result<f64, TextError> {
        let token = self.expect(what)?;
        let text = std::str::from_utf8(token.text).ok();
        let number: f64 = text
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| token.unexpected(what))?;
        if number.is_finite() {
            return Ok(number);
        }
        Err(TextError::NonFinite {
            line: token.line,
            what,
            found: token.shown(),
        })
    }

    /// The next `count` numbers, after a check that the file can hold so many.
    pub(crate) fn numbers(
        &mut self,
        count: usize,
        what: &'static str,
    ) -> Result<Vec<f64>, TextError> {
        // as large as they need and no larger: growing would take three times as much for a moment
        let mut numbers = Vec::with_capacity(self.room(Some(count), what)?);
        for _ in 0..count {
            numbers.push(self.number(what)?);
        }
        Ok(numbers)
    }

    /// The next `count` bounds, of which infinite ones are none.
    pub(crate) fn bounds(
        &mut self,
        count: usize,
        what: &'static str,
    ) -> Result<Vec<f64>, TextError> {
        let mut bounds = Vec::with_capacity(self.room(Some(count), what)?);
        for _ in 0..count {
            let mut ahead = *self;
            let token = ahead.expect(what)?;
            match token.text {
                b"inf" | b"+inf" => bounds.push(f64::INFINITY),
                b"-inf" => bounds.push(f64::NEG_INFINITY),
                _ => {
                    bounds.push(self.number(what)?);
                    continue;
                }
            }
            *self = ahead;
        }
        Ok(bounds)
    }

    /// The next word, which must be a count or an index of 32 bits.
    pub(crate) fn index(&mut self, what: &'static str) -> Result<u32, TextError> {
        let index = self.integer(what)?;
        u32::try_from(index).map_err(|_| TextError::Index {
            line: self.line,
            what,
            index,
            limit: u32::MAX as usize + 1,
        })
    }

    /// The next `count` indices, after a check that the file can hold so many.
    pub(crate) fn indices(
        &mut self,
        count: usize,
        what: &'static str,
    ) -> Result<Vec<u32>, TextError> {
        let mut indices = Vec::with_capacity(self.room(Some(count), what)?);
        for _ in 0..count {
            indices.push(self.index(what)?);
        }
        Ok(indices)
    }

    /// Fails unless `count` words can follow; `None` stands for an overflow.
    pub(crate) fn room(
        &self,
        count: Option<usize>,
        what: &'static str,
    ) -> Result<usize, TextError> {
        // a word and the space after it take two bytes, the last word one
        let most = self.remaining() / 2 + 1;
        match count {
            Some(count) if count <= most => Ok(count),
            _ => Err(TextError::TooMany {
                line: self.line,
                what,
                count: count.unwrap_or(usize::MAX),
                bytes: self.remaining(),
            }),
        }
    }

    /// Skips to the end of the line.
    pub(crate) fn skip_line(&mut self) {
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        self.position += length;
    }

    /// Fails if numbers are left after `after`. Two trailers are known and not read: a single 0 or
    /// 1, which some programs print, and a remark, which begins with a word.
    pub(crate) fn finish(
        mut self,
        after: &'static str,
        hint: &'static str,
    ) -> Result<(), TextError> {
        let (count, first) = self.count_numbers();
        let Some(line) = first else {
            return Ok(());
        };
        let mut ahead = self;
        let stray = ahead.next().is_some_and(|t| matches!(t.text, b"0" | b"1"));
        if count == 1 && stray {
            return Ok(());
        }
        let mut shown: Vec<String> = Vec::new();
        while shown.len() < count.min(QUOTED) {
            shown.extend(self.next().map(|token| token.shown()));
        }
        if count > QUOTED {
            shown.push("…".to_owned());
        }
        Err(TextError::Leftover {
            line,
            count,
            after,
            found: shown.join(" "),
            hint,
        })
    }

    /// How many of the next words are numbers, up to the first that is none, and the line of the
    /// first.
    pub(crate) fn count_numbers(mut self) -> (usize, Option<usize>) {
        let (mut count, mut first) = (0, None);
        while let Some(token) = self.next() {
            let text = std::str::from_utf8(token.text).ok();
            if text.is_none_or(|text| text.parse::<f64>().is_err()) {
                break;
            }
            first = first.or(Some(token.line));
            count += 1;
        }
        (count, first)
    }

    /// The next word, which must be `text`.
    pub(crate) fn literal(&mut self, text: &'static str) -> Result<(), TextError> {
        let token = self.expect(text)?;
        if token.text == text.as_bytes() {
            return Ok(());
        }
        Err(token.unexpected(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_carry_their_lines() {
        let mut tokens = Tokens::new(b"3\t31\n\n 1.5e-3 end");
        assert_eq!(tokens.integer("a count").unwrap(), 3);
        assert_eq!(tokens.integer("a count").unwrap(), 31);
        let ahead = tokens;
        assert_eq!(tokens.number("q").unwrap(), 1.5e-3);
        assert_eq!(tokens.line(), 3);
        assert_eq!(ahead.line(), 1);
        let error = tokens.number("q").unwrap_err();
        assert_eq!(error.to_string(), "line 3: expected q, found \"end\"");
        let error = tokens.number("q").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3: the file ends where q should follow"
        );
    }

    #[test]
    fn declared_counts_must_fit_the_file() {
        let tokens = Tokens::new(b"1 2 3");
        assert!(tokens.room(Some(3), "numbers").is_ok());
        assert!(tokens.room(Some(4), "numbers").is_err());
        assert!(tokens.room(None, "numbers").is_err());
    }
}
