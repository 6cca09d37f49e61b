/* Frames of Box2D as problems: both passes of the last substep of a step, with the impulses that
 * Box2D found. Usage: box2d FOLDER [SWEEPS]
 *
 * The program compiles Box2D's own joint.c and contact_solver.c, unchanged, and puts two functions
 * of its own in front of those that begin a pass and that follow the last one. A body in the plane
 * is a body that moves along x and y and turns about z. */
#define b2SolveJoints_Overflow engine_SolveJoints_Overflow
#define b2ApplyRestitution_Overflow engine_ApplyRestitution_Overflow
#include "contact_solver.c"
#include "joint.c"
#undef b2SolveJoints_Overflow
#undef b2ApplyRestitution_Overflow

#include "rows.h"

static const float step_length = 1.0f / 60.0f, gravity = 9.81f;
static const int substeps = 4;

static struct {
    const char *scene, *folder;
    unsigned step;
    int on, passes, written, sweeps;
    rows_pass pass;
} recorder;

static void side(double out[6], double sign, b2Vec2 axis, double turn) {
    memset(out, 0, 6 * sizeof *out);
    out[0] = sign * axis.x; out[1] = sign * axis.y; out[5] = sign * turn;
}

/* The Jacobians of a row along `axis` through arms from the centres of mass: B moves along it, A
 * against it. */
static void along(double j[2][6], b2Vec2 axis, b2Vec2 arm_a, b2Vec2 arm_b) {
    side(j[0], -1, axis, b2Cross(arm_a, axis));
    side(j[1], 1, axis, b2Cross(arm_b, axis));
}

static void about(double j[2][6], double sign) {
    side(j[0], -1, b2Vec2_zero, sign);
    side(j[1], 1, b2Vec2_zero, sign);
}

/* Body 0 stands for all static ones; the others follow Box2D's awake set. */
static void add_bodies(rows_pass *p, b2StepContext *context) {
    const double zeros[9] = { 0 };
    const int count = context->world->solverSets.data[b2_awakeSet].bodyStates.count;
    delassus_body(&p->capture, zeros, zeros, zeros);
    for (int i = 0; i < count; ++i) {
        const b2BodySim *sim = context->sims + i;
        const b2BodyState *state = context->states + i;
        const double mass[3] = { sim->invMass, sim->invMass, 0 }, inertia[9] = { 0, 0, 0, 0, 0, 0, 0, 0, sim->invInertia };
        const double velocity[6] = { state->linearVelocity.x, state->linearVelocity.y, 0, 0, 0, state->angularVelocity };
        delassus_body(&p->capture, mass, inertia, velocity);
    }
}

static b2BodyState state_of(const b2StepContext *context, int index) {
    return index == B2_NULL_INDEX ? b2_identityBodyState : context->states[index];
}

static void add_revolute(rows_pass *p, b2JointSim *base, const b2StepContext *context, int use_bias, uint64_t feature) {
    b2RevoluteJoint *joint = &base->revoluteJoint;
    const long body[2] = { joint->indexA + 1, joint->indexB + 1 };
    const b2BodyState a = state_of(context, joint->indexA), b = state_of(context, joint->indexB);
    const b2Rot qa = b2MulRot(a.deltaRotation, joint->frameA.q), qb = b2MulRot(b.deltaRotation, joint->frameB.q);
    const b2Softness s = base->constraintSoftness;
    const float softness[3] = { s.biasRate, s.massScale, s.impulseScale };
    double j[2][6];
    if (joint->enableSpring || base->invIA + base->invIB == 0) { rows_refuse(p, "a spring, or a joint of bodies that do not turn"); return; }
    about(j, 1);
    if (joint->enableMotor) {
        const double most = (double)joint->maxMotorTorque * context->h;
        rows_bounds(p, body, j, -most, most, -joint->motorSpeed, 0, &joint->motorImpulse, feature);
    }
    if (joint->enableLimit) {
        const float angle = b2Rot_GetAngle(b2InvMulRot(qa, qb));
        rows_limit(p, body, j, angle - joint->lowerAngle, context->inv_h, use_bias, softness, &joint->lowerImpulse, feature + 1);
        about(j, -1);
        rows_limit(p, body, j, joint->upperAngle - angle, context->inv_h, use_bias, softness, &joint->upperImpulse, feature + 2);
    }
    const b2Vec2 ra = b2RotateVector(a.deltaRotation, joint->frameA.p), rb = b2RotateVector(b.deltaRotation, joint->frameB.p);
    const b2Vec2 gap = b2Add(b2Add(b2Sub(b.deltaPosition, a.deltaPosition), b2Sub(rb, ra)), joint->deltaCenter);
    const double rate = use_bias ? s.biasRate : 0, bias[3] = { rate * gap.x, rate * gap.y, 0 };
    const float *const from[3] = { &joint->linearImpulse.x, &joint->linearImpulse.y, NULL };
    double point[3][2][6];
    along(point[0], (b2Vec2){ 1, 0 }, ra, rb);
    along(point[1], (b2Vec2){ 0, 1 }, ra, rb);
    rows_equality(p, body, 2, point, bias, use_bias ? rows_softness(s.massScale, s.impulseScale) : 0, from, feature + 3);
}

static void add_joints(rows_pass *p, b2GraphColor *color, const b2StepContext *context, int use_bias) {
    for (int i = 0; i < color->jointSims.count; ++i) {
        b2JointSim *base = color->jointSims.data + i;
        if (base->type != b2_revoluteJoint) { rows_refuse(p, "a joint that is not revolute"); continue; }
        add_revolute(p, base, context, use_bias, ((uint64_t)1 << 48) + ((uint64_t)base->jointId << 8));
    }
}

/* One of the contacts that Box2D solves side by side: one lane of its wide numbers. */
static const float *lane_of(const b2FloatW *wide, int lane) { return (const float *)wide + lane; }

static b2Vec2 vector_of(const b2Vec2W *wide, int lane) { return (b2Vec2){ *lane_of(&wide->X, lane), *lane_of(&wide->Y, lane) }; }

/* The numbers of one of the two points of a manifold. */
typedef struct {
    b2Vec2 ra, rb;
    float separation;
    const float *normal, *tangent;
} contact_point;

/* A point: frictionless in the bias pass, with one direction of friction in the relax pass. */
static void add_point(rows_pass *p, const b2ContactConstraintWide *c, int lane, const b2StepContext *context, int use_bias,
                      contact_point point, uint64_t feature) {
    const long body[2] = { c->indexA[lane], c->indexB[lane] };
    const b2BodyState a = state_of(context, (int)body[0] - 1), b = state_of(context, (int)body[1] - 1);
    const b2Vec2 normal = vector_of(&c->normal, lane);
    const b2Vec2 turned = b2Sub(b2RotateVector(b.deltaRotation, point.rb), b2RotateVector(a.deltaRotation, point.ra));
    const double s = (double)b2Dot(normal, b2Add(b2Sub(b.deltaPosition, a.deltaPosition), turned)) + point.separation;
    const double mass_scale = *lane_of(&c->massScale, lane), impulse_scale = *lane_of(&c->impulseScale, lane);
    const int soft = use_bias && s <= 0;
    const double push = -(double)context->world->contactSpeed / mass_scale;
    const double bias = s > 0 ? s * context->inv_h : soft ? fmax(*lane_of(&c->biasRate, lane) * s, push) : 0;
    double j[2][6];
    along(j, normal, point.ra, point.rb);
    const int law = use_bias ? DELASSUS_FRICTIONLESS : DELASSUS_PYRAMID;
    const long block = delassus_block(&p->capture, law, 0, 0, use_bias ? 0 : *lane_of(&c->friction, lane), feature);
    rows_add(p, block, body, j, bias, soft ? rows_softness(mass_scale, impulse_scale) : 0, rows_of(point.normal));
    if (use_bias) return;
    along(j, b2RightPerp(normal), point.ra, point.rb);
    rows_add(p, block, body, j, -*lane_of(&c->tangentSpeed, lane), 0, rows_of(point.tangent));
}

static void add_contacts(rows_pass *p, const b2GraphColor *color, const b2StepContext *context, int use_bias) {
    for (int i = 0; i < color->contactSims.count; ++i) {
        const b2ContactConstraintWide *c = color->wideConstraints + i / B2_SIMD_WIDTH;
        const int lane = i % B2_SIMD_WIDTH;
        const b2ContactSim *sim = color->contactSims.data + i;
        const uint64_t feature = (uint64_t)sim->contactId << 8;
        const contact_point points[2] = {
            { vector_of(&c->anchorA1, lane), vector_of(&c->anchorB1, lane), *lane_of(&c->baseSeparation1, lane),
              lane_of(&c->normalImpulse1, lane), lane_of(&c->tangentImpulse1, lane) },
            { vector_of(&c->anchorA2, lane), vector_of(&c->anchorB2, lane), *lane_of(&c->baseSeparation2, lane),
              lane_of(&c->normalImpulse2, lane), lane_of(&c->tangentImpulse2, lane) } };
        if (*lane_of(&c->rollingResistance, lane) != 0) rows_refuse(p, "rolling resistance");
        for (int k = 0; k < sim->manifold.pointCount; ++k) add_point(p, c, lane, context, use_bias, points[k], feature + (uint64_t)k);
    }
}

static void begin_pass(b2StepContext *context, int use_bias) {
    rows_pass *p = &recorder.pass;
    delassus_begin(&p->capture, context->h, gravity);
    p->active = 1;
    p->capture.engine = "Box2D";
    p->capture.version = "3.2.0";
    p->capture.pass = use_bias ? "bias" : "relax";
    p->capture.step = recorder.step;
    p->capture.substep = (uint64_t)(substeps - 1);
    p->capture.iterations = (uint64_t)recorder.sweeps;
    add_bodies(p, context);
    if (context->graph->colors[B2_OVERFLOW_INDEX].contactSims.count > 0) rows_refuse(p, "contacts outside the graph colours");
    add_joints(p, context->graph->colors + B2_OVERFLOW_INDEX, context, use_bias);
    for (int i = 0; i < B2_OVERFLOW_INDEX; ++i) { /* the order in which Box2D solves them */
        add_joints(p, context->graph->colors + i, context, use_bias);
        add_contacts(p, context->graph->colors + i, context, use_bias);
    }
    rows_start(p);
}

static void end_pass(const b2StepContext *context) {
    rows_pass *p = &recorder.pass;
    char path[512], name[64], from[128];
    if (!p->active) return;
    for (size_t i = 1; i < p->capture.bodies; ++i) {
        const b2BodyState *state = context->states + i - 1;
        double *solved = p->capture.body[i].solved;
        solved[0] = state->linearVelocity.x; solved[1] = state->linearVelocity.y; solved[5] = state->angularVelocity;
    }
    snprintf(name, sizeof name, "box2d-%s-%s", recorder.scene, p->capture.pass);
    snprintf(from, sizeof from, "Box2D 3.2.0, f32, scene %s, written by crates/peers/box", recorder.scene);
    snprintf(path, sizeof path, "%s/%s.dls", recorder.folder, name);
    p->capture.provenance = from;
    recorder.written += rows_finish(p, path, name);
}

/* One sweep over all constraints, in the engine's order. */
static void sweep(b2StepContext *context, bool use_bias) {
    engine_SolveJoints_Overflow(context, use_bias);
    b2SolveContacts_Overflow(context, use_bias);
    for (int i = 0; i < B2_OVERFLOW_INDEX; ++i) {
        b2GraphColor *color = context->graph->colors + i;
        const int wide = (color->contactSims.count + B2_SIMD_WIDTH - 1) / B2_SIMD_WIDTH;
        const b2SolverBlock block = { .startIndex = 0, .count = (uint16_t)wide, .colorIndex = (uint8_t)i };
        for (int k = 0; k < color->jointSims.count; ++k) b2SolveJoint(color->jointSims.data + k, context, use_bias);
        if (wide > 0) b2SolveContactsTask(block, context, use_bias);
    }
}

void b2SolveJoints_Overflow(b2StepContext *context, bool use_bias) {
    if (recorder.on && use_bias) ++recorder.passes;
    if (recorder.on && recorder.passes == substeps) {
        end_pass(context);
        begin_pass(context, use_bias);
        for (int i = 1; i < recorder.sweeps; ++i) sweep(context, use_bias);
    }
    engine_SolveJoints_Overflow(context, use_bias);
}

void b2ApplyRestitution_Overflow(b2StepContext *context) {
    if (recorder.on) end_pass(context);
    engine_ApplyRestitution_Overflow(context);
}

#include "scenes2d.h"

int main(int count, char **arguments) {
    const struct { const char *name; void (*build)(b2WorldId); unsigned steps; } scenes[] = {
        { "stack", stack, 60 }, { "chain", chain, 40 }, { "ragdoll", ragdoll, 30 }, { "grasp", grasp, 30 } };
    if (count < 2) { fprintf(stderr, "usage: box2d FOLDER [SWEEPS]\n"); return 2; }
    recorder.folder = arguments[1];
    recorder.sweeps = count > 2 ? atoi(arguments[2]) : 1; /* of each captured pass */
    for (int i = 0; i < 4; ++i) {
        b2WorldDef def = b2DefaultWorldDef();
        def.gravity = (b2Vec2){ 0, -gravity };
        def.enableSleep = false; /* a body at rest would leave the problem */
        const b2WorldId world = b2CreateWorld(&def);
        scenes[i].build(world);
        recorder.scene = scenes[i].name;
        for (unsigned step = 0; step < scenes[i].steps; ++step) {
            recorder.step = step;
            recorder.passes = 0;
            recorder.on = step + 1 == scenes[i].steps;
            b2World_Step(world, step_length, substeps);
        }
        recorder.on = 0;
        b2DestroyWorld(world);
    }
    return recorder.written == 8 ? 0 : 1;
}
