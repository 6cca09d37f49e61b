//! Faults that a test asks for: the k-th operation of its thread fails. Nobody else asks, and then
//! this is a look at one flag.

use std::cell::RefCell;
use std::io;

use super::Operation;

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full.
    Full,
    /// The disk cannot.
    Disk,
    /// A signal came in between.
    Interrupted,
    /// A write takes a part of the bytes; other operations succeed.
    Short,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Full, Self::Disk, Self::Interrupted, Self::Short];

    fn error(self) -> Option<io::Error> {
        match self {
            Self::Full => Some(io::ErrorKind::StorageFull.into()),
            Self::Disk => Some(io::Error::other("input/output error")),
            Self::Interrupted => Some(io::ErrorKind::Interrupted.into()),
            Self::Short => None,
        }
    }
}

#[derive(Debug, Default)]
struct Plan {
    armed: bool,
    fault: Option<(usize, Fault)>,
    met: Vec<Operation>,
    shorten: bool,
}

thread_local! {
    static PLAN: RefCell<Plan> = RefCell::default();
}

/// From now on the operations of this thread are counted, and the one of this index, from 0, fails
/// so.
pub fn arm(fault: Option<(usize, Fault)>) {
    PLAN.with_borrow_mut(|plan| {
        *plan = Plan {
            armed: true,
            fault,
            ..Plan::default()
        };
    });
}

/// The operations since [`arm`]; no further one fails.
pub fn disarm() -> Vec<Operation> {
    PLAN.with_borrow_mut(|plan| std::mem::take(plan).met)
}

/// Counts an operation, and fails where it shall.
pub(super) fn meet(operation: Operation) -> io::Result<()> {
    PLAN.with_borrow_mut(|plan| {
        if !plan.armed {
            return Ok(());
        }
        let index = plan.met.len();
        plan.met.push(operation);
        match plan.fault {
            Some((at, fault)) if at == index => {
                plan.shorten = fault == Fault::Short;
                fault.error().map_or(Ok(()), Err)
            }
            _ => Ok(()),
        }
    })
}

/// What a write takes of these bytes.
pub(super) fn some_of(bytes: &[u8]) -> &[u8] {
    let shorten = PLAN.with_borrow_mut(|plan| std::mem::take(&mut plan.shorten));
    match shorten {
        true => &bytes[..bytes.len().div_ceil(2)],
        false => bytes,
    }
}
