// `start`: one thread resets the momentum before a solve.

@group(0) @binding(0) var<storage, read> first: Control;
@group(0) @binding(1) var<storage, read_write> even: Control;
@group(0) @binding(2) var<storage, read_write> odd: Control;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        even.state = first.state;
        odd.state = first.state;
    }
}
