// Velocities that threads add to by comparing and exchanging: the result depends on who comes first.

// linear, 0, angular, 0 of every body, as bits
@group(0) @binding(4) var<storage, read_write> velocity: array<atomic<u32>>;
// Jᵀλ of every slot
@group(0) @binding(5) var<storage, read_write> wrench: array<vec4<f32>>;

fn seen(at: u32) -> f32 {
    return bitcast<f32>(atomicLoad(&velocity[at]));
}

fn accumulate(at: u32, change: f32) {
    var old = atomicLoad(&velocity[at]);
    loop {
        let fresh = bitcast<u32>(bitcast<f32>(old) + change);
        let result = atomicCompareExchangeWeak(&velocity[at], old, fresh);
        if result.exchanged {
            break;
        }
        old = result.old_value;
    }
}
