// Declarations of every kernel: constants of the pipeline, sizes of the buffers, the state of the momentum.

// Threads of a workgroup: a multiple of 32.
override WORKGROUP: u32 = 64u;
// False: λ stays, and what follows from it is computed anew.
override STEPS: bool = true;
// Rows of a piece see what the rows before them did.
override SEQUENTIAL: bool = true;
// The step is taken from y = λ_k + β (λ_k − λ_{k−1}).
override MOMENTUM: bool = true;

// One of two: this iteration reads one and writes the state of the other.
struct Control {
    // the half of the impulses that holds λ_k
    parity: u32,
    manifolds: u32,
    points: u32,
    // first quad of the points' extras
    first_extra: u32,
    units: u32,
    first_slot_head: u32,
    // quads of one half of the rows' impulses
    row_quads: u32,
    // with the world
    bodies: u32,
    // bodies that a workgroup each sums
    hubs: u32,
    // first sum of the units, and number of sums
    first_unit_sum: u32,
    sums: u32,
    // entries of the history
    capacity: u32,
    // a code of `ACCELERATION_…`
    acceleration: u32,
    guarded: u32,
    state: State,
}

// As in `control.rs`.
struct State {
    iteration: u32,
    // β of this iteration and of the next
    beta: f32,
    next_beta: f32,
    // Chebyshev weight of this iteration
    weight: f32,
    t: f32,
    plain: u32,
    smallest: f32,
    last: f32,
    rho: f32,
    hold: u32,
    next_hold: u32,
    // 1 if the guard asked for a plain step
    held: u32,
}

// Index of a workgroup in a grid of two dimensions.
fn group_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}
