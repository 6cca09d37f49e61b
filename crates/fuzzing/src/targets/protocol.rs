//! What a run hears from the process of a cell.

use delassus_runner::isolate::protocol::{CellReply, Reply, Setup, WorkerRequest};

use crate::bounded::bounded_with_room;

/// The bytes as replies, as lines for a worker, and as parts of an answer.
pub(crate) fn meet(bytes: &[u8]) {
    let mut from = bytes;
    // an error ends the process of the cell, and with it the pipe
    while let Ok(Some(reply)) = bounded_with_room(bytes, || Reply::read(&mut from)) {
        comes_back(&reply);
    }
    let _ = serde_json::from_slice::<Setup>(bytes);
    if let Ok(ask) = serde_json::from_slice::<WorkerRequest>(bytes) {
        let line = serde_json::to_vec(&ask).expect("a question is JSON");
        let again: WorkerRequest = serde_json::from_slice(&line).expect("what is written is read");
        assert!(again == ask, "another question");
    }
    let mut parts = bytes.splitn(3, |byte| *byte == b'|').map(<[u8]>::to_vec);
    comes_back(&Reply::Done(CellReply {
        record: parts.next().unwrap_or_default(),
        replay: parts.next(),
        impulses: parts.next(),
    }));
}

fn comes_back(reply: &Reply) {
    let mut written = Vec::new();
    reply.write(&mut written).expect("memory");
    let mut from = written.as_slice();
    let again = Reply::read(&mut from).expect("what is written is read");
    assert!(again.as_ref() == Some(reply), "another reply");
    assert!(from.is_empty(), "{} bytes are left", from.len());
}
