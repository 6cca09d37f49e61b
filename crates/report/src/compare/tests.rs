use super::*;
use crate::bundle::Bundle;
use crate::origin::Origin;
use crate::record::CellRecord;
use crate::tables::{Cell, Table, to_text};
use crate::testing::{bundle, cell, decay};
use delassus_core::Status;
use delassus_records::build::Build;
use delassus_records::machine::MachineInfo;
use delassus_statistics::median;
use serde_json::Map;

fn goal(cost: Work) -> Goal {
    Goal {
        cost,
        metric: "natural_map".to_owned(),
        tolerance: 1e-6,
    }
}

fn side<'b>(bundle: &'b Bundle, method: &'b str) -> Side<'b> {
    Side {
        bundle,
        method,
        name: method,
    }
}

/// Solvers of which the second takes `factor` times the sweeps of the first on 8 problems.
fn two(factor: u64) -> Bundle {
    let mut records = Vec::new();
    for i in 1..=8u64 {
        let name = format!("p{i}");
        let rate = |sweeps: u64| decay(libm::pow(1e-6, 1.0 / count(sweeps)) * 0.999);
        records.push(cell(&name, "quick", Status::Solved, 40 * i, rate(20 * i)));
        records.push(cell(
            &name,
            "slow",
            Status::Solved,
            40 * i * factor,
            rate(20 * i * factor),
        ));
    }
    bundle(records)
}

fn only(bundle: &Bundle, a: &str, b: &str, cost: Work) -> Comparison {
    let sides = [(side(bundle, a), side(bundle, b))];
    let mut compared = compare(&sides, &goal(cost)).expect("they compare");
    compared.remove(0)
}

#[test]
fn a_solver_that_always_needs_three_times_as_much_is_said_to() {
    let run = two(3);
    let c = only(&run, "slow", "quick", Work::RowUpdates);
    assert_eq!(c.count(Ending::Loss), 8);
    assert_eq!(c.p, 2.0 / 256.0);
    let said = sentence(&c, &goal(Work::RowUpdates));
    let start = "quick reached natural_map ≤ 10⁻⁶ in 3.0× fewer row updates than slow (slow / quick: median 3.0";
    assert!(said.starts_with(start), "{said}");
    assert!(said.contains(", 95 % interval 2.89 – 3.05;"), "{said}");
    assert!(said.ends_with("; 8 problems; p = 0.0078)."), "{said}");
    // the same the other way round
    let other = only(&run, "quick", "slow", Work::RowUpdates);
    assert_eq!(other.change(), Change::More);
    assert_eq!(
        sentence(&other, &goal(Work::RowUpdates)).split('(').next(),
        said.split('(').next()
    );
}

#[test]
fn an_interval_beside_1_without_a_difference_is_explained() {
    let shown = only(&two(3), "quick", "slow", Work::RowUpdates);
    assert_eq!(shown.contradiction(), None);
    let with = |p: f64, adjusted: f64| Comparison {
        p,
        adjusted,
        ..shown.clone()
    };
    for (c, why) in [
        (
            with(0.0078, 0.062),
            "among as many pairs as are compared here",
        ),
        (with(0.055, 0.055), "its p = 0.055 is not below 0.05"),
    ] {
        let said = sentence(&c, &goal(Work::RowUpdates));
        assert!(said.starts_with("No difference shown"), "{said}");
        let end = "). The interval is of this pair alone and excludes 1";
        assert!(said.contains(end) && said.contains(why), "{said}");
        let table = pairwise_table(std::slice::from_ref(&c), &goal(Work::RowUpdates));
        assert!(table.notes.iter().any(|note| note.contains("excludes 1")));
    }
    let table = pairwise_table(std::slice::from_ref(&shown), &goal(Work::RowUpdates));
    assert!(!table.notes.iter().any(|note| note.contains("excludes 1")));
}

#[test]
fn exchanging_two_solvers_inverts_their_ratio() {
    let mut run = two(3);
    // factors that differ, so that the two in the middle do
    for (i, record) in (1_u64..).zip(run.records.iter_mut().skip(1).step_by(2)) {
        let sweeps = 20 * i * (i + 1);
        let rate = libm::pow(1e-6, 1.0 / count(sweeps)) * 0.999;
        *record = cell(
            &record.problem.name,
            "slow",
            Status::Solved,
            2 * sweeps,
            decay(rate),
        );
    }
    for problems in [8, 7] {
        run.records.truncate(2 * problems);
        let [there, back] =
            [("quick", "slow"), ("slow", "quick")].map(|(a, b)| only(&run, a, b, Work::Sweeps));
        let ratios = there.ratio.zip(back.ratio).expect("both");
        assert!((ratios.0 * ratios.1 - 1.0).abs() < 1e-14, "{ratios:?}");
        let ends = there.interval.zip(back.interval).expect("both");
        assert!((ends.0.low * ends.1.high - 1.0).abs() < 1e-14, "{ends:?}");
    }
    // each ends one half alone
    let stuck = |name: &str, solver: &str| cell(name, solver, Status::MaxSweeps, 50, |_| Some(1.0));
    let mut halves = two(3);
    for problem in 0..8 {
        let solver = if problem < 4 { "quick" } else { "slow" };
        let at = 2 * problem + usize::from(problem >= 4);
        halves.records[at] = stuck(&format!("p{}", problem + 1), solver);
    }
    let c = only(&halves, "quick", "slow", Work::Sweeps);
    assert_eq!(c.ratio, None);
    let said = sentence(&c, &goal(Work::Sweeps));
    assert!(
        said.contains("quick alone reached the goal on 4 problems, slow alone on 4 problems"),
        "{said}"
    );
    // and the ratio in the middle is none
    let table = pairwise_table(std::slice::from_ref(&c), &goal(Work::Sweeps));
    let at = column(&table, "b / a, median [-]").expect("a column");
    assert_eq!(table.sections[0].rows[0][at], Cell::text("–"));
}

/// The number of the column with this title.
fn column(table: &Table, title: &str) -> Option<usize> {
    table.columns.iter().position(|own| own.title == title)
}

/// A ratio has one mark wherever it stands: none where no method reached the goal, ∞ and 0 where
/// one did; and a note says so.
#[test]
fn a_ratio_of_one_method_alone_is_marked_alike_in_both_tables() {
    let mut run = two(1);
    let stuck = |name: &str, solver: &str| cell(name, solver, Status::MaxSweeps, 50, |_| Some(1.0));
    run.records[1] = stuck("p1", "slow");
    run.records[2] = stuck("p2", "quick");
    run.records[4] = stuck("p3", "quick");
    run.records[5] = stuck("p3", "slow");
    let c = only(&run, "quick", "slow", Work::Sweeps);
    let table = pair_table(&c, &goal(Work::Sweeps));
    let at = column(&table, "slow / quick [-]").expect("a column");
    let shown: Vec<Vec<String>> = to_text(&table);
    let ratios: Vec<&str> = shown[1..4].iter().map(|row| row[at].as_str()).collect();
    assert_eq!(ratios, ["∞", "0", "–"]);
    let less = column(&table, "needs less").expect("a column");
    let winners: Vec<&str> = shown[1..5].iter().map(|row| row[less].as_str()).collect();
    let words = ["quick", "slow", "neither reached the goal", "no difference"];
    assert_eq!(winners, words);
    // counts have no intervals of single problems
    assert!(
        !table
            .columns
            .iter()
            .any(|own| own.title.contains("interval"))
    );
    let note = "A ratio of `∞`: only quick reached the goal; of `0`: only slow.";
    assert!(
        table.notes.iter().any(|own| own == note),
        "{:?}",
        table.notes
    );
    // of most problems the first alone is the answer
    for index in 1..8 {
        run.records[2 * index] = two(1).records[2 * index].clone();
        run.records[2 * index + 1] = stuck(&format!("p{}", index + 1), "slow");
    }
    let c = only(&run, "slow", "quick", Work::Sweeps);
    assert_eq!(c.ratio, Some(0.0));
    let table = pairwise_table(std::slice::from_ref(&c), &goal(Work::Sweeps));
    let at = column(&table, "b / a, median [-]").expect("a column");
    assert_eq!(to_text(&table)[1][at], "0");
    let said = sentence(&c, &goal(Work::Sweeps));
    assert!(
        said.starts_with("quick reached natural_map ≤ 10⁻⁶ on 8 of 8 problems where slow did not"),
        "{said}"
    );
}

#[test]
fn several_comparisons_at_once_take_more_problems() {
    let mut run = two(3);
    run.records.truncate(12);
    let alone = only(&run, "quick", "slow", Work::Sweeps);
    assert_eq!((alone.needed, alone.is_of_few()), (6, false));
    let pair = (side(&run, "quick"), side(&run, "slow"));
    let six = compare(&[pair; 6], &goal(Work::Sweeps)).expect("they compare");
    // 2/2⁶ of one pair is too much for six of them, and 2/2⁸ is not
    assert_eq!((six[0].needed, six[0].is_of_few()), (8, true));
    let said = sentence(&six[0], &goal(Work::Sweeps));
    let end = "takes 8 problems for all pairs together: 2 more are needed.";
    assert!(
        said.contains("on 6 of 6 problems") && said.ends_with(end),
        "{said}"
    );
}

#[test]
fn equal_solvers_show_no_difference_and_few_problems_speak_for_themselves() {
    let run = two(1);
    let c = only(&run, "quick", "slow", Work::Sweeps);
    assert_eq!(
        (c.count(Ending::Tie), c.p, c.change()),
        (8, 1.0, Change::None)
    );
    assert!(sentence(&c, &goal(Work::Sweeps)).starts_with("No difference shown"));
    let mut few = two(3);
    few.records.truncate(6);
    let c = only(&few, "quick", "slow", Work::Sweeps);
    assert_eq!(
        (c.count(Ending::Win), c.p, c.change()),
        (3, 0.25, Change::None)
    );
    let said = sentence(&c, &goal(Work::Sweeps));
    assert_eq!(
        said,
        "quick needs fewer sweeps to natural_map ≤ 10⁻⁶ than slow on 3 of 3 problems (slow / quick): p1 3.0×, p2 3.0×, p3 3.0×. \
         A general statement about quick and slow takes 6 problems: 3 more are needed."
    );
    let table = pairwise_table(std::slice::from_ref(&c), &goal(Work::Sweeps));
    // the range of three values holds their median in 1 − 2/2³ of all cases
    let heading = "interval of b / a (level) [-]";
    let at = column(&table, heading).expect("a column that names no level");
    assert_eq!(
        table.sections[0].rows[0][at],
        Cell::text("3.00 – 3.05 (75 %)")
    );
    // one of them is missed by the slow one, one by both, one ends alike
    let stuck = |name: &str, solver: &str| cell(name, solver, Status::MaxSweeps, 50, |_| Some(1.0));
    few.records[1] = stuck("p1", "slow");
    few.records[2] = stuck("p2", "quick");
    few.records[3] = stuck("p2", "slow");
    few.records[5] = few.records[4].clone();
    few.records[5].solver.label = "slow".to_owned();
    let said = sentence(
        &only(&few, "slow", "quick", Work::Sweeps),
        &goal(Work::Sweeps),
    );
    assert_eq!(
        said,
        "quick needs fewer sweeps to natural_map ≤ 10⁻⁶ than slow on 1 of 3 problems (slow / quick): \
         p1 (only quick reached the goal); \
         no difference between slow and quick in sweeps on 1 of 3 problems: p3; \
         neither slow nor quick reached natural_map ≤ 10⁻⁶ on 1 of 3 problems: p2. \
         A general statement about slow and quick takes 6 problems: 4 more are needed."
    );
}

#[test]
fn what_one_misses_is_the_other_ones_win_and_what_both_miss_is_counted() {
    let mut run = two(1);
    let stuck = |name: &str, solver: &str| cell(name, solver, Status::MaxSweeps, 50, |_| Some(1.0));
    for (index, name) in [(1, "p1"), (3, "p2")] {
        run.records[index] = stuck(name, "slow");
    }
    run.records[4] = stuck("p3", "quick");
    run.records[5] = stuck("p3", "slow");
    let c = only(&run, "quick", "slow", Work::RowUpdates);
    assert_eq!(c.unsolved(), [1, 3, 1]);
    assert_eq!((c.count(Ending::Win), c.count(Ending::Neither)), (2, 1));
    assert_eq!(c.pairs[0].ratio, Some(f64::INFINITY));
    let said = sentence(&c, &goal(Work::RowUpdates));
    assert!(
        said.contains("1 unsolved by quick, 3 by slow, 1 by both"),
        "{said}"
    );
    let svg = crate::figures::draw_comparisons(std::slice::from_ref(&c), &goal(Work::RowUpdates))
        .unwrap();
    crate::testing::assert_well_formed(&svg);
    assert!(svg.contains("neither reached the goal, 1 of 8"), "{svg}");
    assert_eq!(
        pair_table(&c, &goal(Work::RowUpdates)).sections[0]
            .rows
            .len(),
        8
    );
    let table = pairwise_table(&[c], &goal(Work::RowUpdates));
    assert_eq!(table.sections[0].rows.len(), 1);
    let updates = |title: &str| title.starts_with("row updates of");
    assert!(!table.columns.iter().any(|column| updates(&column.title)));
}

fn timed(run: &mut Bundle, jobs: usize, noise: Option<f64>) {
    let machine = MachineInfo::here("avx2".to_owned());
    for (i, record) in run.records.iter_mut().enumerate() {
        let slow = record.solver.label == "slow";
        let seconds = |r: u32| (1.0 + f64::from(r % 3)) * if slow { 1.5 } else { 1.0 };
        record.outcome.iterate_seconds = (0..12).map(seconds).collect();
        record.outcome.prepare_seconds = vec![0.0; 12];
        let origin = Origin::begun(&Build::UNKNOWN, &machine, jobs, &Map::new());
        record.origin = Some(Origin {
            noise,
            interleaved_with: Some(format!("{}", i / 2)),
            ..origin
        });
    }
}

fn sentence_of(run: &Bundle) -> String {
    sentence(
        &only(run, "quick", "slow", Work::Seconds),
        &goal(Work::Seconds),
    )
}

#[test]
fn doubts_are_of_times_of_one_pass_a_debug_build_or_a_loaded_machine() {
    let mut run = two(1);
    timed(&mut run, 1, Some(0.02));
    let quiet = |origin: &mut Origin| {
        origin.load = Some(1.2);
        "release".clone_into(&mut origin.profile);
    };
    let said = |run: &Bundle, cost| doubts(&[(side(run, "quick"), side(run, "slow"))], &goal(cost));
    let change = |run: &mut Bundle, of: &dyn Fn(&mut Origin)| {
        run.records
            .iter_mut()
            .filter_map(|record| record.origin.as_mut())
            .for_each(of);
    };
    change(&mut run, &quiet);
    run.manifest = serde_json::json!({ "solver_opt_level": "3" });
    assert_eq!(said(&run, Work::Seconds), None);
    let cores = run.records[0]
        .origin
        .as_ref()
        .expect("an origin")
        .machine
        .logical_cores;
    let mut loaded = run.clone();
    change(&mut loaded, &|origin| origin.load = Some(5.25));
    let words = said(&loaded, Work::Seconds).expect("a doubt");
    assert!(
        words.contains(&format!("(load average up to 5.2 on {cores} core")),
        "{words}"
    );
    assert_eq!(said(&loaded, Work::RowUpdates), None, "counts are exact");
    let mut debug = run.clone();
    change(&mut debug, &|origin| {
        "debug".clone_into(&mut origin.profile);
    });
    let words = said(&debug, Work::Seconds).expect("a doubt");
    assert!(
        words.contains("chance: the program is a debug build. Write"),
        "{words}"
    );
    debug.manifest = serde_json::json!({ "solver_opt_level": "1" });
    let words = said(&debug, Work::Seconds).expect("a doubt");
    assert!(
        words.contains("built at optimisation level 1, not 3"),
        "{words}"
    );
    let mut single = run;
    single.records[0].outcome.iterate_seconds.truncate(1);
    let words = said(&single, Work::Seconds).expect("a doubt");
    assert!(words.contains(" are of a single pass"), "{words}");
    for record in &mut single.records {
        record.outcome.iterate_seconds.truncate(1);
    }
    let words = said(&single, Work::Seconds).expect("a doubt");
    assert!(words.contains("every time is of a single pass"), "{words}");
}

#[test]
fn times_in_turns_have_intervals_of_their_ratio_and_other_machines_are_refused() {
    let mut run = two(1);
    timed(&mut run, 1, Some(0.02));
    let c = only(&run, "quick", "slow", Work::Seconds);
    let first = &c.pairs[0];
    let interval = first.interval.expect("the passes took turns");
    // the machine was three times as slow in every third round, and the ratio does not see it
    assert!((interval.low - 1.5).abs() < 1e-12 && (interval.high - 1.5).abs() < 1e-12);
    assert_eq!((c.floor.share, c.change()), (0.02, Change::More));
    // no speed without its work
    let work: Vec<f64> = c.pairs.iter().filter_map(|pair| pair.updates[1]).collect();
    let table = pairwise_table(std::slice::from_ref(&c), &goal(Work::Seconds));
    let last = table.columns.len() - 1;
    assert_eq!(table.columns[last].title, "row updates of b, median [-]");
    let median = median(&work);
    assert_eq!(
        table.sections[0].rows[0][last],
        Cell::work(median, Work::RowUpdates)
    );
    // a noisier machine tells less apart
    timed(&mut run, 1, Some(0.6));
    assert_eq!(
        only(&run, "quick", "slow", Work::Seconds).change(),
        Change::None
    );
    assert!(sentence_of(&run).contains("below 60.0 % are noise"));
    timed(&mut run, 1, None);
    let assumed = "below 5.0 % count as noise, because the noise of the machine was not measured";
    assert!(sentence_of(&run).contains(assumed));
    let mut elsewhere = run.clone();
    timed(&mut elsewhere, 4, None);
    let sides = [(side(&run, "quick"), side(&elsewhere, "slow"))];
    let refused = compare(&sides, &goal(Work::Seconds)).expect_err("other conditions");
    assert!(
        refused.to_string().contains("--cost row_updates"),
        "{refused}"
    );
    assert!(compare(&sides, &goal(Work::RowUpdates)).is_ok());
    run.records[0].origin = None;
    let sides = [(side(&run, "quick"), side(&run, "slow"))];
    assert!(compare(&sides, &goal(Work::Seconds)).is_err());
}

#[test]
fn many_comparisons_are_corrected_and_wrong_requests_are_refused() {
    let run = two(3);
    let pair = (side(&run, "quick"), side(&run, "slow"));
    let compared = compare(&[pair, pair, pair], &goal(Work::Sweeps)).unwrap();
    assert!(
        compared
            .iter()
            .all(|c| (c.adjusted - 3.0 * c.p).abs() < 1e-15)
    );
    let missing = Goal {
        metric: "velocity_error".to_owned(),
        ..goal(Work::Sweeps)
    };
    let refused = compare(&[pair], &missing)
        .expect_err("not measured")
        .to_string();
    assert!(refused.contains("natural_map, siconos"), "{refused}");
    let alone: Vec<CellRecord> = run.records[..1].to_vec();
    let alone = bundle(alone);
    let refused = compare(
        &[(side(&alone, "quick"), side(&run, "nobody"))],
        &goal(Work::Sweeps),
    );
    assert!(matches!(refused, Err(CompareError::NothingShared { .. })));
}
