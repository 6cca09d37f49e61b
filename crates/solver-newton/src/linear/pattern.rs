//! Where the blocks of the Newton matrix and of its factors are: fixed for a problem (Z.15).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Neighbours of every body, compressed, ascending and without the body itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    first: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    /// The bodies that share a row.
    pub(crate) fn new(count: usize, cliques: &mut dyn Iterator<Item = &[u32]>) -> Self {
        let mut pairs = Vec::new();
        for bodies in cliques {
            for a in bodies {
                let others = bodies.iter().filter(|b| *b != a);
                pairs.extend(others.map(|b| (*a as usize, *b as usize)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0; count + 1];
        for (a, _) in &pairs {
            first[a + 1] += 1;
        }
        for i in 0..count {
            first[i + 1] += first[i];
        }
        Self {
            first,
            neighbours: pairs.into_iter().map(|(_, b)| b).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    pub(crate) fn of(&self, body: usize) -> &[usize] {
        &self.neighbours[self.first[body]..self.first[body + 1]]
    }

    /// The place of every body in an elimination with little fill: approximate minimum degree.
    pub(crate) fn order(&self) -> Vec<u32> {
        let count = self.len();
        let mut order = vec![0usize; count];
        let mut inverse = vec![0usize; count];
        let scratch = amd::order_scratch::<usize>(count, self.neighbours.len());
        let mut memory = MemBuffer::new(scratch);
        let pattern =
            SymbolicSparseColMatRef::new_checked(count, count, &self.first, None, &self.neighbours);
        let stack = MemStack::new(&mut memory);
        let found = amd::order(&mut order, &mut inverse, pattern, Default::default(), stack);
        if found.is_err() {
            // an overflow of indices: any order is one
            inverse = (0..count).collect();
        }
        inverse.into_iter().map(place).collect()
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "bodies are numbered in u32"
)]
pub(crate) fn place(place: usize) -> u32 {
    place as u32
}

/// The blocks of the factor L, column by column, each from its diagonal down; in the numbers of the
/// elimination.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) first: Vec<usize>,
    pub(crate) rows: Vec<u32>,
}

impl Pattern {
    /// The pattern of the factor of a matrix with these neighbours.
    pub(crate) fn new(graph: &Graph) -> Self {
        let count = graph.len();
        let mut pattern = Self {
            first: Vec::with_capacity(count + 1),
            rows: Vec::new(),
        };
        // columns whose first block below the diagonal is in this row
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut seen = vec![usize::MAX; count];
        for j in 0..count {
            let first = pattern.rows.len();
            pattern.first.push(first);
            pattern.rows.push(place(j));
            seen[j] = j;
            let below = graph.of(j).iter().copied().filter(|i| *i > j);
            for i in below {
                seen[i] = j;
                pattern.rows.push(place(i));
            }
            for child in std::mem::take(&mut children[j]) {
                for at in pattern.first[child] + 1..pattern.first[child + 1] {
                    let i = pattern.rows[at];
                    if seen[i as usize] != j {
                        seen[i as usize] = j;
                        pattern.rows.push(i);
                    }
                }
            }
            pattern.rows[first..].sort_unstable();
            if let Some(parent) = pattern.rows.get(first + 1) {
                children[*parent as usize].push(j);
            }
        }
        pattern.first.push(pattern.rows.len());
        pattern
    }

    /// The lower triangle of a matrix with these neighbours, without fill.
    pub(crate) fn unfilled(graph: &Graph) -> Self {
        let mut pattern = Self {
            first: Vec::with_capacity(graph.len() + 1),
            rows: Vec::new(),
        };
        for j in 0..graph.len() {
            pattern.first.push(pattern.rows.len());
            pattern.rows.push(place(j));
            let below = graph.of(j).iter().filter(|i| **i > j);
            pattern.rows.extend(below.map(|i| place(*i)));
        }
        pattern.first.push(pattern.rows.len());
        pattern
    }

    /// Where block (row, column) is, if it is one; row ≥ column.
    pub(crate) fn locate(&self, row: u32, column: u32) -> Option<usize> {
        let first = self.first[column as usize];
        let rows = &self.rows[first..self.first[column as usize + 1]];
        rows.binary_search(&row).ok().map(|at| first + at)
    }

    /// The column of a block.
    pub(crate) fn column_of(&self, at: usize) -> usize {
        self.first.partition_point(|first| *first <= at) - 1
    }

    /// Number of columns \[-\].
    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Where block (row, column) is; row ≥ column.
    pub(crate) fn find(&self, row: u32, column: u32) -> usize {
        let first = self.first[column as usize];
        let rows = &self.rows[first..self.first[column as usize + 1]];
        first + rows.partition_point(|i| *i < row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_joins_the_neighbours_of_what_is_eliminated() {
        // a ring of four: eliminating 0 joins 1 and 3
        let cliques: [&[u32]; 4] = [&[0, 1], &[1, 2], &[2, 3], &[3, 0]];
        let graph = Graph::new(4, &mut cliques.into_iter());
        let pattern = Pattern::new(&graph);
        assert_eq!(pattern.rows, [0, 1, 3, 1, 2, 3, 2, 3, 3]);
        assert_eq!(pattern.find(3, 1), 5);
    }

    #[test]
    fn chains_have_no_fill() {
        let links: Vec<[u32; 2]> = (0..20).map(|i| [i, i + 1]).collect();
        let graph = Graph::new(21, &mut links.iter().map(|l| &l[..]));
        let order = graph.order();
        let renamed: Vec<[u32; 2]> = links.iter().map(|l| l.map(|b| order[b as usize])).collect();
        let graph = Graph::new(21, &mut renamed.iter().map(|l| &l[..]));
        assert_eq!(Pattern::new(&graph).rows.len(), 41);
    }
}
