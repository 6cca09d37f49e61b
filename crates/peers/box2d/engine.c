/* Box2D behind the functions of ../native/delassus_native.h, for scenes in the plane of x and y. */
#include "../native/delassus_native.h"

#include <box2d/box2d.h>
#include <math.h>

typedef b2Rot rotation;
typedef float angular;

static b2Vec2 vector(const double *x) { return (b2Vec2){(float)x[0], (float)x[1]}; }

#define BOX(name) b2##name
#include "../native/box_engine.h"

/* of an orientation about z */
static b2Rot rotation_of(const double *q) {
	return (b2Rot){(float)(q[3] * q[3] - q[2] * q[2]), (float)(2 * q[2] * q[3])};
}

static float angular_of(const double *spin) { return (float)spin[2]; }

static b2MassData mass_of(const dn_body *body) {
	return (b2MassData){(float)body->mass, {0, 0}, (float)body->inertia[8]};
}

void dn_add_shape(void *world, const dn_shape *shape) {
	engine *own = world;
	b2BodyId body = own->bodies[shape->body];
	const double *s = shape->size, *p = shape->position;
	b2Rot rotation = rotation_of(shape->orientation);
	b2ShapeDef def = b2DefaultShapeDef();
	def.material.friction = (float)shape->friction;
	def.material.restitution = (float)shape->restitution;
	def.density = 0;
	if (shape->kind == DN_SPHERE) {
		b2Circle circle = {vector(p), (float)s[0]};
		b2CreateCircleShape(body, &def, &circle);
	} else if (shape->kind == DN_BOX) {
		b2Polygon box = b2MakeOffsetBox((float)s[0], (float)s[1], vector(p), rotation);
		b2CreatePolygonShape(body, &def, &box);
	} else { /* a half-space: a large box whose upper face is the line */
		double n[2] = {rotation.c * s[0] - rotation.s * s[1], rotation.s * s[0] + rotation.c * s[1]};
		double middle[2] = {p[0] - GROUND * n[0], p[1] - GROUND * n[1]};
		b2Rot up = {(float)n[1], (float)-n[0]};
		b2Polygon box = b2MakeOffsetBox(GROUND, GROUND, vector(middle), up);
		b2CreatePolygonShape(body, &def, &box);
	}
}

void dn_add_joint(void *world, const dn_joint *joint) {
	engine *own = world;
	if (joint->kind == DN_DISTANCE) {
		add_distance(own, joint);
	} else { /* a point or a hinge about z */
		b2RevoluteJointDef def = b2DefaultRevoluteJointDef();
		set_base(own, &def.base, joint);
		b2CreateRevoluteJoint(own->world, &def);
	}
}

static void read_state(b2BodyId body, const dn_body *given, double *state) {
	b2Pos x = b2Body_GetPosition(body);
	b2Rot q = b2Body_GetRotation(body);
	b2Vec2 v = b2Body_GetLinearVelocity(body);
	double half = 0.5 * atan2(q.s, q.c), w = b2Body_GetAngularVelocity(body);
	const double now[13] = {x.x, x.y, given->position[2], 0, 0, sin(half), cos(half), v.x, v.y, 0, 0, 0, w};
	memcpy(state, now, sizeof now);
}
