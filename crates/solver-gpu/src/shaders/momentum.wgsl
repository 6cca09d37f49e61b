// The momentum of the iteration after the next, from the sums of this one: as `control.rs`.

// True if the next step must be plain.
fn guard(state: ptr<function, State>, residual: f32) -> bool {
    if residual < (*state).smallest {
        (*state).smallest = residual;
        (*state).hold = 0u;
    }
    if (*state).hold > 0u {
        (*state).hold = (*state).hold - 1u;
        if (*state).hold == 0u {
            // what counts as a rise is judged anew
            (*state).smallest = residual;
        }
        return true;
    }
    if residual > RISE * (*state).smallest {
        (*state).hold = (*state).next_hold;
        if (*state).next_hold < 0x80000000u {
            (*state).next_hold = (*state).next_hold * 2u;
        } else {
            (*state).next_hold = 0xffffffffu;
        }
        return true;
    }
    return false;
}

fn nesterov(state: ptr<function, State>, uphill: f32, held: bool) {
    if held || uphill > 0.0 {
        (*state).t = 1.0;
        (*state).next_beta = 0.0;
        return;
    }
    let t = (*state).t;
    let after = (1.0 + sqrt(1.0 + 4.0 * t * t)) / 2.0;
    (*state).next_beta = (t - 1.0) / after;
    (*state).t = after;
}

fn chebyshev(state: ptr<function, State>, residual: f32, held: bool) {
    if held {
        (*state).plain = 0u;
        (*state).weight = 1.0;
        return;
    }
    (*state).plain = min((*state).plain, 0xfffffffeu) + 1u;
    if (*state).plain < DELAY {
        return;
    }
    if (*state).plain == DELAY {
        var measured = 0.0;
        if (*state).last > 0.0 {
            measured = sqrt(residual / (*state).last);
        }
        if !(measured < LARGEST_RHO) {
            measured = LARGEST_RHO;
        }
        (*state).rho = measured;
        (*state).weight = 2.0 / (2.0 - measured * measured);
    } else {
        let rho = (*state).rho;
        (*state).weight = 4.0 / (4.0 - rho * rho * (*state).weight);
    }
}

// The state of the next iteration; `total` is uphill and residual² of this one.
fn advanced(before: State, total: vec2<f32>, acceleration: u32, guarded: bool) -> State {
    var state = before;
    let residual = total.y;
    var held = false;
    if guarded {
        held = guard(&state, residual);
    }
    state.held = select(0u, 1u, held);
    state.beta = state.next_beta;
    if acceleration == NESTEROV {
        nesterov(&state, total.x, held);
    } else if acceleration == CHEBYSHEV {
        chebyshev(&state, residual, held);
    }
    state.last = residual;
    state.iteration = state.iteration + 1u;
    return state;
}

// What the history says of an iteration: residual², uphill, β, held.
fn entry(before: State, after: State, total: vec2<f32>) -> vec4<f32> {
    return vec4<f32>(total.y, total.x, before.beta, f32(after.held));
}
