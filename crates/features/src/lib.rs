//! No code: the manifest asks for one set of features of the crates that several builds share.
