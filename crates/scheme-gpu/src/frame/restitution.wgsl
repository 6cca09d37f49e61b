// `restitution`: one thread per contact point adds up its impulse, and applies restitution at the
// end of the frame. Twin: `stepping/restitution.rs`.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> control: Control;
@group(0) @binding(2) var<storage, read_write> contacts: array<FollowedContact>;
// two halves of the points' impulses, or of the rows'
@group(0) @binding(3) var<storage, read> impulses: array<vec4<f32>>;
// those of the manifolds, or of the row blocks, in the relaxed pass
@group(0) @binding(4) var<storage, read_write> numbers: array<vec4<f32>>;

// False: impulses add up. True: points that did push get their bias.
override APPLIES: bool = false;

fn add_impulse(index: u32) {
    var half = half_of_impulses(control.points);
    if AS_ROWS {
        half = 4u * control.row_quads;
    }
    let at = half * control.parity + contacts[index].impulse;
    let impulse = impulses[at / 4u][at % 4u];
    contacts[index].pushed = contacts[index].pushed + impulse;
}

fn apply(index: u32) {
    let rebound = contacts[index].rebound;
    if rebound < 0.0 && contacts[index].pushed > 0.0 {
        let quad = contacts[index].numbers;
        if AS_ROWS {
            numbers[quad].x = rebound;
        } else {
            numbers[quad].w = rebound;
        }
    }
}

fn visit_contact(index: u32) {
    if APPLIES {
        apply(index);
    } else {
        add_impulse(index);
    }
}
