/* Box2D behind the functions of ../native/delassus_native.h, for scenes in the plane of x and y. */
#include "../native/delassus_native.h"

#include <box2d/box2d.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* half of the edges of the box that stands for a half-space [m] */
#define GROUND 100.0

typedef struct {
	b2WorldId world;
	b2BodyId *bodies;
	dn_body *given;
	int count;
} engine;

static b2Vec2 vector(const double *x) { return (b2Vec2){(float)x[0], (float)x[1]}; }
/* of an orientation about z */
static b2Rot turn(const double *q) {
	return (b2Rot){(float)(q[3] * q[3] - q[2] * q[2]), (float)(2 * q[2] * q[3])};
}

/* settings: hertz, damping ratio and largest speed of contacts */
void *dn_new(const double gravity[3], const double *settings) {
	engine *own = calloc(1, sizeof *own);
	b2WorldDef def = b2DefaultWorldDef();
	def.gravity = vector(gravity);
	def.enableSleep = false;
	def.contactHertz = (float)settings[0];
	def.contactDampingRatio = (float)settings[1];
	def.contactSpeed = (float)settings[2];
	own->world = b2CreateWorld(&def);
	return own;
}

void dn_add_body(void *world, const dn_body *body) {
	engine *own = world;
	b2BodyId *bodies = realloc(own->bodies, (size_t)(own->count + 1) * sizeof *bodies);
	dn_body *given = realloc(own->given, (size_t)(own->count + 1) * sizeof *given);
	if (!bodies || !given)
		abort();
	own->bodies = bodies;
	own->given = given;
	b2BodyDef def = b2DefaultBodyDef();
	def.type = body->is_dynamic ? b2_dynamicBody : b2_staticBody;
	def.position = vector(body->position);
	def.rotation = turn(body->orientation);
	if (body->is_dynamic) {
		def.linearVelocity = vector(body->velocity);
		def.angularVelocity = (float)body->spin[2];
		def.enableSleep = false;
	}
	own->given[own->count] = *body;
	own->bodies[own->count++] = b2CreateBody(own->world, &def);
}

void dn_add_shape(void *world, const dn_shape *shape) {
	engine *own = world;
	b2BodyId body = own->bodies[shape->body];
	const double *s = shape->size, *p = shape->position;
	b2Rot rotation = turn(shape->orientation);
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

static void set_base(const engine *own, b2JointDef *base, const dn_joint *joint) {
	base->bodyIdA = own->bodies[joint->bodies[0]];
	base->bodyIdB = own->bodies[joint->bodies[1]];
	base->localFrameA = (b2Transform){vector(joint->anchors), {1, 0}};
	base->localFrameB = (b2Transform){vector(joint->anchors + 3), {1, 0}};
	base->collideConnected = false;
}

void dn_add_joint(void *world, const dn_joint *joint) {
	engine *own = world;
	if (joint->kind == DN_DISTANCE) {
		b2DistanceJointDef def = b2DefaultDistanceJointDef();
		set_base(own, &def.base, joint);
		def.length = (float)joint->length;
		b2CreateDistanceJoint(own->world, &def);
	} else { /* a point or a hinge about z */
		b2RevoluteJointDef def = b2DefaultRevoluteJointDef();
		set_base(own, &def.base, joint);
		b2CreateRevoluteJoint(own->world, &def);
	}
}

void dn_keep_apart(void *world, int a, int b) {
	engine *own = world;
	b2FilterJointDef def = b2DefaultFilterJointDef();
	def.base.bodyIdA = own->bodies[a];
	def.base.bodyIdB = own->bodies[b];
	b2CreateFilterJoint(own->world, &def);
}

void dn_start(void *world) {
	engine *own = world;
	for (int index = 0; index < own->count; ++index) {
		const dn_body *given = &own->given[index];
		b2MassData mass = {(float)given->mass, {0, 0}, (float)given->inertia[8]};
		if (given->is_dynamic)
			b2Body_SetMassData(own->bodies[index], mass);
	}
}

void dn_step(void *world, double dt, int substeps) { b2World_Step(((engine *)world)->world, (float)dt, substeps); }

void dn_states(const void *world, double *states) {
	const engine *own = world;
	for (int index = 0; index < own->count; ++index, states += 13) {
		const dn_body *given = &own->given[index];
		if (!given->is_dynamic) {
			memcpy(states, given->position, 13 * sizeof *states);
			continue;
		}
		b2Pos x = b2Body_GetPosition(own->bodies[index]);
		b2Rot q = b2Body_GetRotation(own->bodies[index]);
		b2Vec2 v = b2Body_GetLinearVelocity(own->bodies[index]);
		double half = 0.5 * atan2(q.s, q.c), w = b2Body_GetAngularVelocity(own->bodies[index]);
		const double state[13] = {x.x, x.y, given->position[2], 0, 0, sin(half), cos(half), v.x, v.y, 0, 0, 0, w};
		memcpy(states, state, sizeof state);
	}
}

void dn_free(void *world) {
	engine *own = world;
	b2DestroyWorld(own->world);
	free(own->bodies);
	free(own->given);
	free(own);
}
