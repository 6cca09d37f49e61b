//! The style sheet of a report: one look per method, the same in all of its figures.
//!
//! A solver or scheme of the program has one look in all reports ([`known`]). Other methods, and
//! other settings of one that meet in a figure, take the colour that they meet least, with dashes
//! and markers that no other method of the report has in this colour. A method keeps its look where
//! a figure leaves parameters out of its name: "XPBD" along its substeps and "XPBD substeps=16" are
//! one method as long as they do not meet in a figure.

use std::collections::{BTreeMap, BTreeSet};

use delassus_charts::RGBColor;

use super::chart::LegendEntry;
use super::known;
use super::style::{self, COLOURS, LOOKS, SeriesStyle};

/// Series that one figure can show: as many as three of each colour \[-\].
pub(crate) const MOST_SERIES: usize = 3 * COLOURS;

/// One series of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Name in the legend.
    pub(crate) name: String,
    /// The name without any parameters.
    pub(crate) family: String,
}

/// Look of a series, and its position among those of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) style: SeriesStyle,
    pub(crate) position: usize,
}

/// Looks by the names of series.
#[derive(Debug, Clone)]
pub(crate) struct Styles {
    looks: BTreeMap<String, Look>,
}

/// Names that are one method, and the figures that show it.
#[derive(Debug, Default)]
struct Slot {
    family: String,
    names: Vec<String>,
    figures: BTreeSet<usize>,
}

impl Styles {
    /// The sheet of figures with these series.
    pub(crate) fn from_members(figures: &[Vec<Member>]) -> Self {
        let mut slots: Vec<(usize, Slot)> = slots(figures).into_iter().enumerate().collect();
        // those that have a look of their own come first, in the order of the list
        let place = |slot: &Slot| known::place(&slot.family);
        slots.sort_by_key(|(position, slot)| (place(slot).unwrap_or(LOOKS), *position));
        let mut looks = BTreeMap::new();
        let mut taken: Vec<(SeriesStyle, &Slot)> = Vec::with_capacity(slots.len());
        for (position, slot) in &slots {
            let own = place(slot).map(known::at);
            // "Baumgarte" and "Baumgarte, dt" are one method where no figure has both
            let apart = |other: &Slot| {
                other.family != slot.family && other.figures.is_disjoint(&slot.figures)
            };
            let is_taken = |own: &SeriesStyle| {
                let mut same = taken.iter().filter(|(style, _)| style == own);
                same.any(|(_, other)| !apart(other))
            };
            let style = own.filter(|own| !is_taken(own));
            let style = style.unwrap_or_else(|| free(slot, &taken));
            let look = Look {
                style,
                position: *position,
            };
            taken.push((style, slot));
            looks.extend(slot.names.iter().map(|name| (name.clone(), look)));
        }
        Self { looks }
    }

    /// Look of the series with this name; of a line of its own where no figure has it.
    pub(crate) fn look(&self, name: &str) -> Look {
        let unknown = Look {
            style: style::plain(),
            position: 0,
        };
        self.looks.get(name).copied().unwrap_or(unknown)
    }

    /// The sheet with other colours for some of the series.
    pub(crate) fn coloured(&self, colours: impl IntoIterator<Item = (String, RGBColor)>) -> Self {
        let mut sheet = self.clone();
        for (name, color) in colours {
            let look = self.look(&name);
            let style = SeriesStyle {
                color,
                ..look.style
            };
            sheet.looks.insert(name, Look { style, ..look });
        }
        sheet
    }

    pub(crate) fn style(&self, name: &str) -> SeriesStyle {
        self.look(name).style
    }

    /// The line of a series in the legend.
    pub(crate) fn entry(&self, series: &str, text: String) -> LegendEntry {
        LegendEntry {
            style: self.style(series),
            text,
            line: true,
        }
    }
}

/// A look for a method in addition to those that have one: the colour that it meets least, then the
/// least frequent one, with dashes and a marker that no other has in this colour as long as there
/// are some.
fn free(slot: &Slot, taken: &[(SeriesStyle, &Slot)]) -> SeriesStyle {
    let meets = |other: &Slot| !other.figures.is_disjoint(&slot.figures);
    let of = |colour: usize| {
        let color = style::series(colour, 0).color;
        taken.iter().filter(move |(style, _)| style.color == color)
    };
    let least = |colour: &usize| {
        let met = of(*colour).filter(|(_, other)| meets(other)).count();
        (met, of(*colour).count())
    };
    let colour = (0..COLOURS).min_by_key(least).unwrap_or(0);
    let turns = || (0..LOOKS / COLOURS).map(|turn| style::series(colour, turn));
    let like = |own: &SeriesStyle, other: &SeriesStyle| {
        own.dash == other.dash || own.marker == other.marker
    };
    let all = || turns().find(|own| !of(colour).any(|(other, _)| like(own, other)));
    let met = || {
        let met = of(colour).filter(|(_, other)| meets(other));
        turns().find(|own| !met.clone().any(|(other, _)| like(own, other)))
    };
    let differs = || turns().find(|own| !of(colour).any(|(other, _)| own.dash == other.dash));
    let style = all().or_else(met).or_else(differs);
    style.unwrap_or_else(|| style::series(colour, of(colour).count()))
}

/// Puts names of one method together, in the order of first appearance.
fn slots(figures: &[Vec<Member>]) -> Vec<Slot> {
    let mut shown: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (figure, members) in figures.iter().enumerate() {
        for member in members {
            shown.entry(&member.name).or_default().insert(figure);
        }
    }
    let crowded = shown.len() > COLOURS;
    let mut slots: Vec<Slot> = Vec::new();
    for member in figures.iter().flatten() {
        let Some(own) = shown.remove(member.name.as_str()) else {
            continue;
        };
        let fits = |slot: &&mut Slot| {
            let related = |name: &String| crowded || abbreviates(name, &member.name);
            slot.family == member.family
                && slot.figures.is_disjoint(&own)
                && slot.names.iter().all(related)
        };
        if let Some(slot) = slots.iter_mut().find(fits) {
            slot.names.push(member.name.clone());
            slot.figures.extend(own);
        } else {
            slots.push(Slot {
                family: member.family.clone(),
                names: vec![member.name.clone()],
                figures: own,
            });
        }
    }
    slots
}

/// True if one name has all the words of the other.
fn abbreviates(a: &str, b: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split_whitespace();
        words.map(|w| w.trim_end_matches(',').to_owned()).collect()
    };
    let (a, b) = (words(a), words(b));
    a.is_subset(&b) || b.is_subset(&a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(members: &[(&str, &str)]) -> Vec<Member> {
        let member = |(name, family): &(&str, &str)| Member {
            name: (*name).to_owned(),
            family: (*family).to_owned(),
        };
        members.iter().map(member).collect()
    }

    #[test]
    fn a_method_keeps_its_look_where_its_parameters_leave_the_name() {
        let along = figure(&[("Baumgarte", "Baumgarte"), ("XPBD", "XPBD")]);
        let fixed = figure(&[
            ("XPBD substeps=16", "XPBD"),
            ("direct substeps=1", "direct"),
            ("direct substeps=8", "direct"),
        ]);
        let sheet = Styles::from_members(&[along, fixed]);
        assert_eq!(sheet.look("XPBD"), sheet.look("XPBD substeps=16"));
        assert_ne!(
            sheet.style("direct substeps=1").color,
            sheet.style("direct substeps=8").color
        );
        assert_ne!(sheet.style("Baumgarte"), sheet.style("XPBD"));
    }

    #[test]
    fn known_methods_have_one_colour_in_all_reports() {
        let colour = |members: &[(&str, &str)], name: &str| {
            Styles::from_members(&[figure(members)]).style(name).color
        };
        let alone = colour(&[("block-gs", "block-gs")], "block-gs");
        let many = [("mine", "mine"), ("apgd", "apgd"), ("block-gs", "block-gs")];
        assert_eq!(colour(&many, "block-gs"), alone);
        assert_ne!(colour(&many, "mine"), alone);
        assert_ne!(colour(&many, "apgd"), alone);
        // two of one colour in a figure keep it, and differ in dashes and markers
        let both = Styles::from_members(&[figure(&[
            ("symmetric-pgs", "symmetric-pgs"),
            ("pgs", "pgs"),
        ])]);
        assert_eq!(
            both.style("symmetric-pgs"),
            known::known_look("symmetric-pgs").expect("a look")
        );
        assert_eq!(both.style("pgs").color, both.style("symmetric-pgs").color);
        assert_ne!(both.style("pgs").dash, both.style("symmetric-pgs").dash);
        assert_ne!(both.style("pgs").marker, both.style("symmetric-pgs").marker);
        // other names of a method have its look in figures of their own
        let alone = figure(&[("Soft Step", "Soft Step")]);
        let varied = figure(&[("Soft Step, dt", "Soft Step, dt")]);
        let together = figure(&[
            ("Soft Step", "Soft Step"),
            ("Soft Step, dt", "Soft Step, dt"),
        ]);
        let sheet = Styles::from_members(&[alone, varied]);
        assert_eq!(sheet.style("Soft Step"), sheet.style("Soft Step, dt"));
        let sheet = Styles::from_members(&[together]);
        assert_ne!(sheet.style("Soft Step"), sheet.style("Soft Step, dt"));
        let schemes = [("other", "other"), ("Soft Step, pgs", "Soft Step, pgs")];
        let soft = colour(&[("Soft Step", "Soft Step")], "Soft Step");
        assert_eq!(colour(&schemes, "Soft Step, pgs"), soft);
    }

    #[test]
    fn two_settings_of_one_solver_are_two_methods_while_there_are_colours() {
        let one = figure(&[("psor ω=1", "psor")]);
        let other = figure(&[("psor ω=1.3", "psor")]);
        let sheet = Styles::from_members(&[one, other]);
        assert_ne!(sheet.style("psor ω=1"), sheet.style("psor ω=1.3"));
    }

    #[test]
    fn methods_beyond_the_colours_share_one_with_a_method_that_they_never_meet() {
        let names: Vec<String> = (0..COLOURS + 1).map(|i| format!("m{i}")).collect();
        let all: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), n.as_str())).collect();
        // the last one stands with all but the third
        let mut second = all.clone();
        second.remove(2);
        let sheet = Styles::from_members(&[figure(&all[..COLOURS]), figure(&second)]);
        let last = sheet.style(&names[COLOURS]);
        assert_eq!(last.color, sheet.style("m2").color);
        assert!(last.marker != sheet.style("m2").marker && last.dash != sheet.style("m2").dash);
    }

    #[test]
    fn as_many_series_as_a_figure_may_have_all_differ() {
        let names: Vec<String> = (0..MOST_SERIES).map(|i| format!("m{i}")).collect();
        let all: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), n.as_str())).collect();
        let sheet = Styles::from_members(&[figure(&all)]);
        for (i, a) in names.iter().enumerate() {
            for b in &names[..i] {
                let (a, b) = (sheet.style(a), sheet.style(b));
                assert!(a.color != b.color || (a.marker != b.marker && a.dash != b.dash));
            }
        }
    }
}
