//! What views of recorded motion show: joints, and motions that have left the scene.

use delassus_replay::colour::ColourBy;
use delassus_replay::stage::{JointLine, MotionKind, SceneGeometry, SceneSolid, SolidShape};
use delassus_replay::strip::{self, StillTimes, StripRow, StripSettings};
use delassus_replay::{FrameState, Limits, Recorder, Replay};
use nalgebra::{UnitQuaternion, Vector3};

fn settings(moments: StillTimes) -> StripSettings {
    StripSettings {
        moments,
        quantity: ColourBy::Speed,
        contacts: false,
        view: [30.0, 15.0],
    }
}

/// A ball on a rope from the ceiling, one unit per frame to the side; at 1e30 from a frame on, and
/// nowhere at the last one.
fn on_a_rope(leaves: Option<u32>) -> Replay {
    let solid = |body, radius| SceneSolid {
        body,
        form: SolidShape::Sphere { radius },
        position: [0.0; 3],
        orientation: [0.0, 0.0, 0.0, 1.0],
    };
    let stage = SceneGeometry {
        bodies: vec![MotionKind::Static, MotionKind::Dynamic],
        solids: vec![solid(1, 0.1)],
        links: vec![JointLine {
            bodies: [0, 1],
            anchors: [[0.0, 5.0, 0.0], [0.0, 0.1, 0.0]],
        }],
    };
    let at = |frame: u32| {
        let gone = leaves.is_some_and(|leaves| frame >= leaves);
        let x = 0.1 * f64::from(frame);
        let (x, speed) = if gone { (1e30, 1e30) } else { (x, 1.0 + x) };
        let (x, speed) = if gone && frame == 9 {
            (f64::NAN, f64::NAN)
        } else {
            (x, speed)
        };
        FrameState {
            time: 0.1 * f64::from(frame),
            positions: vec![Vector3::zeros(), Vector3::new(x, 0.0, 0.0)],
            orientations: vec![UnitQuaternion::identity(); 2],
            speeds: vec![0.0, speed],
            ..FrameState::default()
        }
    };
    let mut recorder = Recorder::new(stage, at(0), Limits::every(1));
    for frame in 1..10 {
        recorder.keep(at(frame));
    }
    recorder.finish().expect("a replay").0
}

#[test]
fn a_view_shows_the_anchors_of_joints() {
    let replay = on_a_rope(None);
    let [low, high] = replay.header.view;
    assert!(high[1] >= 5.0, "{high:?}");
    // the ball, a fiftieth of the rope in size, is followed to where it swings
    assert!(low[0] <= -0.1 && high[0] >= 0.9, "{low:?} {high:?}");
    let row = StripRow {
        scene: "rope",
        method: "m",
        replay: &replay,
        ending: None,
    };
    let drawn = strip::draw("", &[row], &settings(StillTimes::Count(2))).expect("a strip");
    // both ends of the rope are inside of the still, 488 px wide
    let lines = drawn.svg.split("fill=\"none\" stroke=\"#3c3c3c\"");
    let ends = lines.filter_map(|part| part.rsplit_once("<path d=\"M")?.1.strip_suffix("\" "));
    let mut count = 0;
    for end in ends.flat_map(|path| path.split('L')) {
        let (x, y) = end.split_once(' ').expect("two numbers");
        let (x, y): (f64, f64) = (x.parse().expect("x"), y.parse().expect("y"));
        assert!(
            (12.0..=988.0).contains(&x) && (12.0..=900.0).contains(&y),
            "{end}"
        );
        count += 1;
    }
    assert!(count >= 4, "{count}");
}

#[test]
fn a_motion_that_diverged_spoils_no_view_and_no_scale() {
    let (calm, wild) = (on_a_rope(None), on_a_rope(Some(6)));
    // what left the scene is in no scale, and what is not finite is drawn as it was last
    assert!(wild.header.speed.top < 2.0, "{:?}", wild.header.speed);
    assert!(wild.header.view.iter().flatten().all(|x| x.abs() < 10.0));
    let [last, before] = [9, 8].map(|frame| &wild.frames[frame]);
    assert_eq!(last.places, before.places);
    assert_eq!((last.speeds[1], before.speeds[1]), (255, 255));
    let row = |replay, ending| StripRow {
        scene: "rope",
        method: "m",
        replay,
        ending,
    };
    let stills = settings(StillTimes::Times(vec![0.0, 0.5, 0.9]));
    let ending = Some("diverged after 0.9 s");
    let both = strip::draw("", &[row(&calm, None), row(&wild, ending)], &stills);
    let both = both.expect("a strip").svg;
    assert!(both.contains("m   rope   diverged after 0.9 s<"), "{both}");
    assert!(both.contains(">0.90 s, 1 out of view<"), "{both}");
    assert_eq!(both.matches("out of view").count(), 1);
    assert!(both.contains("scale of the motions that came to their end<"));
    assert!(!both.contains("NaN") && !both.contains("inf"));
    // the row that came to its end is drawn as without the other, on the same scale
    let alone = strip::draw("", &[row(&calm, None)], &stills)
        .expect("a strip")
        .svg;
    let first = |svg: &str| {
        let still = svg.split("overflow=\"hidden\"").nth(3).expect("a still");
        still.split("</svg>").next().expect("its end").to_owned()
    };
    assert_eq!(first(&both), first(&alone));
    assert!(alone.contains(">1.9<") && both.contains(">1.9<"), "{alone}");
    let wild = strip::draw("", &[row(&wild, ending)], &stills)
        .expect("a strip")
        .svg;
    assert!(!wild.contains("NaN") && !wild.contains("scale of the motions"));
}
