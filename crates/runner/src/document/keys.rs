//! Every key of the sections of a spec: what the parser accepts, and what the schema says about it.
//!
//! Figures, tables, strips and gates have theirs in their own types (`delassus_report::settings`).

/// A key of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Key {
    /// As a spec writes it.
    pub(crate) name: &'static str,
    /// What it holds.
    pub(crate) form: Form,
    /// Its unit, `-` for pure numbers; empty for what is no number.
    pub(crate) unit: &'static str,
    /// What it is, in a sentence.
    pub(crate) text: &'static str,
    /// Nothing stands for it where it is left out.
    pub(crate) needed: bool,
}

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// A text.
    Text,
    /// A text or several.
    Texts,
    /// True or false.
    Flag,
    /// A finite number.
    Number,
    /// A finite number > 0.
    Positive,
    /// A number between these, which are above zero.
    Between(f64, f64),
    /// Several finite numbers > 0.
    Positives,
    /// A whole number between these.
    Count(u64, u64),
    /// An amount of memory, as in "2 GiB".
    Amount,
    /// Two numbers.
    Pair,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A section of its own.
    Section(&'static [Key]),
    /// Sections of which there may be several.
    Sections(&'static [Key]),
    /// One of these texts, or a section.
    ChoiceOr(&'static [&'static str], &'static [Key]),
    /// A text, or a section.
    TextOr(&'static [Key]),
    /// The identifier of something that the program knows.
    Name(Known),
    /// Sections whose keys depend on what they use.
    Families(Family),
    /// What a type of the report reads: an array of figures, tables, strips or gates.
    Views(View),
}

/// What has identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Generator,
    Scene,
    Scheme,
    Solver,
}

/// Sections that have the parameters of what they use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Problems,
    Scenes,
    Schemes,
    Solvers,
    Reference,
}

/// Arrays that types of the report read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Figures,
    Tables,
    Strips,
    Gates,
}

const fn key(name: &'static str, form: Form, unit: &'static str, text: &'static str) -> Key {
    Key {
        name,
        form,
        unit,
        text,
        needed: false,
    }
}

/// A key that cannot be left out.
const fn needed(name: &'static str, form: Form, unit: &'static str, text: &'static str) -> Key {
    Key {
        needed: true,
        ..key(name, form, unit, text)
    }
}

/// A list of keys: `key` or `needed`, name, form and unit, then what the schema says of it.
macro_rules! keys {
    ($($make:ident $name:literal: $form:expr, $unit:literal => $text:literal;)+) => {
        &[$($make($name, $form, $unit, $text)),+]
    };
}

/// Whole numbers of any size.
const ANY: Form = Form::Count(1, u64::MAX);

/// The spec itself.
pub(crate) const SPEC: &[Key] = keys! {
    needed "title": Form::Text, "" => "What the report is called.";
    key "question": Form::Text, "" => "The question that the experiment answers.";
    key "max_memory": Form::Amount, "B" =>
        "Memory that one problem may take with its solver; three quarters of what the process may have, if left out.";
    key "limits": Form::Section(LIMITS), "" =>
        "What the process of a cell may take before it is ended.";
    key "problem": Form::Families(Family::Problems), "" =>
        "Problems that are solved, or swept and timed: of a generator, or of files.";
    key "scene": Form::Families(Family::Scenes), "" => "Scenes that are stepped over time.";
    key "scheme": Form::Families(Family::Schemes), "" => "Schemes that step the scenes.";
    key "solver": Form::Families(Family::Solvers), "" =>
        "Solvers of the problems, or of those that schemes freeze.";
    key "stop": Form::Section(STOP), "" => "When a solve ends.";
    key "measure": Form::Section(MEASURE), "" =>
        "What is evaluated along a solve, and how often it is timed.";
    key "reference": Form::Families(Family::Reference), "" =>
        "Where the reference comes from that errors are errors against.";
    key "timing": Form::Section(TIMING), "" =>
        "Sweeps are timed, and nothing is solved to a tolerance.";
    key "simulate": Form::Section(SIMULATE), "" =>
        "How long scenes are stepped, and what is observed.";
    key "replay": Form::Section(REPLAY), "" => "Motion that is recorded.";
    key "figure": Form::Views(View::Figures), "" => "Figures of the report.";
    key "strip": Form::Views(View::Strips), "" => "Strips of stills from recorded motion.";
    key "table": Form::Views(View::Tables), "" => "Tables of the report.";
    key "gate": Form::Views(View::Gates), "" => "What `delassus gate` asserts of the numbers.";
};

/// `[limits]`.
pub(crate) const LIMITS: &[Key] = keys! {
    key "seconds": Form::Positive, "s" => "Wall-clock time of a cell.";
    key "cpu_seconds": Form::Positive, "s" => "Processor time of a cell over all threads.";
    key "memory": Form::Amount, "B" => "Memory of the process of a cell.";
};

/// What every `[[problem]]` of solves has, but for its source.
macro_rules! problem_keys {
    ($($own:tt)+) => {
        keys! {
            $($own)+
            key "name": Form::Text, "" => "Name of the problems, with what varies behind it.";
            key "as_matrix": Form::Flag, "" => "Hand solvers the Delassus matrix in place of the bodies.";
            key "as_worlds": Form::Flag, "" =>
                "Solve all problems of the entry in one cell, as worlds of one structure.";
            key "start": Form::Choice(STARTS), "" => "The impulses that solves start from.";
            key "stop": Form::Section(STOP), "" => "What differs from [stop] for these problems.";
            key "tolerances": Form::Positives, "-" =>
                "Tolerances of [stop], each with the same problems once more: their parameter `tolerance`.";
            key "reference_law": Form::Text, "" =>
                "Law whose answer the reference is, where that is another than the problem's.";
        }
    };
}

/// Starts of a solve.
pub(crate) const STARTS: &[&str] = &["cold", "ones", "stored", "warm", "captured"];

/// `[[problem]]` of a generator; the generator's parameters are keys too.
pub(crate) const GENERATED: &[Key] = problem_keys! {
    needed "use": Form::Name(Known::Generator), "" => "The generator: `delassus list generators`.";
    key "draws": Form::Count(1, 100_000), "-" =>
        "With as_worlds: number of worlds, with parameters drawn between the two values of each array.";
    key "draw_seed": Form::Count(0, u64::MAX), "-" => "Seed of the draws.";
};

/// `[[problem]]` of files.
pub(crate) const FILES: &[Key] = problem_keys! {
    needed "files": Form::Texts, "" =>
        "Files relative to the spec, with * and ?; each pattern must match something.";
    key "otherwise": Form::Texts, "" => "Files where none of `files` matches anything.";
    key "law": Form::Text, "" => "Friction law of files that do not name one.";
};

/// `[[scene]]` of the list; the scene's parameters are keys too.
pub(crate) const SCENE: &[Key] = keys! {
    needed "use": Form::Name(Known::Scene), "" => "The scene: `delassus list scenes`.";
    key "name": Form::Text, "" => "Name of the scenes, with what varies behind it.";
    key "threshold": Form::Section(THRESHOLD), "" =>
        "A parameter that is bisected until the scene stands on one side and falls on the other.";
};

/// `[[scene]]` of a file.
pub(crate) const SCENE_FILE: &[Key] = keys! {
    needed "file": Form::Text, "" => "A scene file, relative to the spec.";
    key "name": Form::Text, "" => "Name of the scene.";
};

/// `[scene.threshold]`.
pub(crate) const THRESHOLD: &[Key] = keys! {
    needed "parameter": Form::Text, "" =>
        "A real parameter of the scene that the entry does not set.";
    needed "between": Form::Pair, "unit of the parameter" => "Where the search begins.";
    needed "tolerance": Form::Positive, "unit of the parameter" =>
        "How far the two ends may be apart.";
    needed "observable": Form::Text, "" => "What decides: one of [simulate].";
    needed "limit": Form::Number, "unit of the observable" =>
        "The scene stands where a run ends with no more than this.";
};

/// `[[scheme]]`; the scheme's parameters and `dt` are keys too.
pub(crate) const SCHEME: &[Key] = keys! {
    needed "use": Form::Name(Known::Scheme), "" =>
        "A preset or a scheme: `delassus list presets`, `list schemes`.";
    key "label": Form::Text, "" => "What figures and tables call it.";
    key "solvers": Form::Texts, "" =>
        "Labels or identifiers of the solvers that it runs with; all if left out.";
    key "scenes": Form::Texts, "" =>
        "Names of the scenes that it steps, or their first words; all if left out.";
    key "seconds": between(RUN_SECONDS), "s" =>
        "Time that a run covers, in place of that of [simulate].";
    key "every": EVERY, "-" => "Frames per sample, in place of that of [simulate].";
};

/// `[[solver]]`; the solver's parameters are keys too.
pub(crate) const SOLVER: &[Key] = keys! {
    needed "use": Form::Name(Known::Solver), "" =>
        "The solver, or solvers around one as in best-so-far(pgs): `delassus list solvers`.";
    key "label": Form::Text, "" => "What figures and tables call it.";
};

/// `[stop]`.
pub(crate) const STOP: &[Key] = keys! {
    key "tolerance": Form::Positive, "-" => "Of all the metrics that decide.";
    key "metrics": Form::Texts, "" => "The metrics that decide.";
    key "max_sweeps": ANY, "-" => "Sweep limit.";
    key "max_seconds": Form::Positive, "s" =>
        "Time limit of preparing and iterating, without metrics; the outcome then depends on the machine.";
    key "divergence": Form::Positive, "-" =>
        "Gives up when the residual exceeds this multiple of its start and of 1.";
};

/// `[measure]`.
pub(crate) const MEASURE: &[Key] = keys! {
    key "metrics": Form::Texts, "" =>
        "What every sample has: metrics, or velocities of bodies as v[1].y.";
    key "samples": Form::ChoiceOr(&["every"], SAMPLES), "" => "When samples are taken.";
    key "repetitions": Form::Count(1, 1000), "-" => "Timing passes of a cell.";
    key "orders": Form::Count(2, 100), "-" => "Orders of the blocks that a spread is of.";
};

/// `samples` of `[measure]`.
pub(crate) const SAMPLES: &[Key] = keys! {
    key "every": ANY, "-" => "Sweeps from one sample to the next.";
    key "geometric": Form::Positive, "-" =>
        "A sample whenever the sweeps have grown by this ratio, which is > 1.";
};

/// `[reference]`; the solver's parameters are keys too.
pub(crate) const REFERENCE: &[Key] = keys! {
    needed "solver": Form::Name(Known::Solver), "" => "The solver that makes the reference.";
    key "tolerance": Form::Positive, "-" => "Of its natural map.";
    key "max_sweeps": ANY, "-" => "Its sweep limit.";
};

/// References without a solver.
pub(crate) const REFERENCES: &[&str] = &["stored", "certified"];

/// `[timing]`.
pub(crate) const TIMING: &[Key] = keys! {
    key "row_updates": ANY, "-" => "Row updates of a long pass.";
    key "repetitions": Form::Count(1, 1000), "-" => "Pairs of a short and a long pass.";
};

/// Largest number of frames from one sample or recorded frame to the next.
pub(crate) const MOST_EVERY: u32 = 1_000_000;
const EVERY: Form = Form::Count(1, MOST_EVERY as u64);

/// What a frame may last \[s\], beyond which its square or inverse is no number of use.
pub const FRAME_SECONDS: [f64; 2] = [1e-12, 1e6];
/// What a run may cover \[s\].
pub(crate) const RUN_SECONDS: [f64; 2] = [1e-12, 1e12];
/// By what the length of frames may change \[-\].
pub(crate) const FACTORS: [f64; 2] = [1e-6, 1e6];

const fn between([least, most]: [f64; 2]) -> Form {
    Form::Between(least, most)
}

/// `[simulate]`.
pub(crate) const SIMULATE: &[Key] = keys! {
    key "dt": between(FRAME_SECONDS), "s" => "Length of a frame.";
    key "seconds": between(RUN_SECONDS), "s" =>
        "Time that a run covers; not needed where every scheme has its own.";
    key "dt_changes": Form::Sections(CHANGE), "" =>
        "When the length of frames changes, in the order of time.";
    key "every": EVERY, "-" => "Frames per sample.";
    needed "observables": Form::Texts, "" => "What every sample has: `delassus list metrics`.";
    key "repetitions": Form::Count(1, 1000), "-" => "Timing passes of a run.";
    key "budget": Form::TextOr(BUDGET), "" =>
        "What a frame may cost on average, as \"2 ms\" or { row_updates = 5000 }: each scheme gets the most substeps that fit.";
};

/// Largest budget of row updates: whole numbers up to here are f64.
pub(crate) const MOST_UPDATES: u64 = 1 << 53;

/// `budget` of `[simulate]`, where it is no time.
pub(crate) const BUDGET: &[Key] = keys! {
    needed "row_updates": Form::Count(1, MOST_UPDATES), "-" =>
        "Row updates of a frame, over all its solves.";
};

/// An entry of `dt_changes`.
pub(crate) const CHANGE: &[Key] = keys! {
    needed "at": Form::Positive, "s" => "When.";
    needed "factor": between(FACTORS), "-" =>
        "Length of frames from then on, over that of the start.";
};

/// `[replay]`.
pub(crate) const REPLAY: &[Key] = keys! {
    key "every": EVERY, "-" =>
        "Frames from one recorded frame to the next; as many as leave 300, if left out.";
    key "contacts": Form::Flag, "" => "Record contact points with normals and impulses.";
    key "scenes": Form::Texts, "" =>
        "Scenes that are recorded, by name or by what their names begin with; all if left out.";
    key "schemes": Form::Texts, "" => "Schemes, likewise.";
    key "solvers": Form::Texts, "" => "Solvers, likewise.";
};
