// Pieces that one tree sums, as in `sums.rs`.
const CHUNK: u32 = 32u;
