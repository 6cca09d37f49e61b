//! A slice through the friction cones of contact points: tangential impulses over what their law
//! allows.

use crate::bundle::{Bundle, ContactImpulse, FrictionImpulse, SliceOutline};
use crate::columns::{Columns, Refusal, View};
use crate::quantities::words;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, Kind};

use super::chart::{Axis, Chart, ChartShape, CurveForm, Fill, Note, Panel, Symbol};
use super::style::GREY;
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};

/// A contact slips where its friction is at its limit up to this share \[-\].
const AT_LIMIT: f64 = 1e-6;
/// Marks of a solver in a panel; of more, evenly many are drawn.
const MOST: usize = 1500;
/// What lies farther outside is drawn at the edge.
const REACH: f64 = 1.6;

settings! {
    /// Tangential impulses of the contact points at the end of solves, over what their law allows.
    pub struct Cone {
        problems, solvers,
    }
}

impl View for Cone {
    fn shows_impulses(&self) -> bool {
        true
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        match columns.kind {
            Kind::Solves => Ok(()),
            Kind::Timings | Kind::Trajectories => {
                let message =
                    "cone goes with [[problem]] and [stop]: impulses are kept at the end of solves";
                Err(Refusal::of_key("cone", message))
            }
        }
    }
}

impl FigureKind for Cone {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |record| self.selection().shows(record))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let solvers = grouping::names(self.members(bundle));
        let (problems, more) = panels::first(panels::chosen(bundle, &self.problems));
        let mut seen = Seen::default();
        let shown = panels::of_titles(&problems, |problem| {
            self.panel(bundle, problem, &solvers, &mut seen, styles)
        });
        // equal units on both axes, and the whole outline
        let reach = if seen.outside > 0 { REACH } else { 1.1 };
        let axis = |which: &str, square| Axis {
            include: vec![-reach, reach],
            square,
            ..Axis::new(
                format!("{which} tangential impulse over μ times the normal one [-]"),
                false,
            )
        };
        let is_own = |r: &CellRecord, name: &str| r.method() == name && self.selection().shows(r);
        let has = |r: &CellRecord| bundle.contacts.contains_key(&r.key);
        let mut legend = panels::by_value(bundle, &solvers, styles, is_own, has);
        legend.iter_mut().for_each(|entry| entry.line = false);
        Chart {
            title: "Contact impulses in their friction cones".to_owned(),
            description: format!(
                "One mark per contact point. Solvers: {}.",
                solvers.join(", ")
            ),
            x: axis("first", false),
            y: axis("second", true),
            legend,
            notes: seen
                .notes()
                .into_iter()
                .chain(panels::left_out(more, "problem"))
                .collect(),
            panels: shown,
        }
    }

    /// One row per cell: how many contacts are open, stick and slip.
    fn data(&self, bundle: &Bundle) -> Table {
        let headings = [
            "contacts [-]",
            "open [-]",
            "sticking [-]",
            "slipping [-]",
            "largest use of the cone [-]",
        ];
        data::per_method(
            bundle,
            self.selection(),
            headings.map(str::to_owned),
            |record| {
                let Some(contacts) = bundle.contacts.get(&record.key) else {
                    return vec![Cell::number(None); headings.len()];
                };
                let mut seen = Seen::default();
                let mut most: f64 = 0.0;
                for contact in contacts {
                    if let Some(mark) = seen.mark(contact) {
                        most = most.max(mark.share);
                    }
                }
                vec![
                    Cell::size(contacts.len()),
                    Cell::size(seen.open),
                    Cell::size(seen.sticking),
                    Cell::size(seen.slipping),
                    Cell::number(Some(most)),
                ]
            },
        )
    }
}

impl Cone {
    fn panel(
        &self,
        bundle: &Bundle,
        problem: &str,
        solvers: &[String],
        seen: &mut Seen,
        styles: &Styles,
    ) -> Panel {
        let mut panel = Panel {
            title: words(problem),
            ..Panel::empty("no impulses of contact points with friction are at hand")
        };
        let mut outlines: Vec<SliceOutline> = Vec::new();
        for solver in solvers {
            let record = bundle.cell(problem, solver);
            let contacts = record.and_then(|record| bundle.contacts.get(&record.key));
            let (mut inside, mut slipping) = (Vec::new(), Vec::new());
            for contact in contacts.into_iter().flatten() {
                let Some(mark) = seen.mark(contact) else {
                    continue;
                };
                if !outlines.contains(&mark.outline) {
                    outlines.push(mark.outline);
                }
                let kept = mark.place.map(|t| t.clamp(-REACH, REACH));
                let list = if mark.share >= 1.0 - AT_LIMIT {
                    &mut slipping
                } else {
                    &mut inside
                };
                list.push((kept[0], kept[1]));
            }
            for (points, form) in [(inside, CurveForm::Hollow), (slipping, CurveForm::Marks)] {
                if !points.is_empty() {
                    panel
                        .curves
                        .push(panels::curve(styles, solver, seen.thinned(points), form));
                }
            }
        }
        let outlines = outlines.iter().map(|outline| ChartShape {
            name: "friction cone".to_owned(),
            outline: outline.corners(),
            color: GREY,
            fill: Fill::None,
        });
        panel.shapes = outlines.collect();
        panel
    }
}

/// What became of the contacts of a figure.
#[derive(Debug, Default)]
struct Seen {
    open: usize,
    frictionless: usize,
    sticking: usize,
    slipping: usize,
    outside: usize,
    left_out: usize,
}

impl Seen {
    /// The friction of a contact; `None` of one that is open or has no friction.
    fn mark(&mut self, contact: &ContactImpulse) -> Option<FrictionImpulse> {
        let Some(friction) = contact.friction else {
            self.frictionless += 1;
            return None;
        };
        let place = friction.place;
        if contact.normal <= 0.0 || !place.iter().all(|t| t.is_finite()) {
            self.open += 1;
            return None;
        }
        if friction.share >= 1.0 - AT_LIMIT {
            self.slipping += 1;
        } else {
            self.sticking += 1;
        }
        self.outside += usize::from(place.iter().any(|t| t.abs() > 1.1));
        Some(friction)
    }

    fn thinned(&mut self, points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        let step = points.len().div_ceil(MOST).max(1);
        let before = points.len();
        let kept: Vec<(f64, f64)> = points.into_iter().step_by(step).collect();
        self.left_out += before - kept.len();
        kept
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.sticking > 0 {
            let text = format!("hollow: {} inside their cone, sticking", self.sticking);
            notes.push(Note::new(Symbol::Hollow, text));
        }
        if self.slipping > 0 {
            notes.push(Note::plain(format!(
                "filled: {} at its limit, slipping",
                self.slipping
            )));
        }
        if self.open + self.frictionless > 0 {
            let (open, smooth) = (self.open, self.frictionless);
            notes.push(Note::plain(format!(
                "not drawn: {open} open contacts, {smooth} without friction"
            )));
        }
        if self.outside > 0 {
            notes.push(Note::plain(format!(
                "{} lie outside of their cone",
                self.outside
            )));
        }
        if self.left_out > 0 {
            notes.push(Note::plain(format!(
                "{} marks more are in the data",
                self.left_out
            )));
        }
        notes
    }
}
