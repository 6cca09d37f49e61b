//! Cells of one problem whose timed passes take turns: a machine that slows down slows all of them.
//!
//! Every cell is judged first, which is its warm-up; then each round makes one timed pass of every cell, beginning with
//! another one each time, so that none always follows the same neighbour.

use std::sync::atomic::Ordering;

use delassus_records::guard::caught;

use super::RunError;
use super::work::{Done, Place, Run};
use crate::matrix::{Begun, CellRun, MatrixCell};
use crate::origin::Origin;

/// Cells that take turns at most \[-\]: they are kept together, so that a kill loses no more.
const MOST: usize = 16;

/// A cell of a group: its place, how far it is, where it runs.
struct Member<'r> {
    index: usize,
    begun: Begun<'r>,
    origin: Origin,
}

impl<'r> Run<'r> {
    /// The cells of `todo` in the groups that run together: consecutive ones of one problem that are timed several times and
    /// fit the memory together. All others stand alone.
    pub(super) fn groups(&self, todo: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let room = self.memory.bytes().saturating_sub(self.matrix.held());
        let mut taken = 0;
        for index in todo {
            let cell = &self.matrix.cells[*index];
            let own = self.matrix.cell_estimate(cell, self.registry).0;
            match groups.last_mut() {
                Some(group)
                    if self.together(&self.matrix.cells[group[0]], cell)
                        && group.len() < MOST
                        && own <= room.saturating_sub(taken) =>
                {
                    taken += own;
                    group.push(*index);
                }
                _ => {
                    taken = own;
                    groups.push(vec![*index]);
                }
            }
        }
        groups
    }

    fn together(&self, first: &MatrixCell, cell: &MatrixCell) -> bool {
        let turns =
            |cell: &MatrixCell| cell.skip.is_none() && self.matrix.experiment.takes_turns(cell);
        self.jobs() == 1 && first.subject == cell.subject && turns(first) && turns(cell)
    }

    /// Runs the cells of a group and keeps their records; fewer than there are if the user stopped them.
    pub(super) fn group(
        &self,
        group: &[usize],
        place: &mut Place<'_>,
    ) -> Result<Vec<Done>, RunError> {
        if let [only] = group {
            return Ok(self.cell(*only, place)?.into_iter().collect());
        }
        let mut members = self.judged(group);
        self.rounds(&mut members);
        members.sort_by_key(|member| member.index);
        let mut records = Vec::with_capacity(group.len());
        for Member {
            index,
            begun,
            origin,
        } in members
        {
            let run = self.finished(&self.matrix.cells[index], begun);
            records.extend(self.keep_cell(index, run, origin)?);
        }
        Ok(records)
    }

    /// The cells with their first passes made.
    fn judged(&self, group: &[usize]) -> Vec<Member<'r>> {
        let mut members = Vec::with_capacity(group.len());
        let first = &self.matrix.cells[group[0]].key;
        for index in group {
            if self.cancel.load(Ordering::Relaxed) {
                break;
            }
            let cell = &self.matrix.cells[*index];
            let (problem, solver) = self.names(cell);
            self.progress.cell_started(problem, solver);
            members.push(Member {
                index: *index,
                origin: self.origin(cell, Some(first)),
                begun: self.begin(cell, |begun| begun),
            });
        }
        members
    }

    /// The timed passes, round by round.
    fn rounds(&self, members: &mut [Member<'r>]) {
        let number = |member: &Member<'_>| match &member.begun {
            Begun::Over(_) => 0,
            Begun::Open { rounds, .. } => *rounds,
        };
        let most = members.iter().map(number).max().unwrap_or(0);
        for round in 0..most {
            for member in members.iter_mut() {
                if let Begun::Open { turns, rounds, .. } = &mut member.begun
                    && round < *rounds
                {
                    turns.pass();
                }
                if self.cancel.load(Ordering::Relaxed) {
                    return;
                }
            }
            // the others move up
            members.rotate_left(1);
        }
    }

    /// What a cell came to after its last pass.
    fn finished(&self, cell: &MatrixCell, begun: Begun<'r>) -> CellRun {
        match begun {
            Begun::Over(run) => *run,
            Begun::Open { turns, facts, .. } => match caught(|| turns.finish()) {
                Ok(finish) => finish.with(facts),
                Err(text) => self.matrix.experiment.panicked(cell, &text),
            },
        }
    }
}
