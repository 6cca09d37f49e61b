//! Seeded scenes.
