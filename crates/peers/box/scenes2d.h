/* The scenes of crates/peers/bullet in the plane, for Box2D: seen along z, all joints are hinges. */

static b2Vec2 v(float x, float y) { return (b2Vec2){ x, y }; }

static b2BodyId box(b2WorldId world, float mass, b2Vec2 half, b2Vec2 at) {
    b2BodyDef def = b2DefaultBodyDef();
    def.type = mass > 0 ? b2_dynamicBody : b2_staticBody;
    def.position = b2ToPos(at);
    const b2BodyId body = b2CreateBody(world, &def);
    b2ShapeDef shape = b2DefaultShapeDef();
    shape.material.friction = 0.5f;
    if (mass > 0) shape.density = mass / (4 * half.x * half.y);
    const b2Polygon polygon = b2MakeBox(half.x, half.y);
    b2CreatePolygonShape(body, &shape, &polygon);
    return body;
}

static b2RevoluteJointDef link(b2BodyId a, b2BodyId b, b2Vec2 on_a, b2Vec2 on_b) {
    b2RevoluteJointDef def = b2DefaultRevoluteJointDef();
    def.base.bodyIdA = a;
    def.base.bodyIdB = b;
    def.base.localFrameA.p = on_a;
    def.base.localFrameB.p = on_b;
    return def;
}

static void hinge(b2WorldId world, b2BodyId a, b2BodyId b, b2Vec2 on_a, b2Vec2 on_b, float lower, float upper) {
    b2RevoluteJointDef def = link(a, b, on_a, on_b);
    def.enableLimit = true;
    def.lowerAngle = lower;
    def.upperAngle = upper;
    b2CreateRevoluteJoint(world, &def);
}

static void stack(b2WorldId world) {
    box(world, 0, v(20, 1), v(0, -1));
    for (int i = 0; i < 10; ++i) box(world, 1, v(.5f, .5f), v(0, .5f + (float)i));
}

/* Ten links, the last one a hundred times heavier, let go in a horizontal line. */
static void chain(b2WorldId world) {
    b2BodyId last = box(world, 0, v(.1f, .1f), v(0, 10));
    for (int i = 0; i < 10; ++i) {
        const b2BodyId next = box(world, i == 9 ? 100 : 1, v(.2f, .1f), v(.5f + .5f * (float)i, 10));
        const b2RevoluteJointDef def = link(last, next, v(.25f, 0), v(-.25f, 0));
        b2CreateRevoluteJoint(world, &def);
        last = next;
    }
}

/* Torso, head, arms and legs of two parts, dropped on the floor. */
static void ragdoll(b2WorldId world) {
    const float y = 1.3f;
    box(world, 0, v(20, 1), v(0, -1));
    const b2BodyId torso = box(world, 30, v(.2f, .3f), v(0, y));
    const b2BodyId head = box(world, 5, v(.1f, .12f), v(0, y + .45f));
    hinge(world, torso, head, v(0, .31f), v(0, -.14f), -.4f, .4f);
    for (int side_of = -1; side_of <= 1; side_of += 2) {
        const float s = (float)side_of;
        const b2BodyId upper = box(world, 3, v(.15f, .05f), v(s * .38f, y + .2f));
        const b2BodyId lower = box(world, 2, v(.15f, .04f), v(s * .72f, y + .2f));
        hinge(world, torso, upper, v(s * .22f, .2f), v(-s * .16f, 0), -1.2f, 1.2f);
        hinge(world, upper, lower, v(s * .17f, 0), v(-s * .17f, 0), s < 0 ? -1.5f : 0, s < 0 ? 0 : 1.5f);
        const b2BodyId thigh = box(world, 8, v(.07f, .2f), v(s * .12f, y - .52f));
        const b2BodyId shin = box(world, 4, v(.06f, .2f), v(s * .12f, y - .94f));
        hinge(world, torso, thigh, v(s * .12f, -.31f), v(0, .21f), -.6f, .6f);
        hinge(world, thigh, shin, v(0, -.21f), v(0, .21f), s < 0 ? -1.5f : 0, s < 0 ? 0 : 1.5f);
    }
}

/* A box between two fingers, which motors turn towards each other with at most 15 N m. */
static void grasp(b2WorldId world) {
    const b2BodyId palm = box(world, 0, v(.5f, .1f), v(0, 2));
    box(world, 1, v(.1f, .1f), v(0, 1.6f));
    for (int side_of = -1; side_of <= 1; side_of += 2) {
        const float s = (float)side_of;
        const b2BodyId finger = box(world, .5f, v(.05f, .2f), v(s * .151f, 1.65f));
        b2RevoluteJointDef def = link(palm, finger, v(s * .151f, -.1f), v(0, .25f));
        def.enableMotor = true;
        def.motorSpeed = -2 * s;
        def.maxMotorTorque = 15;
        b2CreateRevoluteJoint(world, &def);
    }
}
