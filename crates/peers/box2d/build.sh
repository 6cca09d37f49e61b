#!/bin/sh
# Makes the library of engine.py. Needs cc and cargo, which downloads the sources of Box2D 3.2 (MIT).
exec sh "$(dirname "$0")/../native/build-box.sh" box2d boxdd-sys
