//! No code: `build.sh` reads from this package which versions of Box2D and Box3D it compiles.
