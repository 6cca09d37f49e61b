//! Nothing: the manifest fetches the sources of Box2D.
