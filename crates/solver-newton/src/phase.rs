//! The phases of the proximal-point method, and what leads from one to the next.

/// What the next sweep does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Judges the start, and makes the first step.
    Start,
    /// A step of the convex start.
    Convex,
    /// A step of the loop of De Saxcé.
    Loop,
    /// A sweep of Gauss–Seidel, so many to come.
    Relax(u32),
    /// A step on the natural map.
    Natural,
}

/// What a step leads to; `Proximal::enter` makes it so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Transition {
    /// Another step on the same problem.
    Stay,
    /// The next convex problem, around the impulses reached.
    NextConvex,
    /// The natural map from the best impulses, after Gauss–Seidel: the convex start has done what
    /// it can.
    LeaveStart,
    /// The natural map from the impulses reached.
    BeginNatural,
    /// The next problem on the natural map, with a smaller proximal term.
    NextNatural,
    /// The same with a larger one: Newton's method failed.
    IncreaseTerm,
    /// Elsewhere: nothing has got better for long.
    Restart,
    /// A try of Newton's method from within the loop, at this residual \[√J\].
    TryNatural(f64),
    /// Back into the loop: the try has not helped.
    ResumeLoop,
    /// Elsewhere: the loop has not helped.
    LeaveLoop,
}
