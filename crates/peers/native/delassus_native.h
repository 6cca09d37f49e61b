/* What a shared library offers so that delassus_native.py can drive it as an engine.
 *
 * Units are SI. Orientations are (i, j, k, w). Round shapes have the axis y. A body is at its centre
 * of mass, with its inertia in its own axes, row by row. Bodies are numbered in the order in which
 * they are added. Include this file once, in the source of the library. */
#ifndef DELASSUS_NATIVE_H
#define DELASSUS_NATIVE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	double position[3], orientation[4], velocity[3], spin[3];
	double mass, inertia[9], moments[3], axes[4]; /* axes: from the principal axes to the body's */
	int is_dynamic;
} dn_body;

typedef struct {
	int body, kind;
	double size[3]; /* see dn_shape_kind */
	double position[3], orientation[4];
	double friction, restitution;
} dn_shape;

/* sphere: radius; box: halves of the edges; capsule, cylinder: half length, radius; half-space: its
 * normal in the axes of the shape */
typedef enum { DN_SPHERE, DN_BOX, DN_CAPSULE, DN_CYLINDER, DN_HALF_SPACE } dn_shape_kind;

typedef struct {
	int kind, bodies[2];
	double anchors[6], axes[6], length; /* in the axes of each body; axes of hinges only */
} dn_joint;

typedef enum { DN_POINT, DN_HINGE, DN_WELD, DN_DISTANCE } dn_joint_kind;

/* `settings` are those that the Python side names, in its order */
void *dn_new(const double gravity[3], const double *settings);
void dn_add_body(void *world, const dn_body *body);
void dn_add_shape(void *world, const dn_shape *shape);
void dn_add_joint(void *world, const dn_joint *joint);
/* these two bodies do not touch */
void dn_keep_apart(void *world, int a, int b);
/* called once, after everything was added */
void dn_start(void *world);
void dn_step(void *world, double dt, int substeps);
/* 13 numbers per body: position, orientation, velocity, angular velocity */
void dn_states(const void *world, double *states);
void dn_free(void *world);

#ifdef __cplusplus
}
#endif
#endif
