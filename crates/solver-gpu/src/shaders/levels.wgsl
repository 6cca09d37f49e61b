// The sums of an iteration, added up by one workgroup, which chooses the momentum of the iteration after the next.
//
// The shader around it has `control`, `coming`, `history`, `sum_of` and `set_sum`.

fn advance(total: vec2<f32>) {
    let before = control.state;
    let state = advanced(before, total, control.acceleration, control.guarded != 0u);
    if before.iteration < control.capacity {
        history[before.iteration] = entry(before, state, total);
    }
    coming.state = state;
}

// The sums of chunks begin at `start`; they are summed in chunks, level after level, each behind the one before, the first
// of these levels at `behind`.
fn add_up(lane: u32, start: u32, behind: u32) {
    var first = start;
    var next = behind;
    var count = control.sums;
    while count > 1u {
        let chunks = (count + CHUNK - 1u) / CHUNK;
        for (var chunk = lane; chunk < chunks; chunk = chunk + WORKGROUP) {
            let begin = chunk * CHUNK;
            set_sum(next + chunk, tree(first + begin, min(CHUNK, count - begin)));
        }
        storageBarrier();
        first = next;
        next = next + chunks;
        count = chunks;
    }
    if lane == 0u {
        var total = vec2<f32>(0.0);
        if count == 1u {
            total = sum_of(first);
        }
        advance(total);
    }
}
