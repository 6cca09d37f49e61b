//! Manifolds that the host gives the device as those of the frame before.

use delassus_collide::{MAX_POINTS, PairCache};
use nalgebra::Vector3;

use super::{Finder, Room};
use crate::error::CollisionError;
use crate::records::{Manifold, NONE, Point};
use crate::scene::{UploadedScene, triple, word};

/// State of a pair of colliders from the previous frame.
#[derive(Debug, Clone, PartialEq)]
pub struct PairState {
    /// Colliders A and B, ascending.
    pub colliders: [u32; 2],
    /// Its axis.
    pub memory: PairCache,
    /// Per point, at most four: where it was in the axes of either collider \[m\], and its feature.
    pub points: Vec<([Vector3<f64>; 2], u64)>,
}

impl Finder {
    /// Uploads the states of pairs; returns the index of each.
    pub(super) fn remember(
        &mut self,
        loaded: &UploadedScene,
        manifolds: &[PairState],
    ) -> Result<Vec<usize>, CollisionError> {
        let mut sorted = Vec::with_capacity(manifolds.len());
        for (index, manifold) in manifolds.iter().enumerate() {
            sorted.push((record(loaded, manifold)?, index));
        }
        sorted.sort_unstable_by_key(|(record, _)| (record.owner, record.partner));
        let (records, order): (Vec<Manifold>, Vec<usize>) = sorted.into_iter().unzip();
        let mut starts = Vec::with_capacity(loaded.solids.len() + 1);
        let mut next = 0;
        for collider in 0..=loaded.solids.len() {
            while records
                .get(next)
                .is_some_and(|r| (r.owner as usize) < collider)
            {
                next += 1;
            }
            starts.push(word("manifolds", next)?);
        }
        if records.len() > self.room.manifolds {
            let room = Room {
                manifolds: records.len() + records.len() / 4,
                ..self.room
            };
            self.grow(loaded, room)?;
        }
        let Some(resident) = &self.resident else {
            return Ok(order);
        };
        let buffers = &resident.buffers;
        if !records.is_empty() {
            buffers.manifolds[resident.before].write_at(&self.device, 0, &records)?;
        }
        buffers.starts[resident.before].write(&self.device, &starts)?;
        Ok(order)
    }
}

fn record(loaded: &UploadedScene, manifold: &PairState) -> Result<Manifold, CollisionError> {
    let most = loaded.solids.len();
    for collider in manifold.colliders {
        if collider as usize >= most {
            return Err(CollisionError::Length {
                what: "colliders of a manifold",
                found: collider as usize,
                expected: most,
            });
        }
    }
    if manifold.points.len() > MAX_POINTS {
        return Err(CollisionError::Length {
            what: "points of a manifold",
            found: manifold.points.len(),
            expected: MAX_POINTS,
        });
    }
    let [owner, partner] = loaded.owner_first(manifold.colliders);
    let mut record = Manifold {
        owner,
        partner,
        count: word("points", manifold.points.len())?,
        axis: manifold.memory.axis,
        previous: [NONE; 4],
        earlier: NONE,
        ..Manifold::default()
    };
    for (to, (places, feature)) in record.points.iter_mut().zip(&manifold.points) {
        *to = Point {
            on_a: triple(&places[0]),
            separation: 0.0,
            on_b: triple(&places[1]),
            // a name of the host that is longer is none here: its point is matched by place
            feature: u32::try_from(*feature).unwrap_or(0),
        };
    }
    Ok(record)
}
