// Factor of a body beside another, of a piece with so many rows.
fn factor_of(own: f32, other: f32, rows: u32) -> f32 {
    var factor = 1.0;
    if header.rule == COUNT {
        factor = own + other;
    } else if header.rule == MAX_COUNT {
        factor = max(own, other);
    } else if header.rule == MASS_SPLIT {
        factor = own;
        if header.splitting == SPLIT_BLOCKS && header.sequential == 0u {
            factor = f32(max(rows, 1u)) * own;
        }
    }
    return max(factor, 1.0) * header.inverse_omega;
}
