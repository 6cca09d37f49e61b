//! The laws that every registered solver must obey, one function each.
