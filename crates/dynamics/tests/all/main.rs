//! Schemes and constraints one step at a time and in motion, against closed forms.

mod allocations;
mod anchors;
mod avbd;
mod avbd_masses;
mod avbd_penalties;
mod colliding;
mod creep;
mod impedance;
mod limits_and_drives;
mod penalty;
mod pendulum;
mod position_level;
mod six_dof;
mod soft_blocks;
mod soft_contacts;
mod turns;
mod velocity;
mod xpbd;
mod xpbd_flush;
