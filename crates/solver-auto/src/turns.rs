//! Whose turn it is: what sequences have cost, and what they promise (U.44).

use delassus_core::Problem;

use crate::combination::Combination;
use crate::lines::Decision;
use crate::method_sequence::{BELIEVED, LEADER, MethodSequence};
use crate::stage::Stage;
use crate::verdict::{State, Verdict};

/// Sweeps before their rate is believed \[-\].
const TRUSTED: u32 = 20;
/// Sweeps that promise to arrive for less than this part of what other sequences cost go on \[-\];
/// a promise is often broken.
const LIKELY: f64 = 0.7;
/// Others have a turn once sweeps have cost half of that, or where they promise so many times more
/// \[-\] …
const HOPELESS: f64 = 4.0;
/// … this share of it \[-\].
const SHARE: f64 = 0.25;
/// What Newton steps in the velocities of the bodies are charged where sweeps are hopeless \[-\].
const PREFERRED: f64 = 0.1;
/// A turn of steps in the velocities of the bodies costs so many times what they cost to begin, at
/// least \[-\]: their first steps lead away from where the sweeps are.
const PATIENCE: f64 = 5.0;
/// Steps that promise to arrive for so many times what all sequences have cost go on \[-\]; half as
/// many without joints, and then only if sweeps promise no less.
const GRANTED: f64 = 2.0;
/// Share of the cheapest turn of steps in the velocities of the bodies that sweeps without joints
/// may promise to need before they go on \[-\].
const TURN: f64 = 0.5;
/// Share of what a sequence has cost that is added to what it promises \[-\].
const HEARD: f64 = 0.5;
/// Other sweeps have a turn that promise to need this part \[-\].
const RIVAL: f64 = 0.3;
/// Share of that price which sweeps cost before others have a turn in the usual case \[-\].
const USUAL: f64 = 0.5;

impl Combination {
    /// Gives the turn to the sequence that has cost least, the last one only where there is no
    /// other; of the sweeps it is the sequence that promises to arrive first (U.44).
    pub(crate) fn choose(&mut self, problem: &Problem) -> Option<usize> {
        let last = self.last.take();
        if let Some(at) = self.opening().filter(|_| self.facts.sweeps_are_slow()) {
            self.begin_turn(problem, at);
            return Some(at);
        }
        let sweeps = self.key_of_sweeps();
        let (other, key) = self.cheapest(last);
        let of_sweeps = last.is_some_and(|at| self.sequences[at].is_sweeps());
        let at = if sweeps <= key && !of_sweeps {
            self.promising(None).map(|found| found.0)
        } else {
            other
        };
        let at = at.or_else(|| self.promising(None).map(|found| found.0));
        let at = at.or(last.filter(|at| self.sequences[*at].stage().is_some()))?;
        self.begin_turn(problem, at);
        Some(at)
    }

    /// The sequence of steps in the velocities of the bodies, if they open the solve and have not
    /// begun: on few bodies a step costs no more than some sweeps, and most frames need few steps.
    pub(crate) fn opening(&self) -> Option<usize> {
        let mut sequences = self.sequences.iter();
        let found = sequences
            .position(|sequence| sequence.stage() == Some(Stage::Primal) && !sequence.has_begun());
        found.filter(|_| self.facts.newton_is_cheap())
    }

    pub(crate) fn begin_turn(&mut self, problem: &Problem, at: usize) {
        self.turn = Some(at);
        self.sequences[at].catch_up(problem, &self.best, self.residual);
        self.sequences[at].begin_turn();
    }

    /// The sequence without sweeps that has the least key, except `but`, and this key.
    fn cheapest(&self, but: Option<usize>) -> (Option<usize>, f64) {
        let mut found = (None, f64::INFINITY);
        for (at, sequence) in self.sequences.iter().enumerate() {
            let key = self.key(at);
            if Some(at) != but && !sequence.is_sweeps() && key < found.1 {
                found = (Some(at), key);
            }
        }
        found
    }

    /// What counts against a sequence without sweeps \[-\]: steps in the velocities of the bodies
    /// are charged a part where sweeps do not promise to arrive, since on frozen frames they are
    /// what does.
    fn key(&self, at: usize) -> f64 {
        let sequence = &self.sequences[at];
        let key = sequence.key(&self.facts, self.closed, self.leader == Some(at));
        if sequence.stage() == Some(Stage::Primal) && self.sweeps_arrive() > HOPELESS * key {
            PREFERRED * key
        } else {
            key
        }
    }

    /// What the sweeps that have begun say to need \[-\]; before there are any, what they cost to
    /// begin.
    fn sweeps_arrive(&self) -> f64 {
        let closed = self.closed;
        let (mut begun, mut entry) = (None, f64::INFINITY);
        for sequence in self
            .sequences
            .iter()
            .filter(|sequence| sequence.is_sweeps())
        {
            match (&sequence.running, sequence.stage()) {
                (Some(running), Some(stage)) => {
                    let needs = running.watch.promise(self.target) * self.facts.unit(stage, closed);
                    begun = Some(needs.min(begun.unwrap_or(f64::INFINITY)));
                }
                _ => entry = entry.min(sequence.missing(&self.facts, closed, self.target)),
            }
        }
        begun.unwrap_or(entry)
    }

    /// The key of all sequences of sweeps together \[-\]: what they have cost, half of it without
    /// joints if one of them leads, and what the cheapest of them costs to begin where none has.
    fn key_of_sweeps(&self) -> f64 {
        let sweeps = || {
            self.sequences
                .iter()
                .filter(|sequence| sequence.is_sweeps())
        };
        let spent: f64 = sweeps().map(|sequence| sequence.spent).sum();
        if sweeps().any(|sequence| sequence.running.is_some()) {
            let leader = self.leader.filter(|_| self.facts.prefers_sweeps());
            let leads = leader.is_some_and(|at| self.sequences[at].is_sweeps());
            return if leads { LEADER * spent } else { spent };
        }
        let begin =
            |sequence: &MethodSequence| sequence.missing(&self.facts, self.closed, self.target);
        spent + sweeps().map(begin).fold(f64::INFINITY, f64::min)
    }

    /// The sequence of sweeps that promises to arrive first, except `but`, and what it says to need
    /// \[-\].
    fn promising(&self, but: Option<usize>) -> Option<(usize, f64)> {
        let closed = self.closed;
        let sequences = self.sequences.iter().enumerate();
        let sweeps = sequences.filter(|(at, sequence)| sequence.is_sweeps() && Some(*at) != but);
        let needs = sweeps.map(|(at, sequence)| {
            let missing = sequence.missing(&self.facts, closed, self.target);
            (at, missing + HEARD * sequence.spent)
        });
        needs.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The sequence that has a turn now, if the one under way is over (U.44); says so where it
    /// begins.
    pub(crate) fn next_turn(&mut self, at: usize, running: &State) -> Option<Verdict> {
        let (next, verdict) = if running.stage.is_sweeps() {
            self.after_sweeps(at, running)?
        } else {
            (self.after_steps(at, running)?, Verdict::Turn)
        };
        self.say_begins(next, running);
        Some(verdict)
    }

    /// Says why a sequence begins, if it does.
    pub(crate) fn say_begins(&mut self, next: usize, running: &State) {
        if self.sequences[next].running.is_some() {
            return;
        }
        let (residual, target) = (self.residual, self.target);
        let done = running.stage.counted(running.units);
        let missing = running.watch.missing(target);
        let forecast = match missing.is_finite() {
            true => format!("it would need {missing:.0} more to reach {target:.0e}"),
            false => format!("it gets no closer to {target:.0e}"),
        };
        let next = self.sequences[next].stage().map_or("", Stage::label);
        self.decide(&Decision::new(
            running.stage,
            format!("pauses after {done} at natural map {residual:.1e}"),
            format!("{forecast}; {next} begins"),
        ));
    }

    /// The sweeps that begin next except sequence `but`, and what they cost to begin \[-\]; none
    /// once some have begun.
    pub(crate) fn next_sweeps(&self, but: usize) -> Option<(usize, f64)> {
        let sequences = self.sequences.iter().enumerate();
        let mut others = sequences.filter(|(at, sequence)| *at != but && sequence.is_sweeps());
        let begun = others
            .clone()
            .any(|(_, sequence)| sequence.running.is_some());
        let entry = |(at, sequence): (usize, &MethodSequence)| {
            (at, sequence.missing(&self.facts, self.closed, self.target))
        };
        (!begun).then(|| others.next().map(entry)).flatten()
    }

    /// The sequence after sweeps: others once they have cost enough and do not promise to arrive
    /// soon, or other sweeps that promise much more.
    fn after_sweeps(&self, at: usize, running: &State) -> Option<(usize, Verdict)> {
        let price = self.facts.unit(running.stage, self.closed);
        let sequence = &self.sequences[at];
        if sequence.turn() < f64::from(TRUSTED) * price {
            return None;
        }
        let (other, others) = self.cheapest(Some(at));
        let arrives = running.watch.promise(self.target) * price;
        let own = arrives.min(BELIEVED * sequence.spent) + HEARD * sequence.spent;
        let rival = self.promising(Some(at)).filter(|(_, needs)| *needs < own);
        let first = rival.map_or(own, |(_, needs)| needs);
        let bar = others.max(TURN * other.map_or(0.0, |at| self.cheapest_turn(at)));
        let share = if first > HOPELESS * bar { SHARE } else { USUAL };
        let over = first.min(arrives) > LIKELY * bar && self.key_of_sweeps() >= share * others;
        match (other, rival) {
            (Some(other), _) if over => Some((other, Verdict::Turn)),
            (_, Some((rival, needs))) if needs < RIVAL * own => {
                Some((rival, Verdict::Rival(rival)))
            }
            _ => None,
        }
    }

    /// What a turn of steps in the velocities of the bodies costs at least \[-\], which sweeps
    /// without joints are compared with; nothing for other methods.
    fn cheapest_turn(&self, at: usize) -> f64 {
        match self.sequences[at].stage() {
            Some(stage @ Stage::Primal) if self.facts.prefers_sweeps() => {
                PATIENCE * self.facts.entry(stage, self.closed)
            }
            _ => 0.0,
        }
    }

    /// True if steps promise to arrive for what was spent in all; without joints, for no more than
    /// sweeps promise.
    fn steps_arrive(&self, running: &State) -> bool {
        let missing = running.watch.missing(self.target);
        let needs = missing * self.facts.unit(running.stage, self.closed);
        let all: f64 = self.sequences.iter().map(|sequence| sequence.spent).sum();
        if !self.facts.prefers_sweeps() {
            return needs <= GRANTED * all;
        }
        let sweeps = self.promising(None).map_or(f64::INFINITY, |found| found.1);
        needs <= (GRANTED / 2.0 * all).min(sweeps)
    }

    /// The sequence after steps that can have an answer by now, do not promise to arrive for what
    /// was spent in all, and have cost more than others.
    fn after_steps(&self, at: usize, running: &State) -> Option<usize> {
        let closed = self.closed;
        let arrives = self.steps_arrive(running);
        let least = match running.stage {
            Stage::Primal => PATIENCE,
            _ => 1.0,
        };
        let early = self.sequences[at].turn() < least * self.facts.entry(running.stage, closed);
        let (other, others) = self.cheapest(Some(at));
        let sweeps = self.key_of_sweeps();
        if early || arrives || self.key(at) < others.min(sweeps) {
            return None;
        }
        if sweeps <= others {
            self.promising(None).map(|found| found.0)
        } else {
            other
        }
    }
}
