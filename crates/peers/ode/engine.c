/* ODE behind the functions of ../native/delassus_native.h. */
#include "../native/delassus_native.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 8

typedef struct {
	dReal friction, restitution;
	int body;
} surface;

typedef struct {
	dWorldID world;
	dSpaceID space;
	dJointGroupID contacts;
	dBodyID *bodies; /* 0 for a body that does not move */
	dn_body *given;
	surface **surfaces;
	int (*apart)[2];
	int count, surface_count, apart_count, is_quick;
} engine;

static void *grown(void *list, int count, size_t size) {
	void *larger = realloc(list, (size_t)(count + 1) * size);
	if (!larger)
		abort();
	return larger;
}

/* settings: 1 for the quick step, its iterations, ERP, CFM */
void *dn_new(const double gravity[3], const double *settings) {
	static int is_open = 0;
	if (!is_open && !dInitODE2(0))
		return NULL;
	is_open = 1;
	dRandSetSeed(1);
	engine *own = calloc(1, sizeof *own);
	own->world = dWorldCreate();
	own->space = dHashSpaceCreate(0);
	own->contacts = dJointGroupCreate(0);
	own->is_quick = settings[0] != 0;
	dWorldSetGravity(own->world, gravity[0], gravity[1], gravity[2]);
	dWorldSetQuickStepNumIterations(own->world, (int)settings[1]);
	dWorldSetERP(own->world, settings[2]);
	dWorldSetCFM(own->world, settings[3]);
	dWorldSetAutoDisableFlag(own->world, 0);
	return own;
}

void dn_add_body(void *world, const dn_body *body) {
	engine *own = world;
	own->bodies = grown(own->bodies, own->count, sizeof *own->bodies);
	own->given = grown(own->given, own->count, sizeof *own->given);
	own->given[own->count] = *body;
	dBodyID made = 0;
	if (body->is_dynamic) {
		const double *i = body->inertia, *q = body->orientation;
		const double *v = body->velocity, *w = body->spin;
		dMass mass;
		made = dBodyCreate(own->world);
		dMassSetParameters(&mass, body->mass, 0, 0, 0, i[0], i[4], i[8], i[1], i[2], i[5]);
		dBodySetMass(made, &mass);
		dBodySetPosition(made, body->position[0], body->position[1], body->position[2]);
		dBodySetQuaternion(made, (dQuaternion){q[3], q[0], q[1], q[2]});
		dBodySetLinearVel(made, v[0], v[1], v[2]);
		dBodySetAngularVel(made, w[0], w[1], w[2]);
	}
	own->bodies[own->count++] = made;
}

/* the vector v turned by the quaternion q = (i, j, k, w) */
static void turned(const double *q, const double *v, double *out) {
	double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]), 2 * (q[0] * v[1] - q[1] * v[0])};
	out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
	out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
	out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

static void product(const double *p, const double *q, double *out) {
	out[0] = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
	out[1] = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
	out[2] = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
	out[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
}

static void world_point(const engine *own, int body, const double *local, double *out) {
	const dn_body *given = &own->given[body];
	turned(given->orientation, local, out);
	for (int axis = 0; axis < 3; ++axis)
		out[axis] += given->position[axis];
}

void dn_add_shape(void *world, const dn_shape *shape) {
	engine *own = world;
	const dn_body *given = &own->given[shape->body];
	const double *s = shape->size, y_of_z[4] = {-sqrt(0.5), 0, 0, sqrt(0.5)};
	double place[3], turn[4], local[4], n[3];
	dGeomID geom = 0;
	memcpy(local, shape->orientation, sizeof local);
	world_point(own, shape->body, shape->position, place);
	switch (shape->kind) {
	case DN_SPHERE: geom = dCreateSphere(own->space, s[0]); break;
	case DN_BOX: geom = dCreateBox(own->space, 2 * s[0], 2 * s[1], 2 * s[2]); break;
	case DN_HALF_SPACE:
		turned(shape->orientation, s, local);
		turned(given->orientation, local, n);
		geom = dCreatePlane(own->space, n[0], n[1], n[2], n[0] * place[0] + n[1] * place[1] + n[2] * place[2]);
		break;
	default: /* its axis is z there */
		geom = shape->kind == DN_CAPSULE ? dCreateCapsule(own->space, s[1], 2 * s[0])
		                                 : dCreateCylinder(own->space, s[1], 2 * s[0]);
		product(shape->orientation, y_of_z, local);
	}
	surface *made = malloc(sizeof *made);
	*made = (surface){shape->friction, shape->restitution, shape->body};
	own->surfaces = grown(own->surfaces, own->surface_count, sizeof *own->surfaces);
	own->surfaces[own->surface_count++] = made;
	dGeomSetData(geom, made);
	if (shape->kind == DN_HALF_SPACE)
		return;
	if (own->bodies[shape->body]) {
		const double *p = shape->position;
		dGeomSetBody(geom, own->bodies[shape->body]);
		dGeomSetOffsetPosition(geom, p[0], p[1], p[2]);
		dGeomSetOffsetQuaternion(geom, (dQuaternion){local[3], local[0], local[1], local[2]});
	} else {
		product(given->orientation, local, turn);
		dGeomSetPosition(geom, place[0], place[1], place[2]);
		dGeomSetQuaternion(geom, (dQuaternion){turn[3], turn[0], turn[1], turn[2]});
	}
}

void dn_add_joint(void *world, const dn_joint *joint) {
	engine *own = world;
	int a = joint->bodies[0], b = joint->bodies[1];
	double p[3], q[3], axis[3];
	dJointID made = 0;
	world_point(own, a, joint->anchors, p);
	world_point(own, b, joint->anchors + 3, q);
	turned(own->given[a].orientation, joint->axes, axis);
	switch (joint->kind) {
	case DN_POINT: made = dJointCreateBall(own->world, 0); break;
	case DN_HINGE: made = dJointCreateHinge(own->world, 0); break;
	case DN_WELD: made = dJointCreateFixed(own->world, 0); break;
	default: made = dJointCreateDBall(own->world, 0);
	}
	dJointAttach(made, own->bodies[a], own->bodies[b]);
	switch (joint->kind) {
	case DN_POINT: dJointSetBallAnchor(made, p[0], p[1], p[2]); break;
	case DN_HINGE:
		dJointSetHingeAnchor(made, p[0], p[1], p[2]);
		dJointSetHingeAxis(made, axis[0], axis[1], axis[2]);
		break;
	case DN_WELD: dJointSetFixed(made); break;
	default:
		/* a first body that does not move makes ODE swap the sides */
		dJointSetDBallAnchor1(made, p[0], p[1], p[2]);
		dJointSetDBallAnchor2(made, q[0], q[1], q[2]);
		dJointSetDBallDistance(made, joint->length);
	}
}

void dn_keep_apart(void *world, int a, int b) {
	engine *own = world;
	own->apart = grown(own->apart, own->apart_count, sizeof *own->apart);
	own->apart[own->apart_count][0] = a < b ? a : b;
	own->apart[own->apart_count++][1] = a < b ? b : a;
}

static int by_pair(const void *one, const void *other) {
	const int *a = one, *b = other;
	return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

void dn_start(void *world) {
	engine *own = world;
	if (own->apart_count)
		qsort(own->apart, (size_t)own->apart_count, sizeof *own->apart, by_pair);
}

static void near_pair(void *data, dGeomID one, dGeomID other) {
	engine *own = data;
	const surface *a = dGeomGetData(one), *b = dGeomGetData(other);
	dBodyID first = dGeomGetBody(one), second = dGeomGetBody(other);
	int pair[2] = {a->body < b->body ? a->body : b->body, a->body < b->body ? b->body : a->body};
	if (first == second)
		return;
	if (own->apart_count && bsearch(pair, own->apart, (size_t)own->apart_count, sizeof *own->apart, by_pair))
		return;
	dContact contacts[MOST_POINTS];
	int count = dCollide(one, other, MOST_POINTS, &contacts[0].geom, sizeof contacts[0]);
	for (int point = 0; point < count; ++point) {
		dSurfaceParameters *own_surface = &contacts[point].surface;
		memset(own_surface, 0, sizeof *own_surface);
		own_surface->mode = dContactApprox1;
		own_surface->mu = sqrt(a->friction * b->friction);
		own_surface->bounce = fmax(a->restitution, b->restitution);
		own_surface->bounce_vel = 1e-3;
		if (own_surface->bounce > 0)
			own_surface->mode |= dContactBounce;
		dJointID contact = dJointCreateContact(own->world, own->contacts, &contacts[point]);
		dJointAttach(contact, first, second);
	}
}

void dn_step(void *world, double dt, int substeps) {
	engine *own = world;
	for (int substep = 0; substep < substeps; ++substep) {
		dSpaceCollide(own->space, own, near_pair);
		if (own->is_quick)
			dWorldQuickStep(own->world, dt / substeps);
		else
			dWorldStep(own->world, dt / substeps);
		dJointGroupEmpty(own->contacts);
	}
}

void dn_states(const void *world, double *states) {
	const engine *own = world;
	for (int index = 0; index < own->count; ++index, states += 13) {
		dBodyID body = own->bodies[index];
		if (!body) {
			memcpy(states, own->given[index].position, 13 * sizeof *states);
			continue;
		}
		const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
		const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
		const double state[13] = {x[0], x[1], x[2], q[1], q[2], q[3], q[0], v[0], v[1], v[2], w[0], w[1], w[2]};
		memcpy(states, state, sizeof state);
	}
}

void dn_free(void *world) {
	engine *own = world;
	for (int index = 0; index < own->surface_count; ++index)
		free(own->surfaces[index]);
	dJointGroupDestroy(own->contacts);
	dSpaceDestroy(own->space);
	dWorldDestroy(own->world);
	free(own->surfaces);
	free(own->bodies);
	free(own->given);
	free(own->apart);
	free(own);
}
