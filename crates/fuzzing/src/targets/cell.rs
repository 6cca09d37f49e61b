//! Files of cells, and what a report makes of the records in them.

use delassus_records::record::CellRecord;
use delassus_records::store::{self, StoredCell};

use super::shown;
use crate::bounded::bounded_with_room;

/// The bytes as a file, and, because no mutation keeps a checksum right, as the record in one.
pub(crate) fn meet(bytes: &[u8]) {
    let _ = store::cell_of(bytes, "");
    let _ = store::schema_of(bytes);
    let _ = store::names_in(bytes);
    let (file, _) = store::cell_file(bytes);
    let _ = store::names_in(&file);
    let Ok(record) = serde_json::from_slice::<CellRecord>(bytes) else {
        let whole = matches!(store::cell_of(&file, ""), StoredCell::Cell(_));
        assert!(!whole, "a file whose record is none");
        return;
    };
    let kept = bounded_with_room(bytes, || store::cell_of(&file, &record.key));
    let StoredCell::Cell(kept) = kept else {
        // a sample without a value for each metric
        return;
    };
    assert!(*kept == record, "what is kept is another record");
    let json = serde_json::to_vec(&record).expect("a record is JSON");
    let again: CellRecord = serde_json::from_slice(&json).expect("what is written is read");
    assert!(again == record, "a round trip changes the record");
    bounded_with_room(bytes, || shown::everything(vec![record]));
}
