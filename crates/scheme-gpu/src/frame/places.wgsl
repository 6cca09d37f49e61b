// Where the numbers and impulses of manifolds lie. Host: `ManifoldLayout`.

// True: in tiles, where what TILE neighbours have lies side by side.
override TILES: bool = false;

// From one quad of a manifold to the next.
fn quad_stride() -> u32 {
    return select(1u, TILE, TILES);
}

// The first quad of a manifold.
fn first_quad(index: u32, first: u32) -> u32 {
    if TILES {
        return TILE * TILE_QUADS * (index / TILE) + index % TILE;
    }
    return FRAME_QUADS * index + POINT_QUADS * first;
}

// The normal impulse of a point in a half of the impulses, in single numbers.
fn first_impulse(index: u32, first: u32, local: u32) -> u32 {
    if TILES {
        return TILE * 3u * (MAX_POINTS * (index / TILE) + local) + index % TILE;
    }
    return 4u * (first + local);
}

// Numbers of a half of the impulses.
fn half_of_impulses(points: u32) -> u32 {
    return select(4u, 3u, TILES) * points;
}
