//! Bodies that joints and contacts connect.

/// The connected groups of dynamic bodies, each ascending, in the order of their first bodies;
/// bodies that are not dynamic connect nothing.
pub(super) fn connected(
    dynamic: &[bool],
    links: impl Iterator<Item = [usize; 2]>,
) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..dynamic.len()).collect();
    for [a, b] in links {
        if dynamic[a] && dynamic[b] {
            let roots = [a, b].map(|body| root(&mut parent, body));
            let first = roots[0].min(roots[1]);
            // the smallest body of a group is its root
            parent[roots[0].max(roots[1])] = first;
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); dynamic.len()];
    for body in (0..dynamic.len()).filter(|body| dynamic[*body]) {
        let first = root(&mut parent, body);
        groups[first].push(body);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The root of a body; the way there is halved.
fn root(parent: &mut [usize], mut body: usize) -> usize {
    while parent[body] != body {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::connected;

    #[test]
    fn groups_end_at_bodies_that_are_not_dynamic() {
        let dynamic = [false, true, true, true, true, true];
        let links = [[4, 2], [0, 1], [0, 3], [2, 5]];
        let groups = connected(&dynamic, links.into_iter());
        assert_eq!(groups, [vec![1], vec![2, 4, 5], vec![3]]);
        assert!(connected(&[], std::iter::empty()).is_empty());
    }
}
