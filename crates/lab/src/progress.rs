//! Progress of a run on standard error: a bar on a terminal, one line per finished cell otherwise.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// After how long a silence a line says what is still under way.
const SILENCE: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// One line that changes.
    Bar,
    /// One line per finished cell.
    Lines,
    /// Nothing.
    Quiet,
}

impl Style {
    /// A bar if standard error is a terminal.
    pub fn detect(quiet: bool) -> Self {
        match quiet {
            true => Self::Quiet,
            false if io::stderr().is_terminal() => Self::Bar,
            false => Self::Lines,
        }
    }
}

/// Shows how far a run is. Can be shared between the threads of a run.
pub struct Meter {
    style: Style,
    /// Hidden unless the style is a bar.
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter")
            .field("style", &self.style)
            .finish_non_exhaustive()
    }
}

struct State {
    sink: Box<dyn Write + Send>,
    total: usize,
    finished: usize,
    failed: usize,
    /// Cells in flight with their starts, in this order.
    running: Vec<(String, Instant)>,
    /// When the meter was made.
    made: Instant,
    /// When something was said last.
    said: Instant,
}

impl Meter {
    /// Shows progress on standard error.
    pub fn new(style: Style) -> Self {
        let target = match style {
            Style::Bar => ProgressDrawTarget::stderr(),
            Style::Lines | Style::Quiet => ProgressDrawTarget::hidden(),
        };
        Self::on(style, target, io::stderr()).with_pulse(SILENCE)
    }

    /// Says what is still under way after every `silence`: cells that take long, and problems and
    /// scenes in the making.
    fn with_pulse(self, silence: Duration) -> Self {
        let state = Arc::downgrade(&self.state);
        if self.style == Style::Lines {
            // without a thread there is less to read, and nothing is lost
            let _ = thread::Builder::new().spawn(move || pulse(&state, silence));
        }
        self
    }

    fn on(style: Style, target: ProgressDrawTarget, sink: impl Write + Send + 'static) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let look =
            ProgressStyle::with_template("[{bar:20}] {pos}/{len}{prefix}  {eta} to go  {wide_msg}");
        // the template is a constant; should it be wrong, the default look serves
        bar.set_style(
            look.unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("##."),
        );
        Self {
            style,
            bar,
            state: Arc::new(Mutex::new(State {
                sink: Box::new(sink),
                total: 0,
                finished: 0,
                failed: 0,
                running: Vec::new(),
                made: Instant::now(),
                said: Instant::now(),
            })),
        }
    }

    /// The run begins: `total` cells are to be run.
    pub fn begin(&self, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.reset_eta();
        self.with(|state| state.total = total);
    }

    /// A cell starts.
    pub fn start(&self, cell: &str) {
        self.with(|state| {
            state.running.push((cell.to_owned(), Instant::now()));
            self.draw(state);
        });
    }

    /// A cell has finished; `how` is its status with the numbers that matter, `failed` marks what
    /// deserves a look.
    pub fn finish(&self, cell: &str, how: &str, failed: bool) {
        self.with(|state| {
            if let Some(at) = state.running.iter().position(|(name, _)| name == cell) {
                state.running.remove(at);
            }
            state.finished += 1;
            state.failed += usize::from(failed);
            self.draw(state);
            if self.style == Style::Lines {
                let line = format!("{}/{}  {cell}: {how}", state.finished, state.total);
                state.say(&line);
            }
        });
    }

    /// Says something between the lines of progress.
    pub fn note(&self, message: &str) {
        if self.style != Style::Quiet {
            self.with(|state| self.bar.suspend(|| state.say(message)));
        }
    }

    /// Writes to the terminal of the bar without disturbing it.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    /// The run is over: the bar goes away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn draw(&self, state: &State) {
        if state.failed > 0 {
            self.bar.set_prefix(format!("  {} failed", state.failed));
        }
        let running = state.running.first().map_or("", |(name, _)| name);
        self.bar.set_message(running.to_owned());
        self.bar.set_position(state.finished as u64);
    }

    fn with(&self, change: impl FnOnce(&mut State)) {
        // a thread that panicked while it wrote leaves nothing that matters
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl State {
    /// Writes a line; nobody reading is no reason to stop.
    fn say(&mut self, line: &str) {
        let _ = writeln!(self.sink, "{line}");
        self.said = Instant::now();
    }

    /// What is under way, and for how long.
    fn under_way(&self) -> Option<String> {
        let (finished, total) = (self.finished, self.total);
        match self.running.first() {
            Some((cell, since)) => {
                let seconds = since.elapsed().as_secs();
                Some(format!(
                    "{finished}/{total}  {cell}: running for {seconds} s"
                ))
            }
            None if total == 0 => {
                let seconds = self.made.elapsed().as_secs();
                Some(format!("making problems and scenes for {seconds} s"))
            }
            None => None,
        }
    }
}

/// Ends with the meter.
fn pulse(state: &Weak<Mutex<State>>, silence: Duration) {
    loop {
        thread::sleep(silence);
        let Some(state) = state.upgrade() else {
            return;
        };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = state.said.elapsed() >= silence;
        if let Some(line) = state.under_way().filter(|_| silent) {
            state.say(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Text(Arc<Mutex<Vec<u8>>>);

    impl Write for Text {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn two_cells(meter: &Meter) {
        meter.begin(2);
        meter.start("chain, pgs");
        meter.finish("chain, pgs", "solved, 7 sweeps", false);
        meter.start("wall, pgs");
        meter.finish("wall, pgs", "failed", true);
    }

    #[test]
    fn lines_are_whole_and_one_per_cell() {
        for (style, expected) in [
            (
                Style::Lines,
                "1/2  chain, pgs: solved, 7 sweeps\n2/2  wall, pgs: failed\n",
            ),
            (Style::Quiet, ""),
        ] {
            let text = Text::default();
            let meter = Meter::on(style, ProgressDrawTarget::hidden(), text.clone());
            two_cells(&meter);
            meter.end();
            assert_eq!(
                String::from_utf8(text.0.lock().unwrap().clone()).unwrap(),
                expected
            );
        }
    }

    #[test]
    fn a_long_silence_is_broken_by_what_is_under_way() {
        let text = Text::default();
        let meter = Meter::on(Style::Lines, ProgressDrawTarget::hidden(), text.clone());
        let meter = meter.with_pulse(Duration::from_millis(20));
        let says = |what: &str| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(20) {
                if String::from_utf8_lossy(&text.0.lock().unwrap()).contains(what) {
                    return true;
                }
                thread::sleep(Duration::from_millis(5));
            }
            false
        };
        assert!(says("making problems and scenes for 0 s\n"));
        meter.begin(1);
        meter.start("wall, pgs");
        assert!(says("0/1  wall, pgs: running for 0 s\n"));
        drop(meter);
        thread::sleep(Duration::from_millis(100));
        let said = text.0.lock().unwrap().len();
        thread::sleep(Duration::from_millis(100));
        assert_eq!(
            said,
            text.0.lock().unwrap().len(),
            "after the meter is gone"
        );
    }

    #[test]
    fn the_bar_counts_never_wraps_and_goes_away() {
        let screen = InMemoryTerm::new(5, 79);
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let meter = Meter::on(Style::Bar, target, io::sink());
        two_cells(&meter);
        meter.start(&"x".repeat(200));
        meter.bar.force_draw();
        let shown = screen.contents();
        assert!(shown.contains("2/2  1 failed"), "{shown:?}");
        assert!(shown.contains("[####################]"), "{shown:?}");
        assert_eq!(shown.lines().count(), 1, "{shown:?}");
        meter.end();
        assert_eq!(screen.contents(), "");
    }
}
