//! What a limit on the time changes: in its second half the lane has the turn that promises the
//! least residual at its end (U.45), and no work is left without a look.
//!
//! A solve that has used less time than is left of its limit has the same bits without one. One
//! that has used more is not repeated, since there is no room for another pass.

use delassus_core::interrupt;

use crate::combination::Combination;
use crate::lane::Lane;
use crate::verdict::{State, Verdict};

/// Share of the limit after which turns are given by what lanes promise at its end \[-\].
const LATE: f64 = 0.5;
/// Share of the limit after which only what promises to move keeps a turn beside sweeps \[-\].
const LAST: f64 = 0.75;
/// A part of the work takes this share of what is left at most, so that it is looked at \[-\].
const PART: f64 = 0.5;
/// Units of work beside which a look is cheap \[-\].
const CHEAP: f64 = 16.0;
/// Another lane must promise this share of what the present one does \[-\].
const BETTER: f64 = 0.5;
/// What promises less than this share of the best residual is believed to move \[-\].
const MOVES: f64 = 0.9;

impl Combination {
    /// Begins a call, which may have a limit.
    pub(crate) fn begin_time(&mut self) {
        let left = interrupt::left();
        self.time.begin = left.is_finite().then(|| [left, self.all_spent()]);
    }

    /// Ends a call.
    pub(crate) fn end_time(&mut self) {
        if let Some([left, spent]) = self.time.begin.take() {
            self.time.seconds += left - interrupt::left();
            self.time.work += self.all_spent() - spent;
        }
    }

    fn all_spent(&self) -> f64 {
        self.lanes.iter().map(|lane| lane.spent).sum()
    }

    /// What the time that is left has room for, in units of (U.42), once the solve has used a share
    /// of what it may use \[-\].
    fn room_after(&self, share: f64) -> Option<f64> {
        let [first, spent] = self.time.begin?;
        let left = interrupt::left();
        let used = self.time.seconds + first - left;
        let work = self.time.work + self.all_spent() - spent;
        let late = used * (1.0 - share) > left * share;
        (late && left > 0.0 && work > 0.0).then(|| left * work / used)
    }

    /// The same in the second half.
    fn room(&self) -> Option<f64> {
        self.room_after(LATE)
    }

    /// Fewer units than asked for if they would end beyond the limit: then they are looked at.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between the two counts"
    )]
    pub(crate) fn part_of(&self, units: u32, price: f64) -> Option<u32> {
        let part = PART * self.room()? / price;
        (part >= CHEAP && part < f64::from(units)).then_some(part as u32)
    }

    /// The residual that a lane promises at the end of what there is room for \[-\]; infinite
    /// where nothing is known.
    fn promised(&self, lane: &Lane, room: f64) -> f64 {
        match (&lane.running, lane.stage()) {
            (Some(running), Some(stage)) if !stage.is_direct() && running.substitute.is_none() => {
                let units = room / self.facts.unit(stage, self.closed);
                running.watch.after(units)
            }
            _ => f64::INFINITY,
        }
    }

    /// The lane that promises the least residual at the end of the limit, late in it; none where
    /// no lane promises to move.
    pub(crate) fn by_limit(&mut self, at: usize, running: &State) -> Option<Verdict> {
        let room = self.room()?;
        let units = room / self.facts.unit(running.stage, self.closed);
        let own = running.watch.after(units);
        let others = self.lanes.iter().enumerate();
        let others = others.filter(|(other, _)| *other != at);
        let promised = others.map(|(other, lane)| (other, self.promised(lane, room)));
        let best = promised.min_by(|a, b| a.1.total_cmp(&b.1));
        match best {
            Some((other, least)) if least < BETTER * own.min(MOVES * self.residual) => {
                self.decide(format!(
                    "{} promises {own:.1e} at the end of the limit, {} {least:.1e}",
                    running.stage.id(),
                    self.lanes[other].stage().map_or("", |stage| stage.id()),
                ));
                Some(Verdict::Rival(other))
            }
            _ if own < MOVES * self.residual => Some(Verdict::Stay),
            _ => self.at_last(at, running),
        }
    }

    /// The sweeps that have come farthest, in the last part of a limit where nothing promises to
    /// move.
    fn at_last(&self, at: usize, running: &State) -> Option<Verdict> {
        self.room_after(LAST)?;
        if running.stage.is_sweeps() {
            return Some(Verdict::Stay);
        }
        let others = self.lanes.iter().enumerate();
        let sweeps = others.filter(|(other, lane)| *other != at && lane.is_sweeps());
        let begun = sweeps.filter_map(|(other, lane)| {
            let best = lane.running.as_ref()?.watch.best();
            Some((other, best))
        });
        let best = begun.min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(other, _)| Verdict::Rival(other))
    }
}
