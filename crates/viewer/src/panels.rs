//! Which curves share a plot.
//!
//! Curves of one group and unit share a plot while they are of like size: beside a curve that is
//! twenty times larger the others lie flat on the axis. What is left is dealt out evenly, so that
//! no plot is crowded and none is left with a single leftover.

use crate::report::Series;
use crate::ticks::drawable;

/// Curves of one plot at most.
const MOST: usize = 8;
/// How many times larger the largest curve of a plot may be than the smallest.
const ALIKE: f64 = 12.0;
/// A curve below this part of the largest of its group and unit is noise around zero, and no plot
/// is made to show it.
const NOISE: f64 = 1e-9;

/// One plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// Unit of all its curves.
    pub unit: String,
    /// Places of its curves among the series, increasing.
    pub members: Vec<usize>,
}

/// The plots of all series that have values, in the order in which their first curves stand.
pub fn panels(series: &[Series]) -> Vec<Panel> {
    let mut groups: Vec<(&str, &str, Vec<usize>)> = vec![];
    for (k, s) in series.iter().enumerate().filter(|(_, s)| !s.values.is_empty()) {
        match groups.iter_mut().find(|(group, unit, _)| *group == s.group && *unit == s.unit) {
            Some((_, _, members)) => members.push(k),
            None => groups.push((&s.group, &s.unit, vec![k])),
        }
    }
    let parts: Vec<_> = (groups.into_iter())
        .map(|(group, unit, members)| {
            let mut parts: Vec<Vec<usize>> =
                alike(series, &members).into_iter().flat_map(|m| dealt(&m)).collect();
            parts.sort();
            (group, unit, parts)
        })
        .collect();
    let panels_of = |name: &str| -> usize {
        parts.iter().filter(|(group, ..)| *group == name).map(|(.., parts)| parts.len()).sum()
    };
    let mut made = vec![];
    for (group, unit, parts) in &parts {
        let shared = parts.iter().filter(|m| m.len() > 1).count();
        let mut seen = 0;
        for members in parts {
            let heading = if group.is_empty() { "Series" } else { group };
            let title = match &members[..] {
                // A curve that is alone gives its name where the group's would stand on several
                // plots.
                [only] if group.is_empty() || panels_of(group) > 1 => own_title(&series[*only]),
                [_] => heading.to_string(),
                _ if shared > 1 => {
                    seen += 1;
                    format!("{heading} ({seen} of {shared})")
                }
                _ => heading.to_string(),
            };
            made.push(Panel { title, unit: unit.to_string(), members: members.clone() });
        }
    }
    made
}

fn own_title(s: &Series) -> String {
    if s.description.is_empty() { s.name.clone() } else { format!("{}: {}", s.name, s.description) }
}

/// Members in bunches of like size, the largest first.
fn alike(series: &[Series], members: &[usize]) -> Vec<Vec<usize>> {
    let mut sized: Vec<(f64, usize)> = members.iter().map(|k| (size(&series[*k].values), *k)).collect();
    sized.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let largest = sized.first().map_or(0.0, |(size, _)| *size);
    let mut bunches: Vec<(f64, Vec<usize>)> = vec![];
    for (size, k) in sized {
        match bunches.last_mut() {
            Some((top, bunch)) if size >= *top / ALIKE || size <= NOISE * largest => bunch.push(k),
            _ => bunches.push((size, vec![k])),
        }
    }
    bunches
        .into_iter()
        .map(|(_, mut bunch)| {
            bunch.sort();
            bunch
        })
        .collect()
}

/// Members in parts of nearly the same number.
fn dealt(members: &[usize]) -> Vec<Vec<usize>> {
    let (n, parts) = (members.len(), members.len().div_ceil(MOST));
    (0..parts).map(|k| members[k * n / parts..(k + 1) * n / parts].to_vec()).collect()
}

/// The largest value without its sign.
fn size(values: &[f64]) -> f64 {
    values.iter().filter(|v| drawable(**v)).fold(0.0, |most: f64, v| most.max(v.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, group: &str, unit: &str, size: f64) -> Series {
        Series {
            name: name.into(),
            group: group.into(),
            unit: unit.into(),
            values: vec![0.0, -size, f64::NAN],
            ..Series::default()
        }
    }

    #[test]
    fn a_large_curve_does_not_flatten_the_others() {
        let mut series: Vec<Series> =
            (0..9).map(|k| curve(&format!("f{k}"), "Outputs", "N", 1.0 + k as f64)).collect();
        series[4] = curve("press", "Outputs", "N", 2000.0);
        let made = panels(&series);
        assert_eq!(made.len(), 2);
        assert_eq!((made[0].title.as_str(), made[0].members.len()), ("Outputs", 8));
        assert_eq!((made[1].title.as_str(), &made[1].members[..]), ("press", &[4][..]));
    }

    #[test]
    fn leftovers_are_dealt_out_evenly() {
        let series: Vec<Series> = (0..17).map(|k| curve(&format!("q{k}"), "Coordinates", "m", 1.0)).collect();
        let made = panels(&series);
        assert_eq!(made.iter().map(|p| p.members.len()).collect::<Vec<_>>(), [5, 6, 6]);
        assert_eq!(made[1].title, "Coordinates (2 of 3)");
    }

    #[test]
    fn zero_and_noise_need_no_plot_of_their_own() {
        let sizes = [5.0, 0.0, 3e-16, 1e-4];
        let series: Vec<Series> = sizes.iter().map(|s| curve("f", "hinge", "N", *s)).collect();
        let members: Vec<Vec<usize>> = panels(&series).into_iter().map(|p| p.members).collect();
        assert_eq!(members, [vec![0], vec![1, 2, 3]]);
        let none = Series { values: vec![], ..curve("x", "", "m", 0.0) };
        assert_eq!(panels(&[none]), []);
        assert_eq!(panels(&[curve("x", "", "m", 0.0)])[0].title, "x");
    }
}
