//! An order of elimination with little fill.

use std::collections::BTreeSet;

use delassus_core::{SolveError, interrupt};

/// Nodes or rows between two looks at the limit of the caller \[-\].
pub(super) const LOOK: usize = 64;

/// The order of a graph, kept for the next one that is the same.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptOrder {
    nodes: usize,
    edges: Vec<(usize, usize)>,
    /// The edges of the graph that is asked for.
    asked: Vec<(usize, usize)>,
    order: Vec<usize>,
}

impl KeptOrder {
    /// The nodes in the order of [`minimum_degree`]; edges come in any order, which decides whether
    /// a graph is the same.
    ///
    /// # Errors
    /// A limit that ended it.
    pub(super) fn order(
        &mut self,
        nodes: usize,
        edges: impl Iterator<Item = (usize, usize)>,
    ) -> Result<&[usize], SolveError> {
        self.asked.clear();
        self.asked.extend(edges);
        if self.nodes != nodes || self.edges != self.asked {
            let mut neighbours = vec![BTreeSet::new(); nodes];
            for (a, b) in &self.asked {
                neighbours[*a].insert(*b);
                neighbours[*b].insert(*a);
            }
            self.order = minimum_degree(neighbours)?;
            self.edges.clone_from(&self.asked);
            self.nodes = nodes;
        }
        Ok(&self.order)
    }
}

/// The nodes of a graph, each time the one with the fewest neighbours left, the first of equal
/// ones; what an eliminated node leaves behind is a clique of its neighbours. On trees, joints of
/// open chains among them, nothing fills. It looks at the limit of the caller.
fn minimum_degree(mut neighbours: Vec<BTreeSet<usize>>) -> Result<Vec<usize>, SolveError> {
    let degrees = neighbours
        .iter()
        .enumerate()
        .map(|(node, n)| (n.len(), node));
    let mut queue: BTreeSet<(usize, usize)> = degrees.collect();
    let mut order = Vec::with_capacity(neighbours.len());
    while let Some((_, node)) = queue.pop_first() {
        if order.len().is_multiple_of(LOOK) {
            interrupt::check()?;
        }
        order.push(node);
        let clique = std::mem::take(&mut neighbours[node]);
        for member in &clique {
            let own = &mut neighbours[*member];
            queue.remove(&(own.len(), *member));
            own.remove(&node);
            own.extend(clique.iter().filter(|other| *other != member));
            queue.insert((own.len(), *member));
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_star_is_eliminated_from_its_rays() {
        // node 0 is the hub: with two left it is as good as the last ray, and comes first
        let hub: BTreeSet<usize> = (1..5).collect();
        let ray = BTreeSet::from([0]);
        let order = minimum_degree(vec![hub, ray.clone(), ray.clone(), ray.clone(), ray]);
        assert_eq!(order, Ok(vec![1, 2, 3, 0, 4]));
    }

    #[test]
    fn another_graph_has_another_order() {
        let mut kept = KeptOrder::default();
        let star = [(0, 1), (0, 2), (0, 3)];
        let chain = [(0, 1), (1, 2), (2, 3)];
        for edges in [star, star, chain, star] {
            let mut fresh = KeptOrder::default();
            let expected = fresh.order(4, edges.into_iter());
            assert_eq!(kept.order(4, edges.into_iter()), expected);
        }
        assert_eq!(kept.order(5, star.into_iter()).map(<[usize]>::len), Ok(5));
        assert_eq!(kept.order(0, [].into_iter()).map(<[usize]>::len), Ok(0));
    }

    #[test]
    fn an_order_that_a_limit_ended_is_computed_again() {
        let mut kept = KeptOrder::default();
        let chain = || (1..200).map(|i| (i - 1, i));
        let over = Arc::new(|| 0.0);
        let ended = interrupt::within(over, || kept.order(200, chain()).map(<[usize]>::len));
        assert_eq!(ended, Err(SolveError::Interrupted));
        assert_eq!(kept.order(200, chain()).map(<[usize]>::len), Ok(200));
    }

    #[test]
    fn every_node_comes_once() {
        // a ring
        let n = 9;
        let ring = (0..n).map(|i| BTreeSet::from([(i + 1) % n, (i + n - 1) % n]));
        let mut order = minimum_degree(ring.collect()).expect("no limit");
        order.sort_unstable();
        assert!(order.into_iter().eq(0..n));
    }
}
