//! Files made to exhaust their readers.

use delassus_hdf5::{Array, ArrayData, Group, ReadError, Type, read, write};

use crate::mutations::bounded;

/// A group whose tree refers `lists` times to one list of `objects` objects, each of which has a
/// long name.
fn shared_list(lists: u16, objects: u16) -> Vec<u8> {
    let header: u64 = 96;
    let tree = header + 40;
    let list = tree + 24 + 16 * u64::from(lists) + 8;
    let heap = list + 8 + 40 * u64::from(objects);
    let names = heap + 32;
    let mut bytes = delassus_hdf5::SIGNATURE.to_vec();
    bytes.extend([0, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0]);
    let numbers = |bytes: &mut Vec<u8>, numbers: &[u64]| {
        numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    };
    numbers(&mut bytes, &[0, u64::MAX, 0, u64::MAX, 0, header, 0, 0, 0]);
    bytes.truncate(96);
    bytes.extend([1, 0, 1, 0, 1, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([0x11, 0, 16, 0, 0, 0, 0, 0]);
    numbers(&mut bytes, &[tree, heap]);
    bytes.extend(b"TREE\0\0");
    bytes.extend(lists.to_le_bytes());
    numbers(&mut bytes, &[u64::MAX, u64::MAX]);
    for _ in 0..lists {
        numbers(&mut bytes, &[0, list]);
    }
    numbers(&mut bytes, &[0]);
    bytes.extend(b"SNOD\x01\0");
    bytes.extend(objects.to_le_bytes());
    for _ in 0..objects {
        numbers(&mut bytes, &[8, header, 0, 0, 0]);
    }
    bytes.extend(b"HEAP\0\0\0\0");
    numbers(&mut bytes, &[264, 1, names]);
    bytes.extend([0; 8]);
    bytes.extend([b'n'; 250]);
    bytes.extend([0; 6]);
    bytes
}

#[test]
fn one_list_for_many_groups_is_refused() {
    for (lists, objects) in [(1, 1), (1, 1000), (1000, 1), (1000, 1000)] {
        let bytes = shared_list(lists, objects);
        let error = bounded(&bytes).unwrap_err();
        assert!(
            matches!(
                error,
                ReadError::Overlap { .. } | ReadError::Malformed { .. }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_group_in_itself_is_refused() {
    let mut inner = Group::default();
    inner.add_group("again", Group::default());
    let bytes = write(&inner).unwrap();
    // the entry of "again" leads to the root group
    let root = u64::from_le_bytes(bytes[64..72].try_into().unwrap());
    let list = bytes.windows(4).rposition(|four| four == b"SNOD").unwrap();
    let mut cycle = bytes.clone();
    cycle[list + 16..list + 24].copy_from_slice(&root.to_le_bytes());
    assert!(bounded(&cycle).is_err());
}

#[test]
fn groups_nested_too_deeply_are_refused() {
    let nested = |depth: usize| {
        let mut group = Group::default();
        for _ in 0..depth {
            let mut outer = Group::default();
            outer.add_group("g", group);
            group = outer;
        }
        write(&group).unwrap()
    };
    assert!(read(&nested(32)).is_ok());
    let error = read(&nested(33)).unwrap_err();
    assert!(matches!(error, ReadError::Malformed { what: "groups", .. }));
}

/// A file with the dataset `x`, its bytes, and where the extent of its shape and its address and
/// length stand.
fn dataset() -> (Vec<u8>, usize, usize) {
    let mut root = Group::default();
    root.add("x", Array::f64s(&[1.0; 100]));
    let bytes = write(&root).unwrap();
    let offset = read(&bytes).unwrap().dataset("x").unwrap().array.offset;
    // prefix of the header; shape; type; fill value; layout: after a prefix each
    let shape = offset + 16 + 8 + 8;
    let layout = offset + 16 + (8 + 16) + (8 + 24) + (8 + 8) + 8 + 2;
    (bytes, shape, layout)
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

#[test]
fn sizes_beyond_the_file_are_refused() {
    let (bytes, shape, layout) = dataset();
    assert_eq!(bytes[shape..shape + 8], 100u64.to_le_bytes());
    assert_eq!(bytes[layout + 8..layout + 16], 800u64.to_le_bytes());
    for count in [101, 1 << 20, 1 << 40, u64::MAX / 8, u64::MAX] {
        let mut longer = bytes.clone();
        put(&mut longer, shape, count);
        assert!(bounded(&longer).is_err(), "{count}");
        // also where its length agrees, or it was never written
        put(&mut longer, layout + 8, count.wrapping_mul(8));
        bounded(&longer).err();
        put(&mut longer, layout, u64::MAX);
        if count > 1 << 10 {
            let root = read(&longer).unwrap();
            let content = &root.dataset("x").unwrap().array.content;
            assert!(matches!(content, ArrayData::Unsupported(_)), "{content:?}");
        }
        bounded(&longer).unwrap();
    }
}

#[test]
fn addresses_beyond_the_file_are_refused() {
    let (bytes, _, layout) = dataset();
    for address in [
        bytes.len() as u64,
        bytes.len() as u64 - 8,
        1 << 50,
        u64::MAX - 1,
    ] {
        let mut moved = bytes.clone();
        put(&mut moved, layout, address);
        let error = bounded(&moved).unwrap_err();
        assert!(matches!(error, ReadError::Truncated { .. }), "{error}");
    }
}

#[test]
fn datasets_on_the_same_bytes_are_refused() {
    // a dataset of 8000 bytes and 40 of 8, which are then said to be the first one
    let mut root = Group::default();
    root.add("00", Array::f64s(&[0.5; 1000]));
    for k in 1..=40 {
        root.add(format!("{k:02}"), Array::f64s(&[1.0]));
    }
    let bytes = write(&root).unwrap();
    let tree = read(&bytes).unwrap();
    let offset = |k: usize| tree.dataset(&format!("{k:02}")).unwrap().array.offset;
    let shape = |offset: usize| offset + 16 + 8 + 8;
    let layout = |offset: usize| offset + 16 + (8 + 16) + (8 + 24) + (8 + 8) + 8 + 2;
    let first = layout(offset(0));
    let place = bytes[first..first + 16].to_vec();
    let mut shared = bytes.clone();
    for k in 1..=40 {
        put(&mut shared, shape(offset(k)), 1000);
        shared[layout(offset(k))..][..16].copy_from_slice(&place);
    }
    let error = bounded(&shared).unwrap_err();
    assert!(matches!(error, ReadError::Overlap { .. }), "{error}");
}

#[test]
fn elements_without_a_size_do_not_divide_by_it() {
    let (mut bytes, _, layout) = dataset();
    // a text of no bytes, in chunks
    let kind = layout - 2 - 8 - (8 + 8) - 24;
    bytes[kind] = 0x13;
    bytes[kind + 4..kind + 8].fill(0);
    bytes[layout - 1] = 2;
    bounded(&bytes).ok();
    let none = Array::new(
        vec![3],
        Type::Text {
            length: 0,
            padding: delassus_hdf5::Padding::Null,
            charset: delassus_hdf5::Charset::Ascii,
        },
        vec![],
    );
    let mut root = Group::default();
    root.add("none", none);
    assert!(write(&root).is_err());
}
