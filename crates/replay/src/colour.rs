//! Colours of quantities.

/// Red, green and blue \[0 to 255\].
pub type Rgb = [u8; 3];

/// A scale of colours that grows evenly in lightness, from dark blue to yellow: viridis
/// \[VanDerWaltSmith2015\].
pub const VIRIDIS: [Rgb; 11] = [
    [68, 1, 84],
    [72, 36, 117],
    [65, 68, 135],
    [53, 95, 141],
    [42, 120, 142],
    [33, 145, 140],
    [34, 168, 132],
    [68, 191, 112],
    [122, 209, 81],
    [189, 223, 38],
    [253, 231, 37],
];

/// What does not move.
pub const STILL: Rgb = [176, 176, 172];
/// The ground.
pub(crate) const GROUND: Rgb = [233, 233, 229];

/// Colour at a place of the scale, 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 255, and between 0 and the number of colours"
)]
pub fn viridis(place: f64) -> Rgb {
    let place = if place.is_finite() { place } else { 0.0 };
    let at = place.clamp(0.0, 1.0) * 10.0;
    let below = (at.floor() as usize).min(9);
    let part = at - at.floor().min(9.0);
    let (a, b) = (VIRIDIS[below], VIRIDIS[below + 1]);
    [0, 1, 2].map(|i| (f64::from(a[i]) + part * (f64::from(b[i]) - f64::from(a[i]))).round() as u8)
}

/// A colour in light of this strength, 1 for all of it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 to 255"
)]
pub(crate) fn lit(colour: Rgb, light: f64) -> Rgb {
    colour.map(|c| (f64::from(c) * light).round().clamp(0.0, 255.0) as u8)
}

/// What a body is coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColourBy {
    /// Speed of the centre of mass \[m/s\].
    #[default]
    Speed,
    /// Sum of the magnitudes of its contact impulses in the last substep \[N·s\].
    Impulse,
    /// Its deepest overlap with another body \[m\].
    Penetration,
    /// What the last solve left: the largest relative natural map of its rows (M.5) \[-\].
    Residual,
}

impl ColourBy {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Speed,
        Self::Impulse,
        Self::Penetration,
        Self::Residual,
    ];

    /// Name and unit as a legend prints them.
    pub fn label(self) -> &'static str {
        match self {
            Self::Speed => "speed [m/s]",
            Self::Impulse => "contact impulse of a substep [N·s]",
            Self::Penetration => "penetration [m]",
            Self::Residual => "residual of the last solve [-]",
        }
    }

    /// True if values span decades: the scale is logarithmic.
    pub fn is_logarithmic(self) -> bool {
        self != Self::Speed
    }

    /// Decades that a logarithmic scale shows below its largest value \[-\]: all that are recorded
    /// of residuals.
    pub fn decades(self) -> u8 {
        match self {
            Self::Residual => 5,
            _ => 3,
        }
    }

    /// Place of a value on the scale, 0 to 1, below a largest value.
    pub fn place(self, value: f64, top: f64) -> f64 {
        if !(value > 0.0 && top > 0.0) {
            0.0
        } else if self.is_logarithmic() {
            (1.0 + libm::log10(value / top) / f64::from(self.decades())).clamp(0.0, 1.0)
        } else {
            (value / top).min(1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_grows_in_lightness() {
        let light =
            |c: Rgb| 0.2126 * f64::from(c[0]) + 0.7152 * f64::from(c[1]) + 0.0722 * f64::from(c[2]);
        let all: Vec<f64> = (0..=100)
            .map(|i| light(viridis(f64::from(i) / 100.0)))
            .collect();
        assert!(all.windows(2).all(|w| w[1] > w[0] - 0.5), "{all:?}");
        assert_eq!((viridis(0.0), viridis(1.0)), (VIRIDIS[0], VIRIDIS[10]));
        assert_eq!((viridis(-1.0), viridis(f64::NAN)), (VIRIDIS[0], VIRIDIS[0]));
    }

    #[test]
    fn a_logarithmic_scale_has_its_decades() {
        let place = |value| ColourBy::Impulse.place(value, 10.0);
        assert_eq!((place(10.0), place(0.01), place(0.0)), (1.0, 0.0, 0.0));
        assert!((place(1.0) - 2.0 / 3.0).abs() < 1e-15);
        assert!((ColourBy::Residual.place(1.0, 10.0) - 0.8).abs() < 1e-15);
        assert_eq!(ColourBy::Speed.place(1.0, 4.0), 0.25);
        assert_eq!(ColourBy::Speed.place(1.0, 0.0), 0.0);
    }
}
