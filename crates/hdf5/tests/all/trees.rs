//! Trees are written and read again.

use delassus_hdf5::{
    Array, Charset, Group, Node, Padding, Type, ValueError, WriteError, read, write,
};
use proptest::prelude::*;

fn sample() -> Group<'static> {
    let mut inner = Group::default();
    inner.add("x", Array::f64s(&[0.1, -0.0, f64::NAN, f64::MAX]));
    inner.add("n", Array::i32s(&[3]));
    inner.add("text", Array::text(b"a \xa8 text"));
    inner.add_attribute("rank", Array::i32s(&[7]));
    inner.add_attribute("truth", Array::new(Vec::new(), Type::Boolean, vec![1]));
    let mut root = Group::default();
    root.add_group("inner", inner);
    root.add_group("empty", Group::default());
    root.add("grid", Array::new(vec![2, 3], Type::F64, vec![1; 48]));
    root.add("nothing", Array::f64s(&[]));
    root
}

#[test]
fn a_tree_is_read_as_it_was_written() {
    let root = sample();
    let bytes = write(&root).unwrap();
    let read = read(&bytes).unwrap();
    let array = |path: &str| read.dataset(path).unwrap().array.clone();
    let bits = |values: Vec<f64>| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let expected = vec![0.1, -0.0, f64::NAN, f64::MAX];
    assert_eq!(bits(array("inner/x").to_f64s().unwrap()), bits(expected));
    assert_eq!(array("inner/n").to_i32(), Ok(3));
    assert_eq!(array("inner/text").to_text(), Ok(&b"a \xa8 text"[..]));
    assert_eq!(array("grid").shape, [2, 3]);
    assert!(array("nothing").to_f64s().unwrap().is_empty());
    assert!(read.group("empty").unwrap().children.is_empty());
    let facts = &read.group("inner").unwrap().attributes;
    assert_eq!((&*facts[0].name, facts[0].array.to_i32()), ("rank", Ok(7)));
    assert_eq!(facts[1].array.kind, Type::Boolean);
    // equal trees give equal bytes, and what was read is written to the same bytes
    assert_eq!(write(&root).unwrap(), bytes);
    assert_eq!(write(&read).unwrap(), bytes);
}

#[test]
fn objects_are_sorted_by_name() {
    let mut root = Group::default();
    for k in (0..256).rev() {
        root.add(format!("{k:03}"), Array::i32s(&[k]));
    }
    let bytes = write(&root).unwrap();
    let read = read(&bytes).unwrap();
    for (k, child) in (0..).zip(&read.children) {
        assert_eq!(child.name, format!("{k:03}"));
        let Node::Dataset(dataset) = &child.node else {
            panic!("{} is no dataset", child.name);
        };
        assert_eq!(dataset.array.to_i32(), Ok(k));
    }
    root.add("one more", Array::i32s(&[1]));
    let crowded = write(&root);
    assert!(matches!(
        crowded,
        Err(WriteError::Crowded { count: 257, .. })
    ));
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let with = |name: &'static str, array: Array<'static>| {
        let mut root = Group::default();
        root.add(name, array);
        write(&root)
    };
    for name in ["", ".", "a/b", "zero\0"] {
        let refused = with(name, Array::i32s(&[1]));
        assert!(matches!(refused, Err(WriteError::Name { .. })), "{name:?}");
    }
    let short = Array::new(vec![3], Type::F64, vec![0; 23]);
    let expected = WriteError::Bytes {
        name: "a".to_owned(),
        found: 23,
        expected: 24,
    };
    assert_eq!(with("a", short), Err(expected));
    let huge = Array::new(vec![u64::MAX, 2], Type::F64, vec![]);
    assert!(matches!(
        with("a", huge),
        Err(WriteError::Bytes {
            expected: u64::MAX,
            ..
        })
    ));
    let charset = Charset::Utf8;
    let variable = Array::new(vec![], Type::VariableText { charset }, vec![65]);
    assert!(matches!(with("a", variable), Err(WriteError::Type { .. })));
    let mut twice = sample();
    twice.add("grid", Array::i32s(&[1]));
    assert!(matches!(write(&twice), Err(WriteError::Twice { .. })));
    let mut large = Group::default();
    large.add_attribute("large", Array::f64s(&[0.0; 10_000]));
    assert!(matches!(write(&large), Err(WriteError::Large { .. })));
}

#[test]
fn texts_end_as_their_type_says() {
    let text = |padding: Padding, bytes: &'static [u8]| {
        let kind = Type::Text {
            length: u32::try_from(bytes.len()).expect("a short text"),
            padding,
            charset: Charset::Ascii,
        };
        let array = Array::new(vec![1], kind, bytes);
        array.to_text().map(<[u8]>::to_vec).unwrap()
    };
    assert_eq!(text(Padding::NullTerminated, b"ab\0c"), b"ab");
    assert_eq!(text(Padding::NullTerminated, b"abcd"), b"abcd");
    assert_eq!(text(Padding::Null, b"a\0b\0\0"), b"a\0b");
    assert_eq!(text(Padding::Space, b"a b  "), b"a b");
    assert_eq!(text(Padding::Space, b"   "), b"");
}

#[test]
fn texts_come_back_whatever_they_end_with() {
    for text in [&b""[..], b"ab", b"ab  ", b"a\0b", b"ab\0", b"\0 ", b"\0"] {
        let mut root = Group::default();
        root.add("text", Array::text(text));
        let bytes = write(&root).unwrap();
        let root = read(&bytes).unwrap();
        assert_eq!(root.dataset("text").unwrap().array.to_text(), Ok(text));
    }
}

#[test]
fn wrong_questions_are_answered_with_errors() {
    let bytes = write(&sample()).unwrap();
    let root = read(&bytes).unwrap();
    let missing = ValueError::Missing {
        path: "inner/y".to_owned(),
    };
    assert_eq!(root.dataset("inner/y").err(), Some(missing));
    assert!(matches!(
        root.dataset("inner"),
        Err(ValueError::Kind { .. })
    ));
    assert!(matches!(root.group("grid"), Err(ValueError::Kind { .. })));
    assert!(root.get("grid/x").is_none());
    let array = |path: &str| &root.dataset(path).unwrap().array;
    assert!(matches!(
        array("grid").to_i32s(),
        Err(ValueError::Type { .. })
    ));
    assert!(matches!(
        array("inner/n").to_f64s(),
        Err(ValueError::Type { .. })
    ));
    assert!(matches!(
        array("inner/n").to_text(),
        Err(ValueError::Type { .. })
    ));
    assert!(matches!(
        array("grid").to_text(),
        Err(ValueError::Count { found: 6, .. })
    ));
}

fn arrays() -> impl Strategy<Value = Array<'static>> {
    prop_oneof![
        prop::collection::vec(any::<i32>(), 0..20).prop_map(|v| Array::i32s(&v)),
        prop::collection::vec(any::<u64>(), 0..20).prop_map(|bits| {
            let values: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
            Array::f64s(&values)
        }),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|text| Array::text(&text)),
    ]
}

/// Groups in groups; names are numbers.
fn groups() -> impl Strategy<Value = Group<'static>> {
    let leaf = Just(Group::default());
    leaf.prop_recursive(3, 24, 4, |inner| {
        let parts = (
            prop::collection::vec(arrays(), 0..12),
            prop::collection::vec(arrays(), 0..4),
            prop::collection::vec(inner, 0..4),
        );
        parts.prop_map(|(datasets, attributes, groups)| {
            let mut group = Group::default();
            for (k, array) in datasets.into_iter().enumerate() {
                group.add(format!("dataset {k:02}"), array);
            }
            for (k, array) in attributes.into_iter().enumerate() {
                group.add_attribute(format!("attribute {k:02}"), array);
            }
            for (k, inner) in groups.into_iter().enumerate() {
                group.add_group(format!("group {k:02}"), inner);
            }
            group
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_trees_are_read_as_they_were_written(root in groups()) {
        let bytes = write(&root).unwrap();
        let read = read(&bytes).unwrap();
        // the places in the file are the only difference, which writing does not see
        prop_assert_eq!(&write(&read).unwrap(), &bytes);
        prop_assert_eq!(placeless(read), root);
    }
}

/// The tree without places.
fn placeless(mut group: Group<'_>) -> Group<'_> {
    group.offset = 0;
    for attribute in &mut group.attributes {
        attribute.array.offset = 0;
    }
    for child in &mut group.children {
        match &mut child.node {
            Node::Group(inner) => **inner = placeless(std::mem::take(inner)),
            Node::Dataset(dataset) => dataset.array.offset = 0,
            Node::Other { .. } => {}
        }
    }
    group
}
