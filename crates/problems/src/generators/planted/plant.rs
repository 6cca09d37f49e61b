//! Impulses in K and velocities complementary to them, law by law.

use delassus_core::{Friction, Law, LawKind, Patch, Polygon, RollingContact};
use delassus_systems::SeededRng;

use super::Planted;
use super::geometry::{Draft, Shape};

/// A block's law with its numbers, and a solution of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlantedBlock {
    pub(crate) law: Law,
    pub(crate) impulses: Vec<f64>,
    pub(crate) velocities: Vec<f64>,
}

/// State of a contact or row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Stick,
    Slide,
    Open,
}

/// Draws the numbers of one block.
pub(super) struct Sampler<'a> {
    pub(super) random: &'a mut SeededRng,
    pub(super) parameters: &'a Planted,
    /// Typical impulse \[N·s\].
    pub(super) scale: f64,
}

impl Planted {
    /// Plants a solution on a block whose impulses are about `scale` \[N·s\].
    pub(crate) fn plant(&self, random: &mut SeededRng, draft: &Draft, scale: f64) -> PlantedBlock {
        let mut sampler = Sampler {
            random,
            parameters: self,
            scale,
        };
        let dim = draft.rows.len();
        match draft.shape {
            Shape::BallJoint | Shape::Gear => PlantedBlock {
                law: Law::Equality,
                impulses: (0..dim).map(|_| sampler.free_impulse()).collect(),
                velocities: vec![0.0; dim],
            },
            Shape::Row => sampler.bounds(),
            Shape::Contact(kind) => sampler.contact(kind, dim),
            Shape::Patch => sampler.patch(&draft.levers),
            Shape::Rolling => sampler.rolling(false),
            Shape::Spinning => sampler.rolling(true),
            Shape::Scaled(entry, dim) => sampler.scaled(entry, dim),
        }
    }
}

impl Sampler<'_> {
    fn free_impulse(&mut self) -> f64 {
        self.random.sign() * self.push()
    }

    /// A positive impulse \[N·s\].
    pub(super) fn push(&mut self) -> f64 {
        self.scale * self.random.uniform(0.25, 1.0)
    }

    /// A positive velocity \[m/s\].
    pub(super) fn speed(&mut self) -> f64 {
        self.random.uniform(0.25, 1.0)
    }

    pub(super) fn any_velocity(&mut self) -> f64 {
        self.random.uniform(-1.0, 1.0)
    }

    /// What an active condition is multiplied with: one, or zero if it holds without strict
    /// complementarity.
    pub(super) fn strictness(&mut self) -> f64 {
        if self.random.chance(self.parameters.degenerate) {
            0.0
        } else {
            1.0
        }
    }

    pub(super) fn state(&mut self) -> State {
        let Planted {
            stick, slide, open, ..
        } = *self.parameters;
        let drawn = self.random.uniform(0.0, stick + slide + open);
        if drawn < stick {
            State::Stick
        } else if drawn < stick + slide {
            State::Slide
        } else {
            State::Open
        }
    }

    /// One row between bounds, at its lower bound (open) or at its upper one (slide).
    fn bounds(&mut self) -> PlantedBlock {
        let center = self.free_impulse();
        let (below, above) = (self.push(), self.push());
        let infinite = |sampler: &mut Self| sampler.random.chance(0.3);
        let (mut lower, mut upper) = (center - below, center + above);
        let (impulse, w) = match self.state() {
            State::Stick => {
                if infinite(self) {
                    lower = f64::NEG_INFINITY;
                }
                if infinite(self) {
                    upper = f64::INFINITY;
                }
                (center, 0.0)
            }
            State::Slide => {
                if infinite(self) {
                    lower = f64::NEG_INFINITY;
                }
                (upper, -self.speed() * self.strictness())
            }
            State::Open => {
                // half of them are unilateral rows
                if self.random.chance(0.5) {
                    lower = 0.0;
                    upper = f64::INFINITY;
                }
                (lower, self.speed() * self.strictness())
            }
        };
        PlantedBlock {
            law: Law::Bounds { lower, upper },
            impulses: vec![impulse],
            velocities: vec![w],
        }
    }

    fn contact(&mut self, kind: LawKind, dim: usize) -> PlantedBlock {
        let mu = self.parameters.friction * self.random.uniform(0.2, 1.0);
        let state = self.state();
        let (friction, impulses, velocities) = match kind {
            LawKind::Frictionless => {
                let (n, w) = self.normal(state);
                let tangents = (1..dim).map(|_| self.any_velocity()).collect();
                let zeros = vec![0.0; dim - 1];
                (Friction::Frictionless, join(n, zeros), join(w, tangents))
            }
            LawKind::FixedBox => {
                let (n, w) = self.normal(state);
                let limit = mu * self.push();
                let (tangents, slip) = self.square(limit, state, dim - 1);
                let friction = Friction::FixedBox { limit };
                (friction, join(n, tangents), join(w, slip))
            }
            LawKind::Pyramid => {
                let (n, w) = self.normal(state);
                let (tangents, slip) = self.square(mu * n, state, dim - 1);
                (Friction::Pyramid { mu }, join(n, tangents), join(w, slip))
            }
            LawKind::ConvexCone => {
                let (impulses, velocities) = self.convex(mu, state, dim);
                (Friction::ConvexCone { mu }, impulses, velocities)
            }
            LawKind::Facets => {
                let (n, w) = self.normal(state);
                let facets = u32::try_from(self.parameters.directions).unwrap_or(u32::MAX);
                let (tangents, slip) = match dim {
                    3 => self.polygon(Polygon::new(facets), mu * n, state),
                    _ => self.square(mu * n, state, dim - 1),
                };
                let friction = Friction::Facets { mu, facets };
                (friction, join(n, tangents), join(w, slip))
            }
            // all but disc and Coulomb are planted elsewhere
            _ => {
                let (n, w) = self.normal(state);
                let (tangents, slip) = self.disc(mu * n, state, dim - 1);
                let friction = if kind == LawKind::Disc {
                    Friction::Disc { mu }
                } else {
                    Friction::Coulomb { mu }
                };
                (friction, join(n, tangents), join(w, slip))
            }
        };
        PlantedBlock {
            law: Law::Contact(friction),
            impulses,
            velocities,
        }
    }

    /// λ_n and w_n of a contact.
    pub(super) fn normal(&mut self, state: State) -> (f64, f64) {
        match state {
            State::Open => (0.0, self.speed() * self.strictness()),
            State::Slide | State::Stick => (self.push() * self.strictness(), 0.0),
        }
    }

    /// Tangents in the square of half width `limit`; an open contact of F1 slides or sticks all the
    /// same.
    fn square(&mut self, limit: f64, state: State, count: usize) -> (Vec<f64>, Vec<f64>) {
        let mut impulses = Vec::with_capacity(count);
        let mut velocities = Vec::with_capacity(count);
        // sliding means at least one axis at its limit
        let always = self.random.index(count);
        for axis in 0..count {
            let active = match state {
                State::Stick => false,
                State::Slide => axis == always || self.random.chance(0.5),
                State::Open => self.random.chance(0.5),
            };
            let sign = self.random.sign();
            if active || limit == 0.0 {
                impulses.push(sign * limit);
                velocities.push(-sign * self.speed() * self.strictness());
            } else {
                impulses.push(sign * limit * self.random.uniform(0.0, 0.9));
                velocities.push(0.0);
            }
        }
        (impulses, velocities)
    }

    /// Tangents in the disc of radius `radius`, opposite to the velocity where they are on its
    /// edge.
    fn disc(&mut self, radius: f64, state: State, count: usize) -> (Vec<f64>, Vec<f64>) {
        let direction = self.tangent(count);
        let (length, speed) = if state == State::Stick && radius > 0.0 {
            (radius * self.random.uniform(0.0, 0.9), 0.0)
        } else {
            (radius, self.speed() * self.strictness())
        };
        (
            direction.iter().map(|d| -length * d).collect(),
            direction.iter().map(|d| speed * d).collect(),
        )
    }

    /// Tangents in `radius` times a polygon: inside, at a corner with the velocity against its
    /// normal cone, or on an edge with the velocity against its normal.
    fn polygon(&mut self, polygon: Polygon, radius: f64, state: State) -> (Vec<f64>, Vec<f64>) {
        let index = u32::try_from(self.random.index(polygon.facets() as usize)).unwrap_or(0);
        if state == State::Stick && radius > 0.0 {
            let length = radius * polygon.apothem() * self.random.uniform(0.0, 0.9);
            let direction = self.tangent(2);
            return (direction.iter().map(|d| length * d).collect(), vec![0.0; 2]);
        }
        let speed = self.speed() * self.strictness();
        let [corner, next] = [index, index + 1].map(|i| polygon.corner(i));
        let [normal, before] = [index, index + polygon.facets() - 1].map(|i| polygon.normal(i));
        let mix = |a: [f64; 2], b: [f64; 2], share: f64, scale: f64| {
            vec![
                scale * (a[0] + share * (b[0] - a[0])),
                scale * (a[1] + share * (b[1] - a[1])),
            ]
        };
        let share = self.random.uniform(0.1, 0.9);
        if self.random.chance(0.5) {
            // a corner without strict complementarity pushes along the normal of one of its edges
            let share = share * self.strictness();
            (
                mix(corner, corner, 0.0, radius),
                mix(normal, before, share, -speed),
            )
        } else {
            (
                mix(corner, next, share, radius),
                mix(normal, normal, 0.0, -speed),
            )
        }
    }

    /// λ ∈ K_μ and w ∈ K_μ* orthogonal to it.
    fn convex(&mut self, mu: f64, state: State, dim: usize) -> (Vec<f64>, Vec<f64>) {
        let direction = self.tangent(dim - 1);
        let along = |normal: f64, tangent: f64| {
            join(normal, direction.iter().map(|d| tangent * d).collect())
        };
        match state {
            State::Stick => {
                let n = self.push();
                // on the edge of the cone with w = 0 if not strict
                let share = if self.strictness() > 0.0 {
                    self.random.uniform(0.0, 0.9)
                } else {
                    1.0
                };
                (along(n, -share * mu * n), vec![0.0; dim])
            }
            State::Slide => {
                let n = self.push();
                let speed = self.speed() * self.strictness();
                (along(n, -mu * n), along(mu * speed, speed))
            }
            State::Open => {
                let slip = self.random.uniform(0.0, 1.0);
                let lift = mu * slip + self.speed() * self.strictness();
                (vec![0.0; dim], along(lift, slip))
            }
        }
    }

    fn patch(&mut self, levers: &[f64]) -> PlantedBlock {
        let mu = self.parameters.friction * self.random.uniform(0.2, 1.0);
        let state = self.state();
        let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
        for point in 0..levers.len() {
            // the first point of a closed patch presses, the others may be open
            let open = state == State::Open || (point > 0 && self.random.chance(0.25));
            let (n, w) = self.normal(if open { State::Open } else { State::Stick });
            impulses.push(n);
            velocities.push(w);
        }
        let radius = mu * impulses.iter().sum::<f64>();
        let twist = mu * impulses.iter().zip(levers).map(|(n, l)| n * l).sum::<f64>();
        let (tangents, slip) = self.disc(radius, state, 2);
        let (torque, spin) = self.square(twist, state, 1);
        impulses.extend(tangents.into_iter().chain(torque));
        velocities.extend(slip.into_iter().chain(spin));
        let patch = Patch {
            mu,
            levers: levers.to_vec(),
        };
        PlantedBlock {
            law: Law::Patch(Box::new(patch)),
            impulses,
            velocities,
        }
    }

    /// A contact whose tangents, rolling rows and spin stick or slip each by itself.
    fn rolling(&mut self, spins: bool) -> PlantedBlock {
        let mu = self.parameters.friction * self.random.uniform(0.2, 1.0);
        // lengths of a tenth of a body
        let mut resistance = || 0.1 * self.parameters.friction * self.random.uniform(0.2, 1.0);
        let (rolling, spinning) = (resistance(), resistance());
        let state = self.state();
        let (normal, w) = self.normal(state);
        let (mut impulses, mut velocities) = (vec![normal], vec![w]);
        for bound in [mu, rolling] {
            let own = self.friction_state(state);
            let (impulse, velocity) = self.disc(bound * normal, own, 2);
            impulses.extend(impulse);
            velocities.extend(velocity);
        }
        if spins {
            let own = self.friction_state(state);
            let (impulse, velocity) = self.square(spinning * normal, own, 1);
            impulses.extend(impulse);
            velocities.extend(velocity);
        }
        let law = RollingContact {
            mu,
            rolling,
            spinning: spins.then_some(spinning),
        };
        PlantedBlock {
            law: Law::Rolling(Box::new(law)),
            impulses,
            velocities,
        }
    }

    /// Stick or slip of one part of the friction of a contact that is closed; open if that is.
    fn friction_state(&mut self, contact: State) -> State {
        match (contact, self.state()) {
            (State::Open, _) => State::Open,
            (_, State::Stick) => State::Stick,
            _ => State::Slide,
        }
    }

    /// A random direction in one or two dimensions.
    fn tangent(&mut self, count: usize) -> Vec<f64> {
        if count == 1 {
            return vec![self.random.sign()];
        }
        let direction = self.random.direction();
        let length = (direction.x * direction.x + direction.y * direction.y).sqrt();
        if length > 0.1 {
            vec![direction.x / length, direction.y / length]
        } else {
            vec![1.0, 0.0]
        }
    }
}

fn join(first: f64, rest: Vec<f64>) -> Vec<f64> {
    let mut joined = vec![first];
    joined.extend(rest);
    joined
}
