/* What engine.c of Box2D and engine.c of Box3D have in common: functions of delassus_native.h whose
 * calls differ in a prefix alone.
 *
 * The file that includes this one, once, defines before it BOX(name), which adds the prefix, the
 * types `rotation` and `angular`, and `vector`; after it, the functions that are declared here. */
#include <stdlib.h>
#include <string.h>

/* half of the edges of the box that stands for a half-space [m] */
#define GROUND 100.0

typedef struct {
	BOX(WorldId) world;
	BOX(BodyId) *bodies;
	dn_body *given;
	int count;
} engine;

static rotation rotation_of(const double *quaternion);
static angular angular_of(const double *spin);
static BOX(MassData) mass_of(const dn_body *body);
/* 13 numbers of a dynamic body */
static void read_state(BOX(BodyId) body, const dn_body *given, double *state);

/* settings: hertz, damping ratio and largest speed of contacts */
void *dn_new(const double gravity[3], const double *settings) {
	engine *own = calloc(1, sizeof *own);
	if (!own)
		abort();
	BOX(WorldDef) def = BOX(DefaultWorldDef)();
	def.gravity = vector(gravity);
	def.enableSleep = false;
	def.workerCount = 1;
	def.contactHertz = (float)settings[0];
	def.contactDampingRatio = (float)settings[1];
	def.contactSpeed = (float)settings[2];
	own->world = BOX(CreateWorld)(&def);
	return own;
}

void dn_add_body(void *world, const dn_body *body) {
	engine *own = world;
	BOX(BodyId) *bodies = realloc(own->bodies, (size_t)(own->count + 1) * sizeof *bodies);
	dn_body *given = realloc(own->given, (size_t)(own->count + 1) * sizeof *given);
	if (!bodies || !given)
		abort();
	own->bodies = bodies;
	own->given = given;
	BOX(BodyDef) def = BOX(DefaultBodyDef)();
	def.type = body->is_dynamic ? BOX(_dynamicBody) : BOX(_staticBody);
	def.position = vector(body->position);
	def.rotation = rotation_of(body->orientation);
	if (body->is_dynamic) {
		def.linearVelocity = vector(body->velocity);
		def.angularVelocity = angular_of(body->spin);
		def.enableSleep = false;
	}
	own->given[own->count] = *body;
	own->bodies[own->count++] = BOX(CreateBody)(own->world, &def);
}

static void set_base(const engine *own, BOX(JointDef) *base, const dn_joint *joint) {
	const double straight[4] = {0, 0, 0, 1};
	base->bodyIdA = own->bodies[joint->bodies[0]];
	base->bodyIdB = own->bodies[joint->bodies[1]];
	base->localFrameA = (BOX(Transform)){vector(joint->anchors), rotation_of(straight)};
	base->localFrameB = (BOX(Transform)){vector(joint->anchors + 3), rotation_of(straight)};
	base->collideConnected = false;
}

static void add_distance(const engine *own, const dn_joint *joint) {
	BOX(DistanceJointDef) def = BOX(DefaultDistanceJointDef)();
	set_base(own, &def.base, joint);
	def.length = (float)joint->length;
	BOX(CreateDistanceJoint)(own->world, &def);
}

void dn_keep_apart(void *world, int a, int b) {
	engine *own = world;
	BOX(FilterJointDef) def = BOX(DefaultFilterJointDef)();
	def.base.bodyIdA = own->bodies[a];
	def.base.bodyIdB = own->bodies[b];
	BOX(CreateFilterJoint)(own->world, &def);
}

void dn_start(void *world) {
	engine *own = world;
	for (int index = 0; index < own->count; ++index)
		if (own->given[index].is_dynamic)
			BOX(Body_SetMassData)(own->bodies[index], mass_of(&own->given[index]));
}

void dn_step(void *world, double dt, int substeps) { BOX(World_Step)(((engine *)world)->world, (float)dt, substeps); }

void dn_states(const void *world, double *states) {
	const engine *own = world;
	for (int index = 0; index < own->count; ++index, states += 13) {
		if (own->given[index].is_dynamic)
			read_state(own->bodies[index], &own->given[index], states);
		else
			memcpy(states, own->given[index].position, 13 * sizeof *states);
	}
}

void dn_free(void *world) {
	engine *own = world;
	BOX(DestroyWorld)(own->world);
	free(own->bodies);
	free(own->given);
	free(own);
}
