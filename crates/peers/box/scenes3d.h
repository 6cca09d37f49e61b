/* The scenes of crates/peers/bullet in Box3D. The fingers of the grasp turn on hinges. */

static b3BodyId box(b3WorldId world, float mass, b3Vec3 half, b3Vec3 at) {
    b3BodyDef def = b3DefaultBodyDef();
    def.type = mass > 0 ? b3_dynamicBody : b3_staticBody;
    def.position = b3ToPos(at);
    const b3BodyId body = b3CreateBody(world, &def);
    b3ShapeDef shape = b3DefaultShapeDef();
    shape.baseMaterial.friction = 0.5f;
    if (mass > 0) shape.density = mass / (8 * half.x * half.y * half.z);
    const b3BoxHull hull = b3MakeBoxHull(half.x, half.y, half.z);
    b3CreateHullShape(body, &shape, &hull.base);
    return body;
}

static b3Vec3 v(float x, float y, float z) { return (b3Vec3){ x, y, z }; }

/* The rotation that takes the z axis to an axis of the world. */
static b3Quat z_to(b3Vec3 axis) {
    const float half = 0.70710678f;
    if (axis.z != 0) return b3Quat_identity;
    return axis.x != 0 ? (b3Quat){ { 0, half * axis.x, 0 }, half } : (b3Quat){ { -half * axis.y, 0, 0 }, half };
}

static b3JointDef link(b3JointDef def, b3BodyId a, b3BodyId b, b3Vec3 on_a, b3Vec3 on_b, b3Vec3 axis) {
    def.bodyIdA = a;
    def.bodyIdB = b;
    def.localFrameA = (b3Transform){ on_a, z_to(axis) };
    def.localFrameB = (b3Transform){ on_b, z_to(axis) };
    return def;
}

static void ball(b3WorldId world, b3BodyId a, b3BodyId b, b3Vec3 on_a, b3Vec3 on_b, b3Vec3 axis, float cone, float twist) {
    b3SphericalJointDef def = b3DefaultSphericalJointDef();
    def.base = link(def.base, a, b, on_a, on_b, axis);
    def.enableConeLimit = def.enableTwistLimit = cone > 0;
    def.coneAngle = cone;
    def.lowerTwistAngle = -twist;
    def.upperTwistAngle = twist;
    b3CreateSphericalJoint(world, &def);
}

static void hinge(b3WorldId world, b3BodyId a, b3BodyId b, b3Vec3 on_a, b3Vec3 on_b, b3Vec3 axis, float lower, float upper) {
    b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
    def.base = link(def.base, a, b, on_a, on_b, axis);
    def.enableLimit = true;
    def.lowerAngle = lower;
    def.upperAngle = upper;
    b3CreateRevoluteJoint(world, &def);
}

static void stack(b3WorldId world) {
    box(world, 0, v(20, 1, 20), v(0, -1, 0));
    for (int i = 0; i < 10; ++i) box(world, 1, v(.5f, .5f, .5f), v(0, .5f + (float)i, 0));
}

/* Ten links, the last one a hundred times heavier, let go in a horizontal line. */
static void chain(b3WorldId world) {
    b3BodyId last = box(world, 0, v(.1f, .1f, .1f), v(0, 10, 0));
    for (int i = 0; i < 10; ++i) {
        const b3BodyId next = box(world, i == 9 ? 100 : 1, v(.2f, .1f, .1f), v(.5f + .5f * (float)i, 10, 0));
        ball(world, last, next, v(.25f, 0, 0), v(-.25f, 0, 0), v(0, 0, 1), 0, 0);
        last = next;
    }
}

/* Torso, head, arms and legs of two parts, dropped on the floor. */
static void ragdoll(b3WorldId world) {
    const float y = 1.3f;
    box(world, 0, v(20, 1, 20), v(0, -1, 0));
    const b3BodyId torso = box(world, 30, v(.2f, .3f, .12f), v(0, y, 0));
    const b3BodyId head = box(world, 5, v(.1f, .12f, .1f), v(0, y + .45f, 0));
    ball(world, torso, head, v(0, .31f, 0), v(0, -.14f, 0), v(0, 1, 0), .4f, .3f);
    for (int side = -1; side <= 1; side += 2) {
        const float s = (float)side;
        const b3BodyId upper = box(world, 3, v(.15f, .05f, .05f), v(s * .38f, y + .2f, 0));
        const b3BodyId lower = box(world, 2, v(.15f, .04f, .04f), v(s * .72f, y + .2f, 0));
        ball(world, torso, upper, v(s * .22f, .2f, 0), v(-s * .16f, 0, 0), v(s, 0, 0), 1.2f, .5f);
        hinge(world, upper, lower, v(s * .17f, 0, 0), v(-s * .17f, 0, 0), v(0, 0, 1), side < 0 ? -1.5f : 0, side < 0 ? 0 : 1.5f);
        const b3BodyId thigh = box(world, 8, v(.07f, .2f, .07f), v(s * .12f, y - .52f, 0));
        const b3BodyId shin = box(world, 4, v(.06f, .2f, .06f), v(s * .12f, y - .94f, 0));
        ball(world, torso, thigh, v(s * .12f, -.31f, 0), v(0, .21f, 0), v(0, -1, 0), .6f, .3f);
        hinge(world, thigh, shin, v(0, -.21f, 0), v(0, .21f, 0), v(1, 0, 0), 0, 1.5f);
    }
}

/* A box between two fingers, which motors turn towards each other with at most 15 N m. */
static void grasp(b3WorldId world) {
    const b3BodyId palm = box(world, 0, v(.5f, .1f, .1f), v(0, 2, 0));
    box(world, 1, v(.1f, .1f, .1f), v(0, 1.6f, 0));
    for (int side = -1; side <= 1; side += 2) {
        const float s = (float)side;
        const b3BodyId finger = box(world, .5f, v(.05f, .2f, .1f), v(s * .151f, 1.65f, 0));
        b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
        def.base = link(def.base, palm, finger, v(s * .151f, -.1f, 0), v(0, .25f, 0), v(0, 0, 1));
        def.enableMotor = true;
        def.motorSpeed = -2 * s;
        def.maxMotorTorque = 15;
        b3CreateRevoluteJoint(world, &def);
    }
}
