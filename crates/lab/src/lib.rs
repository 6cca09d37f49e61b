//! Registry, experiment specs, runner, records, figures, report: the delassus program.
