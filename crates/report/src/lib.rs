//! What records show: analysis, figures, tables, CSV files and the report.
//!
//! All of it is made from records and what a spec asks to see; no solver, scheme, scene or spec is
//! at hand. Closed forms come with the records ([`closed_form`]).

pub use delassus_charts::{numbers, text};
#[cfg(test)]
use delassus_records::key;
use delassus_records::{label, observable, origin, outputs, record};

pub mod analysis;
pub mod bundle;
pub mod closed_form;
pub mod columns;
pub mod compare;
mod contact_impulse;
mod disclosure;
pub mod export;
pub mod figures;
pub mod gate;
pub mod overview;
mod quantities;
pub mod report;
pub mod settings;
pub mod statuses;
pub mod strips;
pub mod tables;
#[cfg(test)]
mod testing;
mod tex;
mod unranked;
pub mod view;
