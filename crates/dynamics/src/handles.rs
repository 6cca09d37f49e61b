//! Names of bodies and joints that stay valid while others come and go.
//!
//! A world keeps bodies and joints in lists without gaps, so that removing one moves those behind
//! it. A handle names a slot, which says where its body is now. A slot that is used again has
//! another generation.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::error::EditError;

/// A body of a world, whatever else is added and removed. A copy of the world has the same handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BodyHandle(pub(crate) Handle);

/// A joint of a world, whatever else is added and removed. A copy of the world has the same
/// handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JointHandle(pub(crate) Handle);

/// A slot at the time when something was put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Handle {
    slot: usize,
    generation: u32,
    world: u32,
}

/// The handles of a world.
#[derive(Debug, Clone)]
pub(crate) struct Handles {
    pub(crate) bodies: Table,
    pub(crate) joints: Table,
    /// Another one after every edit; zero before the first.
    edition: u64,
}

/// Time and edition of a world. The state that a scheme keeps belongs to one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    /// Time of the world \[s\].
    pub(crate) time: f64,
    pub(crate) edition: u64,
}

impl Handles {
    /// Those of a new world with so many bodies and joints.
    pub(crate) fn new(bodies: usize, joints: usize) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let world = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            bodies: Table::new("body", world, bodies),
            joints: Table::new("joint", world, joints),
            edition: 0,
        }
    }

    /// Begins another edition, which no other world has.
    pub(crate) fn edit(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.edition = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn edition(&self) -> u64 {
        self.edition
    }
}

/// Names are no part of a state.
impl PartialEq for Handles {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The handles of a list without gaps.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// What the list holds, in a word.
    what: &'static str,
    world: u32,
    slots: Vec<Slot>,
    /// Per index of the list: its slot.
    at: Vec<usize>,
    free: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    generation: u32,
    /// Where it is in the list; `None` if it was removed.
    index: Option<usize>,
}

impl Table {
    fn new(what: &'static str, world: u32, count: usize) -> Self {
        let slot = |index| Slot {
            generation: 0,
            index: Some(index),
        };
        Self {
            what,
            world,
            slots: (0..count).map(slot).collect(),
            at: (0..count).collect(),
            free: Vec::new(),
        }
    }

    /// The handle of what is at an index.
    pub(crate) fn handle(&self, index: usize) -> Option<Handle> {
        let slot = *self.at.get(index)?;
        Some(Handle {
            slot,
            generation: self.slots[slot].generation,
            world: self.world,
        })
    }

    /// Where the list has what the handle names.
    pub(crate) fn index(&self, handle: Handle) -> Result<usize, EditError> {
        let what = self.what;
        if handle.world != self.world {
            return Err(EditError::OtherWorld { what });
        }
        let slot = self.slots.get(handle.slot);
        let named = slot.filter(|slot| slot.generation == handle.generation);
        let index = named.and_then(|slot| slot.index);
        index.ok_or(EditError::Removed { what })
    }

    /// The handle of what is added at the end of the list.
    pub(crate) fn push(&mut self) -> Handle {
        let index = self.at.len();
        let slot = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => free.index = Some(index),
            None => self.slots.push(Slot {
                generation: 0,
                index: Some(index),
            }),
        }
        self.at.push(slot);
        Handle {
            slot,
            generation: self.slots[slot].generation,
            world: self.world,
        }
    }

    /// What is at the index goes; those behind it move up.
    pub(crate) fn remove(&mut self, index: usize) {
        let slot = self.at.remove(index);
        self.slots[slot].index = None;
        // a slot whose generations are used up stays empty
        if let Some(next) = self.slots[slot].generation.checked_add(1) {
            self.slots[slot].generation = next;
            self.free.push(slot);
        }
        for (now, slot) in self.at.iter().enumerate().skip(index) {
            self.slots[*slot].index = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_follow_what_they_name_and_slots_serve_again() {
        let mut table = Handles::new(3, 0).bodies;
        let first = [0, 1, 2].map(|index| table.handle(index).unwrap());
        table.remove(1);
        assert_eq!(table.index(first[0]), Ok(0));
        assert_eq!(
            table.index(first[1]),
            Err(EditError::Removed { what: "body" })
        );
        assert_eq!(table.index(first[2]), Ok(1));
        assert_eq!(table.handle(1), Some(first[2]));
        let again = table.push();
        assert_eq!((again.slot, again == first[1]), (first[1].slot, false));
        assert_eq!(table.index(again), Ok(2));
        assert!(table.index(first[1]).is_err());
        let last = table.push();
        table.remove(0);
        assert_eq!([again, last].map(|h| table.index(h)), [Ok(1), Ok(2)]);
        let other = Handles::new(3, 0).bodies.handle(0).unwrap();
        assert_eq!(
            table.index(other),
            Err(EditError::OtherWorld { what: "body" })
        );
    }
}
