//! One function per thread of the shader with the same name.
