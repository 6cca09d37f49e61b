#!/bin/sh
# Makes the library of engine.py. Needs cc and cargo, which downloads the sources of Box3D 0.1 (MIT).
exec sh "$(dirname "$0")/../native/build-box.sh" box3d boxddd-sys
