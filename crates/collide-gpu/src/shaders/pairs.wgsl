// `pairs`: one thread per collider looks at the cells around it on its own level and on those of larger colliders; it
// counts what it may touch there, or, with FILLS, names it.

override FILLS: bool = false;

// Of a height above a half-space, as a share of the way to its body.
const ROUNDING: f32 = 1e-6;

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> bounds: array<Bound>;
@group(0) @binding(2) var<storage, read> tables: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read> members: array<u32>;
// pairs of every collider, then their first ones
@group(0) @binding(5) var<storage, read_write> firsts: array<u32>;
@group(0) @binding(6) var<storage, read_write> found: array<vec2<u32>>;
// threads whose loops were ended by the driver
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>>;

// True if two bodies never touch; a search in ascending pairs.
fn are_apart(a: u32, b: u32) -> bool {
    let first = min(a, b);
    let second = max(a, b);
    var low = header.levels;
    var high = header.levels + header.apart;
    while low < high {
        let middle = (low + high) / 2u;
        let pair = tables[middle];
        if pair.x < first || (pair.x == first && pair.y < second) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low < header.levels + header.apart && all(tables[low] == vec2<u32>(first, second));
}

// True if two are allowed to touch, wherever they are.
fn may_touch(a: Bound, b: Bound) -> bool {
    if a.body == b.body || (a.moves | b.moves) == 0u {
        return false;
    }
    if (a.group != 0u && a.group == b.group) || (a.category & b.mask) == 0u || (b.category & a.mask) == 0u {
        return false;
    }
    return !are_apart(a.body, b.body);
}

fn from_to(a: Bound, b: Bound) -> vec3<f32> {
    return (b.high - a.high) + (b.low - a.low);
}

fn overlap(a: Bound, b: Bound) -> bool {
    return all(abs(from_to(a, b)) <= a.reach + b.reach);
}

// True if a collider comes within the margin above a half-space.
fn reaches(own: Bound, plane: Bound) -> bool {
    let n = plane.reach;
    let between = from_to(plane, own);
    let size = abs(between.x) + abs(between.y) + abs(between.z);
    return dot3(n, between) - dot3(abs(n), own.reach) <= 0.5 * header.margin + ROUNDING * size;
}

// Where the pairs of this thread begin, and how many it has found.
var<private> first: u32;
var<private> count: u32;

fn note(index: u32, other: u32) {
    if FILLS && first + count < header.pairs {
        found[first + count] = vec2<u32>(index, other);
    }
    count = count + 1u;
}

// Looks at cell `around`, of 27, of a level; false if the loop was ended.
fn look_at_cell(index: u32, own: Bound, level: u32, around: u32) -> bool {
    let side = vec3<i32>(vec3<u32>(around % 3u, (around / 3u) % 3u, around / 9u)) - vec3<i32>(1);
    let cell = cell_of(own.high, own.low, bitcast<f32>(tables[level].y)) + side;
    let bucket = bucket_of(cell, level, header.buckets);
    let end = starts[bucket + 1u];
    var at = starts[bucket];
    while at < end {
        let other = members[at];
        at = at + 1u;
        let bound = bounds[other];
        // a bucket holds several cells
        let there = bound.level == level && all(bound.cell == cell);
        let mine = level > own.level || other > index;
        if there && mine && overlap(own, bound) && may_touch(own, bound) {
            note(index, other);
        }
    }
    return at >= end;
}

// Asks all half-spaces; false if the loop was ended.
fn look_at_planes(index: u32, own: Bound) -> bool {
    var plane = 0u;
    while plane < header.planes {
        let other = tables[header.levels + header.apart + plane].x;
        plane = plane + 1u;
        let bound = bounds[other];
        if reaches(own, bound) && may_touch(own, bound) {
            note(index, other);
        }
    }
    return plane >= header.planes;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index >= header.colliders {
        return;
    }
    let own = bounds[index];
    count = 0u;
    first = 0u;
    if FILLS {
        first = firsts[index];
    }
    var finished = true;
    // half-spaces are found by the others
    if own.bucket != NONE {
        let looks = 27u * (header.levels - own.level);
        var looked = 0u;
        while looked < looks && finished {
            finished = look_at_cell(index, own, own.level + looked / 27u, looked % 27u);
            looked = looked + 1u;
        }
        finished = finished && looked >= looks;
        finished = look_at_planes(index, own) && finished;
    }
    if !finished {
        atomicAdd(&status[0], 1u);
    }
    if !FILLS {
        firsts[index] = count;
    }
}
