//! What a check finds.

/// How a case of a check went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckVerdict {
    /// As it must, with what was seen.
    Passes(String),
    /// Otherwise, with what was seen.
    Fails(String),
    /// The peer does not claim what the case is about.
    DoesNotApply(String),
}

/// A case of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCase {
    /// Name of the case.
    pub name: &'static str,
    /// What must be so.
    pub rule: &'static str,
    /// How it went.
    pub verdict: CheckVerdict,
}
