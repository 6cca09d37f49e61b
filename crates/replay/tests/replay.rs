//! Recording, packing, the page and the strips, on bodies that really move.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use delassus_replay::codec::Header;
use delassus_replay::colour::ColourBy;
use delassus_replay::page::{self, PageCell, PageSeries};
use delassus_replay::quantise::{ORIENTATION_ERROR, orientation};
use delassus_replay::stage::{MotionKind, SceneGeometry, SceneSolid, SolidShape};
use delassus_replay::strip::{self, StillTimes, StripRow, StripSettings};
use delassus_replay::{FrameState, Limits, Recorder, Replay, ReplayError};
use nalgebra::{UnitQuaternion, Vector3};

/// A number in \[0, 1) that looks like chance.
fn chance(seed: u64) -> f64 {
    let mut x = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ x >> 31) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A ground and `count` boxes and balls.
fn stage(count: usize) -> SceneGeometry {
    let form = |body: usize| match body {
        0 => SolidShape::Plane {
            normal: [0.0, 1.0, 0.0],
        },
        _ if body % 2 == 1 => SolidShape::Box {
            half: [0.3, 0.2, 0.25],
        },
        _ => SolidShape::Sphere { radius: 0.25 },
    };
    let solid = |body: usize| SceneSolid {
        body: u32::try_from(body).expect("few bodies"),
        form: form(body),
        position: [0.0; 3],
        orientation: [0.0, 0.0, 0.0, 1.0],
    };
    let mut bodies = vec![MotionKind::Dynamic; count + 1];
    bodies[0] = MotionKind::Static;
    SceneGeometry {
        bodies,
        solids: (0..=count).map(solid).collect(),
        links: Vec::new(),
    }
}

/// The bodies of [`stage`] in motion, `time` after they left their places.
fn state(count: usize, time: f64) -> FrameState {
    let mut state = FrameState {
        time,
        positions: vec![Vector3::zeros()],
        orientations: vec![UnitQuaternion::identity()],
        speeds: vec![0.0],
        ..FrameState::default()
    };
    let seed = |index: usize, part: u64| chance(16 * index as u64 + part);
    for index in 0..count {
        let part = |part| 2.0 * seed(index, part) - 1.0;
        let (start, velocity) = (
            Vector3::new(8.0 * part(0), 6.0 + 5.0 * part(1), 8.0 * part(2)),
            Vector3::new(part(3), part(4), part(5)) * 2.0,
        );
        let fall = -0.5 * 9.81 * time * time * Vector3::y();
        let mut place = start + time * velocity + fall;
        place.y = place.y.abs();
        let spin = Vector3::new(part(6), part(7), part(8)) * 6.0;
        let turn = UnitQuaternion::from_scaled_axis(part(9) * Vector3::x())
            * UnitQuaternion::from_scaled_axis(spin * time);
        state.positions.push(place);
        state.orientations.push(turn);
        state.speeds.push(velocity.norm());
    }
    state
}

fn recorded(count: usize, frames: u32, limits: Limits) -> (Replay, Vec<u8>) {
    let mut recorder = Recorder::new(stage(count), state(count, 0.0), limits);
    for frame in 1..frames {
        if !recorder.keeps(u64::from(frame)) {
            continue;
        }
        let mut state = state(count, f64::from(frame) / 60.0);
        // one frame in four has had no solve
        if frame % 4 != 0 {
            let residual = |body| 1e-3 * chance(u64::from(frame) << 32 | body);
            state.residuals = (0..=count as u64).map(residual).collect();
        }
        recorder.keep(state);
    }
    recorder.finish().expect("a replay")
}

#[test]
fn what_is_read_is_what_was_recorded_within_the_bounds() {
    let (replay, bytes) = recorded(20, 30, Limits::every(1));
    let read = Replay::from_bytes(&bytes).expect("a whole replay");
    assert_eq!(read, replay);
    assert_eq!(read.frames.len(), 30);
    let half = Vector3::from(read.header.grid.step) * 0.5 * (1.0 + 1e-9);
    for (frame, kept) in read.frames.iter().enumerate() {
        let exact = state(20, frame as f64 / 60.0);
        assert_eq!(read.header.times[frame], exact.time);
        for (body, position) in exact.positions.iter().enumerate() {
            let error = read.header.grid.point(kept.places[body]) - position;
            assert!(error.abs() <= half, "frame {frame}, body {body}: {error}");
            let angle = orientation(kept.turns[body]).angle_to(&exact.orientations[body]);
            assert!(
                angle < ORIENTATION_ERROR,
                "frame {frame}, body {body}: {angle}"
            );
        }
    }
}

#[test]
fn equal_runs_have_equal_bytes_and_damage_is_noticed() {
    let (_, bytes) = recorded(10, 12, Limits::every(2));
    assert_eq!(bytes, recorded(10, 12, Limits::every(2)).1);
    assert_eq!(Replay::from_bytes(&bytes).expect("whole").frames.len(), 6);
    for at in (0..bytes.len()).step_by(37) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        let wrong = Replay::from_bytes(&changed);
        assert!(matches!(wrong, Err(ReplayError::Damaged(_))), "byte {at}");
        assert!(Replay::from_bytes(&bytes[..at]).is_err(), "length {at}");
    }
    assert!(Replay::check(&bytes).is_ok());
}

#[test]
fn a_small_file_that_says_much_is_refused_before_it_takes_memory() {
    let (replay, _) = recorded(2, 2, Limits::every(1));
    let seal = |header: &Header, columns: &[u8]| {
        let header = serde_json::to_vec(header).expect("JSON");
        delassus_replay::sealed(&header, columns).expect("memory")
    };
    // 4·10⁹ new contacts in a frame whose columns are over
    let mut many = replay.header.clone();
    many.added = vec![u32::MAX; 2];
    let wrong = Replay::from_bytes(&seal(&many, &[0; 100]));
    assert!(matches!(wrong, Err(ReplayError::Damaged(_))), "{wrong:?}");
    // zeros that are packed a thousandfold
    let bomb = seal(&replay.header, &vec![0; 32 * Limits::HELD + 1]);
    assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
    let wrong = Replay::from_bytes(&bomb).expect_err("too much").to_string();
    assert!(
        wrong.contains("unpack to more than 128000000 bytes"),
        "{wrong}"
    );
}

#[test]
fn three_hundred_frames_of_a_thousand_bodies_make_a_page_below_five_megabytes() {
    let (replay, bytes) = recorded(1000, 300, Limits::every(1));
    let cell = PageCell {
        scene: "rain",
        method: "none",
        bytes: &bytes,
        ending: None,
        series: None,
    };
    let page = page::render("Rain", &[cell], &[]);
    println!(
        "{} frames, {} bytes, page {}",
        replay.frames.len(),
        bytes.len(),
        page.len()
    );
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    assert_eq!(
        replay.frames.len(),
        300,
        "all of them move, and none is left out"
    );
}

#[test]
fn a_replay_is_thinned_until_it_fits() {
    let whole = recorded(50, 60, Limits::every(1));
    let limits = Limits {
        bytes: whole.1.len() * 3 / 4,
        ..Limits::every(1)
    };
    let (replay, bytes) = recorded(50, 60, limits);
    assert!(bytes.len() <= limits.bytes);
    assert!(replay.frames.len() < 60 && replay.header.every > 1);
    // the memory while a run goes on is bounded as well
    let limits = Limits {
        held: 51 * 20,
        ..Limits::every(1)
    };
    let (replay, _) = recorded(50, 60, limits);
    assert_eq!((replay.frames.len(), replay.header.every), (15, 4));
    assert_eq!(replay.header.times.len(), 15);
}

/// The course of an observable, with a name that is no markup.
const SERIES: PageSeries<'static> = PageSeries {
    name: "drift \"<of all>\" [m]",
    times: &[0.0, 0.02, 0.05, 0.1],
    values: &[0.0, 1e-3, -2e-3, 4.25],
};

/// How the first motion of the page ends, which is the shorter one.
const ENDING: &str = "diverged after \"0.1\" s";

fn sample_page() -> String {
    let bytes = [
        recorded(20, 10, Limits::every(1)).1,
        recorded(15, 20, Limits::every(1)).1,
    ];
    let cell = |index: usize, method| PageCell {
        scene: "rain & <snow>",
        method,
        bytes: &bytes[index],
        ending: (index == 0).then_some(ENDING),
        series: Some(SERIES),
    };
    page::render(
        "Two {{cells}} \"</script>",
        &[cell(0, "first"), cell(1, "second")],
        &[],
    )
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = sample_page();
    assert!(page.contains("default-src 'none'") && page.contains("Permission is hereby granted"));
    assert!(page.contains("Two {{cells}} &quot;&lt;/script&gt;"));
    let ending = "data-method=\"first\" data-ending=\"diverged after &quot;0.1&quot; s\"";
    assert!(page.contains(ending) && page.matches("data-ending=").count() == 1);
    // names, not addresses: no browser asks for them
    let known = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"];
    for (at, _) in page.match_indices("http") {
        let rest = &page[at..];
        if rest.starts_with("http://") || rest.starts_with("https://") {
            let place: String = rest.chars().take(60).collect();
            assert!(known.iter().any(|name| rest.starts_with(name)), "{place}");
        }
    }
    for word in ["<link rel=\"stylesheet", "@import", "src=\"", "url("] {
        let own = page.split("<script>const THREE=").next();
        assert!(!own.unwrap_or_default().contains(word), "{word}");
    }
}

#[test]
fn a_page_for_the_browser() {
    let page = sample_page();
    assert!(page.ends_with("</html>\n"));
    // tests/browser.sh opens the page in a browser
    if let Some(pages) = std::env::var_os("DELASSUS_PAGES") {
        for (name, page) in [("moving", page), ("room", room_page())] {
            let folder = PathBuf::from(&pages).join(name);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("replay.html"), page).expect("the page");
        }
    }
}

#[test]
fn a_page_says_which_cells_it_leaves_out() {
    let bytes = recorded(2, 2, Limits::every(1)).1;
    let cell = PageCell {
        scene: "s",
        method: "m",
        bytes: &bytes,
        ending: None,
        series: None,
    };
    let page = page::render("Many", &[cell; 18], &["a note".to_owned()]);
    assert_eq!(page.matches("class=\"cell\"").count(), page::MOST_CELLS);
    assert!(page.contains("left out: s with m; s with m.") && page.contains(">a note<"));
}

/// A browser that can be started without a screen.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let files = std::env::split_paths(&path).flat_map(|folder| names.map(|n| folder.join(n)));
    files.into_iter().find(|file| file.is_file())
}

/// Six walls on one body around all bodies of [`state`]: nothing but its walls is seen from outside
/// unless they are clear.
fn room_page() -> String {
    let mut stage = stage(20);
    let wall = u32::try_from(stage.bodies.len()).expect("few bodies");
    stage.bodies.push(MotionKind::Kinematic);
    for axis in 0..3 {
        for side in [-14.0_f32, 14.0] {
            let mut half = [14.0_f32; 3];
            half[axis] = 0.2;
            let mut position = [0.0; 3];
            position[axis] = side;
            stage.solids.push(SceneSolid {
                body: wall,
                form: SolidShape::Box { half },
                position,
                orientation: [0.0, 0.0, 0.0, 1.0],
            });
        }
    }
    let frame = |time: f64| {
        let mut state = state(20, time);
        state.positions.push(6.0 * Vector3::y());
        state
            .orientations
            .push(UnitQuaternion::from_scaled_axis(time * Vector3::z()));
        state.speeds.push(0.0);
        state
    };
    let mut recorder = Recorder::new(stage, frame(0.0), Limits::every(1));
    recorder.keep(frame(0.1));
    let (_, bytes) = recorder.finish().expect("a replay");
    let cell = PageCell {
        scene: "room",
        method: "none",
        bytes: &bytes,
        ending: None,
        series: None,
    };
    page::render("Room", &[cell], &[])
}

/// The elements of a page after its scripts ran in a browser at frame three, if there is one.
fn drawn(page: &str) -> Option<String> {
    let Some(browser) = browser() else {
        println!("no chromium and no google-chrome on PATH: the page is not opened");
        return None;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("replay.html");
    std::fs::write(&file, page).expect("a page");
    let dump = folder.path().join("dom.html");
    let out = std::fs::File::create(&dump).expect("a file");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-dev-shm-usage"])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args([
            "--virtual-time-budget=30000",
            "--window-size=900,600",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg(format!("file://{}#frame=3", file.display()))
        .stdout(out)
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("a browser that starts");
    for _ in 0..600 {
        if child.try_wait().expect("a process").is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    // one that hangs is ended; what it wrote so far is looked at
    let _ = child.kill();
    let _ = child.wait();
    Some(std::fs::read_to_string(&dump).expect("text"))
}

/// The number of colours of the first picture, from the head of a page.
fn colours(head: &str) -> u32 {
    let colours = head.split("data-colours=\"").nth(1);
    let colours = colours.and_then(|rest| rest.split('"').next());
    colours
        .and_then(|n| n.parse().ok())
        .expect("a number of colours")
}

#[test]
fn a_browser_sees_the_bodies_through_the_walls_around_them() {
    let Some(dom) = drawn(&room_page()) else {
        return;
    };
    let head: String = dom.chars().take(300).collect();
    assert!(head.contains("data-replay=\"drawn\""), "{head}");
    // the ground encloses nothing
    assert!(head.contains("data-walls=\"1\""), "{head}");
    let colours = colours(&head);
    assert!(
        colours > 150,
        "{colours} colours: the walls hide the bodies"
    );
    assert!(dom.contains("<label><input type=\"checkbox\" id=\"walls\">"));
}

#[test]
fn a_browser_draws_the_page() {
    let Some(dom) = drawn(&sample_page()) else {
        return;
    };
    let head: String = dom.chars().take(300).collect();
    assert!(head.contains("data-replay=\"drawn\""), "{head}");
    assert!(
        head.contains("data-cells=\"2\"") && head.contains("data-frames=\"10 20\""),
        "{head}"
    );
    assert!(head.contains("data-walls=\"0 0\""), "{head}");
    assert!(dom.contains("<label hidden=\"\"><input type=\"checkbox\" id=\"walls\">"));
    let colours = colours(&head);
    assert!(colours > 50, "a picture of {colours} colours shows nothing");
    assert!(
        dom.contains("0.050 s"),
        "the page stands at the frame that was asked for"
    );
    // the observable stands below each view, with its value at this time
    assert_eq!(dom.matches("class=\"trace\"").count(), 2);
    assert!(
        dom.contains("drift \"&lt;of all&gt;\":</span><span class=\"value\">−0.002 m</span>"),
        "no value of the observable"
    );
}

fn settings(moments: StillTimes) -> StripSettings {
    StripSettings {
        moments,
        quantity: ColourBy::Speed,
        contacts: true,
        view: [30.0, 15.0],
    }
}

#[test]
fn a_strip_has_a_row_per_cell_a_still_per_moment_and_a_scale() {
    let (replay, _) = recorded(12, 31, Limits::every(1));
    let row = |method| StripRow {
        scene: "rain & snow",
        method,
        replay: &replay,
        ending: None,
    };
    let moments = StillTimes::Times(vec![0.0, 0.25, 0.5]);
    let drawn = strip::draw(
        "A title",
        &[row("one"), row("two")],
        &settings(moments.clone()),
    );
    let drawn = drawn.expect("a strip");
    for text in [
        ">one   rain &amp; snow<",
        ">two   rain &amp; snow<",
        ">speed [m/s]<",
        "<title>A title<",
    ] {
        assert!(drawn.svg.contains(text), "{text}");
    }
    for time in [">0.00 s<", ">0.25 s<", ">0.50 s<"] {
        assert_eq!(drawn.svg.matches(time).count(), 2, "{time}");
    }
    // six of twelve bodies are boxes, of which three faces at most are seen, and at least one
    assert_eq!(drawn.svg.matches("overflow=\"hidden\"").count(), 6);
    assert!(drawn.svg.matches("<circle").count() >= 2 * 3 * 6);
    assert!(drawn.png.starts_with(b"\x89PNG"));
    let again = strip::draw("A title", &[row("one"), row("two")], &settings(moments));
    assert_eq!(again.expect("a strip"), drawn);
    let even = strip::draw("", &[row("one")], &settings(StillTimes::Count(4))).expect("a strip");
    assert_eq!(even.svg.matches("overflow=\"hidden\"").count(), 4);
    let none = strip::draw("", &[], &settings(StillTimes::Count(4))).expect("a strip");
    assert!(none.svg.contains("no recorded cell is chosen"));
}

#[test]
fn places_beyond_all_bounds_give_a_replay_that_can_be_read() {
    for far in [1e20, 1e40, 1e308, f64::MAX] {
        let mut start = state(3, 0.0);
        start.positions[1] = Vector3::new(far, 0.0, 0.0);
        start.positions[2] = Vector3::new(-far, far, 0.0);
        let mut recorder = Recorder::new(stage(3), start.clone(), Limits::every(1));
        start.time = 0.5;
        start.positions[3] = Vector3::new(0.0, -far, f64::NAN);
        recorder.keep(start);
        let (_, bytes) = recorder.finish().expect("packed");
        let replay = Replay::from_bytes(&bytes).expect("a whole replay");
        assert_eq!(replay.frames.len(), 2, "{far:e}");
        let grid = replay.header.grid;
        assert!(
            grid.step.iter().chain(&grid.low).all(|x| x.is_finite()),
            "{far:e}"
        );
        let page = page::render(
            "far",
            &[PageCell {
                scene: "far",
                method: "any",
                bytes: &bytes,
                ending: None,
                series: None,
            }],
            &[],
        );
        assert!(page.contains("far"));
    }
}
