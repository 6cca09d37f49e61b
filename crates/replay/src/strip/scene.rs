//! One still: the solids of a frame in a parallel projection, shaded and ordered.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::StripSettings;
use super::camera::{Axes, Camera};
use super::canvas::{Canvas, Pixel};
use super::order::{Piece, order};
use crate::Replay;
use crate::codec::ReplayFrame;
use crate::colour::{ColourBy, GROUND, Rgb, STILL, lit, viridis};
use crate::extent::Extent;
use crate::quantise::{direction, orientation};
use crate::solid::{Faces, faces};
use crate::stage::{MotionKind, SceneSolid, SolidShape, upright};

/// The camera that sees the moving bodies of all stills of a width \[px\] and their joints, but for
/// bodies that have left the view and a few that went aside.
pub(super) fn camera<'s>(
    stills: impl Iterator<Item = &'s Still<'s>>,
    view: [f64; 2],
    width: f64,
    tall: [f64; 2],
) -> Camera {
    let axes = Axes::of(view);
    let (mut seen, mut all) = (Extent::default(), Extent::default());
    for still in stills {
        still.extend(&mut seen, |place| still.sees(place), &axes);
        still.extend(&mut all, |_| true, &axes);
    }
    let extent = if seen.is_empty() { all } else { seen };
    Camera::new(axes, extent.corners(ASIDE), width, tall)
}

/// Share of the places on either side that need not be seen.
const ASIDE: f64 = 0.02;

/// A frame with what colours its bodies.
#[derive(Debug)]
pub(super) struct Still<'r> {
    replay: &'r Replay,
    frame: &'r ReplayFrame,
    time: f64,
    values: Vec<f64>,
}

/// A solid in the order of painting, with what is seen of it.
struct Drawn {
    faces: Faces,
    colour: Rgb,
    ball: bool,
    surface: bool,
}

impl<'r> Still<'r> {
    pub(super) fn new(replay: &'r Replay, frame: usize, quantity: ColourBy) -> Self {
        let header = &replay.header;
        let time = header.times[frame];
        let frame = &replay.frames[frame];
        let mut values: Vec<f64> = vec![0.0; header.stage.bodies.len()];
        let of_bodies = match quantity {
            ColourBy::Speed => Some((&frame.speeds, header.speed)),
            ColourBy::Residual => Some((&frame.residuals, header.residual)),
            _ => None,
        };
        if let Some((codes, scale)) = of_bodies {
            values = codes.iter().map(|code| scale.magnitude(*code)).collect();
        }
        for contact in &frame.contacts {
            for body in contact.bodies.map(|body| body as usize) {
                match quantity {
                    ColourBy::Speed | ColourBy::Residual => {}
                    ColourBy::Impulse => values[body] += header.impulse.magnitude(contact.impulse),
                    ColourBy::Penetration => {
                        values[body] = values[body].max(header.depth.magnitude(contact.depth));
                    }
                }
            }
        }
        Self {
            replay,
            frame,
            time,
            values,
        }
    }

    /// When it is \[s\].
    pub(super) fn time(&self) -> f64 {
        self.time
    }

    /// The largest value of a body that moves and is seen.
    pub(super) fn largest(&self) -> f64 {
        let bodies = self.replay.header.stage.bodies.iter().enumerate();
        let moving = bodies.filter(|(_, kind)| **kind != MotionKind::Static);
        let seen = moving.filter(|(body, _)| self.sees(&self.place(*body)));
        seen.map(|(body, _)| self.values[body]).fold(0.0, f64::max)
    }

    /// How many bodies that move have left the view \[-\].
    pub(super) fn gone(&self) -> usize {
        let bodies = self.replay.header.stage.bodies.iter().enumerate();
        let moving = bodies.filter(|(_, kind)| **kind != MotionKind::Static);
        let gone = moving.filter(|(body, _)| !self.sees(&self.place(*body)));
        gone.count()
    }

    /// True if a place has not left the box that a camera shows by more than half of its diagonal.
    fn sees(&self, place: &Vector3<f64>) -> bool {
        let [low, high] = self.replay.header.view.map(Vector3::from);
        let half = 0.5 * (high - low).norm();
        let beyond = (low - place).sup(&(place - high));
        beyond.iter().all(|x| *x <= half)
    }

    fn place(&self, body: usize) -> Vector3<f64> {
        self.replay.header.grid.point(self.frame.places[body])
    }

    fn pose(&self, body: usize) -> Isometry3<f64> {
        Isometry3::from_parts(self.place(body).into(), orientation(self.frame.turns[body]))
    }

    /// Adds the solids of what moves, or of everything where nothing does, and its joints, along
    /// the axes of a camera.
    fn extend(&self, extent: &mut Extent, is_shown: impl Fn(&Vector3<f64>) -> bool, axes: &Axes) {
        let stage = &self.replay.header.stage;
        let subject: Vec<bool> = (0..stage.bodies.len())
            .map(|body| stage.is_subject(body))
            .collect();
        for solid in &stage.solids {
            let place = self.place(solid.body as usize);
            if let Some(reach) = solid.reach()
                && subject[solid.body as usize]
                && is_shown(&place)
            {
                extent.add(axes.along(&place), reach);
            }
        }
        for link in &stage.links {
            for (body, point) in link.ends(|body| self.pose(body)) {
                match subject[body] {
                    true if is_shown(&point) => extent.add(axes.along(&point), 0.0),
                    true => {}
                    false => extent.fix(axes.along(&point)),
                }
            }
        }
    }

    fn colour(&self, body: usize, quantity: ColourBy, top: f64) -> Rgb {
        match self.replay.header.stage.bodies[body] {
            MotionKind::Static => STILL,
            _ => viridis(quantity.place(self.values[body], top)),
        }
    }

    /// Paints the still with its upper left corner at `corner`; `top` is the largest value of the
    /// strip.
    pub(super) fn paint(
        &self,
        camera: &Camera,
        corner: Pixel,
        top: f64,
        strongest: f64,
        settings: &StripSettings,
        canvas: &mut Canvas,
    ) {
        let [x, y] = corner;
        let (w, h) = (camera.width, camera.height);
        canvas.polygon(
            vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]],
            [248, 248, 246],
            None,
        );
        let (mut pieces, mut drawn) = (Vec::new(), Vec::new());
        for solid in &self.replay.header.stage.solids {
            let body = solid.body as usize;
            if let SolidShape::Plane { normal } = &solid.form {
                let (shift, turn) = solid.placement();
                let pose = self.pose(body) * Isometry3::from_parts(shift.into(), turn);
                let normal = pose.rotation * Vector3::from(normal.map(f64::from));
                ground(camera, corner, &pose.translation.vector, &normal, canvas);
                continue;
            }
            let colour = self.colour(body, settings.quantity, top);
            for (piece, seen) in self.pieces(solid, camera, colour) {
                pieces.push(piece);
                drawn.push(seen);
            }
        }
        for index in order(&pieces, &camera.axes.eye) {
            let (piece, seen) = (&pieces[index], &drawn[index]);
            if seen.ball {
                ball(camera, corner, piece, seen.colour, canvas);
            } else {
                solid(camera, corner, seen, canvas);
            }
        }
        self.links(camera, corner, canvas);
        if settings.contacts {
            self.contacts(camera, corner, strongest, canvas);
        }
    }

    /// The convex parts of a solid: itself, or the triangles of a surface.
    fn pieces(&self, solid: &SceneSolid, camera: &Camera, colour: Rgb) -> Vec<(Piece, Drawn)> {
        let (shift, turn) = solid.placement();
        let pose = self.pose(solid.body as usize) * Isometry3::from_parts(shift.into(), turn);
        if let SolidShape::Sphere { radius } = &solid.form {
            let centre = pose.translation.vector;
            let drawn = Drawn {
                faces: Faces::default(),
                colour,
                ball: true,
                surface: false,
            };
            let radius = f64::from(*radius);
            return vec![(piece(camera, vec![centre], radius, Vec::new()), drawn)];
        }
        let mut own = faces(&solid.form);
        for corner in &mut own.corners {
            *corner = pose.rotation * *corner + pose.translation.vector;
        }
        let surface = matches!(solid.form, SolidShape::Mesh { convex: false, .. });
        let parts = if surface {
            let part = |face: &Vec<u32>| Faces {
                corners: face.iter().map(|k| own.corners[*k as usize]).collect(),
                faces: vec![(0..3).collect()],
            };
            own.faces.iter().map(part).collect()
        } else {
            vec![own]
        };
        let parts = parts.into_iter().map(|faces| {
            let normals = distinct(faces.faces.iter().map(|face| faces.normal(face)));
            let piece = piece(camera, faces.corners.clone(), 0.0, normals);
            let drawn = Drawn {
                faces,
                colour,
                ball: false,
                surface,
            };
            (piece, drawn)
        });
        parts.collect()
    }

    /// Joints as lines over the bodies.
    fn links(&self, camera: &Camera, corner: Pixel, canvas: &mut Canvas) {
        for link in &self.replay.header.stage.links {
            let poses = link.bodies.map(|body| self.pose(body as usize));
            let centre = |side: usize| poses[side].translation.vector;
            let end = |side: usize| {
                let anchor = Vector3::from(link.anchors[side].map(f64::from));
                poses[side].rotation * anchor + centre(side)
            };
            // what is static has no centre that a joint acts on
            let bodies = &self.replay.header.stage.bodies;
            let is_static = |side: usize| bodies[link.bodies[side] as usize] == MotionKind::Static;
            let from = |side: usize| {
                if is_static(side) {
                    end(side)
                } else {
                    centre(side)
                }
            };
            let points = [from(0), end(0), end(1), from(1)];
            for pair in points.windows(2) {
                let ends = [&pair[0], &pair[1]].map(|p| camera.pixel(corner, p));
                canvas.line(ends, [60, 60, 60], 0.8);
            }
        }
    }

    /// Contact points and impulses over the bodies.
    fn contacts(&self, camera: &Camera, corner: Pixel, strongest: f64, canvas: &mut Canvas) {
        let header = &self.replay.header;
        let longest = 0.45 * camera.width.min(camera.height) / camera.scale;
        for contact in &self.frame.contacts {
            let at = header.grid.point(contact.place);
            let share = header.impulse.magnitude(contact.impulse) / strongest;
            let share = share.min(1.0);
            if share > 0.0 {
                let tip = at + longest * share * direction(contact.direction);
                let ends = [camera.pixel(corner, &at), camera.pixel(corner, &tip)];
                canvas.arrow(ends);
            }
            canvas.disc(camera.pixel(corner, &at), 1.1, [20, 20, 20], None);
        }
    }
}

fn piece(
    camera: &Camera,
    corners: Vec<Vector3<f64>>,
    radius: f64,
    normals: Vec<Vector3<f64>>,
) -> Piece {
    let range = |axis: &Vector3<f64>| {
        let places = corners.iter().map(|c| c.dot(axis));
        let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        [low - radius, high + radius]
    };
    let ([left, right], [low, high]) = (range(&camera.axes.right), range(&camera.axes.up));
    let sum: Vector3<f64> = corners.iter().sum();
    Piece {
        centre: sum / crate::stage::count(corners.len()),
        corners,
        radius,
        normals,
        shadow: [left, right, low, high],
    }
}

/// Directions without those that differ from an earlier one by sign alone.
fn distinct(normals: impl Iterator<Item = Vector3<f64>>) -> Vec<Vector3<f64>> {
    let mut found: Vec<Vector3<f64>> = Vec::new();
    for normal in normals {
        if !found
            .iter()
            .any(|other| other.dot(&normal).abs() > 1.0 - 1e-9)
        {
            found.push(normal);
        }
    }
    found
}

fn solid(camera: &Camera, corner: Pixel, seen: &Drawn, canvas: &mut Canvas) {
    for face in &seen.faces.faces {
        let mut normal = seen.faces.normal(face);
        let facing = normal.dot(&camera.axes.eye);
        if facing <= 0.0 {
            if !seen.surface {
                continue;
            }
            normal = -normal;
        }
        let fill = lit(seen.colour, camera.light(&normal));
        let corners = face.iter().map(|k| &seen.faces.corners[*k as usize]);
        let corners = corners.map(|p| camera.pixel(corner, p)).collect();
        // round solids have no edges to show
        let round = seen.faces.faces.len() > 12 && face.len() == 4;
        let edge = if round { fill } else { lit(fill, 0.62) };
        canvas.polygon(corners, fill, Some((edge, 0.5)));
    }
}

fn ball(camera: &Camera, corner: Pixel, piece: &Piece, colour: Rgb, canvas: &mut Canvas) {
    let centre = camera.pixel(corner, &piece.centre);
    let radius = camera.scale * piece.radius;
    let side = camera.light(&camera.axes.eye);
    let edge = Some((lit(colour, 0.58), 0.5));
    canvas.disc(centre, radius, lit(colour, side), edge);
    // the lit side, in two steps
    for (share, light) in [(0.62, 1.06), (0.3, 1.22)] {
        let shift = 0.3 * radius;
        let at = [centre[0] - 0.6 * shift, centre[1] - shift];
        canvas.disc(at, share * radius, lit(colour, light), None);
    }
}

/// A plane as a sheet with lines, as far as the box that is seen reaches; nothing if it is seen
/// from below.
fn ground(
    camera: &Camera,
    corner: Pixel,
    place: &Vector3<f64>,
    normal: &Vector3<f64>,
    canvas: &mut Canvas,
) {
    if normal.dot(&camera.axes.eye) <= 1e-3 {
        return;
    }
    let below = camera.middle - normal * (camera.middle - place).dot(normal);
    let axes: UnitQuaternion<f64> = upright(normal);
    let [x, z] = [axes * Vector3::x(), axes * Vector3::z()];
    let reach = 2.5 * camera.reach;
    let at = |a: f64, b: f64| camera.pixel(corner, &(below + a * x + b * z));
    let far = [at(-reach, -reach), at(reach, -reach)];
    let sheet = [far, [at(reach, reach), at(-reach, reach)]].concat();
    canvas.polygon(sheet, GROUND, None);
    let spacing = libm::exp10(libm::log10(reach / 3.0).floor());
    let lines = libm::floor(reach / spacing);
    let mut line = -lines;
    while line <= lines {
        for ends in [
            [at(line * spacing, -reach), at(line * spacing, reach)],
            [at(-reach, line * spacing), at(reach, line * spacing)],
        ] {
            canvas.line(ends, [216, 216, 211], 0.5);
        }
        line += 1.0;
    }
}
