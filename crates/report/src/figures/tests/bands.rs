//! Bands and shades of lines.

use super::super::*;
use super::drawn;
use crate::testing::{chains, of_solves, over_time_figures, realistic, trajectories};

fn of(id: &str) -> FigureSpec {
    let all = of_solves().into_iter();
    all.into_iter()
        .find(|spec| spec.id == id)
        .expect("a figure")
}

#[test]
fn problems_become_one_band_per_solver() {
    let svg = drawn(&realistic(), &of("bands"));
    assert!(svg.contains("<title>pgs: 6 curves</title>"), "{svg}");
    assert!(svg.contains("line: median over all problems; band: smallest to largest"));
    assert!(svg.contains("naive-impulses (6 of 6 not solved)"));
    assert!(svg.contains("fill-opacity"));
}

#[test]
fn lines_of_a_parameter_are_shaded_from_dark_to_light() {
    let mut run = chains();
    for (i, record) in run.records.iter_mut().enumerate() {
        let omega = [1.0, 1.4, 1.8][i % 3];
        record
            .solver
            .parameters
            .insert("omega".to_owned(), omega.into());
    }
    let svg = drawn(&run, &of("shades"));
    for place in [0.0, 0.44, 0.88] {
        let color = style::viridis(place);
        let color = format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2);
        assert!(svg.contains(&color), "{color}");
    }
}

#[test]
fn a_tolerance_lies_around_zero() {
    let mut all = over_time_figures().into_iter();
    let spec = all.find(|spec| spec.id == "zero").expect("a figure");
    let svg = drawn(&trajectories(), &spec);
    assert!(
        svg.contains("<title>tolerance</title>") && svg.contains("± 0.01"),
        "{svg}"
    );
    assert!(svg.contains(">frames<"));
}
