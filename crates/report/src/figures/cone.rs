//! A slice through the friction cones of contact points: tangential impulses over what their law
//! allows.

use core::f64::consts::{PI, TAU};

use delassus_core::Friction;

use crate::analysis::count;
use crate::bundle::{Bundle, ContactImpulse};
use crate::columns::{Columns, Refusal, View};
use crate::quantities::words;
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, Kind};

use super::chart::{Axis, Chart, ChartShape, Fill, Form, Note, Panel, Symbol};
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
        let shown = problems.iter();
        let shown = shown.map(|problem| self.panel(bundle, (problem, &solvers), &mut seen, styles));
        let shown = panels::alone(shown.collect(), panels::NO_CELL);
        let mut x = Axis::new(
            "first tangential impulse over μ times the normal one [-]",
            false,
        );
        let mut y = Axis::new(
            "second tangential impulse over μ times the normal one [-]",
            false,
        );
        // equal units on both axes, and the whole outline
        let reach = if seen.outside > 0 { REACH } else { 1.1 };
        (x.include, y.include) = (vec![-reach, reach], vec![-reach, reach]);
        y.square = true;
        let legend = solvers.iter().filter_map(|solver| {
            let cells = bundle.records.iter();
            let cells = cells.filter(|r| r.method() == solver && self.selection().shows(r));
            let has = |r: &crate::record::CellRecord| bundle.contacts.contains_key(&r.key);
            panels::by_value(solver, cells, has, styles).map(|entry| super::chart::LegendEntry {
                line: false,
                ..entry
            })
        });
        Chart {
            title: "Contact impulses in their friction cones".to_owned(),
            description: format!(
                "One mark per contact point. Solvers: {}.",
                solvers.join(", ")
            ),
            x,
            y,
            legend: legend.collect(),
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
                        most = most.max(gauge(&contact.law, mark));
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
        (problem, solvers): (&str, &[String]),
        seen: &mut Seen,
        styles: &Styles,
    ) -> Panel {
        let mut panel = Panel {
            title: words(problem),
            ..Panel::empty("no impulses of contact points with friction are at hand")
        };
        let mut laws: Vec<Friction> = Vec::new();
        for solver in solvers {
            let record = bundle.cell(problem, solver);
            let contacts = record.and_then(|record| bundle.contacts.get(&record.key));
            let (mut inside, mut slipping) = (Vec::new(), Vec::new());
            for contact in contacts.into_iter().flatten() {
                let Some(mark) = seen.mark(contact) else {
                    continue;
                };
                let shape = shape_of(&contact.law);
                if !laws.contains(&shape) {
                    laws.push(shape);
                }
                let use_of = gauge(&contact.law, mark);
                let kept = mark.map(|t| t.clamp(-REACH, REACH));
                let list = if use_of >= 1.0 - AT_LIMIT {
                    &mut slipping
                } else {
                    &mut inside
                };
                list.push((kept[0], kept[1]));
            }
            for (points, form) in [(inside, Form::Hollow), (slipping, Form::Marks)] {
                if !points.is_empty() {
                    panel
                        .curves
                        .push(panels::curve(styles, solver, seen.thinned(points), form));
                }
            }
        }
        let outlines = laws.iter().map(|law| ChartShape {
            name: "friction cone".to_owned(),
            outline: outline(law),
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
    /// The place of a contact; `None` of one that is open or has no friction.
    fn mark(&mut self, contact: &ContactImpulse) -> Option<[f64; 2]> {
        let limit = match contact.law {
            Friction::FixedBox { limit } => limit,
            law => law.mu() * contact.normal,
        };
        if contact.law.is_frictionless() {
            self.frictionless += 1;
            return None;
        }
        let place = contact.tangent.map(|t| t / limit);
        if contact.normal <= 0.0 || !(limit > 0.0 && place.iter().all(|t| t.is_finite())) {
            self.open += 1;
            return None;
        }
        if gauge(&contact.law, place) >= 1.0 - AT_LIMIT {
            self.slipping += 1;
        } else {
            self.sticking += 1;
        }
        self.outside += usize::from(place.iter().any(|t| t.abs() > 1.1));
        Some(place)
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

/// The law up to its coefficient: what the outline depends on.
fn shape_of(law: &Friction) -> Friction {
    match *law {
        Friction::Frictionless => Friction::Frictionless,
        Friction::FixedBox { .. } | Friction::Pyramid { .. } => Friction::Pyramid { mu: 1.0 },
        Friction::Disc { .. } | Friction::Coulomb { .. } | Friction::ConvexCone { .. } => {
            Friction::Disc { mu: 1.0 }
        }
        Friction::Facets { facets, .. } => Friction::Facets { mu: 1.0, facets },
    }
}

/// How much of what the law allows a tangential impulse takes: 1 at the limit (P.5)–(P.7), (P.10).
fn gauge(law: &Friction, [x, y]: [f64; 2]) -> f64 {
    match shape_of(law) {
        Friction::Pyramid { .. } => x.abs().max(y.abs()),
        Friction::Facets { facets, .. } => {
            // the sides stand across the directions halfway between the corners
            let side = PI / f64::from(facets);
            let along = (0..facets).map(|i| {
                let angle = side * f64::from(2 * i + 1);
                x * libm::cos(angle) + y * libm::sin(angle)
            });
            along.fold(0.0, f64::max) / libm::cos(side)
        }
        _ => libm::hypot(x, y),
    }
}

/// The outline of what the law allows, over its limit.
fn outline(law: &Friction) -> Vec<(f64, f64)> {
    let corners = match *law {
        Friction::Pyramid { .. } => {
            return vec![(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        }
        Friction::Facets { facets, .. } => facets,
        _ => 96,
    };
    let at = |i: u32| {
        let angle = TAU * f64::from(i) / count(u64::from(corners));
        (libm::cos(angle), libm::sin(angle))
    };
    (0..corners).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corner_of_an_outline_is_at_the_limit() {
        let laws = [
            Friction::Pyramid { mu: 1.0 },
            Friction::Disc { mu: 1.0 },
            Friction::Facets { mu: 1.0, facets: 4 },
            Friction::Facets {
                mu: 1.0,
                facets: 10,
            },
        ];
        for law in laws {
            for (x, y) in outline(&law) {
                assert!((gauge(&law, [x, y]) - 1.0).abs() < 1e-12, "{law:?}");
            }
        }
        // between two corners of a square of friction the limit is nearer
        let square = Friction::Facets { mu: 1.0, facets: 4 };
        assert!(gauge(&square, [0.6, 0.6]) > 1.0 && gauge(&square, [0.4, 0.4]) < 1.0);
    }
}
