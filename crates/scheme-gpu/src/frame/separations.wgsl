// `separations`: one thread per contact point sets bias, compliance and step of its normal. Twin:
// `stepping/separations.rs`.

@group(0) @binding(0) var<storage, read> settings: Settings;
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> contacts: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> motion: array<vec4<f32>>;
// those of the manifolds, or of the row blocks
@group(0) @binding(4) var<storage, read_write> numbers: array<vec4<f32>>;

fn separation(a: u32, b: u32, normal: vec4<f32>, across: vec3<f32>, anchor: vec3<f32>) -> f32 {
    let tilt = turned(motion[a + 3u], normal.xyz);
    let shift = (motion[b + 2u].xyz - motion[a + 2u].xyz) + turned(motion[b + 3u], anchor);
    return normal.w + (dot3(tilt, across) + dot3(normal.xyz + tilt, shift));
}

fn visit_contact(index: u32) {
    let head = heads[index];
    let own = CONTACT_QUADS * index;
    let normal = contacts[own];
    let across = contacts[own + 1u];
    let anchor = contacts[own + 2u];
    let steps = contacts[own + 3u];
    let gap = separation(MOTION_QUADS * head.x, MOTION_QUADS * head.y, normal, across.xyz, anchor.xyz);
    var bias = 0.0;
    var compliance = 0.0;
    var step = steps.x;
    if gap > 0.0 {
        bias = gap * settings.inverse_h;
    } else if !RELAXED {
        let overlap = min(gap + settings.slop, 0.0);
        bias = max(across.w * overlap, -settings.push);
        compliance = anchor.w;
        step = steps.y;
    }
    let target_quad = head.z;
    if LOOSE {
        numbers[target_quad].x = bias;
        if !RELAXED {
            numbers[target_quad].y = compliance;
            numbers[target_quad].z = step;
        }
    } else {
        numbers[target_quad].w = bias;
        if !RELAXED {
            numbers[target_quad + 1u].x = step;
            numbers[target_quad + 1u].w = compliance;
        }
    }
}
