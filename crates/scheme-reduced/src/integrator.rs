//! Steps of the speeds and coordinates of one tree.

use delassus_core::Choice;
use delassus_dynamics::World;
use nalgebra::Vector3;

use crate::articulated::{Link, Massless, Pass};
use crate::balance::Balance;
use crate::reactions::{self, RowImpulses};
use crate::spatial::Spatial;
use crate::tree::{Node, Tree};

/// How a substep advances coordinates and speeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Integrator {
    /// Speeds first, then coordinates with the new speeds: order 1, one pass; gains energy where
    /// joints turn fast.
    SemiImplicitEuler,
    /// The same with the momenta of the bodies instead of the speeds: order 1, two passes; what
    /// velocity-level schemes do, without their drift.
    ProjectedEuler,
    /// Implicit midpoint by fixed-point iteration: order 2, symmetric in time, a pass per
    /// iteration.
    ImplicitMidpoint,
    /// The classical method of Runge and Kutta: order 4, four passes.
    RungeKutta,
}

/// Why a substep has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing resists a joint: index of the node.
    Massless(usize),
    /// The equations of the midpoint are not solved by iteration.
    Midpoint,
}

impl From<Massless> for Failure {
    fn from(Massless(node): Massless) -> Self {
        Self::Massless(node)
    }
}

/// Iterations of the midpoint after which the step is given up \[-\].
const ITERATIONS: usize = 100;

/// Largest change of a speed that counts as none, relative to the largest speed \[-\].
const SETTLED: f64 = 1e-15;

/// The same for changes that have stopped to shrink: they are roundings.
const STALLED: f64 = 1e-11;

/// A tree in motion.
#[derive(Debug)]
pub(crate) struct Motion<'a> {
    pub(crate) world: &'a World,
    pub(crate) tree: &'a Tree,
    pub(crate) pass: Pass,
    pub(crate) y: Vec<f64>,
    pub(crate) u: Vec<f64>,
    balance: Balance,
    /// Work of the applied forces \[J\].
    pub(crate) work: f64,
    /// Passes over the bodies \[-\].
    pub(crate) passes: u32,
}

/// Rates of everything at one instant.
struct Slope {
    y: Vec<f64>,
    u: Vec<f64>,
    /// Force from outside, and its moment about the origin.
    force: Spatial,
    /// Of the applied forces \[W\].
    power: f64,
}

impl<'a> Motion<'a> {
    /// The tree as it is in the world; velocities that the joints do not allow become the nearest
    /// ones that they do, by impulses which are added to `impulses` (Q.9).
    pub(crate) fn begin(
        world: &'a World,
        tree: &'a Tree,
        impulses: &mut RowImpulses,
    ) -> Result<Self, Failure> {
        let (y, mut u) = (tree.begin(), vec![0.0; tree.speeds()]);
        let mut pass = Pass::new(tree);
        pass.place(tree, &y, &u);
        let nodes = tree.nodes.iter().zip(&pass.links);
        let momenta: Vec<Spatial> = nodes
            .map(|(node, link)| {
                let body = &world.bodies()[node.body];
                let velocity = Spatial::new(body.velocity, body.spin);
                link.rigid(node).times(&velocity)
            })
            .collect();
        pass.project(tree, &momenta, 0.0, &mut u)?;
        reactions::add(world, tree, &pass, 1.0, impulses);
        pass.place(tree, &y, &u);
        Ok(Self {
            world,
            tree,
            balance: Balance::of(tree, &pass),
            pass,
            y,
            u,
            work: 0.0,
            passes: 0,
        })
    }

    /// One substep; the impulses of its joints are added to `impulses`.
    pub(crate) fn step(
        &mut self,
        integrator: Integrator,
        h: f64,
        impulses: &mut RowImpulses,
    ) -> Result<(), Failure> {
        match integrator {
            Integrator::SemiImplicitEuler => self.euler(h, impulses)?,
            Integrator::ProjectedEuler => self.projected(h, impulses)?,
            Integrator::ImplicitMidpoint => self.midpoint(h, impulses)?,
            Integrator::RungeKutta => self.runge_kutta(h, impulses)?,
        }
        if self.tree.floating {
            self.balance
                .impose(self.tree, &mut self.pass, &mut self.y, &mut self.u);
        }
        self.pass.place(self.tree, &self.y, &self.u);
        Ok(())
    }

    /// (Q.11)
    fn euler(&mut self, h: f64, impulses: &mut RowImpulses) -> Result<(), Failure> {
        let (y, mut u) = (self.y.clone(), self.u.clone());
        let slope = self.slope(&y, &u, h)?;
        self.react(h, impulses);
        add(&mut u, h, &slope.u);
        self.u = u;
        self.advance(h);
        self.balance.momentum += slope.force * h;
        self.balance.centre += h * self.balance.momentum.linear / self.balance.mass;
        self.pass.place(self.tree, &self.y, &self.u);
        self.work += 0.5 * h * (slope.power + self.power());
        Ok(())
    }

    /// (Q.12)
    fn projected(&mut self, h: f64, impulses: &mut RowImpulses) -> Result<(), Failure> {
        self.passes += 2;
        let before = self.power();
        let momenta: Vec<Spatial> = self
            .bodies()
            .map(|(node, link)| link.rigid(node).times(&link.velocity) + applied(node) * h)
            .collect();
        self.pass.project(self.tree, &momenta, h, &mut self.u)?;
        self.react(1.0, impulses);
        // the solve leaves the new velocities where accelerations stand
        let force = self.outside(|link| link.acceleration);
        let momenta: Vec<Spatial> = self
            .bodies()
            .map(|(node, link)| link.rigid(node).times(&link.acceleration))
            .collect();
        self.advance(h);
        self.balance.momentum += force * h;
        self.balance.centre += h * self.balance.momentum.linear / self.balance.mass;
        self.pass.place(self.tree, &self.y, &self.u);
        self.pass.project(self.tree, &momenta, 0.0, &mut self.u)?;
        self.react(1.0, impulses);
        self.pass.place(self.tree, &self.y, &self.u);
        self.work += 0.5 * h * (before + self.power());
        Ok(())
    }

    /// Nodes with their links.
    fn bodies(&self) -> impl Iterator<Item = (&Node, &Link)> {
        self.tree.nodes.iter().zip(&self.pass.links)
    }

    /// (Q.13)
    fn midpoint(&mut self, h: f64, impulses: &mut RowImpulses) -> Result<(), Failure> {
        let (start, before) = (self.y.clone(), self.u.clone());
        let mut middle = before.clone();
        let mut last_change = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let mut y = start.clone();
            advance(self.tree, &mut y, &middle, 0.5 * h);
            // far from a solution, states need not be finite
            let slope = self.slope(&y, &middle, 0.0);
            let slope = slope.map_err(|_| Failure::Midpoint)?;
            let mut next = before.clone();
            add(&mut next, 0.5 * h, &slope.u);
            let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0_f64, |m, x| m.max(x.abs()));
            let change = largest(&mut next.iter().zip(&middle).map(|(a, b)| a - b));
            let scale = largest(&mut next.iter().copied());
            middle = next;
            if !change.is_finite() {
                break;
            }
            let stalled = change >= last_change && change <= STALLED * scale;
            last_change = change;
            if stalled || change <= SETTLED * scale {
                self.react(h, impulses);
                self.u = middle
                    .iter()
                    .zip(&before)
                    .map(|(m, b)| 2.0 * m - b)
                    .collect();
                advance(self.tree, &mut self.y, &middle, h);
                let momentum = self.balance.momentum + slope.force * (0.5 * h);
                self.balance.centre += h * momentum.linear / self.balance.mass;
                self.balance.momentum += slope.force * h;
                self.work += h * slope.power;
                return Ok(());
            }
        }
        Err(Failure::Midpoint)
    }

    /// (Q.14)
    fn runge_kutta(&mut self, h: f64, impulses: &mut RowImpulses) -> Result<(), Failure> {
        let (start, before, balance) = (self.y.clone(), self.u.clone(), self.balance);
        let mut last: Option<Slope> = None;
        for (share, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            let (mut y, mut u) = (start.clone(), before.clone());
            let mut momentum = balance.momentum.linear;
            if let Some(slope) = &last {
                add(&mut y, share * h, &slope.y);
                add(&mut u, share * h, &slope.u);
                momentum += share * h * slope.force.linear;
            }
            let slope = self.slope(&y, &u, 0.0)?;
            let part = weight * h / 6.0;
            self.react(part, impulses);
            add(&mut self.y, part, &slope.y);
            add(&mut self.u, part, &slope.u);
            self.balance.centre += part * momentum / self.balance.mass;
            self.balance.momentum += slope.force * part;
            self.work += part * slope.power;
            last = Some(slope);
        }
        for node in &self.tree.nodes {
            node.coordinates
                .normalize(&mut self.y[node.numbers.clone()]);
        }
        Ok(())
    }

    fn advance(&mut self, h: f64) {
        advance(self.tree, &mut self.y, &self.u, h);
    }

    /// Adds the joint forces of the last pass, times `weight` \[s\].
    fn react(&self, weight: f64, impulses: &mut RowImpulses) {
        reactions::add(self.world, self.tree, &self.pass, weight, impulses);
    }

    fn slope(&mut self, y: &[f64], u: &[f64], damping_step: f64) -> Result<Slope, Massless> {
        self.passes += 1;
        let mut slope = Slope {
            y: vec![0.0; y.len()],
            u: vec![0.0; u.len()],
            force: Spatial::default(),
            power: 0.0,
        };
        self.pass.place(self.tree, y, u);
        self.pass
            .accelerate(self.tree, damping_step, &mut slope.u)?;
        for node in &self.tree.nodes {
            let (y, u) = (&y[node.numbers.clone()], &u[node.speeds.clone()]);
            node.coordinates
                .rates(y, u, &mut slope.y[node.numbers.clone()]);
        }
        slope.force = self.outside(|link| link.velocity + link.acceleration * damping_step);
        slope.power = self.power();
        Ok(slope)
    }

    /// Weight, applied forces and damping of all bodies, with their moment about the origin (Q.15).
    /// Damping acts on the velocity that `damped` says.
    fn outside(&self, damped: impl Fn(&Link) -> Spatial) -> Spatial {
        let mut sum = Spatial::default();
        for (node, link) in self.bodies() {
            let mut force = applied(node);
            let [linear, angular] = node.load.damping;
            if linear != 0.0 || angular != 0.0 {
                let momentum = link.rigid(node).times(&damped(link));
                force.linear -= linear * momentum.linear;
                force.angular -= angular * momentum.angular;
            }
            sum += force.moved(&link.place);
        }
        sum
    }

    /// Power of the applied forces \[W\].
    fn power(&self) -> f64 {
        let power = |(node, link): (&Node, &Link)| {
            let applied = Spatial::new(node.load.force, node.load.torque);
            applied.dot(&link.velocity)
        };
        self.bodies().map(power).sum()
    }
}

/// Weight and applied force and torque of a body.
fn applied(node: &Node) -> Spatial {
    let load = &node.load;
    let torque = if node.is_point() {
        Vector3::zeros()
    } else {
        load.torque
    };
    Spatial::new(load.weight + load.force, torque)
}

fn advance(tree: &Tree, y: &mut [f64], u: &[f64], h: f64) {
    for node in &tree.nodes {
        let (y, u) = (&mut y[node.numbers.clone()], &u[node.speeds.clone()]);
        node.coordinates.advance(y, u, h);
    }
}

fn add(sum: &mut [f64], factor: f64, rates: &[f64]) {
    for (sum, rate) in sum.iter_mut().zip(rates) {
        *sum += factor * rate;
    }
}
