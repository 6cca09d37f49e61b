//! The search for a reference, and what its answers prove.

use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::Problem;
use delassus_metrics::Evaluator;
use delassus_registry::Registry;
use delassus_solver_dense::assembly::redundancy;

use crate::attempt::{Attempt, AttemptAnswer, AttemptContext};
use crate::continuum::{continuum, directions, is_convex};
use crate::method::{METHODS, MethodFamily, ReferenceMethod};
use crate::options::ReferenceOptions;
use crate::verdict::{
    Basis, Certified, CertifiedSolution, NoReference, ReferenceSearch, Uniqueness,
};

/// Where between two answers the residual is looked at \[-\] (F.6).
const BETWEEN: [f64; 3] = [0.25, 0.5, 0.75];

/// Looks for certified solutions of `problem` among the methods of `registry`.
///
/// Velocities of a convex problem are unique, so the search ends when two families agree; otherwise
/// every method is asked, since each may find another solution. The same problem gives the same
/// bits. Setting `cancel` ends the search.
pub fn certify(
    problem: &Problem,
    registry: &Registry,
    options: ReferenceOptions,
    cancel: &AtomicBool,
) -> ReferenceSearch {
    let refused = |reason| ReferenceSearch {
        reference: Err(reason),
        attempts: Vec::new(),
        redundancy: None,
    };
    if problem.rows() > options.max_rows {
        return refused(NoReference::TooLarge {
            rows: problem.rows(),
            limit: options.max_rows,
        });
    }
    let evaluator = match Evaluator::new(problem) {
        Ok(evaluator) => evaluator,
        Err(error) => {
            let reason = error.to_string();
            return refused(NoReference::Judge { reason });
        }
    };
    let mut bench = AttemptContext {
        problem,
        evaluator,
        registry,
        options,
        cancel,
    };
    let unique = is_convex(problem);
    let mut attempts = Vec::new();
    for method in METHODS.iter().filter(|method| method.is_asked(problem)) {
        if cancel.load(Ordering::Relaxed) {
            let reference = Err(NoReference::Interrupted);
            return ReferenceSearch {
                reference,
                attempts,
                redundancy: None,
            };
        }
        attempts.push(bench.attempt(*method));
        let agreed = |one: &CertifiedSolution| one.basis == Basis::TwoFamilies;
        if unique && !options.thorough && bench.certified(&attempts, false).iter().any(agreed) {
            break;
        }
    }
    let reference = bench.judge(&attempts, unique);
    ReferenceSearch {
        reference,
        attempts,
        redundancy: redundancy(problem).ok(),
    }
}

/// An answer, and the attempt that it is of.
#[derive(Clone, Copy)]
struct Answer<'a> {
    attempt: &'a Attempt,
    reached: &'a AttemptAnswer,
}

/// Answers whose velocities agree.
struct Cluster<'a> {
    members: Vec<Answer<'a>>,
    /// Largest distance from the first member \[-\].
    agreement: f64,
}

impl AttemptContext<'_> {
    /// The certified solutions among the answers so far; with `returns`, methods are asked to come
    /// back to answers that one family alone has found.
    fn certified(&mut self, attempts: &[Attempt], returns: bool) -> Vec<CertifiedSolution> {
        let complete = attempts.iter().any(|attempt| attempt.complete);
        let clusters = self.clusters(attempts);
        let mut solutions: Vec<CertifiedSolution> = clusters
            .into_iter()
            .filter_map(|cluster| self.reference(&cluster, complete, returns))
            .collect();
        solutions.sort_by(|a, b| a.residual.total_cmp(&b.residual));
        solutions
    }

    /// Groups the answers within the tolerance by their velocities; two that the residual cannot
    /// tell apart are one (F.6).
    fn clusters<'a>(&mut self, attempts: &'a [Attempt]) -> Vec<Cluster<'a>> {
        let tolerance = self.options.tolerance;
        let mut clusters: Vec<Cluster<'a>> = Vec::new();
        for answer in answers(attempts) {
            if answer.reached.residual > tolerance {
                continue;
            }
            let mut home = None;
            for (index, cluster) in clusters.iter().enumerate() {
                let first = &cluster.members[0].reached.impulses;
                if let Some(distance) = self.same(first, &answer.reached.impulses) {
                    home = Some((index, distance));
                    break;
                }
            }
            match home {
                Some((index, distance)) => {
                    let cluster = &mut clusters[index];
                    cluster.agreement = cluster.agreement.max(distance);
                    cluster.members.push(answer);
                }
                None => clusters.push(Cluster {
                    members: vec![answer],
                    agreement: 0.0,
                }),
            }
        }
        clusters
    }

    /// The distance of two answers that are one solution to the tolerance: close enough, or without
    /// a residual between them that would tell them apart (F.6).
    fn same(&mut self, a: &[f64], b: &[f64]) -> Option<f64> {
        let tolerance = self.options.tolerance;
        let distance = self.evaluator.agreement(a, b).ok()?;
        let between = |share: f64| -> Vec<f64> {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| a + share * (b - a)).collect()
        };
        let close = distance <= tolerance.sqrt();
        let same = distance <= tolerance
            || close && BETWEEN.iter().all(|share| self.holds(&between(*share)));
        same.then_some(distance)
    }

    /// True if impulses satisfy the laws within the tolerance.
    fn holds(&mut self, impulses: &[f64]) -> bool {
        let residual = self.evaluator.deciding_natural_map(impulses);
        residual.is_ok_and(|residual| residual <= self.options.tolerance)
    }

    /// The solution of a cluster, if something certifies it (F.1, F.2).
    fn reference(
        &mut self,
        cluster: &Cluster<'_>,
        complete: bool,
        returns: bool,
    ) -> Option<CertifiedSolution> {
        let best = cluster.members.iter().min_by(|a, b| {
            let (a, b) = (a.reached.residual, b.reached.residual);
            a.total_cmp(&b)
        })?;
        let Answer { attempt, reached } = *best;
        let mut families = cluster.members.iter().map(|answer| answer.attempt.family);
        let two = families.clone().any(|family| family != attempt.family);
        let returning = match two || !returns {
            true => None,
            false => self.returning(attempt.family, &reached.impulses),
        };
        let basis = if two {
            Basis::TwoFamilies
        } else if let Some(method) = returning {
            Basis::Returned(method)
        } else if complete && families.any(|family| family == MethodFamily::Enumeration) {
            Basis::Enumeration
        } else {
            Basis::Gap(self.gap(&reached.impulses)?)
        };
        let mut methods = vec![attempt.method];
        for Answer { attempt, .. } in &cluster.members {
            if !methods.contains(&attempt.method) {
                methods.push(attempt.method);
            }
        }
        let impulses = reached.impulses.clone();
        Some(CertifiedSolution {
            velocities: self.velocities(&impulses)?,
            impulses,
            residual: reached.residual,
            agreement: cluster.agreement,
            methods,
            basis,
        })
    }

    /// A method of another family that comes back to an answer from a point near it.
    fn returning(&mut self, family: MethodFamily, answer: &[f64]) -> Option<&'static str> {
        let problem = self.problem;
        // the others begin at zero, whatever they are given
        let starts = |method: &&ReferenceMethod| {
            matches!(
                method.family,
                MethodFamily::Newton | MethodFamily::Splitting | MethodFamily::FirstOrder
            ) && method.family != family
                && method.is_asked(problem)
        };
        let mut candidates = METHODS.iter().filter(starts);
        let found = candidates.find(|method| self.returns(**method, answer))?;
        Some(found.id)
    }

    /// The error in velocity that the duality gap allows \[-\], if it is within the tolerance.
    fn gap(&mut self, impulses: &[f64]) -> Option<f64> {
        let joules = self.evaluator.certificate(impulses).ok()??;
        let bound = (joules / self.evaluator.energy_scale().joules).sqrt();
        (bound <= self.options.tolerance).then_some(bound)
    }

    fn velocities(&self, impulses: &[f64]) -> Option<Vec<f64>> {
        if let Some(bodies) = self.problem.bodies() {
            let mut out = vec![0.0; 6 * bodies.len()];
            self.problem.body_velocities(impulses, &mut out).ok()?;
            return Some(out);
        }
        let mut out = vec![0.0; self.problem.rows()];
        self.problem.shifted_velocity(impulses, &mut out);
        Some(out)
    }

    fn judge(&mut self, attempts: &[Attempt], unique: bool) -> Result<Certified, NoReference> {
        if !unique && let Some(family) = self.family(attempts) {
            return Err(family);
        }
        let solutions = self.certified(attempts, true);
        if solutions.is_empty() {
            return Err(self.why_not(attempts));
        }
        let complete = attempts.iter().any(|attempt| attempt.complete);
        let uniqueness = match (unique, complete) {
            (true, _) => Uniqueness::Convex,
            (false, true) => Uniqueness::Enumerated,
            (false, false) => Uniqueness::Open,
        };
        Ok(Certified {
            solutions,
            uniqueness,
        })
    }

    /// The family that one of the answers belongs to, if one does.
    fn family(&mut self, attempts: &[Attempt]) -> Option<NoReference> {
        let tolerance = self.options.tolerance;
        let (mut family, method) = self.clusters(attempts).iter().find_map(|cluster| {
            let Answer { attempt, reached } = cluster.members[0];
            let family = continuum(self.problem, &reached.impulses, tolerance)?;
            Some((family, attempt.method))
        })?;
        // an answer at an end of the family has fewer directions than one inside
        for Answer { reached, .. } in answers(attempts) {
            let own = directions(self.problem, &reached.impulses, tolerance);
            family.dimension = family.dimension.max(own);
        }
        Some(NoReference::Family {
            family,
            method,
            tolerance,
        })
    }

    /// Why no answer is certified.
    fn why_not(&mut self, attempts: &[Attempt]) -> NoReference {
        let tolerance = self.options.tolerance;
        let mut best: Vec<Answer<'_>> = answers(attempts).collect();
        best.sort_by(|a, b| a.reached.residual.total_cmp(&b.reached.residual));
        let within = |answer: &&Answer<'_>| answer.reached.residual <= tolerance;
        let Some(first) = best.first() else {
            return unanswered(attempts);
        };
        if !within(&first) {
            return unsolved(attempts).unwrap_or(NoReference::Unreached {
                method: first.attempt.method,
                residual: first.reached.residual,
                tolerance,
            });
        }
        let of_other = |other: &&Answer<'_>| other.attempt.family != first.attempt.family;
        let Some(second) = best.iter().filter(within).find(of_other) else {
            return NoReference::OneMethod {
                method: first.attempt.method,
                residual: first.reached.residual,
            };
        };
        let distance = self
            .evaluator
            .agreement(&first.reached.impulses, &second.reached.impulses);
        NoReference::Disagree {
            first: first.attempt.method,
            second: second.attempt.method,
            distance: distance.unwrap_or(f64::INFINITY),
            tolerance,
        }
    }
}

/// Every answer, in the order in which they were found.
fn answers(attempts: &[Attempt]) -> impl Iterator<Item = Answer<'_>> {
    attempts.iter().flat_map(|attempt| {
        let answers = attempt.outcome.iter().flatten();
        answers.map(move |reached| Answer { attempt, reached })
    })
}

/// The method that says that there is no solution.
fn unsolved(attempts: &[Attempt]) -> Option<NoReference> {
    let attempt = attempts.iter().find(|attempt| attempt.infeasible)?;
    let reason = match &attempt.outcome {
        Ok(_) => "no active set has one".to_owned(),
        Err(reason) => reason.clone(),
    };
    Some(NoReference::Infeasible {
        method: attempt.method,
        reason,
    })
}

/// Why nobody has an answer.
fn unanswered(attempts: &[Attempt]) -> NoReference {
    let last = attempts.iter().rev().find_map(|attempt| {
        let reason = attempt.outcome.as_ref().err()?;
        Some(NoReference::Unsupported {
            method: attempt.method,
            reason: reason.clone(),
        })
    });
    unsolved(attempts)
        .or(last)
        .unwrap_or(NoReference::Interrupted)
}
