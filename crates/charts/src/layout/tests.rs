//! Room for labels, and curves far below the data.

use super::super::chart::{ChartCurve, CurveEnd, CurveForm};
use super::super::style::plain;
use super::*;

#[test]
fn every_line_of_a_vertical_label_has_room() {
    let words = "RMS speed over the last 2 s; zero where the answer is rest [m/s] ";
    let chart = |label: String| Chart {
        title: String::new(),
        description: String::new(),
        x: Axis::new("x", false),
        y: Axis::new(&label, false),
        panels: vec![Panel::default()],
        legend: Vec::new(),
        notes: Vec::new(),
    };
    let left = |chart: &Chart| lay_out(chart, Width::Column).grid.left;
    let alone = left(&chart("y".to_owned()));
    for length in 1..2 * words.len() {
        let chart = chart(words.repeat(2)[..length].to_owned());
        let lines = lay_out(&chart, Width::Column).y_label.len();
        assert_eq!(left(&chart), alone + LABEL_LINE * (small(lines.max(1)) - 1));
    }
}

#[test]
fn a_closed_form_far_below_the_data_leaves_the_frame() {
    let curve = |points: Vec<(f64, f64)>, form| ChartCurve {
        name: String::new(),
        style: plain(),
        position: 0,
        points,
        form,
        end: CurveEnd::None,
    };
    let chart = |log| Chart {
        title: String::new(),
        description: String::new(),
        x: Axis::new("x", false),
        y: Axis::new("y", log),
        panels: vec![Panel {
            curves: vec![
                curve(vec![(0.0, 1e-40), (1.0, 5.0)], CurveForm::Exact),
                curve(vec![(0.0, 1e-3), (1.0, 2.0)], CurveForm::Line),
            ],
            ..Panel::default()
        }],
        legend: Vec::new(),
        notes: Vec::new(),
    };
    let low_high = |chart: &Chart| ranges(chart, &chart.panels[0]).1.unwrap();
    assert_eq!(low_high(&chart(true)), (1e-4, 5.0));
    assert_eq!(low_high(&chart(false)), (1e-40, 5.0));
}
