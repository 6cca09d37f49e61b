//! Time that belongs to no solve, such as that of starting a program.

use std::cell::Cell;

thread_local! {
    static LEFT_OUT: Cell<f64> = const { Cell::new(0.0) };
}

/// Notes that this thread spent `seconds` \[s\] on work that belongs to no solve. Limits and times
/// of solves leave it out.
pub fn leave_out(seconds: f64) {
    LEFT_OUT.with(|slot| slot.set(slot.get() + seconds.max(0.0)));
}

/// Returns the time that this thread has left out so far \[s\]. The difference of two calls is the
/// time left out between them.
pub fn left_out() -> f64 {
    LEFT_OUT.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_left_out_adds_up_on_its_thread() {
        let before = left_out();
        leave_out(0.5);
        leave_out(-3.0);
        leave_out(0.25);
        assert_eq!((left_out() - before).to_bits(), 0.75_f64.to_bits());
        let elsewhere = std::thread::spawn(left_out).join();
        assert_eq!(elsewhere.expect("a number").to_bits(), 0.0_f64.to_bits());
    }
}
