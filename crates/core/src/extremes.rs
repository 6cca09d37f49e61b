//! Least and largest numbers of long lists.

/// Numbers that are looked at side by side: a single maximum waits for itself.
const LANES: usize = 8;

/// Least and largest sum of two numbers in the same place that is positive; infinity and zero if
/// there is none.
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

/// Largest magnitude; zero of no numbers.
pub(crate) fn largest_magnitude(numbers: &[f64]) -> f64 {
    let mut largest = [0.0; LANES];
    let (chunks, last) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (most, x) in largest.iter_mut().zip(chunk) {
            *most = if x.abs() > *most { x.abs() } else { *most };
        }
    }
    let all = largest.into_iter().chain(last.iter().map(|x| x.abs()));
    all.fold(0.0, f64::max)
}
