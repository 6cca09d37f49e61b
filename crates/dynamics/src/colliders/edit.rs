//! Colliders that come and go between frames.

use delassus_collide::{Collider, Geometry};
use nalgebra::Isometry3;

use super::Colliders;
use super::apart::{pairs, pairs_apart};
use crate::error::FieldError;
use crate::neighbours::{compound, neighbours};

impl Colliders {
    /// No collider.
    pub(crate) fn empty() -> Self {
        Self {
            plain: true,
            ..Self::default()
        }
    }

    /// Adds a valid collider at the end.
    pub(crate) fn push(&mut self, collider: Collider) -> Result<(), FieldError> {
        let geometry = Geometry::new(&collider.shape).map_err(|error| error.within("shape"))?;
        let has_others = self.list.iter().any(|other| other.body == collider.body);
        let placement = collider.placement();
        self.extents.push(geometry.extent());
        self.geometries.push(geometry);
        self.centred.push(placement == Isometry3::identity());
        self.placements.push(placement);
        self.plain &= collider.material.is_plain();
        self.list.push(collider);
        self.neighbours.push(Vec::new());
        self.compound.push(false);
        if has_others {
            self.compound = compound(&self.list);
            self.neighbours = neighbours(&self.list, &self.geometries, &self.placements);
        }
        Ok(())
    }

    /// Takes the colliders of a body out, which is removed: bodies and colliders behind them move
    /// up. Returns where each collider is now.
    pub(crate) fn remove_body(&mut self, body: usize) -> Vec<Option<u32>> {
        let stays: Vec<bool> = self.list.iter().map(|own| own.body != body).collect();
        let mut next = 0;
        let now: Vec<Option<u32>> = stays
            .iter()
            .map(|stays| {
                next += u32::from(*stays);
                stays.then(|| next - 1)
            })
            .collect();
        keep(&mut self.list, &stays);
        keep(&mut self.geometries, &stays);
        keep(&mut self.placements, &stays);
        keep(&mut self.centred, &stays);
        keep(&mut self.extents, &stays);
        keep(&mut self.neighbours, &stays);
        keep(&mut self.compound, &stays);
        let moved = |index: u32| now.get(index as usize).copied().flatten();
        for near in self.neighbours.iter_mut().flatten() {
            // neighbours are of the same body
            *near = moved(*near).unwrap_or(*near);
        }
        for collider in &mut self.list {
            collider.body -= usize::from(collider.body > body);
        }
        self.plain = self.list.iter().all(|own| own.material.is_plain());
        self.settings.apart.retain(|pair| !pair.contains(&body));
        for other in self.settings.apart.iter_mut().flatten() {
            *other -= usize::from(*other > body);
        }
        for events in [&mut self.events.begun, &mut self.events.ended] {
            let both = |[a, b]: [u32; 2]| Some([moved(a)?, moved(b)?]);
            *events = events.drain(..).filter_map(both).collect();
        }
        now
    }

    /// Finds the pairs that do not touch; `joined` are the bodies of every joint.
    pub(crate) fn set_apart<'a>(&mut self, joined: impl Iterator<Item = &'a [usize]>) {
        let touches = !self.list.is_empty();
        self.apart = pairs_apart(&self.settings, joined.filter(|_| touches));
    }

    /// Keeps the bodies of a new joint apart.
    pub(crate) fn join(&mut self, bodies: &[usize]) {
        if self.list.is_empty() {
            return;
        }
        for pair in pairs(bodies) {
            if let Err(place) = self.apart.binary_search(&pair) {
                self.apart.insert(place, pair);
            }
        }
    }
}

fn keep<T>(list: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    list.retain(|_| stays.next().is_none_or(|stays| *stays));
}
