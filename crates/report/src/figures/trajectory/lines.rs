//! The lines of one panel: samples of the methods, and closed forms.

use delassus_core::Status;
use delassus_metrics::ClosedForm;

use crate::analysis::count;
use crate::bundle::Bundle;
use crate::record::CellRecord;

use super::super::chart::{ChartCurve, CurveEnd, CurveForm, Panel};
use super::super::panels;
use super::super::style::{SeriesStyle, plain};
use super::super::styles::{Look, Styles};
use super::Trajectory;
use crate::quantities::words;

/// Points of a closed form.
const LINE_POINTS: u32 = 400;

impl Trajectory {
    pub(super) fn panel(
        &self,
        bundle: &Bundle,
        scene: &str,
        methods: &[String],
        styles: &Styles,
    ) -> Panel {
        let first = self.y.first().map_or("", String::as_str);
        let mut panel = Panel {
            title: words(scene),
            ..Panel::empty(match self.difference {
                true => "no closed form is known here".to_owned(),
                false => panels::why_empty(bundle, scene, methods, first),
            })
        };
        let mut lines: Vec<ChartCurve> = Vec::new();
        let mut drawn: Vec<String> = Vec::new();
        for (line, method, y) in self.split(methods) {
            let Some(record) = bundle.cell(scene, &method) else {
                continue;
            };
            let forms = match self.frames || self.difference {
                true => Vec::new(),
                false => bundle.closed_forms.over_time(record, &y),
            };
            for form in forms {
                // what does not depend on the method is drawn once
                let name = format!("{y}: {}", form.name);
                if !drawn.contains(&name) {
                    drawn.push(name);
                    lines.push(self.closed_form(record, &form, &y, styles.look(&line)));
                }
            }
            let points = self.points(bundle, record, &y);
            if points.is_empty() {
                continue;
            }
            let finished = record.outcome.status == Status::Solved;
            panel.curves.push(ChartCurve {
                name: format!("{method}, {y}: {}", record.ending()),
                end: if finished {
                    CurveEnd::None
                } else {
                    CurveEnd::Hollow
                },
                ..panels::curve(styles, &line, points, CurveForm::Line)
            });
        }
        lines.append(&mut panel.curves);
        panel.curves = lines;
        panel
    }

    /// Samples of one cell that the axes can show.
    pub(super) fn points(&self, bundle: &Bundle, record: &CellRecord, y: &str) -> Vec<(f64, f64)> {
        let outcome = &record.outcome;
        let Some(column) = outcome.column(y) else {
            return Vec::new();
        };
        let exact = motion_of(bundle, record, y);
        if self.difference && exact.is_none() {
            return Vec::new();
        }
        let samples = outcome.samples.iter().zip(outcome.moments());
        let points = samples.filter_map(|(sample, moment)| {
            let mut value = sample.value(column)?;
            if let Some(exact) = exact.as_ref().filter(|_| self.difference) {
                value -= (exact.at)(moment.time);
            }
            let x = if self.frames {
                count(moment.frame)
            } else {
                moment.time
            };
            Some((x, self.magnitude(value)))
        });
        let shown = |(x, y): &(f64, f64)| y.is_finite() && (!self.log_x || *x > 0.0);
        points.filter(shown).collect()
    }

    fn magnitude(&self, y: f64) -> f64 {
        if self.absolute { y.abs() } else { y }
    }

    fn closed_form(
        &self,
        record: &CellRecord,
        form: &ClosedForm,
        y: &str,
        look: Look,
    ) -> ChartCurve {
        let end = record.outcome.covered().unwrap_or(0.0);
        let times: Vec<f64> = if form.discrete {
            record.outcome.series(y).0
        } else {
            let even = |i: u32| end * f64::from(i) / f64::from(LINE_POINTS);
            (0..=LINE_POINTS).map(even).collect()
        };
        let at = |t: f64| (t, self.magnitude((form.at)(t)));
        let shown = |(x, y): &(f64, f64)| y.is_finite() && (!self.log_x || *x > 0.0);
        let style: SeriesStyle = if form.of_method { look.style } else { plain() };
        ChartCurve {
            name: format!("closed form: {}", form.name),
            style,
            position: look.position,
            points: times.into_iter().map(at).filter(shown).collect(),
            form: CurveForm::Exact,
            end: CurveEnd::None,
        }
    }
}

/// The motion that schemes approximate, where it is known.
fn motion_of(bundle: &Bundle, record: &CellRecord, y: &str) -> Option<ClosedForm> {
    let mut known = bundle.closed_forms.over_time(record, y).into_iter();
    known.find(|form| !form.of_method)
}
