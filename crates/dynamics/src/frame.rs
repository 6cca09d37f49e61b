//! A frame for schemes of other crates: the frozen rows of a world, and the results of their solve.
//!
//! A scheme that keeps a frame on a device freezes the rows once, moves the bodies by its own
//! arithmetic and hands back displacements, turns, velocities and impulses. The world changes in
//! one place only, and only if all of it is finite.

use delassus_core::{LawForm, Problem, SolveError};
use nalgebra::{UnitQuaternion, Vector3};

use crate::assembly::{Assembly, RowInfo, RowKind, Selection, Source};
use crate::contact::ContactPlace;
use crate::contact_reuse::ContactVersion;
use crate::error::{FieldError, SchemeError, StepError};
use crate::joint::Joint;
use crate::motion;
use crate::rotation;
use crate::touching::SolvedContact;
use crate::velocity::check_frequencies;
use crate::world::World;

/// The rows of a world at one instant.
#[derive(Debug, Clone)]
pub struct Frame {
    assembly: Assembly,
    h: f64,
}

/// What a row of the problem stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameRow {
    /// A row of a joint.
    Joint {
        /// Index of the joint.
        joint: usize,
        /// Index of the row among those of the joint.
        local: usize,
    },
    /// The normal of a contact point.
    Normal {
        /// Index of the manifold.
        manifold: usize,
        /// Index of the point.
        point: usize,
        /// True if one of the bodies is not dynamic.
        fixed: bool,
    },
    /// Friction.
    Friction,
}

/// Where a body is at the end of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyUpdate {
    /// From the position at the start \[m\].
    pub displacement: Vector3<f64>,
    /// From the orientation at the start, world axes.
    pub turn: UnitQuaternion<f64>,
    /// Velocity \[m/s\].
    pub velocity: Vector3<f64>,
    /// Angular velocity \[rad/s\].
    pub spin: Vector3<f64>,
}

impl Frame {
    /// Freezes the rows at the present poses, for substeps of `h` \[s\], without contacts farther
    /// apart than `margin` \[m\]. The free velocities of the problem are those of the bodies; bias
    /// and compliance are zero. Impulses act in the middle of the gaps, as in the programs that
    /// these schemes follow.
    ///
    /// # Errors
    /// Rows that make no valid problem, or a spring that is too fast for the substep.
    pub fn new(world: &World, h: f64, margin: Option<f64>) -> Result<Self, StepError> {
        check_frequencies(world, h)?;
        let mut velocities = Vec::new();
        motion::velocities(world, &mut velocities);
        let selection = Selection {
            margin,
            place: ContactPlace::Middle,
            ..Selection::default()
        };
        let assembly = Assembly::new(world, &velocities, h, selection, None)?;
        Ok(Self { assembly, h })
    }

    /// The frozen problem.
    pub fn problem(&self) -> &Problem {
        &self.assembly.problem
    }

    /// The frozen problem, to change activity, bias or compliance.
    pub fn problem_mut(&mut self) -> &mut Problem {
        &mut self.assembly.problem
    }

    /// What the rows stand for, in their order.
    pub fn rows(&self) -> Vec<FrameRow> {
        let problem = self.problem();
        let patch = |row| {
            let block = &problem.blocks()[problem.block_of_row(row)];
            block.law.form() == LawForm::SharedFriction
        };
        let row = |(row, info): (usize, &RowInfo)| match (info.source, info.kind) {
            (Source::Joint(joint), _) => FrameRow::Joint {
                joint,
                local: info.local,
            },
            (Source::Manifold(manifold), RowKind::Normal { fixed }) => FrameRow::Normal {
                manifold,
                // a patch begins with its normals; other points have a normal and two tangents each
                point: if patch(row) {
                    info.local
                } else {
                    info.local / 3
                },
                fixed,
            },
            (Source::Manifold(_), _) => FrameRow::Friction,
        };
        self.assembly.rows.iter().enumerate().map(row).collect()
    }

    /// The impulses that the world stores, scaled from the substep that they belong to (T.9)
    /// \[N·s\].
    pub fn impulses(&self, world: &World) -> Vec<f64> {
        let mut impulses = Vec::new();
        self.assembly.load_impulses(world, &mut impulses);
        if world.impulse_step > 0.0 {
            let factor = self.h / world.impulse_step;
            impulses.iter_mut().for_each(|x| *x *= factor);
        }
        impulses
    }

    /// Ends the frame: the bodies that are not dynamic move `substeps` times with their own
    /// velocity, the others go where they landed, and the world stores the impulses of the last
    /// substep.
    ///
    /// # Errors
    /// A update or an impulse that is not finite; the world is then unchanged.
    pub fn write_back(
        &self,
        world: &mut World,
        updates: &[BodyUpdate],
        impulses: &[f64],
        substeps: u32,
    ) -> Result<(), StepError> {
        world.check_updates(updates)?;
        if let Some(row) = impulses.iter().position(|x| !x.is_finite()) {
            return Err(SolveError::NonFinite { row }.into());
        }
        world.move_to(updates, self.h, substeps);
        self.assembly.store_impulses(world, impulses, self.h);
        world.colliders.version = ContactVersion::fresh();
        Ok(())
    }
}

impl World {
    /// Ends a frame of `substeps` substeps of `h` \[s\] for a scheme without frozen rows and
    /// contacts: the bodies that are not dynamic move with their own velocity, the others go where
    /// they landed, and the joints store the impulses of the last substep, one slice per joint with
    /// one number per row \[N·s | N·m·s\].
    ///
    /// # Errors
    /// A update or an impulse that is not finite, another number of updates than of bodies, or of
    /// impulses than a joint has rows; the world is then unchanged.
    pub fn write_back(
        &mut self,
        updates: &[BodyUpdate],
        impulses: &[Vec<f64>],
        h: f64,
        substeps: u32,
    ) -> Result<(), StepError> {
        self.check_ending(updates, impulses)?;
        self.end(updates, impulses, h, substeps);
        Ok(())
    }

    /// The same for a scheme that has found and solved the contacts by itself: they take the place
    /// of those of the frame before. At most one manifold per pair, in ascending order of the
    /// colliders. Without `impulses` the joints keep theirs.
    ///
    /// # Errors
    /// Those of [`Self::write_back`], and contacts that do not fit the world; it is then unchanged.
    pub fn write_solved(
        &mut self,
        updates: &[BodyUpdate],
        solved: &[SolvedContact],
        impulses: Option<&[Vec<f64>]>,
        h: f64,
        substeps: u32,
    ) -> Result<(), StepError> {
        match impulses {
            Some(impulses) => self.check_ending(updates, impulses)?,
            None => self.check_moved(updates)?,
        }
        self.check_solved(solved)?;
        self.take_solved(solved);
        self.end(updates, impulses.unwrap_or_default(), h, substeps);
        Ok(())
    }

    fn end(&mut self, updates: &[BodyUpdate], impulses: &[Vec<f64>], h: f64, substeps: u32) {
        self.move_to(updates, h, substeps);
        for (joint, impulses) in self.joints.iter_mut().zip(impulses) {
            joint.impulses.clear();
            joint.impulses.extend_from_slice(impulses);
        }
        self.impulse_step = h;
        self.colliders.version = ContactVersion::fresh();
    }

    /// Refuses what [`Self::write_back`] does not take.
    fn check_ending(&self, updates: &[BodyUpdate], impulses: &[Vec<f64>]) -> Result<(), StepError> {
        self.check_moved(updates)?;
        let rows = |joint: &Joint| joint.constraint.descriptor().units.len();
        let counts = self.joints.iter().map(rows);
        if !counts.eq(impulses.iter().map(Vec::len)) {
            let found = impulses.iter().map(Vec::len).sum::<usize>();
            return refuse("impulses", found, "one impulse per row of every joint");
        }
        if let Some(row) = impulses.iter().flatten().position(|x| !x.is_finite()) {
            return Err(SolveError::NonFinite { row }.into());
        }
        Ok(())
    }

    /// Refuses updates that are not finite, and another number of them than of bodies.
    fn check_moved(&self, updates: &[BodyUpdate]) -> Result<(), StepError> {
        if updates.len() != self.bodies.len() {
            return refuse("updates", updates.len(), "one update per body");
        }
        self.check_updates(updates)
    }

    /// Refuses updates that are not finite.
    fn check_updates(&self, updates: &[BodyUpdate]) -> Result<(), StepError> {
        let finite = |x: &f64| x.is_finite();
        let broken = updates.iter().position(|update| {
            let vectors = [update.displacement, update.velocity, update.spin];
            !(vectors.iter().flatten().all(finite) && update.turn.coords.iter().all(finite))
        });
        broken.map_or(Ok(()), |body| Err(self.non_finite(body)))
    }

    /// Moves bodies and time.
    fn move_to(&mut self, updates: &[BodyUpdate], h: f64, substeps: u32) {
        for (body, update) in self.bodies.iter_mut().zip(updates) {
            if body.is_dynamic() {
                body.position += update.displacement;
                if update.turn != UnitQuaternion::identity() {
                    let turned = update.turn.into_inner() * body.orientation.into_inner();
                    body.orientation = UnitQuaternion::new_normalize(turned);
                }
                (body.velocity, body.spin) = (update.velocity, update.spin);
                continue;
            }
            for _ in 0..substeps {
                body.advance(h * body.velocity, &(h * body.spin));
            }
        }
        for _ in 0..substeps {
            self.time += h;
        }
        self.follow_turns(|world, body| {
            if world.bodies[body].is_dynamic() {
                rotation::log(&updates[body].turn)
            } else {
                f64::from(substeps) * h * world.bodies[body].spin
            }
        });
    }
}

fn refuse(what: &str, found: usize, expected: &str) -> Result<(), StepError> {
    let error = FieldError::new(what, found, expected);
    Err(SchemeError::from(error).into())
}
