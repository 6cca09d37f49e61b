/* Box3D behind the functions of ../native/delassus_native.h. */
#include "../native/delassus_native.h"

#include <box3d/box3d.h>
#include <box3d/collision.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* half of the edges of the box that stands for a half-space [m] */
#define GROUND 100.0

typedef struct {
	b3WorldId world;
	b3BodyId *bodies;
	dn_body *given;
	int count;
} engine;

static b3Vec3 vector(const double *x) { return (b3Vec3){(float)x[0], (float)x[1], (float)x[2]}; }
static b3Quat quaternion(const double *q) {
	return (b3Quat){{(float)q[0], (float)q[1], (float)q[2]}, (float)q[3]};
}

/* settings: hertz, damping ratio and largest speed of contacts */
void *dn_new(const double gravity[3], const double *settings) {
	engine *own = calloc(1, sizeof *own);
	b3WorldDef def = b3DefaultWorldDef();
	def.gravity = vector(gravity);
	def.enableSleep = false;
	def.workerCount = 1;
	def.contactHertz = (float)settings[0];
	def.contactDampingRatio = (float)settings[1];
	def.contactSpeed = (float)settings[2];
	own->world = b3CreateWorld(&def);
	return own;
}

void dn_add_body(void *world, const dn_body *body) {
	engine *own = world;
	b3BodyId *bodies = realloc(own->bodies, (size_t)(own->count + 1) * sizeof *bodies);
	dn_body *given = realloc(own->given, (size_t)(own->count + 1) * sizeof *given);
	if (!bodies || !given)
		abort();
	own->bodies = bodies;
	own->given = given;
	b3BodyDef def = b3DefaultBodyDef();
	def.type = body->is_dynamic ? b3_dynamicBody : b3_staticBody;
	def.position = vector(body->position);
	def.rotation = quaternion(body->orientation);
	if (body->is_dynamic) {
		def.linearVelocity = vector(body->velocity);
		def.angularVelocity = vector(body->spin);
		def.enableSleep = false;
	}
	own->given[own->count] = *body;
	own->bodies[own->count++] = b3CreateBody(own->world, &def);
}

/* the vector v turned by the quaternion q = (i, j, k, w) */
static void turned(const double *q, const double *v, double *out) {
	double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])};
	out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
	out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
	out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

/* the shortest turn from the axis z to a unit vector */
static b3Quat turn_from_z(const double *n) {
	double q[4] = {-n[1], n[0], 0, 1 + n[2]};
	double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[3] * q[3]);
	if (norm < 1e-6)
		return (b3Quat){{1, 0, 0}, 0};
	return (b3Quat){{(float)(q[0] / norm), (float)(q[1] / norm), 0}, (float)(q[3] / norm)};
}

void dn_add_shape(void *world, const dn_shape *shape) {
	engine *own = world;
	b3BodyId body = own->bodies[shape->body];
	const double *s = shape->size, *p = shape->position;
	b3ShapeDef def = b3DefaultShapeDef();
	def.baseMaterial.friction = (float)shape->friction;
	def.baseMaterial.restitution = (float)shape->restitution;
	def.density = 0;
	def.updateBodyMass = false;
	if (shape->kind == DN_SPHERE) {
		b3Sphere sphere = {vector(p), (float)s[0]};
		b3CreateSphereShape(body, &def, &sphere);
	} else if (shape->kind == DN_CAPSULE) {
		double up[3] = {0, s[0], 0}, end[3], ends[2][3];
		turned(shape->orientation, up, end);
		for (int axis = 0; axis < 3; ++axis) {
			ends[0][axis] = p[axis] - end[axis];
			ends[1][axis] = p[axis] + end[axis];
		}
		b3Capsule capsule = {vector(ends[0]), vector(ends[1]), (float)s[1]};
		b3CreateCapsuleShape(body, &def, &capsule);
	} else if (shape->kind == DN_BOX) {
		b3Transform place = {vector(p), quaternion(shape->orientation)};
		b3BoxHull hull = b3MakeTransformedBoxHull((float)s[0], (float)s[1], (float)s[2], place);
		b3CreateHullShape(body, &def, &hull.base);
	} else { /* a half-space: a large box whose upper face is the plane */
		double n[3], middle[3];
		turned(shape->orientation, s, n);
		for (int axis = 0; axis < 3; ++axis)
			middle[axis] = p[axis] - GROUND * n[axis];
		b3Transform place = {vector(middle), turn_from_z(n)};
		b3BoxHull hull = b3MakeTransformedBoxHull(GROUND, GROUND, GROUND, place);
		b3CreateHullShape(body, &def, &hull.base);
	}
}

static void set_base(const engine *own, b3JointDef *base, const dn_joint *joint) {
	base->bodyIdA = own->bodies[joint->bodies[0]];
	base->bodyIdB = own->bodies[joint->bodies[1]];
	base->localFrameA = (b3Transform){vector(joint->anchors), {{0, 0, 0}, 1}};
	base->localFrameB = (b3Transform){vector(joint->anchors + 3), {{0, 0, 0}, 1}};
	base->collideConnected = false;
}

/* the turn of the first body as the second one sees it, from the poses at the start */
static b3Quat relative(const engine *own, const dn_joint *joint) {
	const double *p = own->given[joint->bodies[1]].orientation, *q = own->given[joint->bodies[0]].orientation;
	return (b3Quat){{(float)(p[3] * q[0] - p[0] * q[3] - p[1] * q[2] + p[2] * q[1]),
	                 (float)(p[3] * q[1] + p[0] * q[2] - p[1] * q[3] - p[2] * q[0]),
	                 (float)(p[3] * q[2] - p[0] * q[1] + p[1] * q[0] - p[2] * q[3])},
	                (float)(p[3] * q[3] + p[0] * q[0] + p[1] * q[1] + p[2] * q[2])};
}

void dn_add_joint(void *world, const dn_joint *joint) {
	engine *own = world;
	if (joint->kind == DN_POINT) {
		b3SphericalJointDef def = b3DefaultSphericalJointDef();
		set_base(own, &def.base, joint);
		b3CreateSphericalJoint(own->world, &def);
	} else if (joint->kind == DN_HINGE) {
		b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
		set_base(own, &def.base, joint);
		def.base.localFrameA.q = turn_from_z(joint->axes);
		def.base.localFrameB.q = turn_from_z(joint->axes + 3);
		b3CreateRevoluteJoint(own->world, &def);
	} else if (joint->kind == DN_WELD) {
		b3WeldJointDef def = b3DefaultWeldJointDef();
		set_base(own, &def.base, joint);
		def.base.localFrameB.q = relative(own, joint);
		b3CreateWeldJoint(own->world, &def);
	} else {
		b3DistanceJointDef def = b3DefaultDistanceJointDef();
		set_base(own, &def.base, joint);
		def.length = (float)joint->length;
		b3CreateDistanceJoint(own->world, &def);
	}
}

void dn_keep_apart(void *world, int a, int b) {
	engine *own = world;
	b3FilterJointDef def = b3DefaultFilterJointDef();
	def.base.bodyIdA = own->bodies[a];
	def.base.bodyIdB = own->bodies[b];
	b3CreateFilterJoint(own->world, &def);
}

void dn_start(void *world) {
	engine *own = world;
	for (int index = 0; index < own->count; ++index) {
		const dn_body *given = &own->given[index];
		const double *i = given->inertia;
		if (!given->is_dynamic)
			continue;
		b3MassData mass = {(float)given->mass, {0, 0, 0}, {vector(i), vector(i + 3), vector(i + 6)}};
		b3Body_SetMassData(own->bodies[index], mass);
	}
}

void dn_step(void *world, double dt, int substeps) { b3World_Step(((engine *)world)->world, (float)dt, substeps); }

void dn_states(const void *world, double *states) {
	const engine *own = world;
	for (int index = 0; index < own->count; ++index, states += 13) {
		if (!own->given[index].is_dynamic) {
			memcpy(states, own->given[index].position, 13 * sizeof *states);
			continue;
		}
		b3Pos x = b3Body_GetPosition(own->bodies[index]);
		b3Quat q = b3Body_GetRotation(own->bodies[index]);
		b3Vec3 v = b3Body_GetLinearVelocity(own->bodies[index]), w = b3Body_GetAngularVelocity(own->bodies[index]);
		const double state[13] = {x.x, x.y, x.z, q.v.x, q.v.y, q.v.z, q.s, v.x, v.y, v.z, w.x, w.y, w.z};
		memcpy(states, state, sizeof state);
	}
}

void dn_free(void *world) {
	engine *own = world;
	b3DestroyWorld(own->world);
	free(own->bodies);
	free(own->given);
	free(own);
}
