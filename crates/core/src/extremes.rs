//! Least and largest numbers of long lists.

/// Numbers that are compared at the same time, each with its own running maximum. One common
/// maximum would make every comparison wait for the one before it.
const LANES: usize = 8;

/// Smallest and largest positive sum `a[i] + b[i]`; infinity and zero if no sum is positive.
pub(crate) fn positive_range(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut least, mut largest) = ([f64::INFINITY; LANES], [0.0; LANES]);
    let mut take = |lane: usize, a: f64, b: f64| {
        let sum = a + b;
        let positive = if sum > 0.0 { sum } else { f64::INFINITY };
        least[lane] = if positive < least[lane] {
            positive
        } else {
            least[lane]
        };
        largest[lane] = if sum > largest[lane] {
            sum
        } else {
            largest[lane]
        };
    };
    let ((first, last), (second, last_second)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in first.iter().zip(second) {
        for lane in 0..LANES {
            take(lane, a[lane], b[lane]);
        }
    }
    for (a, b) in last.iter().zip(last_second) {
        take(0, *a, *b);
    }
    let least = least.into_iter().fold(f64::INFINITY, f64::min);
    (least, largest.into_iter().fold(0.0, f64::max))
}

/// Largest magnitude; zero for an empty list.
pub(crate) fn largest_magnitude(numbers: &[f64]) -> f64 {
    fold(
        numbers,
        0.0,
        |most, x| if x.abs() > most { x.abs() } else { most },
    )
}

/// Smallest and largest number; infinity and zero for an empty list. NaN is ignored.
pub(crate) fn range(numbers: &[f64]) -> (f64, f64) {
    let least = fold(
        numbers,
        f64::INFINITY,
        |least, x| if x < least { x } else { least },
    );
    let largest = fold(
        numbers,
        0.0,
        |largest, x| if x > largest { x } else { largest },
    );
    (least, largest)
}

/// Reduces a list to one number by repeated calls of `keep`, which returns one of two numbers. The
/// calls may take the numbers in any order.
#[inline]
fn fold(numbers: &[f64], start: f64, keep: impl Fn(f64, f64) -> f64) -> f64 {
    let mut kept = [start; LANES];
    let (chunks, last) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (kept, x) in kept.iter_mut().zip(chunk) {
            *kept = keep(*kept, *x);
        }
    }
    kept.into_iter()
        .chain(last.iter().copied())
        .fold(start, keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_counts() {
        for count in [1, 7, 8, 9, 23] {
            for place in 0..count {
                let mut numbers = vec![3.0; count];
                numbers[place] = 0.25;
                let largest = if count == 1 { 0.25 } else { 3.0 };
                assert_eq!(range(&numbers), (0.25, largest), "{place} of {count}");
                numbers[place] = -7.5;
                assert_eq!(range(&numbers).0, -7.5);
                assert_eq!(largest_magnitude(&numbers), 7.5);
            }
        }
        assert_eq!(range(&[f64::NAN, 2.0]), (2.0, 2.0));
        assert_eq!(range(&[]), (f64::INFINITY, 0.0));
        assert_eq!(largest_magnitude(&[]), 0.0);
    }
}
