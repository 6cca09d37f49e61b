// `separations`: one thread per contact point sets bias, compliance and step of its normal. Twin:
// `stepping/separations.rs`.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> contacts: array<FollowedContact>;
@group(0) @binding(2) var<storage, read> motion: array<BodyMotion>;
// those of the manifolds, or of the row blocks
@group(0) @binding(3) var<storage, read_write> numbers: array<vec4<f32>>;

fn separation_of(contact: FollowedContact) -> f32 {
    let tilt = turned(motion[contact.a].turn, contact.normal);
    let apart = motion[contact.b].displacement.xyz - motion[contact.a].displacement.xyz;
    let shift = apart + turned(motion[contact.b].turn, contact.anchor);
    return contact.separation + (dot3(tilt, contact.across) + dot3(contact.normal + tilt, shift));
}

fn visit_contact(index: u32) {
    let settings = header.settings;
    let contact = contacts[index];
    let gap = separation_of(contact);
    var bias = 0.0;
    var compliance = 0.0;
    var step = contact.open_step;
    if gap > 0.0 {
        bias = gap * settings.inverse_h;
    } else if !RELAXED {
        let overlap = min(gap + settings.slop, 0.0);
        bias = max(contact.rate * overlap, -settings.push);
        compliance = contact.compliance;
        step = contact.closed_step;
    }
    let quad = contact.numbers;
    if AS_ROWS {
        numbers[quad].x = bias;
        if !RELAXED {
            numbers[quad].y = compliance;
            numbers[quad].z = step;
        }
    } else {
        numbers[quad].w = bias;
        if !RELAXED {
            let next = quad + quad_stride();
            numbers[next].x = step;
            numbers[next].w = compliance;
        }
    }
}
