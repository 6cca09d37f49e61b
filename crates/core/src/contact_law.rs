//! Laws of contacts by their names.

use serde::de::{Deserialize, Deserializer, Error};

use crate::choice::{ChoiceDoc, UnknownName};
use crate::{Choice, Friction, Law};

/// Name of the friction law of all contacts of a world, a generated problem or a file, without
/// coefficients. [`crate::Law`] is the law of one block, with its coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum ContactLaw {
    /// No friction (F0).
    Frictionless,
    /// A square of friction, bounded by the normal impulse on each axis (F2).
    Pyramid,
    /// A disc of friction (F3).
    #[default]
    Disc,
    /// Coulomb's law as one cone complementarity (F5).
    Coulomb,
    /// The convex relaxation (F6).
    ConvexCone,
    /// One disc and one twist row for the whole manifold.
    Patch,
    /// Four directions of friction, inscribed in the disc (F4).
    #[choice(name = "facets-4")]
    Facets4,
    /// Eight directions of friction (F4).
    #[choice(name = "facets-8")]
    Facets8,
    /// Sixteen directions of friction (F4).
    #[choice(name = "facets-16")]
    Facets16,
    /// A square of friction with the limit μ m g h per point, m the mean mass of the movable bodies
    /// (F1).
    FixedBox,
}

impl ContactLaw {
    /// The laws that a world may have: all but [`Self::FixedBox`], whose limit depends on the time
    /// step.
    pub const OF_WORLDS: &'static [ChoiceDoc] = Self::CHOICES.split_at(Self::CHOICES.len() - 1).0;

    /// The laws that a reader may give to the contacts of files that contain only coefficients, the
    /// default first.
    pub const OF_FILES: &'static [ChoiceDoc] = &[
        Self::CHOICES[Self::Coulomb as usize],
        Self::CHOICES[Self::Disc as usize],
        Self::CHOICES[Self::Pyramid as usize],
        Self::CHOICES[Self::ConvexCone as usize],
    ];

    /// The law of this name among [`Self::OF_FILES`].
    ///
    /// # Errors
    /// Another name; the error lists the laws of files.
    pub fn of_files(name: &str) -> Result<Self, UnknownName> {
        match Self::from_name(name) {
            Ok(law) if law.is_of_files() => Ok(law),
            _ => Err(UnknownName::new(name, Self::OF_FILES)),
        }
    }

    /// True for the laws of [`Self::OF_FILES`].
    pub fn is_of_files(self) -> bool {
        Self::OF_FILES.iter().any(|law| law.name == self.name())
    }

    /// Reads the name of a contact law of a world, for use with `serde(deserialize_with)`. It also
    /// accepts [`Self::FixedBox`]; the check of the world refuses this law later, with the reason.
    ///
    /// # Errors
    /// A value that is not text, or an unknown name; the error lists the laws of worlds.
    pub fn deserialize_of_world<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let unknown = |_| D::Error::custom(UnknownName::new(&text, Self::OF_WORLDS));
        Self::from_name(&text).map_err(unknown)
    }

    /// True if contacts with this law use `number`.
    pub const fn has(self, number: ContactNumber) -> bool {
        match number {
            ContactNumber::Friction => !matches!(self, Self::Frictionless),
            ContactNumber::Resistance => matches!(self, Self::Coulomb | Self::Disc),
        }
    }

    /// Returns an error message if the law does not use `number`; the message lists the laws of
    /// `known` that do. Returns `None` if the law uses it.
    pub fn refusal(self, number: ContactNumber, known: &[ChoiceDoc]) -> Option<String> {
        if self.has(number) {
            return None;
        }
        let laws = Self::ALL.iter().filter(|law| law.has(number));
        let names = laws.map(|law| law.name());
        let names = names.filter(|name| known.iter().any(|choice| choice.name == *name));
        let names = names.collect::<Vec<_>>().join(", ");
        Some(format!(
            "the law {self} has no such number: set it to 0, or take a law that has it ({names})"
        ))
    }

    /// The law of one contact point with coefficient `mu` \[-\]; the limit of [`Self::FixedBox`] is
    /// zero.
    pub fn of_point(self, mu: f64) -> Law {
        Law::Contact(self.friction(mu, || 0.0))
    }

    /// The friction of one contact point with coefficient `mu` \[-\]; `limit` returns the limit of
    /// [`Self::FixedBox`] \[N·s\].
    ///
    /// With [`Self::Patch`] the points have no friction, because the friction block of the manifold
    /// acts instead.
    pub fn friction(self, mu: f64, limit: impl FnOnce() -> f64) -> Friction {
        match self {
            Self::Frictionless | Self::Patch => Friction::Frictionless,
            Self::FixedBox => Friction::FixedBox { limit: limit() },
            Self::Pyramid => Friction::Pyramid { mu },
            Self::Disc => Friction::Disc { mu },
            Self::Coulomb => Friction::Coulomb { mu },
            Self::ConvexCone => Friction::ConvexCone { mu },
            Self::Facets4 => Friction::Facets { mu, facets: 4 },
            Self::Facets8 => Friction::Facets { mu, facets: 8 },
            Self::Facets16 => Friction::Facets { mu, facets: 16 },
        }
    }
}

/// A parameter of contacts that only some laws use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactNumber {
    /// A coefficient of friction.
    Friction,
    /// Resistance to rolling or spinning.
    Resistance,
}
