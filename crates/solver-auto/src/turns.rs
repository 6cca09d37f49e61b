//! Whose turn it is: what lanes have cost, and what they promise (U.44).

use delassus_core::Problem;

use crate::auto::{Combination, State, Verdict};
use crate::lane::BELIEVED;
use crate::stage::Stage;

/// Sweeps before their rate is believed \[-\].
const TRUSTED: u32 = 20;
/// Sweeps that promise to arrive for less than this part of what other lanes cost go on \[-\]; a
/// promise is often broken.
const LIKELY: f64 = 0.3;
/// Others have a turn once sweeps have cost half of that, or where they promise so many times more
/// \[-\] …
const HOPELESS: f64 = 4.0;
/// … this share of it \[-\].
const SHARE: f64 = 0.25;
/// What Newton steps in the velocities of the bodies are charged where sweeps are hopeless \[-\].
const PREFERRED: f64 = 0.1;
/// Share of what a lane has cost that is added to what it promises \[-\].
const HEARD: f64 = 0.5;
/// Other sweeps have a turn that promise to need this part \[-\].
const RIVAL: f64 = 0.3;
/// Share of that price which sweeps cost before others have a turn in the usual case \[-\].
const USUAL: f64 = 0.5;

impl Combination {
    /// Gives the turn to the lane that has cost least, the last one only where there is no other;
    /// of the sweeps it is the lane that promises to arrive first (U.44).
    pub(crate) fn choose(&mut self, problem: &Problem) -> Option<usize> {
        let last = self.last.take();
        let sweeps = self.key_of_sweeps();
        let (other, key) = self.cheapest(last);
        let of_sweeps = last.is_some_and(|at| self.lanes[at].is_sweeps());
        let at = if sweeps <= key && !of_sweeps {
            self.promising(None).map(|found| found.0)
        } else {
            other
        };
        let at = at.or_else(|| self.promising(None).map(|found| found.0));
        let at = at.or(last.filter(|at| self.lanes[*at].stage().is_some()))?;
        self.begin_turn(problem, at);
        Some(at)
    }

    pub(crate) fn begin_turn(&mut self, problem: &Problem, at: usize) {
        self.turn = Some(at);
        self.lanes[at].catch_up(problem, &self.best, self.residual);
        self.lanes[at].begin_turn();
    }

    /// The lane without sweeps that has the least key, beside `but`, and this key.
    fn cheapest(&self, but: Option<usize>) -> (Option<usize>, f64) {
        let mut found = (None, f64::INFINITY);
        for (at, lane) in self.lanes.iter().enumerate() {
            let key = self.key(at);
            if Some(at) != but && !lane.is_sweeps() && key < found.1 {
                found = (Some(at), key);
            }
        }
        found
    }

    /// What counts against a lane without sweeps \[-\]: steps in the velocities of the bodies are
    /// charged a part where sweeps do not promise to arrive, since on frozen frames they are what
    /// does.
    fn key(&self, at: usize) -> f64 {
        let lane = &self.lanes[at];
        let key = lane.key(&self.facts, self.closed(), self.leader == Some(at));
        let promised = || self.promising(None).map_or(f64::INFINITY, |found| found.1);
        if lane.stage() == Some(Stage::Primal) && promised() > HOPELESS * key {
            PREFERRED * key
        } else {
            key
        }
    }

    /// The key of all lanes of sweeps together \[-\].
    fn key_of_sweeps(&self) -> f64 {
        let closed = self.closed();
        let mut key = 0.0;
        let mut least = f64::INFINITY;
        for lane in self.lanes.iter().filter(|lane| lane.is_sweeps()) {
            key += lane.spent;
            least = least.min(lane.key(&self.facts, closed, false));
        }
        if key > 0.0 { key } else { least }
    }

    /// The lane of sweeps that promises to arrive first beside `but`, and what it says to need
    /// \[-\].
    fn promising(&self, but: Option<usize>) -> Option<(usize, f64)> {
        let closed = self.closed();
        let lanes = self.lanes.iter().enumerate();
        let sweeps = lanes.filter(|(at, lane)| lane.is_sweeps() && Some(*at) != but);
        let needs = sweeps.map(|(at, lane)| {
            let missing = lane.missing(&self.facts, closed, self.target);
            (at, missing + HEARD * lane.spent)
        });
        needs.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The lane that has a turn now, if the one under way is over (U.44); says so where it begins.
    pub(crate) fn next_turn(&mut self, at: usize, running: &State) -> Option<Verdict> {
        let (stage, units) = (running.stage, running.units);
        let closed = self.closed();
        let price = self.facts.unit(stage, closed);
        let missing = running.watch.missing(self.target);
        let lane = &self.lanes[at];
        let (other, others) = self.cheapest(Some(at));
        let all: f64 = self.lanes.iter().map(|lane| lane.spent).sum();
        let (next, verdict) = if stage.is_sweeps() {
            if lane.turn() < f64::from(TRUSTED) * price {
                return None;
            }
            let own = running.watch.promise(self.target) * price;
            let own = own.min(BELIEVED * lane.spent) + HEARD * lane.spent;
            let rival = self.promising(Some(at)).filter(|(_, needs)| *needs < own);
            let first = rival.map_or(own, |(_, needs)| needs);
            let share = if first > HOPELESS * others {
                SHARE
            } else {
                USUAL
            };
            match (other, rival) {
                (Some(other), _)
                    if first > LIKELY * others && self.key_of_sweeps() >= share * others =>
                {
                    (other, Verdict::Turn)
                }
                (_, Some((rival, needs))) if needs < RIVAL * own => (rival, Verdict::Rival(rival)),
                _ => return None,
            }
        } else {
            let least = self.facts.entry(stage, closed);
            let own = self.key(at);
            let sweeps = self.key_of_sweeps();
            let arrives = missing * price <= all;
            if lane.turn() < least || arrives || own < others.min(sweeps) {
                return None;
            }
            let next = if sweeps <= others {
                self.promising(None).map(|found| found.0)
            } else {
                other
            };
            (next?, Verdict::Turn)
        };
        if self.lanes[next].running.is_none() {
            let (id, residual, target) = (stage.id(), self.residual, self.target);
            let next = self.lanes[next].stage().map_or("", Stage::id);
            self.decide(format!(
                "{units} units of {id}: natural map {residual:.1e}, a factor of {:.6} per unit, {missing:.0} are missing to \
                 {target:.0e}; {next} begins",
                running.watch.rate(),
            ));
        }
        Some(verdict)
    }

    /// Rows that are not at zero in the best iterate \[-\].
    pub(crate) fn closed(&self) -> usize {
        let closed = self.best.iter().filter(|impulse| **impulse != 0.0).count();
        // nothing is known of a start from zero
        if closed > 0 { closed } else { self.facts.rows }
    }
}
