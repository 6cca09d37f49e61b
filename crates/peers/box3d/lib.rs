//! Nothing: the manifest fetches the sources of Box3D.
