//! Holds no code: the tests are in tests.rs.
