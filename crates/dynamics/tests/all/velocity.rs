//! The velocity-level scheme, one step at a time, against closed forms.

mod box2d;
mod frame_integration;
mod frame_integration_joints;
mod free;
mod line;
mod methods;
mod passes;
mod published;
mod published_frames;
mod published_programs;
mod published_rows;
mod rows;
mod tolerance;
mod unsolved;
mod wide_paths;
mod work;
