//! A house of cards.

use std::f64::consts::FRAC_PI_2;

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, Material, World, rotation};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, resting};

/// Levels of leaning pairs of cards with level cards on them: CardHouse of Solver2D and Box3D,
/// cards of 2 mm × 40 cm that lean by 25°, five levels.
///
/// In the source level cards overlap their neighbours, and pairs stand a little apart from what
/// they touch. Here pairs are as far apart as a card is long, and everything touches without
/// overlap: the tops of a pair touch each other and the ends of two level cards, its feet the level
/// card below, on which they must stand: the angle is below 30° where there is more than one level.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct CardHouse {
    /// Number of levels, which is the number of pairs at the bottom.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub levels: usize,
    /// Angle of a leaning card from the vertical.
    #[parameter(default = 0.436_332_312_998_582_4, unit = "rad", range = "> 0")]
    pub angle: f64,
    /// Halves of the edges of a card: thickness, length, depth.
    #[parameter(default = [0.001, 0.2, 0.1], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Coefficient of friction of the cards against the ground.
    #[parameter(default = 0.7, unit = "-", range = ">= 0")]
    pub ground_friction: f64,
    /// Lever of rolling resistance.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub rolling: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::rough(0.7))]
    pub setting: CommonParameters,
}

impl CardHouse {
    fn check(&self) -> Result<(), ParameterError> {
        // n (n + 1) leaning cards and n (n − 1)/2 level ones
        let square = self.levels.checked_mul(self.levels);
        let cards = square.and_then(|square| square.checked_mul(2));
        body_limit("levels", self.levels, cards.and_then(|n| n.checked_add(1)))?;
        // one pair has no card below
        let stands = self.levels == 1 || self.feet() <= self.half[1];
        let expected = "the feet of a pair stand beyond the card below; lean the cards less";
        require(
            stands && self.angle < FRAC_PI_2,
            "angle",
            self.angle,
            expected,
        )
    }

    /// Distance of the outermost point of a foot from the middle of its pair \[m\].
    fn feet(&self) -> f64 {
        let [thin, long, _] = self.half;
        let (sine, cosine) = libm::sincos(self.angle);
        2.0 * (long * sine + thin * cosine)
    }
}

impl Scene for CardHouse {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "card-house",
        summary: "a house of cards",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        site.surface = Material {
            rolling_friction: self.rolling,
            ..site.surface
        };
        // the friction of two surfaces is the geometric mean of theirs
        let own = self.setting.friction;
        if own > 0.0 {
            site.parts.colliders[0].material.friction =
                self.ground_friction * self.ground_friction / own;
        }
        let half = Vector3::from(self.half);
        let (sine, cosine) = libm::sincos(self.angle);
        // half of the width and of the height of a leaning card
        let (aside, rise) = (
            half.y * sine + half.x * cosine,
            half.y * cosine + half.x * sine,
        );
        let pitch = 2.0 * half.y;
        let mut foot = 0.0;
        for level in 0..self.levels {
            let pairs = self.levels - level;
            let start = -0.5 * pitch * (pairs - 1) as f64;
            for pair in 0..pairs {
                let x = start + pair as f64 * pitch;
                for side in [-1.0, 1.0] {
                    let at = Vector3::new(x + side * aside, foot + rise, 0.0);
                    let turn = rotation::about(&Vector3::z(), side * self.angle);
                    let card = resting(at)
                        .turned(turn)
                        .named(format!("card {level}.{pair}"));
                    site.add(card, Cuboid { half }, self.density);
                }
            }
            let top = foot + 2.0 * rise;
            for gap in 1..pairs {
                let x = start + (gap as f64 - 0.5) * pitch;
                let card = resting(Vector3::new(x, top + half.x, 0.0));
                let flat = Cuboid::new(half.y, half.x, half.z);
                site.add(
                    card.named(format!("roof {level}.{gap}")),
                    flat,
                    self.density,
                );
            }
            foot = top + 2.0 * half.x;
        }
        site.build()
    }
}
