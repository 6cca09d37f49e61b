mod bands;
mod goldens;
mod parameters;
mod pooled;
mod targets;

use delassus_core::Status;

use super::*;
use crate::record::Sample;
use crate::testing::{
    assert_well_formed, bundle, cell, chains, convergence, decay, figures, of_solves,
    over_time_figures, parameter, profile, realistic, targets, trajectories,
};
use crate::view::Work;

fn drawn(bundle: &Bundle, spec: &FigureSpec) -> String {
    let svg = draw(bundle, &figures(bundle), spec).expect("drawing");
    assert_well_formed(&svg);
    assert!(svg.contains("<title id=") && svg.contains("<desc id="));
    svg
}

fn every_kind() -> Vec<FigureSpec> {
    vec![
        convergence("a", Work::Sweeps, false),
        convergence("b", Work::RowUpdates, true),
        convergence("c", Work::Seconds, false),
        profile(),
        targets(Work::Seconds),
        parameter(),
    ]
    .into_iter()
    .chain(of_solves())
    .collect()
}

fn chart(bundle: &Bundle, spec: &FigureSpec) -> Chart {
    let styles = styles(bundle, &figures(bundle), spec);
    spec.plot.kind().chart(bundle, &styles)
}

/// Curves are the groups that carry a dash or a clip and a name.
fn has_lines(svg: &str) -> bool {
    svg.lines().any(|l| l.starts_with("<g clip-path"))
}

#[test]
fn the_same_records_give_the_same_bytes() {
    for bundle in [realistic(), chains()] {
        for spec in every_kind() {
            assert_eq!(drawn(&bundle, &spec), drawn(&bundle.clone(), &spec));
        }
    }
}

#[test]
fn axes_name_quantity_and_unit() {
    let svg = drawn(&realistic(), &convergence("a", Work::RowUpdates, true));
    assert!(svg.contains(">row updates<") && svg.contains("natural map"));
    let svg = drawn(&realistic(), &convergence("a", Work::Seconds, false));
    assert!(svg.contains("time [ms]"));
    assert!(drawn(&realistic(), &profile()).contains("fraction solved within"));
    // of the chosen solvers the best wins, whoever is left out
    let mut part = profile();
    if let Plot::Profile(plot) = &mut part.plot {
        plot.solvers = vec!["psor".to_owned()];
    }
    let svg = drawn(&realistic(), &part);
    assert!(svg.contains("psor") && !svg.contains("dense"));
    assert!(drawn(&chains(), &parameter()).contains("factor per sweep"));
}

#[test]
fn an_empty_run_says_that_it_is_empty() {
    for spec in every_kind() {
        let svg = drawn(&bundle(Vec::new()), &spec);
        assert!(!has_lines(&svg));
        let said = ["no finished cell", "no solver attempted", "no cell"];
        assert!(said.iter().any(|text| svg.contains(text)), "{}", spec.id);
    }
}

#[test]
fn one_point_is_drawn() {
    let mut record = cell("one", "pgs", Status::MaxSweeps, 1, decay(0.5));
    record.outcome.samples.truncate(1);
    let bundle = bundle(vec![record]);
    for spec in every_kind() {
        drawn(&bundle, &spec);
    }
    let svg = drawn(&bundle, &convergence("a", Work::Sweeps, false));
    assert!(svg.contains("hollow end") && svg.contains("(1 of 1 not solved)"));
}

#[test]
fn values_that_are_missing_or_not_finite_leave_no_trace() {
    let odd = |k: f64| match k % 4.0 {
        0.0 => None,
        1.0 => Some(f64::NAN),
        2.0 => Some(f64::INFINITY),
        _ => Some(libm::pow(0.9, k)),
    };
    let nothing = |_: f64| None;
    let bundle = bundle(vec![
        cell("p", "odd", Status::NonFinite, 200, odd),
        cell("q", "none", Status::Solved, 200, nothing),
    ]);
    for spec in every_kind() {
        drawn(&bundle, &spec);
    }
    assert!(
        drawn(&bundle, &convergence("a", Work::Sweeps, false)).contains("was not measured here")
    );
}

#[test]
fn zeros_stand_on_a_stated_floor() {
    let zero = |k: f64| Some(if k < 5.0 { libm::pow(0.1, k) } else { 0.0 });
    let run = bundle(vec![cell("p", "exact", Status::Solved, 9, zero)]);
    let svg = drawn(&run, &convergence("a", Work::Sweeps, false));
    // the smallest positive value or tolerance is 1e-8: the floor is a decade below its own
    assert!(svg.contains("5 points exactly 0, drawn at 10⁻⁹"), "{svg}");
    let all = bundle(vec![cell("p", "zero", Status::Solved, 9, |_| Some(0.0))]);
    assert!(drawn(&all, &convergence("a", Work::Sweeps, false)).contains("exactly 0"));
}

#[test]
fn as_many_series_as_can_be_told_apart_fit_and_more_are_refused() {
    let run = |count: usize| {
        let cells = (0..count).map(|i| {
            let rho = 0.5 + 0.4 * crate::analysis::count(i as u64) / 1000.0;
            cell("p", &format!("solver {i}"), Status::Solved, 60, decay(rho))
        });
        bundle(cells.collect())
    };
    let full = run(MOST_SERIES);
    let svg = drawn(&full, &convergence("a", Work::Sweeps, false));
    assert!(
        svg.contains(">solver 20<") && svg.len() < 150_000,
        "{}",
        svg.len()
    );
    let crowd = run(1000);
    for spec in every_kind() {
        let svg = drawn(&crowd, &spec);
        assert!(
            svg.contains("1000 series: more than 21 cannot be told apart."),
            "{}",
            spec.id
        );
        assert!(!has_lines(&svg) && svg.len() < 4000, "{}", svg.len());
    }
    // the rest of the report goes on as if that figure were not there
    let mut chosen = convergence("a", Work::Sweeps, false);
    if let Plot::Convergence(plot) = &mut chosen.plot {
        plot.solvers = vec!["solver 999".to_owned()];
    }
    assert!(has_lines(&drawn(&crowd, &chosen)));
}

#[test]
fn one_point_far_below_does_not_empty_the_panel() {
    let dip = |k: f64| Some(if k == 7.0 { 1e-17 } else { libm::pow(0.9, k) });
    let run = bundle(vec![cell("p", "pgs", Status::Solved, 60, dip)]);
    let floored = || {
        let mut chart = chart(&run, &convergence("a", Work::Sweeps, false));
        floor::apply(&mut chart);
        chart
    };
    // the tolerance 1e-8 is shown, the point at 1e-17 is drawn a decade below it
    assert_eq!(floored().panels[0].floor, Some(1e-9));
    let svg = drawn(&run, &convergence("a", Work::Sweeps, false));
    assert!(
        svg.contains("1 point below (down to 10⁻¹⁷), drawn at 10⁻⁹"),
        "{svg}"
    );
    // a line that goes down there is no outlier
    let all = bundle(vec![cell("p", "pgs", Status::Solved, 400, decay(0.9))]);
    let mut whole = chart(&all, &convergence("a", Work::Sweeps, false));
    floor::apply(&mut whole);
    assert_eq!((whole.panels[0].floor, whole.notes.len()), (None, 1));
}

#[test]
fn closed_forms_floors_and_tolerances_look_like_nothing_else() {
    let svg = drawn(&chains(), &parameter());
    let wide = |line: &&str| line.contains("stroke-width=\"34\"");
    let forms: Vec<&str> = svg.lines().filter(wide).collect();
    assert!(
        forms.len() > 1,
        "closed forms and their sample in the legend"
    );
    // no series is that wide, and none has the colour of a closed form
    let pale = style::pale(style::series(0, 0).color);
    let pale = format!("#{:02X}{:02X}{:02X}", pale.0, pale.1, pale.2);
    assert!(forms.iter().any(|line| line.contains(&pale)), "{pale}");
    let zero = |k: f64| Some(if k < 5.0 { libm::pow(0.1, k) } else { 0.0 });
    let run = bundle(vec![cell("p", "exact", Status::Solved, 9, zero)]);
    let svg = drawn(&run, &convergence("a", Work::Sweeps, false));
    assert_eq!(svg.matches("stroke-linecap=\"round\"").count(), 1);
}

#[test]
fn long_names_are_broken_and_stay_whole() {
    let name = "block Gauss Seidel with momentum and a name that is much longer than the figure is wide because its \
                author wanted to say everything about it in the legend of each and every picture";
    let run = bundle(vec![
        cell(name, name, Status::Solved, 30, decay(0.7)),
        cell("other", name, Status::Solved, 30, decay(0.7)),
    ]);
    let svg = drawn(&run, &convergence("a", Work::Sweeps, false));
    assert!(!svg.contains('…'), "{svg}");
    let texts: Vec<&str> = svg
        .split("</text>")
        .filter_map(|text| text.rsplit('>').next())
        .collect();
    let joined = texts.join(" ");
    // every word stands in the legend and above its panel
    for word in name.split_whitespace() {
        let of_name = name.split_whitespace().filter(|w| *w == word).count();
        let count = joined.split_whitespace().filter(|w| *w == word).count();
        assert!(count >= 2 * of_name, "{word}: {joined}");
    }
    assert!(joined.contains("in the legend of each and every picture"));
}

#[test]
fn a_million_samples_stay_small() {
    let mut record = cell("p", "pgs", Status::MaxSweeps, 10, decay(0.5));
    let column = |k: u64| Some(1.0 + 0.5 * libm::sin(crate::analysis::count(k)));
    record.outcome.samples = (0..1_000_000)
        .map(|k| Sample {
            sweeps: k,
            row_updates: k,
            values: vec![column(k), None],
        })
        .collect();
    record.outcome.sweeps = 1_000_000;
    let svg = drawn(
        &bundle(vec![record]),
        &convergence("a", Work::Sweeps, false),
    );
    assert!(svg.len() < 40_000, "{}", svg.len());
}

#[test]
fn hostile_names_are_inert() {
    let name = "<script>alert(1)</script>\"' & ]]> \u{e000}\u{1}\u{202e}";
    let mut run = bundle(vec![cell(name, name, Status::Failed, 30, decay(0.7))]);
    run.records[0].outcome.message = Some(name.to_owned());
    run.records[0].problem.source = name.to_owned();
    for mut spec in every_kind() {
        spec.id = name.to_owned();
        spec.caption = name.to_owned();
        let svg = drawn(&run, &spec);
        assert!(!svg.contains("<script"));
    }
    let mut unknown = convergence("a", Work::Sweeps, false);
    if let Plot::Convergence(plot) = &mut unknown.plot {
        plot.y = name.to_owned();
        plot.problems = vec![name.to_owned(), "nothing".to_owned()];
    }
    drawn(&run, &unknown);
    run.criteria = vec![name.to_owned()];
    drawn(&run, &unknown);
}

#[test]
fn a_solver_keeps_its_style_in_every_figure() {
    let run = realistic();
    let mut one = convergence("one", Work::Sweeps, false);
    if let Plot::Convergence(plot) = &mut one.plot {
        plot.solvers = vec!["block-gs".to_owned()];
    }
    let style = styles(&run, &figures(&run), &one).style("block-gs");
    assert_ne!(style, style::plain());
    let color = format!(
        "#{:02X}{:02X}{:02X}",
        style.color.0, style.color.1, style.color.2
    );
    assert!(drawn(&run, &one).contains(&color));
    assert!(drawn(&run, &profile()).contains(&color));
}

#[test]
fn extreme_values_have_axes() {
    for scale in [1e-300, 1e-12, 1e12, 1e300] {
        let run = bundle(vec![cell("p", "s", Status::MaxSweeps, 50, move |k| {
            Some(scale * libm::pow(0.9, k))
        })]);
        for spec in every_kind() {
            drawn(&run, &spec);
        }
    }
}

#[test]
fn more_than_twelve_problems_are_counted() {
    let cells = (0..15).map(|i| cell(&format!("p{i}"), "pgs", Status::Solved, 20, decay(0.3)));
    let svg = drawn(
        &bundle(cells.collect()),
        &convergence("a", Work::Sweeps, false),
    );
    assert!(svg.contains("3 more problems") && svg.contains("p11") && !svg.contains(">p12"));
}

/// The drawing of one of the figures over time.
fn over_time(bundle: &Bundle, id: &str) -> String {
    let all = over_time_figures();
    let spec = all.iter().find(|f| f.id == id).expect("a figure");
    drawn(bundle, spec)
}

#[test]
fn figures_over_time_are_the_same_bytes_and_name_their_axes() {
    let run = trajectories();
    for spec in &over_time_figures() {
        assert_eq!(drawn(&run, spec), drawn(&run.clone(), spec));
    }
    assert!(over_time(&run, "time").contains("time [s]"));
    assert!(over_time(&run, "time").contains("joint drift, largest [m]"));
    assert!(over_time(&run, "ratio").contains("joint drift, largest (max over time) [m]"));
    assert!(over_time(&run, "ratio").contains("mass ratio"));
    assert!(over_time(&run, "work").contains(">row updates of the run<"));
    assert!(over_time(&run, "map").contains(">substeps per frame<"));
}

#[test]
fn several_observables_share_an_axis_and_have_lines_of_their_own() {
    let run = trajectories();
    let mut figure = over_time_figures().remove(0);
    if let Plot::Trajectory(plot) = &mut figure.plot {
        plot.y = vec!["drift_max".to_owned(), "drift_rms".to_owned()];
        plot.solvers = vec!["pgs".to_owned()];
        plot.schemes = vec!["Soft Step substeps=4".to_owned()];
    }
    // the second was not measured: it has an entry and no line
    let svg = drawn(&run, &figure);
    assert!(svg.contains(">joint drift, largest; joint"));
    assert!(svg.contains(">joint drift, largest<") && svg.contains(">joint drift, RMS<"));
    assert!(svg.contains("Soft Step substeps=4, pgs, drift_max: ended"));
}

#[test]
fn differences_are_those_from_the_closed_form() {
    let mut run = trajectories();
    run.records.truncate(2);
    for (record, off) in run.records.iter_mut().zip([0.0, 0.25]) {
        // a pendulum that does not move
        record.problem.source = "pendulum".to_owned();
        record.problem.parameters = serde_json::from_str(r#"{"angle": 0.0}"#).expect("parameters");
        record.outcome.metrics[0] = "x[1].y".to_owned();
        record.outcome.status = Status::Solved;
        let samples = record.outcome.samples.iter().map(|row| {
            let mut sample = Sample::from(row);
            sample.values[0] = Some(off - 1.0);
            sample
        });
        record.outcome.samples = samples.collect();
    }
    let mut figure = over_time_figures().remove(0);
    if let Plot::Trajectory(plot) = &mut figure.plot {
        plot.y = vec!["x[1].y".to_owned()];
        plot.difference = true;
        plot.log_y = false;
    }
    let chart = chart(&run, &figure);
    let heights: Vec<f64> = chart
        .panels
        .iter()
        .flat_map(|p| &p.curves)
        .map(|c| c.points[9].1)
        .collect();
    assert_eq!(heights, [0.0, 0.25]);
    assert!(
        chart
            .y
            .label
            .starts_with("difference from the closed form: position of body 1")
    );
    // what has no closed form says so
    run.records
        .iter_mut()
        .for_each(|r| r.problem.source = "ragdoll".to_owned());
    assert!(drawn(&run, &figure).contains("no closed form is known here"));
}

#[test]
fn runs_that_blow_up_leave_the_frame_and_are_counted() {
    let svg = over_time(&trajectories(), "time");
    assert!(svg.contains("Soft Step, substeps = 1, pgs (1 of 3 not run to the end)"));
    assert!(svg.contains("xpbd (1 of 3 unsupported)"));
    assert!(svg.contains("hollow end: not run to the end"));
    // the largest value of a run that ended well is 0.1 · 0.63, ten times that is the cap
    assert!(svg.contains("lines that leave at the top grow on"));
    // 10¹¹ and more have no place on the axis
    assert!(!svg.contains(">10<tspan dy=\"-0.5em\" font-size=\"72%\">10<"));
    assert!(svg.contains(", drawn at 10⁻¹²"));
}

#[test]
fn cells_that_differ_in_the_axis_alone_are_one_series() {
    let run = trajectories();
    let svg = over_time(&run, "work");
    // substeps is what lines run along: it has left the names
    assert!(svg.contains("lines join runs along substeps"));
    assert!(
        svg.contains(">Soft Step, pgs (1 of 6 without a value)<"),
        "{svg}"
    );
    assert!(svg.contains(">Soft Step, dense-direct<") && !svg.contains("substeps=4"));
    // a second parameter joins the schemes that do not have the first, and leaves the others alone
    let mut figure = over_time_figures().swap_remove(2);
    if let Plot::WorkPrecision(plot) = &mut figure.plot {
        plot.along.push("scheme.sweeps".to_owned());
    }
    let both = drawn(&run, &figure);
    assert!(both.contains("lines join runs along substeps or sweeps"));
    assert!(both.contains(">Soft Step, dense-direct<"));
    // the mass ratio is no axis here: one panel each
    assert!(svg.contains(">tip, mass ratio = 10<"));
    let svg = over_time(&run, "ratio");
    assert!(svg.contains(">Soft Step, substeps = 4, pgs<") && !svg.contains("mass ratio = 10"));
}

#[test]
fn a_map_has_a_tile_per_cell_and_a_cross_where_there_is_no_value() {
    let run = trajectories();
    let svg = over_time(&run, "map");
    // three panels: two solvers with three ratios and two step counts, and one scheme with three
    // ratios
    let tiles = svg.matches("<title>mass_ratio = ").count();
    assert_eq!(tiles, 15, "{svg}");
    assert!(svg.contains("<title>mass_ratio = 100, substeps = 1: diverged</title>"));
    assert!(svg.contains("not run to the end") && svg.contains(">Soft Step, dense-direct<"));
    // the largest value that is not left out: 0.1 (1 − 1/e) / 4
    let largest = style::viridis(1.0);
    let color = format!("#{:02X}{:02X}{:02X}", largest.0, largest.1, largest.2);
    assert_eq!((color.as_str(), svg.contains(&color)), ("#FDE725", true));
}

#[test]
fn empty_and_hostile_trajectories_are_drawn() {
    let mut run = trajectories();
    let name = "<b>\u{1}&";
    for record in &mut run.records {
        record.problem.name = name.to_owned();
        record.outcome.samples.truncate(1);
    }
    for spec in &over_time_figures() {
        assert!(!drawn(&run, spec).contains("<b>"));
    }
    run.records.clear();
    for spec in &over_time_figures() {
        let svg = drawn(&run, spec);
        assert!(svg.contains("no finished cell"), "{}", spec.id);
    }
}
