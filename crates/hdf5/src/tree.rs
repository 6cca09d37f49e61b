//! Groups and what is in them.

use std::borrow::Cow;

use crate::array::Array;
use crate::error::ValueError;

/// A group: named objects and attributes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group<'a> {
    /// Its objects in the order of the file (old-style files sort them by name).
    pub children: Vec<Child<'a>>,
    /// Its attributes in the order of the file.
    pub attributes: Vec<Attribute<'a>>,
    /// Where it lies in the file it was read from \[bytes\].
    pub offset: usize,
}

/// An object and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Child<'a> {
    /// The name, without slashes.
    pub name: Cow<'a, str>,
    /// The object.
    pub node: Node<'a>,
}

/// What a group holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<'a> {
    /// Another group.
    Group(Box<Group<'a>>),
    /// An array.
    Dataset(Box<Dataset<'a>>),
    /// An object of another kind, such as a named type.
    Other {
        /// Where it lies \[bytes\].
        offset: usize,
    },
}

/// An array with attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset<'a> {
    /// Shape, type and numbers.
    pub array: Array<'a>,
    /// Its attributes in the order of the file.
    pub attributes: Vec<Attribute<'a>>,
}

/// A named array of a group or dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// Shape, type and numbers.
    pub array: Array<'a>,
}

impl<'a> Group<'a> {
    /// The object at `path`, names with slashes between.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Node<'a>> {
        let (name, rest) = match path.split_once('/') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        let child = self.children.iter().find(|child| child.name == name)?;
        match (&child.node, rest) {
            (node, None) => Some(node),
            (Node::Group(group), Some(rest)) => group.get(rest),
            _ => None,
        }
    }

    /// The group at `path`.
    ///
    /// # Errors
    /// [`ValueError::Missing`]; [`ValueError::Kind`] if it is no group.
    pub fn group(&self, path: &str) -> Result<&Group<'a>, ValueError> {
        match self.get(path) {
            Some(Node::Group(group)) => Ok(group),
            Some(node) => Err(node.is_no("group", path)),
            None => Err(ValueError::Missing { path: path.into() }),
        }
    }

    /// The dataset at `path`.
    ///
    /// # Errors
    /// [`ValueError::Missing`]; [`ValueError::Kind`] if it is no dataset.
    pub fn dataset(&self, path: &str) -> Result<&Dataset<'a>, ValueError> {
        match self.get(path) {
            Some(Node::Dataset(dataset)) => Ok(dataset),
            Some(node) => Err(node.is_no("dataset", path)),
            None => Err(ValueError::Missing { path: path.into() }),
        }
    }

    /// Adds a group and returns it.
    pub fn add_group(&mut self, name: impl Into<Cow<'a, str>>, group: Group<'a>) {
        let node = Node::Group(Box::new(group));
        let name = name.into();
        self.children.push(Child { name, node });
    }

    /// Adds an array without attributes.
    pub fn add(&mut self, name: impl Into<Cow<'a, str>>, array: Array<'a>) {
        let attributes = Vec::new();
        let node = Node::Dataset(Box::new(Dataset { array, attributes }));
        let name = name.into();
        self.children.push(Child { name, node });
    }

    /// Adds an attribute of the group itself.
    pub fn add_attribute(&mut self, name: impl Into<Cow<'a, str>>, array: Array<'a>) {
        let name = name.into();
        self.attributes.push(Attribute { name, array });
    }
}

impl Node<'_> {
    fn is_no(&self, expected: &'static str, path: &str) -> ValueError {
        let (offset, found) = match self {
            Self::Group(group) => (group.offset, "group"),
            Self::Dataset(dataset) => (dataset.array.offset, "dataset"),
            Self::Other { offset } => (*offset, "object of another kind"),
        };
        ValueError::Kind {
            offset: offset as u64,
            path: path.into(),
            found,
            expected,
        }
    }
}
