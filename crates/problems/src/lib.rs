//! Problem files and generators: fc3d and LCP text, snapshots, planted and structured problems.
