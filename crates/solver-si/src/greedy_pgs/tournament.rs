//! The largest of many scores, kept while single ones change.

/// A tournament of scores: every node of a complete binary tree stores the best leaf below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Tournament {
    scores: Vec<f64>,
    /// Winners: node 1 is the root, the children of node i are 2i and 2i + 1, the last `leaves`
    /// nodes are the leaves.
    winners: Vec<u32>,
    leaves: usize,
}

impl Tournament {
    /// All scores zero.
    pub(super) fn begin(&mut self, players: usize) {
        let leaves = players.next_power_of_two();
        self.leaves = leaves;
        self.scores.clear();
        self.scores.resize(leaves, 0.0);
        // fewer than 2²⁹ blocks: nothing is cut off
        self.winners.clear();
        self.winners.resize(leaves, 0);
        self.winners.extend((0u32..).take(leaves));
        for node in (1..leaves).rev() {
            self.winners[node] = self.winners[2 * node];
        }
    }

    /// The player with the largest score, the first of equal ones.
    pub(super) fn best(&self) -> usize {
        self.winners[1] as usize
    }

    pub(super) fn score(&self, player: usize) -> f64 {
        self.scores[player]
    }

    /// Changes one score; what is no number counts as infinite, so that it is looked at.
    pub(super) fn set(&mut self, player: usize, score: f64) {
        let score = if score.is_nan() { f64::INFINITY } else { score };
        self.scores[player] = score;
        let mut node = (self.leaves + player) / 2;
        while node > 0 {
            let [left, right] = [self.winners[2 * node], self.winners[2 * node + 1]];
            // leaves to the left have smaller numbers
            let right_wins = self.scores[right as usize] > self.scores[left as usize];
            self.winners[node] = if right_wins { right } else { left };
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_wins_and_of_equals_the_first() {
        for players in [1usize, 2, 3, 7, 8, 9] {
            let mut tournament = Tournament::default();
            tournament.begin(players);
            let mut scores = vec![0.0; players];
            assert_eq!(tournament.best(), 0);
            for step in 0..200usize {
                // few values, so that many are equal
                let (player, score) = ((step * 37) % players, ((step * step) % 5) as f64);
                scores[player] = score;
                tournament.set(player, score);
                let most = scores.iter().fold(0.0f64, |m, x| m.max(*x));
                let first = scores.iter().position(|x| *x == most);
                assert_eq!(Some(tournament.best()), first, "{scores:?}");
                assert_eq!(tournament.score(tournament.best()), most);
            }
        }
    }

    #[test]
    fn what_is_no_number_is_looked_at() {
        let mut tournament = Tournament::default();
        tournament.begin(3);
        tournament.set(0, 5.0);
        tournament.set(2, f64::NAN);
        assert_eq!(tournament.best(), 2);
    }
}
