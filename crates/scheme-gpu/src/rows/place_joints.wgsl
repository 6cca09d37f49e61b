// `place_joints`: one thread per joint makes the start of a frame of the poses of its bodies (K.50). Twin:
// `stepping/place_joints.rs`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> poses: array<BodyPose>;
// in the axes of the bodies
@group(0) @binding(2) var<storage, read> attached: array<FollowedJoint>;
@group(0) @binding(3) var<storage, read> directions: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> joints: array<FollowedJoint>;
// direction and error of every row
@group(0) @binding(5) var<storage, read_write> starts: array<vec4<f32>>;

fn visit_joint(index: u32) {
    var own = attached[index];
    let turn_a = poses[own.a].orientation;
    let turn_b = poses[own.b].orientation;
    own.anchor_a = rotated(turn_a, own.anchor_a);
    own.anchor_b = rotated(turn_b, own.anchor_b);
    let high = poses[own.b].high.xyz - poses[own.a].high.xyz;
    own.centres = high + (poses[own.b].low.xyz - poses[own.a].low.xyz);
    own.gap = own.centres + (own.anchor_b - own.anchor_a);
    let length = sqrt(dot3(own.gap, own.gap));
    own.axis = rotated(turn_b, own.axis);
    for (var local = 0u; local < own.rows; local = local + 1u) {
        let at = own.first_row + local;
        let kind = (own.kinds >> (4u * local)) & 15u;
        let direction = rotated(turn_a, directions[at].xyz);
        var error = 0.0;
        if kind == LINE {
            error = dot3(direction, own.gap);
        } else if kind == PERPENDICULAR {
            error = dot3(direction, own.axis);
        } else if kind == ROD {
            error = length - own.length;
        }
        starts[at] = vec4<f32>(direction, error);
    }
    own.length = length;
    let back = vec4<f32>(-turn_a.xyz, turn_a.w);
    own.missing = product(product(turn_b, own.missing), back);
    joints[index] = own;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index < header.joints {
        visit_joint(index);
    }
}
