//! Files of recorded motion, the strips and the pages that are made of them.

use delassus_replay::Replay;
use delassus_replay::page::{self, PageCell};
use delassus_replay::strip::{self, StillTimes, StripRow, StripSettings};

use super::names::assert_well_formed;
use crate::bounded::bounded_with_room;

/// The bytes as a file, and, because no mutation keeps a checksum right or a stream whole, as the
/// header and the columns of one.
pub(crate) fn meet(bytes: &[u8]) {
    let _ = Replay::check(bytes);
    if let Ok(replay) = bounded_with_room(bytes, || Replay::from_bytes(bytes)) {
        use_it(&replay);
    }
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let header = parts.next().unwrap_or_default();
    let columns = parts.next().unwrap_or_default();
    let file = delassus_replay::sealed(header, columns).expect("memory");
    if let Ok(replay) = bounded_with_room(bytes, || Replay::from_bytes(&file)) {
        use_it(&replay);
    }
}

fn use_it(replay: &Replay) {
    let written = replay.to_bytes().expect("memory");
    let again = Replay::from_bytes(&written).expect("what is written is read");
    let twice = again.to_bytes().expect("memory");
    assert!(twice == written, "a round trip changes the replay");
    let _ = replay.nearest(0.5);
    let row = StripRow {
        scene: "scene",
        method: "method",
        replay,
        ending: Some("diverged"),
    };
    let settings = StripSettings {
        moments: StillTimes::Count(2),
        quantity: Default::default(),
        contacts: true,
        view: [30.0, 15.0],
    };
    if let Ok(drawn) = strip::draw("strip", &[row], &settings) {
        assert_well_formed(&drawn.svg);
    }
    let cell = PageCell {
        scene: "scene",
        method: "method",
        bytes: &written,
        ending: None,
        series: None,
    };
    let page = page::render("page", &[cell], &[]);
    assert!(page.contains("class=\"cell\""), "a page without its cell");
}
