/* Box3D behind the functions of ../native/delassus_native.h. */
#include "../native/delassus_native.h"

#include <box3d/box3d.h>
#include <box3d/collision.h>
#include <math.h>

typedef b3Quat rotation;
typedef b3Vec3 angular;

static b3Vec3 vector(const double *x) { return (b3Vec3){(float)x[0], (float)x[1], (float)x[2]}; }

#define BOX(name) b3##name
#include "../native/box_engine.h"

static b3Quat rotation_of(const double *q) {
	return (b3Quat){{(float)q[0], (float)q[1], (float)q[2]}, (float)q[3]};
}

static b3Vec3 angular_of(const double *spin) { return vector(spin); }

static b3MassData mass_of(const dn_body *body) {
	const double *i = body->inertia;
	return (b3MassData){(float)body->mass, {0, 0, 0}, {vector(i), vector(i + 3), vector(i + 6)}};
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
		b3Transform place = {vector(p), rotation_of(shape->orientation)};
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
		add_distance(own, joint);
	}
}

static void read_state(b3BodyId body, const dn_body *given, double *state) {
	(void)given;
	b3Pos x = b3Body_GetPosition(body);
	b3Quat q = b3Body_GetRotation(body);
	b3Vec3 v = b3Body_GetLinearVelocity(body), w = b3Body_GetAngularVelocity(body);
	const double now[13] = {x.x, x.y, x.z, q.v.x, q.v.y, q.v.z, q.s, v.x, v.y, v.z, w.x, w.y, w.z};
	memcpy(state, now, sizeof now);
}
