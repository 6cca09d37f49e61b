// Bullet behind the functions of ../native/delassus_native.h.
#include "../native/delassus_native.h"

#include <btBulletDynamicsCommon.h>
#include <BulletDynamics/ConstraintSolver/btFixedConstraint.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

btVector3 vector(const double *x) { return {btScalar(x[0]), btScalar(x[1]), btScalar(x[2])}; }
btQuaternion quaternion(const double *q) {
	return {btScalar(q[0]), btScalar(q[1]), btScalar(q[2]), btScalar(q[3])};
}

// Shapes of one body, from its principal axes, in which Bullet keeps it.
struct Placed {
	std::unique_ptr<btCollisionShape> shape;
	btTransform place;
	double friction, restitution;
};

struct Body {
	dn_body given;
	btQuaternion axes;
	std::vector<Placed> shapes;
	std::unique_ptr<btCompoundShape> compound;
	std::unique_ptr<btEmptyShape> empty;
	std::unique_ptr<btRigidBody> rigid;

	// a point or a turn of the body's axes in its principal axes
	btVector3 inside(const double *x) const { return quatRotate(axes.inverse(), vector(x)); }
};

struct Engine {
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher{&configuration};
	btDbvtBroadphase broadphase;
	btSequentialImpulseConstraintSolver solver;
	btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
	std::vector<std::unique_ptr<Body>> bodies;
	std::vector<dn_joint> joints;
	std::vector<std::pair<int, int>> apart;
	std::vector<std::unique_ptr<btTypedConstraint>> constraints;

	~Engine() {
		for (auto &constraint : constraints)
			world.removeConstraint(constraint.get());
		for (auto &body : bodies)
			if (body->rigid)
				world.removeRigidBody(body->rigid.get());
	}

	btCollisionShape *shape_of(Body &body) {
		if (body.shapes.empty()) {
			body.empty.reset(new btEmptyShape);
			return body.empty.get();
		}
		const bool centred = body.shapes.size() == 1 && body.shapes[0].place == btTransform::getIdentity();
		if (centred)
			return body.shapes[0].shape.get();
		body.compound.reset(new btCompoundShape);
		for (auto &placed : body.shapes)
			body.compound->addChildShape(placed.place, placed.shape.get());
		return body.compound.get();
	}

	void start(Body &body) {
		const dn_body &given = body.given;
		const btScalar mass = given.is_dynamic ? btScalar(given.mass) : 0;
		const btVector3 moments = given.is_dynamic ? vector(given.moments) : btVector3(0, 0, 0);
		btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape_of(body), moments);
		info.m_startWorldTransform = btTransform(quaternion(given.orientation) * body.axes, vector(given.position));
		if (!body.shapes.empty()) {
			// Bullet multiplies the coefficients of two surfaces
			info.m_friction = btScalar(std::sqrt(body.shapes[0].friction));
			info.m_restitution = btScalar(std::sqrt(body.shapes[0].restitution));
		}
		body.rigid.reset(new btRigidBody(info));
		body.rigid->setActivationState(DISABLE_DEACTIVATION);
		if (given.is_dynamic) {
			body.rigid->setLinearVelocity(vector(given.velocity));
			body.rigid->setAngularVelocity(vector(given.spin));
		}
		if (body.shapes.empty()) // joints alone: nothing to touch
			world.addRigidBody(body.rigid.get(), 0, 0);
		else
			world.addRigidBody(body.rigid.get());
	}

	void start(const dn_joint &joint) {
		Body &a = *bodies[joint.bodies[0]], &b = *bodies[joint.bodies[1]];
		const btVector3 p = a.inside(joint.anchors), q = b.inside(joint.anchors + 3);
		btTypedConstraint *made;
		if (joint.kind == DN_POINT) {
			made = new btPoint2PointConstraint(*a.rigid, *b.rigid, p, q);
		} else if (joint.kind == DN_HINGE) {
			made = new btHingeConstraint(*a.rigid, *b.rigid, p, q, a.inside(joint.axes), b.inside(joint.axes + 3));
		} else {
			const btTransform first(a.axes.inverse(), p);
			const btTransform held = b.rigid->getWorldTransform().inverse() * a.rigid->getWorldTransform() * first;
			made = new btFixedConstraint(*a.rigid, *b.rigid, first, held);
		}
		constraints.emplace_back(made);
		world.addConstraint(made, true);
	}
};

} // namespace

// settings: iterations, ERP of contacts, split impulse, two directions of friction
void *dn_new(const double gravity[3], const double *settings) {
	auto *own = new Engine;
	own->world.setGravity(vector(gravity));
	btContactSolverInfo &info = own->world.getSolverInfo();
	info.m_numIterations = int(settings[0]);
	info.m_erp2 = btScalar(settings[1]);
	info.m_splitImpulse = settings[2] != 0;
	if (settings[3] != 0)
		info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
	return own;
}

void dn_add_body(void *world, const dn_body *body) {
	std::unique_ptr<Body> made(new Body);
	made->given = *body;
	made->axes = quaternion(body->axes);
	static_cast<Engine *>(world)->bodies.push_back(std::move(made));
}

void dn_add_shape(void *world, const dn_shape *shape) {
	Body &body = *static_cast<Engine *>(world)->bodies[shape->body];
	const double *s = shape->size;
	btCollisionShape *made;
	btTransform place(body.axes.inverse() * quaternion(shape->orientation), body.inside(shape->position));
	switch (shape->kind) {
	case DN_SPHERE: made = new btSphereShape(btScalar(s[0])); break;
	case DN_BOX: made = new btBoxShape(vector(s)); break;
	case DN_CAPSULE: made = new btCapsuleShape(btScalar(s[1]), btScalar(2 * s[0])); break;
	case DN_CYLINDER: made = new btCylinderShape(btVector3(btScalar(s[1]), btScalar(s[0]), btScalar(s[1]))); break;
	default: made = new btStaticPlaneShape(vector(s), 0);
	}
	body.shapes.push_back({std::unique_ptr<btCollisionShape>(made), place, shape->friction, shape->restitution});
}

void dn_add_joint(void *world, const dn_joint *joint) { static_cast<Engine *>(world)->joints.push_back(*joint); }

void dn_keep_apart(void *world, int a, int b) { static_cast<Engine *>(world)->apart.emplace_back(a, b); }

void dn_start(void *world) {
	auto *own = static_cast<Engine *>(world);
	for (auto &body : own->bodies)
		own->start(*body);
	for (const auto &joint : own->joints)
		own->start(joint);
	for (const auto &pair : own->apart) {
		btRigidBody *a = own->bodies[pair.first]->rigid.get(), *b = own->bodies[pair.second]->rigid.get();
		a->setIgnoreCollisionCheck(b, true);
		b->setIgnoreCollisionCheck(a, true);
	}
}

void dn_step(void *world, double dt, int substeps) {
	for (int substep = 0; substep < substeps; ++substep)
		static_cast<Engine *>(world)->world.stepSimulation(btScalar(dt / substeps), 0);
}

void dn_states(const void *world, double *states) {
	for (const auto &body : static_cast<const Engine *>(world)->bodies) {
		const btVector3 x = body->rigid->getWorldTransform().getOrigin();
		const btQuaternion q = (body->rigid->getWorldTransform().getRotation() * body->axes.inverse()).normalized();
		const btVector3 v = body->rigid->getLinearVelocity(), w = body->rigid->getAngularVelocity();
		const double state[13] = {x.x(), x.y(), x.z(), q.x(), q.y(), q.z(), q.w(), v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
		for (double number : state)
			*states++ = number;
	}
}

void dn_free(void *world) { delete static_cast<Engine *>(world); }
