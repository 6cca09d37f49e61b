// `bounce`: one thread per contact point remembers whether it pushed, and at the end of the frame lets it bounce. Twin:
// `stepping/bounce.rs`.

@group(0) @binding(0) var<storage, read> settings: Settings;
@group(0) @binding(1) var<storage, read> control: Control;
@group(0) @binding(2) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> contacts: array<vec4<f32>>;
// two halves of the points' impulses, or of the rows'
@group(0) @binding(4) var<storage, read> impulses: array<vec4<f32>>;
// those of the manifolds, or of the row blocks, in the relaxed pass
@group(0) @binding(5) var<storage, read_write> numbers: array<vec4<f32>>;

// False: points push. True: those that did bounce.
override BOUNCES: bool = false;

fn push(index: u32) {
    let at = heads[index].w;
    var half = control.points;
    if LOOSE {
        half = control.row_quads;
    }
    let impulse = impulses[half * control.parity + at / 4u][at % 4u];
    let own = CONTACT_QUADS * index + 3u;
    contacts[own].w = contacts[own].w + impulse;
}

fn bounce(index: u32) {
    let own = contacts[CONTACT_QUADS * index + 3u];
    if own.z < 0.0 && own.w > 0.0 {
        let target_quad = heads[index].z;
        if LOOSE {
            numbers[target_quad].x = own.z;
        } else {
            numbers[target_quad].w = own.z;
        }
    }
}

fn visit_contact(index: u32) {
    if BOUNCES {
        bounce(index);
    } else {
        push(index);
    }
}
