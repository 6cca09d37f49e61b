//! From samples to the points of a drawn line.

use super::canvas::Pixel;

/// Thins a line to about `most` points without losing its extremes.
///
/// Each of `most / 4` equal intervals of x keeps its first, lowest, highest and last point (M4
/// aggregation \[Jugel2014\]), so the drawn line covers what the full one would; x must not
/// decrease.
pub(crate) fn thin(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let buckets = (most / 4).max(1);
    if points.len() <= most || points.is_empty() {
        return points.to_vec();
    }
    let (low, high) = (points[0].0, points[points.len() - 1].0);
    let width = (high - low) / crate::numbers::count(buckets as u64);
    let mut kept = Vec::with_capacity(4 * buckets);
    let mut start = 0;
    for bucket in 1..=buckets {
        let end = if bucket == buckets {
            points.len()
        } else {
            let edge = low + width * crate::numbers::count(bucket as u64);
            start + points[start..].partition_point(|p| p.0 < edge)
        };
        let members = start..end;
        start = end;
        let Some(first) = members.clone().next() else {
            continue;
        };
        let by_y = |i: &usize, j: &usize| points[*i].1.total_cmp(&points[*j].1);
        let lowest = members.clone().min_by(by_y).unwrap_or(first);
        let highest = members.clone().max_by(by_y).unwrap_or(first);
        let mut chosen = [first, lowest, highest, members.end - 1];
        chosen.sort_unstable();
        for (i, index) in chosen.iter().enumerate() {
            if i == 0 || chosen[i - 1] != *index {
                kept.push(points[*index]);
            }
        }
    }
    kept
}

/// Drops the points that lie within `tolerance` units of the line through the kept ones
/// \[DouglasPeucker1973\].
pub(crate) fn simplify(points: &[Pixel], tolerance: i64) -> Vec<Pixel> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut keep = vec![false; points.len()];
    keep[0] = true;
    keep[points.len() - 1] = true;
    let mut open = vec![(0, points.len() - 1)];
    while let Some((from, to)) = open.pop() {
        let between = (from + 1..to).map(|i| (distance_squared(points, from, to, i), i));
        let Some((distance, worst)) = between.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "a few units")]
        let limit = (tolerance * tolerance) as f64;
        if distance > limit {
            keep[worst] = true;
            open.push((from, worst));
            open.push((worst, to));
        }
    }
    let kept = points.iter().zip(&keep).filter(|(_, keep)| **keep);
    kept.map(|(point, _)| *point).collect()
}

/// The pieces of a line between two heights, cut where it crosses them: what is far outside of a
/// canvas is drawn at its edge, and would turn the line.
pub(crate) fn clip(points: &[Pixel], top: i32, bottom: i32) -> Vec<Vec<Pixel>> {
    if let [only] = points {
        let inside = (top..=bottom).contains(&only.1);
        return Vec::from_iter(inside.then(|| vec![*only]));
    }
    let mut pieces: Vec<Vec<Pixel>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if a.1.max(b.1) < top || a.1.min(b.1) > bottom {
            open = false;
            continue;
        }
        if !open {
            pieces.push(vec![moved(a, b, top, bottom)]);
        }
        let end = moved(b, a, top, bottom);
        if let Some(piece) = pieces.last_mut() {
            piece.push(end);
        }
        open = end == b;
    }
    pieces
}

/// The point itself where it lies between the heights, else where the line to `other` enters them.
fn moved(point: Pixel, other: Pixel, top: i32, bottom: i32) -> Pixel {
    let y = point.1.clamp(top, bottom);
    if y == point.1 {
        return point;
    }
    let t = f64::from(y - point.1) / f64::from(other.1 - point.1);
    #[expect(clippy::cast_possible_truncation, reason = "between two i32")]
    let x = (f64::from(point.0) + t * f64::from(other.0 - point.0)).round() as i32;
    (x, y)
}

/// Squared distance of a point from the segment between two others.
fn distance_squared(points: &[Pixel], from: usize, to: usize, at: usize) -> f64 {
    let coordinates = |i: usize| (f64::from(points[i].0), f64::from(points[i].1));
    let ((ax, ay), (bx, by), (px, py)) = (coordinates(from), coordinates(to), coordinates(at));
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 {
        (((px - ax) * dx + (py - ay) * dy) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (ex, ey) = (px - ax - t * dx, py - ay - t * dy);
    ex * ex + ey * ey
}

/// Positions of up to `most` markers, spread evenly over the drawn length; `phase` in 0..1 shifts
/// them.
///
/// The shift keeps the markers of curves that run together apart. The last point is left to the
/// caller.
pub(crate) fn marker_places(points: &[Pixel], most: usize, spacing: f64, phase: f64) -> Vec<Pixel> {
    let segment = |pair: &[Pixel]| {
        let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        libm::hypot(f64::from(dx), f64::from(dy))
    };
    let total: f64 = points.windows(2).map(segment).sum();
    let gap = (total / crate::numbers::count(most.max(1) as u64)).max(spacing);
    let mut places = Vec::new();
    let mut next = gap * phase;
    let mut travelled = 0.0;
    for pair in points.windows(2) {
        let length = segment(pair);
        while next <= travelled + length && places.len() < most && length > 0.0 {
            let t = (next - travelled) / length;
            let between = |a: i32, b: i32| {
                #[expect(clippy::cast_possible_truncation, reason = "between two i32")]
                let at = (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as i32;
                at
            };
            // clear of the end, which has a marker of its own
            if total - next > 0.6 * spacing {
                places.push((between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1)));
            }
            next += gap;
        }
        travelled += length;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_ends_and_spikes() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 1.0)).collect();
        points[54_321].1 = 1e6;
        points[54_400].1 = -1e6;
        let thinned = thin(&points, 300);
        assert!(thinned.len() <= 300);
        assert!(thinned.contains(&points[54_321]) && thinned.contains(&points[54_400]));
        assert_eq!(thinned.first(), points.first());
        assert_eq!(thinned.last(), points.last());
        assert!(thinned.windows(2).all(|p| p[0].0 <= p[1].0));
    }

    #[test]
    fn thinning_copes_with_one_abscissa() {
        let points = vec![(1.0, 2.0); 1000];
        assert!(thin(&points, 40).len() <= 40);
        assert!(thin(&[], 40).is_empty());
    }

    #[test]
    fn straight_lines_need_two_points() {
        let line: Vec<Pixel> = (0..100).map(|i| (i * 10, i * 20)).collect();
        assert_eq!(simplify(&line, 1), [line[0], line[99]]);
        let bent = [(0, 0), (50, 0), (100, 0), (100, 100)];
        assert_eq!(simplify(&bent, 1), [(0, 0), (100, 0), (100, 100)]);
    }

    #[test]
    fn lines_that_leave_keep_their_direction() {
        let line = [(0, 50), (100, 250), (200, 250), (300, -150)];
        let pieces = clip(&line, 0, 100);
        assert_eq!(
            pieces,
            [vec![(0, 50), (25, 100)], vec![(238, 100), (263, 0)]]
        );
        assert_eq!(clip(&line, -1000, 1000), [line.to_vec()]);
        assert_eq!(clip(&[(0, 5)], 0, 10), [vec![(0, 5)]]);
        assert!(clip(&[(0, 50)], 0, 10).is_empty() && clip(&[], 0, 10).is_empty());
    }

    #[test]
    fn markers_are_spread_and_few() {
        let line = [(0, 0), (1000, 0)];
        let places = marker_places(&line, 12, 20.0, 0.5);
        assert!(!places.is_empty() && places.len() <= 12);
        assert!(marker_places(&[(0, 0)], 12, 20.0, 0.5).is_empty());
    }
}
