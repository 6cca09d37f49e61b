/* Frames of Box3D as problems: both passes of the last substep of a step, with the impulses that
 * Box3D found. Usage: box3d FOLDER [SWEEPS]
 *
 * The program compiles Box3D's own joint.c and contact_solver.c, unchanged, and puts two functions
 * of its own in front of those that begin a pass and that follow the last one. */
#define b3SolveJoints_Overflow engine_SolveJoints_Overflow
#define b3ApplyRestitution_Overflow engine_ApplyRestitution_Overflow
#include "contact_solver.c"
#include "joint.c"
#undef b3SolveJoints_Overflow
#undef b3ApplyRestitution_Overflow

#include "rows.h"

static const float step_length = 1.0f / 60.0f, gravity = 9.81f;
static const int substeps = 4;

static struct {
    const char *scene, *folder;
    unsigned step;
    int on, passes, written, sweeps;
    rows_pass pass;
} recorder;

static void set(double out[3], b3Vec3 a) { out[0] = a.x; out[1] = a.y; out[2] = a.z; }

/* The Jacobians of a row along `axis` through arms from the centres of mass: B moves along it, A
 * against it. */
static void along(double j[2][6], b3Vec3 axis, b3Vec3 arm_a, b3Vec3 arm_b) {
    set(j[0], b3Neg(axis)); set(j[0] + 3, b3Neg(b3Cross(arm_a, axis)));
    set(j[1], axis); set(j[1] + 3, b3Cross(arm_b, axis));
}

/* The Jacobians of a row about `axis`. */
static void about(double j[2][6], b3Vec3 axis) {
    memset(j, 0, 2 * sizeof j[0]);
    set(j[0] + 3, b3Neg(axis)); set(j[1] + 3, axis);
}

/* Body 0 stands for all static ones; the others follow Box3D's awake set. */
static void add_bodies(rows_pass *p, b3StepContext *context) {
    const double zeros[9] = { 0 };
    const int count = context->world->solverSets.data[b3_awakeSet].bodyStates.count;
    delassus_body(&p->capture, zeros, zeros, zeros);
    for (int i = 0; i < count; ++i) {
        const b3BodySim *sim = context->sims + i;
        const b3BodyState *state = context->states + i;
        double mass[3] = { sim->invMass, sim->invMass, sim->invMass }, inertia[9], velocity[6];
        const b3Matrix3 m = sim->invInertiaWorld;
        set(inertia, m.cx); set(inertia + 3, m.cy); set(inertia + 6, m.cz);
        set(velocity, state->linearVelocity); set(velocity + 3, state->angularVelocity);
        delassus_body(&p->capture, mass, inertia, velocity);
    }
}

static b3BodyState state_of(const b3StepContext *context, int index) {
    return index == B3_NULL_INDEX ? b3_identityBodyState : context->states[index];
}

static void add_point(rows_pass *p, const long body[2], const b3StepContext *context, int use_bias, const b3JointSim *base,
                      b3Vec3 arm_a, b3Vec3 arm_b, b3Vec3 centres, const b3Vec3 *impulse, uint64_t feature) {
    const b3BodyState a = state_of(context, (int)body[0] - 1), b = state_of(context, (int)body[1] - 1);
    const b3Vec3 ra = b3RotateVector(a.deltaRotation, arm_a), rb = b3RotateVector(b.deltaRotation, arm_b);
    const b3Vec3 gap = b3Add(b3Add(b3Sub(b.deltaPosition, a.deltaPosition), b3Sub(rb, ra)), centres);
    const float rate = use_bias ? base->constraintSoftness.biasRate : 0;
    const float *const from[3] = { &impulse->x, &impulse->y, &impulse->z };
    double j[3][2][6], bias[3];
    along(j[0], b3Vec3_axisX, ra, rb); along(j[1], b3Vec3_axisY, ra, rb); along(j[2], b3Vec3_axisZ, ra, rb);
    set(bias, b3MulSV(rate, gap));
    const double soft = use_bias ? rows_softness(base->constraintSoftness.massScale, base->constraintSoftness.impulseScale) : 0;
    rows_equality(p, body, 3, j, bias, soft, from, feature);
}

static void add_revolute(rows_pass *p, b3JointSim *base, const b3StepContext *context, int use_bias, uint64_t feature) {
    b3RevoluteJoint *joint = &base->revoluteJoint;
    const long body[2] = { joint->indexA + 1, joint->indexB + 1 };
    const b3Quat qa = b3MulQuat(state_of(context, joint->indexA).deltaRotation, joint->frameA.q);
    b3Quat qb = b3MulQuat(state_of(context, joint->indexB).deltaRotation, joint->frameB.q);
    if (b3DotQuat(qa, qb) < 0) qb = b3NegateQuat(qb);
    const b3Quat relative = b3InvMulQuat(qa, qb);
    const b3Softness s = base->constraintSoftness;
    const float softness[3] = { s.biasRate, s.massScale, s.impulseScale };
    double j[2][6];
    if (joint->enableSpring || base->fixedRotation) { rows_refuse(p, "a spring, or a joint of bodies that do not turn"); return; }
    about(j, joint->rotationAxisZ);
    if (joint->enableMotor) {
        const double most = (double)joint->maxMotorTorque * context->h;
        rows_bounds(p, body, j, -most, most, -joint->motorSpeed, 0, &joint->motorImpulse, feature);
    }
    if (joint->enableLimit) {
        const float angle = b3GetTwistAngle(relative);
        rows_limit(p, body, j, angle - joint->lowerAngle, context->inv_h, use_bias, softness, &joint->lowerImpulse, feature + 1);
        about(j, b3Neg(joint->rotationAxisZ));
        rows_limit(p, body, j, joint->upperAngle - angle, context->inv_h, use_bias, softness, &joint->upperImpulse, feature + 2);
    }
    /* two axes across the hinge, as Box3D differentiates the relative rotation */
    double across[3][2][6], bias[3] = { 0 };
    const float *const from[3] = { &joint->perpImpulse.x, &joint->perpImpulse.y, NULL };
    const b3Vec3 unit[2] = { b3Vec3_axisX, b3Vec3_axisY };
    for (int i = 0; i < 2; ++i) {
        const b3Vec3 local = b3Add(b3MulSV(relative.s, unit[i]), b3Cross(relative.v, unit[i]));
        about(across[i], b3MulSV(0.5f, b3RotateVector(qa, local)));
        bias[i] = use_bias ? (double)s.biasRate * (i ? relative.v.y : relative.v.x) : 0;
    }
    rows_equality(p, body, 2, across, bias, use_bias ? rows_softness(s.massScale, s.impulseScale) : 0, from, feature + 3);
    add_point(p, body, context, use_bias, base, joint->frameA.p, joint->frameB.p, joint->deltaCenter, &joint->linearImpulse, feature + 4);
}

static void add_spherical(rows_pass *p, b3JointSim *base, const b3StepContext *context, int use_bias, uint64_t feature) {
    b3SphericalJoint *joint = &base->sphericalJoint;
    const long body[2] = { joint->indexA + 1, joint->indexB + 1 };
    const b3Quat qa = b3MulQuat(state_of(context, joint->indexA).deltaRotation, joint->frameA.q);
    const b3Quat qb = b3MulQuat(state_of(context, joint->indexB).deltaRotation, joint->frameB.q);
    const b3Quat relative = b3InvMulQuat(qa, qb);
    const b3Softness s = base->constraintSoftness;
    const float softness[3] = { s.biasRate, s.massScale, s.impulseScale };
    double j[2][6];
    if (joint->enableSpring || joint->enableMotor || base->fixedRotation) { rows_refuse(p, "a spring or motor of a ball joint"); return; }
    if (joint->enableTwistLimit) {
        const float angle = b3GetTwistAngle(relative);
        about(j, joint->twistJacobian);
        rows_limit(p, body, j, angle - joint->lowerTwistAngle, context->inv_h, use_bias, softness, &joint->lowerTwistImpulse, feature);
        about(j, b3Neg(joint->twistJacobian));
        rows_limit(p, body, j, joint->upperTwistAngle - angle, context->inv_h, use_bias, softness, &joint->upperTwistImpulse, feature + 1);
    }
    if (joint->enableConeLimit) {
        about(j, b3Neg(joint->swingAxis));
        rows_limit(p, body, j, joint->coneAngle - b3GetSwingAngle(relative), context->inv_h, use_bias, softness, &joint->swingImpulse, feature + 2);
    }
    add_point(p, body, context, use_bias, base, joint->frameA.p, joint->frameB.p, joint->deltaCenter, &joint->linearImpulse, feature + 3);
}

static void add_joints(rows_pass *p, b3GraphColor *color, const b3StepContext *context, int use_bias) {
    for (int i = 0; i < color->jointSims.count; ++i) {
        b3JointSim *base = color->jointSims.data + i;
        const uint64_t feature = ((uint64_t)1 << 48) + ((uint64_t)base->jointId << 8);
        if (base->type == b3_revoluteJoint) add_revolute(p, base, context, use_bias, feature);
        else if (base->type == b3_sphericalJoint) add_spherical(p, base, context, use_bias, feature);
        else rows_refuse(p, "a joint that is neither revolute nor spherical");
    }
}

/* One of four contacts that Box3D solves side by side: one lane of its wide numbers. */
static const float *lane_of(const b3FloatW *wide, int lane) { return (const float *)wide + lane; }

static b3Vec3 vector_of(const b3Vec3W *wide, int lane) {
    return (b3Vec3){ *lane_of(&wide->X, lane), *lane_of(&wide->Y, lane), *lane_of(&wide->Z, lane) };
}

/* A manifold: frictionless points in the bias pass, a patch of all points in the relax pass. */
static void add_manifold(rows_pass *p, const b3ContactConstraintWide *c, int lane, const b3StepContext *context, int use_bias, uint64_t feature) {
    const long body[2] = { c->indexA[lane], c->indexB[lane] };
    const b3BodyState a = state_of(context, (int)body[0] - 1), b = state_of(context, (int)body[1] - 1);
    const b3Vec3 normal = vector_of(&c->normal, lane), moved = b3Sub(b.deltaPosition, a.deltaPosition);
    const double mass_scale = *lane_of(&c->massScale, lane), impulse_scale = *lane_of(&c->impulseScale, lane);
    double j[2][6];
    if (*lane_of(&c->rollingResistance, lane) != 0) { rows_refuse(p, "rolling resistance"); return; }
    const long patch = use_bias ? -1 : delassus_block(&p->capture, DELASSUS_PATCH, 0, 0, *lane_of(&c->friction, lane), feature);
    for (int i = 0; i < c->pointCounts[lane]; ++i) {
        const b3ContactConstraintPointWide *point = c->points + i;
        const b3Vec3 ra = vector_of(&point->anchorAs, lane), rb = vector_of(&point->anchorBs, lane);
        const b3Vec3 turned = b3Sub(b3RotateVector(b.deltaRotation, rb), b3RotateVector(a.deltaRotation, ra));
        const double s = (double)b3Dot(normal, b3Add(moved, turned)) + *lane_of(&point->baseSeparations, lane);
        const int soft = use_bias && s <= 0;
        const double push = -(double)context->world->contactSpeed / mass_scale;
        const double bias = s > 0 ? s * context->inv_h : soft ? fmax(*lane_of(&c->biasRate, lane) * s, push) : 0;
        along(j, normal, ra, rb);
        const long block = use_bias ? delassus_block(&p->capture, DELASSUS_FRICTIONLESS, 0, 0, 0, feature + (uint64_t)i) : patch;
        const long row = rows_add(p, block, body, j, bias, soft ? rows_softness(mass_scale, impulse_scale) : 0,
                                  rows_of(lane_of(&point->normalImpulses, lane)));
        if (row >= 0) p->capture.row[row].lever = *lane_of(&point->leverArms, lane);
    }
    if (use_bias) return;
    const b3Vec3 ra = vector_of(&c->centerA, lane), rb = vector_of(&c->centerB, lane);
    along(j, vector_of(&c->tangent1, lane), ra, rb);
    rows_add(p, patch, body, j, -*lane_of(&c->tangentVelocity1, lane), 0, rows_of(lane_of(&c->frictionImpulse.x, lane)));
    along(j, vector_of(&c->tangent2, lane), ra, rb);
    rows_add(p, patch, body, j, -*lane_of(&c->tangentVelocity2, lane), 0, rows_of(lane_of(&c->frictionImpulse.y, lane)));
    about(j, normal);
    rows_add(p, patch, body, j, 0, 0, rows_of(lane_of(&c->twistImpulse, lane)));
}

static void add_contacts(rows_pass *p, const b3GraphColor *color, const b3StepContext *context, int use_bias) {
    if (color->contacts.count > 0) { rows_refuse(p, "contacts of meshes or outside the graph colours"); return; }
    for (int i = 0; i < color->convexContacts.count; ++i) {
        const b3ContactConstraintWide *c = color->wideConstraints + i / B3_SIMD_WIDTH;
        const int lane = i % B3_SIMD_WIDTH;
        if (c->manifolds[lane]) add_manifold(p, c, lane, context, use_bias, (uint64_t)color->convexContacts.data[i] << 8);
    }
}

static void begin_pass(b3StepContext *context, int use_bias) {
    rows_pass *p = &recorder.pass;
    delassus_begin(&p->capture, context->h, gravity);
    p->active = 1;
    p->capture.engine = "Box3D";
    p->capture.version = "0.1.0";
    p->capture.pass = use_bias ? "bias" : "relax";
    p->capture.step = recorder.step;
    p->capture.substep = (uint64_t)(substeps - 1);
    p->capture.iterations = (uint64_t)recorder.sweeps;
    add_bodies(p, context);
    for (int i = -1; i < B3_OVERFLOW_INDEX; ++i) { /* the order in which Box3D solves them */
        b3GraphColor *color = context->graph->colors + (i < 0 ? B3_OVERFLOW_INDEX : i);
        add_joints(p, color, context, use_bias);
        add_contacts(p, color, context, use_bias);
    }
    rows_start(p);
}

static void end_pass(const b3StepContext *context) {
    rows_pass *p = &recorder.pass;
    char path[512], name[64], from[128];
    if (!p->active) return;
    for (size_t i = 1; i < p->capture.bodies; ++i) {
        set(p->capture.body[i].solved, context->states[i - 1].linearVelocity);
        set(p->capture.body[i].solved + 3, context->states[i - 1].angularVelocity);
    }
    snprintf(name, sizeof name, "box3d-%s-%s", recorder.scene, p->capture.pass);
    snprintf(from, sizeof from, "Box3D 0.1.0, f32, scene %s, written by crates/peers/box", recorder.scene);
    snprintf(path, sizeof path, "%s/%s.dls", recorder.folder, name);
    p->capture.provenance = from;
    recorder.written += rows_finish(p, path, name);
}

/* One sweep over all constraints, in the engine's order. */
static void sweep(b3StepContext *context, bool use_bias) {
    engine_SolveJoints_Overflow(context, use_bias);
    b3SolveContacts_Overflow(context, use_bias);
    for (int i = 0; i < B3_OVERFLOW_INDEX; ++i) {
        b3GraphColor *color = context->graph->colors + i;
        const int wide = (color->convexContacts.count + B3_SIMD_WIDTH - 1) / B3_SIMD_WIDTH;
        const b3SolverBlock block = { .startIndex = 0, .count = (uint16_t)wide, .colorIndex = (uint8_t)i };
        for (int k = 0; k < color->jointSims.count; ++k) b3SolveJoint(color->jointSims.data + k, context, use_bias);
        if (wide > 0) b3SolveContacts_Convex(block, context, use_bias);
    }
}

void b3SolveJoints_Overflow(b3StepContext *context, bool use_bias) {
    if (recorder.on && use_bias) ++recorder.passes;
    if (recorder.on && recorder.passes == substeps) {
        end_pass(context);
        begin_pass(context, use_bias);
        for (int i = 1; i < recorder.sweeps; ++i) sweep(context, use_bias);
    }
    engine_SolveJoints_Overflow(context, use_bias);
}

void b3ApplyRestitution_Overflow(b3StepContext *context) {
    if (recorder.on) end_pass(context);
    engine_ApplyRestitution_Overflow(context);
}

#include "scenes3d.h"

int main(int count, char **arguments) {
    const struct { const char *name; void (*build)(b3WorldId); unsigned steps; } scenes[] = {
        { "stack", stack, 60 }, { "chain", chain, 40 }, { "ragdoll", ragdoll, 30 }, { "grasp", grasp, 30 } };
    if (count < 2) { fprintf(stderr, "usage: box3d FOLDER [SWEEPS]\n"); return 2; }
    recorder.folder = arguments[1];
    recorder.sweeps = count > 2 ? atoi(arguments[2]) : 1; /* of each captured pass */
    for (int i = 0; i < 4; ++i) {
        b3WorldDef def = b3DefaultWorldDef();
        def.gravity = (b3Vec3){ 0, -gravity, 0 };
        def.enableSleep = false; /* a body at rest would leave the problem */
        const b3WorldId world = b3CreateWorld(&def);
        scenes[i].build(world);
        recorder.scene = scenes[i].name;
        for (unsigned step = 0; step < scenes[i].steps; ++step) {
            recorder.step = step;
            recorder.passes = 0;
            recorder.on = step + 1 == scenes[i].steps;
            b3World_Step(world, step_length, substeps);
        }
        recorder.on = 0;
        b3DestroyWorld(world);
    }
    return recorder.written == 8 ? 0 : 1;
}
