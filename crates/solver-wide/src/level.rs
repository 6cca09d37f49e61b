//! The vector level of a solver: found at run time, or asked for.

use delassus_core::{Choice, ParameterError};
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512, Simd as _, Sse2, f32x4, f32x8, f32x16};
#[cfg(target_arch = "aarch64")]
use fearless_simd::{Neon, f32x4};

use super::lanes::Lanes;

/// The environment variable that replaces [`VectorLevel::Auto`].
pub const VARIABLE: &str = "DELASSUS_SIMD";

/// Vector instructions, and with them the number of lanes. The answer has the same bits at every
/// level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum VectorLevel {
    /// What the environment variable `DELASSUS_SIMD` says, otherwise the widest that the processor
    /// has.
    #[default]
    Auto,
    /// One lane of plain numbers.
    Scalar,
    /// Four lanes; every 64-bit x86 processor has it.
    Sse2,
    /// Four lanes; every 64-bit ARM processor has it.
    Neon,
    /// Eight lanes.
    Avx2,
    /// Sixteen lanes, Ice Lake's set of extensions or newer.
    Avx512,
}

/// A level that this processor has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    Scalar,
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse2(Sse2),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2(Avx2),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512(Avx512),
}

/// What is written once for all levels.
pub(crate) trait AtLevel {
    /// What comes of it.
    type Output;

    /// Runs at one level.
    fn run<V: Lanes<N>, const N: usize>(self, token: V::Token) -> Self::Output;
}

impl Level {
    /// Runs work at this level.
    pub(crate) fn run<W: AtLevel>(self, work: W) -> W::Output {
        match self {
            Self::Scalar => work.run::<f32, 1>(()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse2(token) => work.run::<f32x4<Sse2>, 4>(token),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(token) => work.run::<f32x4<Neon>, 4>(token),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2(token) => work.run::<f32x8<Avx2>, 8>(token),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512(token) => work.run::<f32x16<Avx512>, 16>(token),
        }
    }
}

impl Level {
    /// Runs work without lanes, compiled for the level; everything inside must be inlined.
    #[inline(always)]
    pub(crate) fn vectorize<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2(token) => token.vectorize(work),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512(token) => token.vectorize(work),
            // every processor of the architecture has the others
            _ => work(),
        }
    }
}

impl VectorLevel {
    /// Every level that can be asked for by name, narrow before wide.
    pub const NAMED: [Self; 5] = [
        Self::Scalar,
        Self::Sse2,
        Self::Neon,
        Self::Avx2,
        Self::Avx512,
    ];

    /// The identifier used in parameters and in the environment variable.
    pub fn id(self) -> &'static str {
        self.name()
    }

    /// Number of lanes of f32 \[-\]; zero for [`Self::Auto`].
    pub fn lanes(self) -> usize {
        match self {
            Self::Auto => 0,
            Self::Scalar => 1,
            Self::Sse2 | Self::Neon => 4,
            Self::Avx2 => 8,
            Self::Avx512 => 16,
        }
    }

    /// The levels that this processor has, narrow before wide.
    pub fn available() -> Vec<Self> {
        let has = |level: &Self| level.token().is_some();
        Self::NAMED.into_iter().filter(has).collect()
    }

    /// What [`Self::Auto`] means here and now: the environment variable, otherwise the widest
    /// level.
    ///
    /// # Errors
    /// The environment variable names no level, or one that this processor does not have.
    pub fn automatic() -> Result<Self, ParameterError> {
        match std::env::var(VARIABLE) {
            Ok(text) if !text.is_empty() && text != Self::Auto.id() => {
                let named = Self::NAMED.into_iter().find(|level| level.id() == text);
                named.ok_or(ParameterError {
                    parameter: VARIABLE,
                    value: text,
                    expected: "auto, scalar, sse2, neon, avx2 or avx512",
                })
            }
            _ => Ok(Self::available().pop().unwrap_or(Self::Scalar)),
        }
    }

    /// The level in use.
    pub(crate) fn resolve(self) -> Result<(Self, Level), ParameterError> {
        let (named, parameter) = match self {
            Self::Auto => (Self::automatic()?, VARIABLE),
            _ => (self, "level"),
        };
        let token = named.token().ok_or(ParameterError {
            parameter,
            value: named.id().to_owned(),
            expected: "a level that this processor has (delassus doctor lists them)",
        })?;
        Ok((named, token))
    }

    fn token(self) -> Option<Level> {
        #[allow(unused_variables, reason = "no level of another architecture uses it")]
        let found = fearless_simd::Level::new();
        match self {
            Self::Scalar => Some(Level::Scalar),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse2 => found.as_sse2().map(Level::Sse2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => found.as_avx2().map(Level::Avx2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => found.as_avx512().map(Level::Avx512),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => found.as_neon().map(Level::Neon),
            _ => None,
        }
    }
}
