//! Which combinations of values are looked at.
//!
//! ```text
//! [grid]     every level of every axis with every other; the last axis runs fastest
//! [list]     the k-th value of each axis together
//! [latin]    n strata of equal probability per axis, each met once: x_a(k) = F_a⁻¹((π_a(k) + r) / n)
//! [random]   x_a(k) = F_a⁻¹(r), independent
//! ```
//!
//! Latin hypercubes: McKay, Beckman & Conover, Technometrics 21 (1979) 239–245.

use std::fmt;

use crate::SweepAxis;
use crate::random::{permutation, unit};

/// How combinations are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Design {
    /// All of them.
    Grid,
    /// Value by value.
    List,
    /// Stratified samples.
    Latin {
        /// How many.
        samples: usize,
        /// Which of the many designs.
        seed: u64,
    },
    /// Independent samples.
    Random {
        /// How many.
        samples: usize,
        /// Which of the many designs.
        seed: u64,
    },
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// Nothing varies.
    NoAxes,
    /// An axis makes no sense.
    Axis {
        /// Which one.
        axis: usize,
        /// Why.
        fault: String,
    },
    /// A grid needs to know how many numbers an axis has.
    NoLevels {
        /// Which axis.
        axis: usize,
    },
    /// Lists of different lengths.
    Lengths {
        /// The axis whose list is longer or shorter than the first.
        axis: usize,
    },
    /// More members than can be counted.
    TooMany,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NoAxes => f.write_str("nothing is to vary"),
            PlanError::Axis { fault, .. } => f.write_str(fault),
            PlanError::NoLevels { .. } => f.write_str("a grid takes a number of levels"),
            PlanError::Lengths { .. } => f.write_str("a list has as many values as the first"),
            PlanError::TooMany => f.write_str("there are more than 100000000 members"),
        }
    }
}

impl std::error::Error for PlanError {}

/// The most members of a plan.
pub const MAX_MEMBERS: usize = 100_000_000;

/// Combinations of values, numbered from 0 on.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepPlan {
    axes: Vec<SweepAxis>,
    design: Design,
    len: usize,
    /// Per axis, the stratum of each member of a Latin hypercube.
    strata: Vec<Vec<usize>>,
}

impl SweepPlan {
    /// A plan, if the axes suit the design.
    pub fn new(axes: Vec<SweepAxis>, design: Design) -> Result<SweepPlan, PlanError> {
        if axes.is_empty() {
            return Err(PlanError::NoAxes);
        }
        if let Some((axis, fault)) = axes.iter().enumerate().find_map(|(k, a)| Some((k, a.fault()?))) {
            return Err(PlanError::Axis { axis, fault });
        }
        let levels = |axis: usize| axes[axis].levels().ok_or(PlanError::NoLevels { axis });
        let mut strata = vec![];
        let len = match design {
            Design::Grid => {
                let mut len = 1usize;
                for axis in 0..axes.len() {
                    len = len.checked_mul(levels(axis)?).ok_or(PlanError::TooMany)?;
                }
                len
            }
            Design::List => {
                let len = levels(0)?;
                for axis in 1..axes.len() {
                    if levels(axis)? != len {
                        return Err(PlanError::Lengths { axis });
                    }
                }
                len
            }
            Design::Latin { samples, .. } | Design::Random { samples, .. } => samples,
        };
        if len > MAX_MEMBERS {
            return Err(PlanError::TooMany);
        }
        if let Design::Latin { samples, seed } = design {
            strata = (0..axes.len()).map(|a| permutation(seed, 2 * a as u64, samples)).collect();
        }
        Ok(SweepPlan { axes, design, len, strata })
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What varies.
    pub fn axes(&self) -> &[SweepAxis] {
        &self.axes
    }

    /// The values of a member, one per axis.
    pub fn member(&self, k: usize) -> Vec<f64> {
        let axes = self.axes.iter().enumerate();
        match self.design {
            Design::Grid => {
                let mut rest = k;
                let mut values: Vec<f64> = self
                    .axes
                    .iter()
                    .rev()
                    .map(|axis| {
                        let n = axis.levels().unwrap_or(1).max(1);
                        let value = axis.level(rest % n);
                        rest /= n;
                        value
                    })
                    .collect();
                values.reverse();
                values
            }
            Design::List => self.axes.iter().map(|axis| axis.level(k)).collect(),
            Design::Latin { samples, seed } => axes
                .map(|(a, axis)| {
                    let inside = unit(seed, 2 * a as u64 + 1, k as u64);
                    axis.quantile((self.strata[a][k] as f64 + inside) / samples as f64)
                })
                .collect(),
            Design::Random { seed, .. } => {
                axes.map(|(a, axis)| axis.quantile(unit(seed, 2 * a as u64 + 1, k as u64))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: f64, to: f64, levels: Option<usize>) -> SweepAxis {
        SweepAxis::Range { from, to, levels }
    }

    #[test]
    fn a_grid_has_every_combination_once_and_its_ends_exactly() {
        let axes =
            vec![range(0.1, 0.7, Some(7)), SweepAxis::Values(vec![5.0, -1.0]), range(2.0, 2.5, Some(3))];
        let plan = SweepPlan::new(axes, Design::Grid).unwrap();
        assert_eq!(plan.len(), 42);
        let all: Vec<Vec<f64>> = (0..42).map(|k| plan.member(k)).collect();
        for (i, a) in all.iter().enumerate() {
            assert!(!all[..i].contains(a), "{a:?} twice");
        }
        assert_eq!(all[0], [0.1, 5.0, 2.0]);
        assert_eq!(all[1], [0.1, 5.0, 2.25]);
        assert_eq!(all[41], [0.7, -1.0, 2.5]);
    }

    #[test]
    fn a_latin_hypercube_meets_every_stratum_once() {
        let n = 257;
        let axes = vec![range(0.0, 1.0, None), range(10.0, 20.0, None), range(-1.0, 0.0, None)];
        let plan = SweepPlan::new(axes, Design::Latin { samples: n, seed: 3 }).unwrap();
        let members: Vec<Vec<f64>> = (0..n).map(|k| plan.member(k)).collect();
        for (a, (from, width)) in [(0.0, 1.0), (10.0, 10.0), (-1.0, 1.0)].into_iter().enumerate() {
            let mut strata: Vec<usize> =
                members.iter().map(|m| ((m[a] - from) / width * n as f64) as usize).collect();
            strata.sort_unstable();
            assert_eq!(strata, (0..n).collect::<Vec<_>>());
        }
        let other = SweepPlan::new(plan.axes().to_vec(), Design::Latin { samples: n, seed: 4 }).unwrap();
        assert_ne!(other.member(0), plan.member(0));
    }

    /// Latin samples know the mean of a sum better than independent ones do.
    #[test]
    fn strata_pay() {
        let axes = vec![range(0.0, 1.0, None), range(0.0, 1.0, None)];
        let error = |design: &dyn Fn(u64) -> Design| {
            let worst = (0..20).map(|seed| {
                let plan = SweepPlan::new(axes.clone(), design(seed)).unwrap();
                let mean = (0..100).map(|k| plan.member(k).iter().sum::<f64>()).sum::<f64>() / 100.0;
                (mean - 1.0).abs()
            });
            worst.fold(0.0, f64::max)
        };
        let latin = error(&|seed| Design::Latin { samples: 100, seed });
        let random = error(&|seed| Design::Random { samples: 100, seed });
        assert!(latin < 0.1 * random, "{latin} against {random}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let open = range(0.0, 1.0, None);
        assert_eq!(SweepPlan::new(vec![], Design::Grid), Err(PlanError::NoAxes));
        assert_eq!(SweepPlan::new(vec![open], Design::Grid), Err(PlanError::NoLevels { axis: 0 }));
        let lists = vec![SweepAxis::Values(vec![1.0, 2.0]), SweepAxis::Values(vec![1.0])];
        assert_eq!(SweepPlan::new(lists, Design::List), Err(PlanError::Lengths { axis: 1 }));
        let huge = vec![range(0.0, 1.0, Some(1_000_000)); 4];
        assert_eq!(SweepPlan::new(huge, Design::Grid), Err(PlanError::TooMany));
    }
}
