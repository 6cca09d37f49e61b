// Frames of Bullet as problems: a subclass of its sequential-impulse solver writes the velocity
// problem of a step with the impulses that Bullet found. Usage: capture FOLDER [ITERATIONS]
//
// The second problem of a step, split impulse (m_rhsPenetration, m_pushVelocity), is not written:
// it moves positions only.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "delassus_capture.h"

namespace {

const double kStep = 1.0 / 60.0;
const double kGravity = 9.81;
// Bullet writes an infinite bound as FLT_MAX
const double kInfinite = 1e18;

using Rows = btAlignedObjectArray<btSolverConstraint>;

double bound(btScalar x) { return std::fabs(x) < kInfinite ? x : x < 0 ? -HUGE_VAL : HUGE_VAL; }

class CapturingSolver : public btSequentialImpulseConstraintSolver {
public:
    // Where the next solve is written; empty: nowhere.
    std::string path, scene;
    unsigned step = 0;
    bool failed = false;

    btScalar solveGroupCacheFriendlyIterations(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds,
                                               int manifold_count, btTypedConstraint** constraints, int constraint_count,
                                               const btContactSolverInfo& info, btIDebugDraw* draw) override {
        joints_ = m_tmpSolverNonContactConstraintPool;
        normals_ = m_tmpSolverContactConstraintPool;
        frictions_ = m_tmpSolverContactFrictionConstraintPool;
        const btScalar residual = btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyIterations(
            bodies, body_count, manifolds, manifold_count, constraints, constraint_count, info, draw);
        if (!path.empty()) write(info);
        return residual;
    }

private:
    Rows joints_, normals_, frictions_;
    std::vector<long> index_;
    std::map<std::pair<int, int>, uint64_t> points_;

    // Rolling friction is a fourth kind of row, off by default: a problem without it would be another.
    void write(const btContactSolverInfo& info) {
        if (m_tmpSolverContactRollingFrictionConstraintPool.size() > 0) {
            std::fprintf(stderr, "%s: rolling friction is not captured\n", path.c_str());
            failed = true;
            return;
        }
        delassus_capture c;
        delassus_begin(&c, info.m_timeStep, kGravity);
        const std::string version = std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);
        const std::string from = "Bullet " + version + ", f32, scene " + scene + ", written by crates/peers/bullet";
        c.engine = "Bullet";
        c.version = version.c_str();
        c.pass = "velocity";
        c.provenance = from.c_str();
        c.step = step;
        c.iterations = static_cast<uint64_t>(info.m_numIterations);
        add_bodies(&c);
        add_joints(&c);
        add_contacts(&c);
        const std::string name = "bullet-" + scene;
        if (delassus_write(&c, path.c_str(), name.c_str()) != DELASSUS_OK) {
            std::fprintf(stderr, "%s: %s\n", path.c_str(), c.text);
            failed = true;
        }
        delassus_end(&c);
    }

    // Body numbers follow the pool; what nothing moves has zeros.
    void add_bodies(delassus_capture* c) {
        index_.clear();
        for (int b = 0; b < m_tmpSolverBodyPool.size(); ++b) {
            const btSolverBody& s = m_tmpSolverBodyPool[b];
            double mass[3], inertia[9] = {0}, velocity[6], solved[6];
            for (int k = 0; k < 3; ++k) {
                mass[k] = s.m_invMass[k];
                velocity[k] = double(s.m_linearVelocity[k]) + s.m_externalForceImpulse[k];
                velocity[3 + k] = double(s.m_angularVelocity[k]) + s.m_externalTorqueImpulse[k];
                solved[k] = velocity[k] + s.m_deltaLinearVelocity[k];
                solved[3 + k] = velocity[3 + k] + s.m_deltaAngularVelocity[k];
                for (int l = 0; l < 3 && s.m_originalBody; ++l)
                    inertia[3 * k + l] = s.m_originalBody->getInvInertiaTensorWorld()[k][l];
            }
            const long at = delassus_body(c, mass, inertia, velocity);
            if (at >= 0) std::copy(solved, solved + 6, c->body[at].solved);
            index_.push_back(at);
        }
        c->solved = 1;
    }

    // rhs = -(J v_f + bias) jacDiagABInv, and cfm is R jacDiagABInv.
    long add_row(delassus_capture* c, long block, const btSolverConstraint& before, btScalar result) {
        double ja[6], jb[6], free = 0;
        for (int k = 0; k < 3; ++k) {
            ja[k] = before.m_contactNormal1[k];
            ja[3 + k] = before.m_relpos1CrossNormal[k];
            jb[k] = before.m_contactNormal2[k];
            jb[3 + k] = before.m_relpos2CrossNormal[k];
        }
        const long a = index_[before.m_solverBodyIdA], b = index_[before.m_solverBodyIdB];
        for (int k = 0; k < 6 && a >= 0 && b >= 0; ++k) free += ja[k] * c->body[a].velocity[k] + jb[k] * c->body[b].velocity[k];
        const double bias = -double(before.m_rhs) / before.m_jacDiagABInv - free;
        const double compliance = double(before.m_cfm) / before.m_jacDiagABInv;
        // from B to A in Bullet is from A to B here
        return delassus_row(c, block, b, jb, a, ja, bias, compliance, btScalar(before.m_appliedImpulse), result);
    }

    // The equality rows of a joint become one block, each row between bounds one of its own.
    void add_joints(delassus_capture* c) {
        long open = -1;
        const void* joint = nullptr;
        for (int i = 0; i < joints_.size(); ++i) {
            const btSolverConstraint& row = joints_[i];
            const double lower = bound(row.m_lowerLimit), upper = bound(row.m_upperLimit);
            const bool equality = std::isinf(lower) && std::isinf(upper);
            const uint64_t feature = (uint64_t(1) << 48) + uint64_t(i);
            if (!equality || open < 0 || joint != row.m_originalContactPoint)
                open = equality ? delassus_block(c, DELASSUS_EQUALITY, 0, 0, 0, feature) : -1;
            joint = row.m_originalContactPoint;
            const long block = equality ? open : delassus_block(c, DELASSUS_BOUNDS, lower, upper, 0, feature);
            add_row(c, block, row, m_tmpSolverNonContactConstraintPool[i].m_appliedImpulse);
        }
    }

    void add_contacts(delassus_capture* c) {
        points_.clear();
        std::vector<long> normal;
        for (int i = 0; i < normals_.size(); ++i) {
            const btSolverConstraint& row = normals_[i];
            const std::pair<int, int> pair(row.m_solverBodyIdA, row.m_solverBodyIdB);
            const uint64_t feature = (uint64_t(pair.first) << 32) + (uint64_t(pair.second) << 8) + points_[pair]++;
            const long block = delassus_block(c, DELASSUS_FRICTIONLESS, 0, 0, 0, feature);
            normal.push_back(add_row(c, block, row, m_tmpSolverContactConstraintPool[i].m_appliedImpulse));
        }
        for (int i = 0; i < frictions_.size(); ++i) {
            const btSolverConstraint& row = frictions_[i];
            const long block = delassus_friction(c, normal[row.m_frictionIndex], DELASSUS_PYRAMID, row.m_friction);
            add_row(c, block, row, m_tmpSolverContactFrictionConstraintPool[i].m_appliedImpulse);
        }
    }
};

// A world of Bullet with its default settings.
class World {
public:
    explicit World(int iterations)
        : dispatcher_(&configuration_), world_(&dispatcher_, &broadphase_, &solver, &configuration_) {
        world_.setGravity(btVector3(0, -btScalar(kGravity), 0));
        if (iterations > 0) world_.getSolverInfo().m_numIterations = iterations;
    }
    ~World() {
        for (auto& joint : joints_) world_.removeConstraint(joint.get());
        for (auto& body : bodies_) world_.removeRigidBody(body.get());
    }

    CapturingSolver solver;

    btRigidBody* box(double mass, btVector3 half, btVector3 at, double friction = 0.5) {
        shapes_.emplace_back(new btBoxShape(half));
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shapes_.back()->calculateLocalInertia(btScalar(mass), inertia);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shapes_.back().get(), inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(at);
        info.m_friction = btScalar(std::sqrt(friction)); // Bullet multiplies those of the two bodies
        bodies_.emplace_back(new btRigidBody(info));
        bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(bodies_.back().get());
        return bodies_.back().get();
    }

    template <class Joint>
    Joint* joint(Joint* made, bool collide = false) {
        joints_.emplace_back(made);
        world_.addConstraint(made, !collide);
        return made;
    }

    // Steps, and writes the solve of the last one.
    void run(unsigned steps, const std::string& scene, const std::string& folder) {
        solver.scene = scene;
        for (unsigned i = 0; i < steps; ++i) {
            solver.step = i;
            if (i + 1 == steps) solver.path = folder + "/bullet-" + scene + ".dls";
            world_.stepSimulation(btScalar(kStep), 0);
        }
    }

private:
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<std::unique_ptr<btTypedConstraint>> joints_;
    btDiscreteDynamicsWorld world_;
};

void floor_of(World& w) { w.box(0, btVector3(20, 1, 20), btVector3(0, -1, 0)); }

void stack(World& w) {
    floor_of(w);
    for (int i = 0; i < 10; ++i) w.box(1, btVector3(.5f, .5f, .5f), btVector3(0, .5f + btScalar(i), 0));
}

// Ten links, the last one a hundred times heavier, let go in a horizontal line.
void chain(World& w) {
    btRigidBody* last = w.box(0, btVector3(.1f, .1f, .1f), btVector3(0, 10, 0));
    for (int i = 0; i < 10; ++i) {
        const double mass = i == 9 ? 100 : 1;
        btRigidBody* link = w.box(mass, btVector3(.2f, .1f, .1f), btVector3(.5f + .5f * btScalar(i), 10, 0));
        const btVector3 pivot(.25f, 0, 0);
        w.joint(new btPoint2PointConstraint(*last, *link, pivot, btVector3(-.25f, 0, 0)));
        last = link;
    }
}

btTransform frame(btVector3 at) {
    btTransform t;
    t.setIdentity();
    t.setOrigin(at);
    return t;
}

// Torso, head, arms and legs of two parts: cone-twist joints at the trunk, hinges with limits at the
// elbows and knees; dropped on the floor.
void ragdoll(World& w) {
    floor_of(w);
    const btScalar y = 1.3f;
    btRigidBody* torso = w.box(30, btVector3(.2f, .3f, .12f), btVector3(0, y, 0));
    btRigidBody* head = w.box(5, btVector3(.1f, .12f, .1f), btVector3(0, y + .45f, 0));
    auto neck = new btConeTwistConstraint(*torso, *head, frame(btVector3(0, .31f, 0)), frame(btVector3(0, -.14f, 0)));
    neck->setLimit(.4f, .4f, .3f);
    w.joint(neck);
    for (int side = -1; side <= 1; side += 2) {
        const btScalar s = btScalar(side);
        btRigidBody* upper = w.box(3, btVector3(.15f, .05f, .05f), btVector3(s * .38f, y + .2f, 0));
        btRigidBody* lower = w.box(2, btVector3(.15f, .04f, .04f), btVector3(s * .72f, y + .2f, 0));
        auto shoulder = new btConeTwistConstraint(*torso, *upper, frame(btVector3(s * .22f, .2f, 0)), frame(btVector3(-s * .16f, 0, 0)));
        shoulder->setLimit(1.2f, 1.2f, .5f);
        w.joint(shoulder);
        const btVector3 axis(0, 0, 1);
        auto elbow = new btHingeConstraint(*upper, *lower, btVector3(s * .17f, 0, 0), btVector3(-s * .17f, 0, 0), axis, axis);
        elbow->setLimit(side < 0 ? -1.5f : 0, side < 0 ? 0 : 1.5f);
        w.joint(elbow);
        btRigidBody* thigh = w.box(8, btVector3(.07f, .2f, .07f), btVector3(s * .12f, y - .52f, 0));
        btRigidBody* shin = w.box(4, btVector3(.06f, .2f, .06f), btVector3(s * .12f, y - .94f, 0));
        auto hip = new btConeTwistConstraint(*torso, *thigh, frame(btVector3(s * .12f, -.31f, 0)), frame(btVector3(0, .21f, 0)));
        hip->setLimit(.6f, .6f, .3f);
        w.joint(hip);
        const btVector3 across(1, 0, 0);
        auto knee = new btHingeConstraint(*thigh, *shin, btVector3(0, -.21f, 0), btVector3(0, .21f, 0), across, across);
        knee->setLimit(0, 1.5f);
        w.joint(knee);
    }
}

// A box between two fingers on slides, which motors press together with at most 60 N.
void grasp(World& w) {
    btRigidBody* palm = w.box(0, btVector3(.5f, .1f, .1f), btVector3(0, 2, 0));
    w.box(1, btVector3(.1f, .1f, .1f), btVector3(0, 1.6f, 0), .6);
    for (int side = -1; side <= 1; side += 2) {
        const btScalar s = btScalar(side);
        btRigidBody* finger = w.box(.5, btVector3(.05f, .2f, .1f), btVector3(s * .151f, 1.65f, 0), .6);
        auto slide = new btSliderConstraint(*palm, *finger, frame(btVector3(s * .151f, -.35f, 0)), frame(btVector3(0, 0, 0)), true);
        slide->setLowerLinLimit(-.2f);
        slide->setUpperLinLimit(.2f);
        slide->setLowerAngLimit(0);
        slide->setUpperAngLimit(0);
        slide->setPoweredLinMotor(true);
        slide->setMaxLinMotorForce(60);
        slide->setTargetLinMotorVelocity(-s);
        w.joint(slide);
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: capture FOLDER [ITERATIONS]\n");
        return 2;
    }
    const int iterations = count > 2 ? std::atoi(arguments[2]) : 0;
    const struct { const char* name; void (*build)(World&); unsigned steps; } scenes[] = {
        {"stack", stack, 60}, {"chain", chain, 40}, {"ragdoll", ragdoll, 30}, {"grasp", grasp, 30}};
    bool failed = false;
    for (const auto& scene : scenes) {
        World world(iterations);
        scene.build(world);
        world.run(scene.steps, scene.name, arguments[1]);
        failed = failed || world.solver.failed;
    }
    return failed ? 1 : 0;
}
