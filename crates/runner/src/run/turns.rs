//! Cells of one problem whose timed passes take turns: a machine that slows down slows all of them.
//!
//! Every cell is judged first, which is its warm-up; then each round makes one timed pass of every
//! cell, beginning with another one each time, so that none always follows the same neighbour. The
//! cells of a group share a process, this one or a worker, so that what surrounds their passes is
//! the same.

#[cfg(unix)]
mod apart;

use std::sync::atomic::Ordering;

use super::RunError;
use super::work::{Done, Place, Run};
use crate::matrix::{Begun, MatrixCell};
use crate::origin::Origin;

/// Cells that take turns at most \[-\]: they are kept together, so that a kill loses no more.
const MOST: usize = 16;

/// A cell of a group: its place, how far it is, where it runs.
struct Member<'r> {
    index: usize,
    begun: Begun<'r>,
    origin: Origin,
}

/// Calls `pass` with the place in the group of every pass: `rounds[k]` times with k, in rounds that
/// begin with another one each time. Ends where `pass` gives something, and gives that.
fn interleaved<T>(rounds: &[u64], mut pass: impl FnMut(usize) -> Option<T>) -> Option<T> {
    let most = rounds.iter().copied().max().unwrap_or(0);
    // those that are left move up from round to round
    let mut order: Vec<usize> = (0..rounds.len()).collect();
    for round in 0..most {
        for place in order.iter().filter(|place| round < rounds[**place]) {
            if let Some(end) = pass(*place) {
                return Some(end);
            }
        }
        order.rotate_left(1);
    }
    None
}

impl<'r> Run<'r> {
    /// The cells of `todo` in the groups that run together: consecutive ones of one problem that
    /// are timed several times and fit the memory together, in a process with the limits of a cell
    /// where they are isolated. All others stand alone.
    pub(super) fn groups(&self, todo: &[usize], isolated: bool) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let limit = match isolated {
            true => self.matrix.limits.bytes.min(self.memory.bytes()),
            false => self.memory.bytes(),
        };
        let room = limit.saturating_sub(self.matrix.held());
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

    /// Runs the cells of a group and keeps their records; fewer than there are if the user stopped
    /// them, or others ended their workers.
    pub(super) fn group(
        &self,
        group: &[usize],
        place: &mut Place<'_>,
    ) -> Result<Vec<Done>, RunError> {
        if let [only] = group {
            return Ok(self.cell(*only, place)?.into_iter().collect());
        }
        #[cfg(unix)]
        if let Some(bench) = place {
            return self.group_apart(group, bench);
        }
        let mut members = self.judged(group);
        let rounds: Vec<u64> = members.iter().map(|member| member.begun.rounds()).collect();
        let cut = interleaved(&rounds, |at| {
            members[at].begun.pass();
            self.cancel.load(Ordering::Relaxed).then_some(())
        });
        // passes are missing that every record has
        if cut.is_some() {
            return Ok(Vec::new());
        }
        let mut records = Vec::with_capacity(group.len());
        for Member {
            index,
            begun,
            origin,
        } in members
        {
            let cell = &self.matrix.cells[index];
            let run = self.matrix.experiment.finish_guarded(cell, begun);
            records.extend(self.keep_cell(index, run, origin)?);
        }
        Ok(records)
    }

    /// The cells with their first passes made.
    fn judged(&self, group: &[usize]) -> Vec<Member<'r>> {
        let mut members = Vec::with_capacity(group.len());
        for index in group {
            if self.cancel.load(Ordering::Relaxed) {
                break;
            }
            let cell = &self.matrix.cells[*index];
            let (problem, solver) = self.names(cell);
            self.progress.cell_started(problem, solver);
            let origin = self.joins(cell, group);
            let experiment = &self.matrix.experiment;
            members.push(Member {
                index: *index,
                origin,
                begun: experiment.begin_guarded(cell, &self.workbench()),
            });
        }
        members
    }

    /// Where and when a cell of a group begins.
    fn joins(&self, cell: &MatrixCell, group: &[usize]) -> Origin {
        self.origin(cell, Some(&self.matrix.cells[group[0]].key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_begins_with_another_cell() {
        let mut order = Vec::new();
        let end = interleaved(&[3, 1, 0, 2], |place| {
            order.push(place);
            None::<()>
        });
        assert_eq!((order, end), (vec![0, 1, 3, 3, 0, 0], None));
        assert_eq!(
            interleaved(&[2, 2], |place| (place == 1).then_some("end")),
            Some("end")
        );
    }
}
