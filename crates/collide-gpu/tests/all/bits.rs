//! Equal bits in every run, for every size of workgroups.

use delassus_collide_gpu::{GpuManifold, PairStates};

use crate::common::{World, finder, mixed, on_slope, wall};

fn bits(found: &[GpuManifold]) -> Vec<u64> {
    let of = |found: &GpuManifold| {
        let mut bits: Vec<u64> = found.colliders.map(u64::from).to_vec();
        bits.push(found.memory.axis.into());
        bits.extend(found.touching.normal.iter().map(|x| x.to_bits()));
        for point in &found.touching.points {
            let numbers = point.points.iter().flat_map(|p| p.iter());
            bits.extend(numbers.map(|x| x.to_bits()));
            bits.extend([point.separation.to_bits(), point.feature]);
        }
        bits.extend(found.previous.iter().map(|p| p.map_or(9, |p| p as u64)));
        bits
    };
    found.iter().flat_map(of).collect()
}

/// Two searches, the second with the memory of the first and bodies a little further.
fn two_frames(test: &str, world: &World, workgroup: u32) -> Option<Vec<u64>> {
    let mut finder = finder(test, workgroup)?;
    let mut all = bits(&world.found(&mut finder));
    let mut later = world.clone();
    for (index, pose) in later.poses.iter_mut().enumerate() {
        pose.translation.vector.x += 1e-3 * (index % 7) as f64;
    }
    let found = later.ask(&mut finder, PairStates::Kept).expect("a device");
    all.extend(bits(&found));
    Some(all)
}

#[test]
fn repeats_and_workgroups_change_no_bit() {
    let test = "repeats_and_workgroups_change_no_bit";
    for world in [mixed(300, 6.0, 3), on_slope(150, false, 3), wall(9, 0.0)] {
        let mut first = None;
        for workgroup in [64, 64, 32, 128, 256] {
            let Some(own) = two_frames(test, &world, workgroup) else {
                return;
            };
            assert!(own.len() > 1000);
            let first = first.get_or_insert_with(|| own.clone());
            assert!(own == *first, "{workgroup} threads");
        }
    }
}
