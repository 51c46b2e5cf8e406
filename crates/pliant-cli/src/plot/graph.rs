//! The constraint graph, each constraint in its color, as in D0 Fig 3.

use super::canvas::{Area, DrawResult, GRAY, INK, color, write};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// Maximum number of particles that are labeled with their index.
const MAX_NUMBERED_PARTICLES: usize = 40;
/// Maximum number of constraints that are labeled with their color.
const MAX_LABELED_LINKS: usize = 30;
/// Minimum length of a labeled constraint [pixels].
const MIN_LABELED_LENGTH: f64 = 46.0;
/// Margin around the graph [pixels].
const MARGIN: i32 = 36;

/// Particles and the constraints of one kind.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Particles in the plane, y up.
    pub points: Vec<[f64; 2]>,
    /// Constraints.
    pub links: Vec<Link>,
    /// Particles that have copies.
    pub copied: Vec<usize>,
}

/// One constraint.
#[derive(Clone, Debug)]
pub struct Link {
    /// Particles of the constraint.
    pub points: Vec<usize>,
    /// Color; `None` if its corrections are averaged.
    pub class: Option<usize>,
}

/// Draws the graph to fill the area. Particles without constraints are omitted.
pub fn draw(area: &Area, graph: &Graph) -> DrawResult {
    let mut joined: Vec<usize> = graph.links.iter().flat_map(|l| l.points.iter().copied()).collect();
    joined.sort_unstable();
    joined.dedup();
    let fitted = fit(area.dim_in_pixel(), &joined.iter().map(|&p| graph.points[p]).collect::<Vec<_>>());
    let mut pixels = vec![(0.0, 0.0); graph.points.len()];
    joined.iter().zip(fitted).for_each(|(&p, pixel)| pixels[p] = pixel);

    let corners = |link: &Link| -> Vec<(f64, f64)> { link.points.iter().map(|&p| pixels[p]).collect() };
    let paint = |link: &Link| link.class.map_or(GRAY, color);
    for link in &graph.links {
        area.draw(&PathElement::new(outline(&corners(link)), paint(link).stroke_width(3)))?;
    }
    for link in graph.links.iter().filter(|_| graph.links.len() <= MAX_LABELED_LINKS) {
        let corners = corners(link);
        if length(&corners) < MIN_LABELED_LENGTH {
            continue;
        }
        let place = pixel(center(&corners));
        area.draw(&Circle::new(place, 8, WHITE.filled()))?;
        area.draw(&Circle::new(place, 8, paint(link).stroke_width(1)))?;
        write(area, &link.class.map_or("a".into(), |c| c.to_string()), place, 11, HPos::Center)?;
    }
    let numbered = joined.len() <= MAX_NUMBERED_PARTICLES;
    let radius = if numbered { 11 } else { 3 };
    for &i in &joined {
        let place = pixel(pixels[i]);
        if graph.copied.contains(&i) {
            area.draw(&Circle::new(place, radius + 4, INK.stroke_width(1)))?;
        }
        area.draw(&Circle::new(place, radius, if numbered { WHITE.filled() } else { INK.filled() }))?;
        if numbered {
            area.draw(&Circle::new(place, radius, INK.stroke_width(2)))?;
            write(area, &i.to_string(), place, 12, HPos::Center)?;
        }
    }
    Ok(())
}

/// A line for two points; for more, a closed outline, shrunk toward its center so that outlines that share an edge
/// are distinct.
fn outline(corners: &[(f64, f64)]) -> Vec<(i32, i32)> {
    if corners.len() < 3 {
        return corners.iter().map(|c| pixel(*c)).collect();
    }
    let (mx, my) = center(corners);
    // Sorted by angle; otherwise the outline of a hinge would cross itself.
    let mut around = corners.to_vec();
    around.sort_by(|a, b| (a.1 - my).atan2(a.0 - mx).total_cmp(&(b.1 - my).atan2(b.0 - mx)));
    let inward = |(x, y): &(f64, f64)| pixel((mx + (x - mx) * 0.6, my + (y - my) * 0.6));
    around.iter().chain(&around[..1]).map(inward).collect()
}

/// Maximum distance from the first corner.
fn length(corners: &[(f64, f64)]) -> f64 {
    let away = |c: &(f64, f64)| (c.0 - corners[0].0).hypot(c.1 - corners[0].1);
    corners.iter().map(away).fold(0.0, f64::max)
}

fn center(corners: &[(f64, f64)]) -> (f64, f64) {
    let n = corners.len().max(1) as f64;
    let (x, y) = corners.iter().fold((0.0, 0.0), |(x, y), c| (x + c.0, y + c.1));
    (x / n, y / n)
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// Points in pixels, centered in the area, with equal scales of both axes.
fn fit((width, height): (u32, u32), points: &[[f64; 2]]) -> Vec<(f64, f64)> {
    let range = |k: usize| {
        let values = points.iter().map(|p| p[k]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    let ((left, right), (bottom, top)) = (range(0), range(1));
    let available = |pixels: u32| f64::from((pixels as i32 - 2 * MARGIN).max(1));
    let scale = |available: f64, length: f64| if length > 0.0 { available / length } else { f64::INFINITY };
    let scale = scale(available(width), right - left).min(scale(available(height), top - bottom));
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let (mx, my) = ((left + right) * 0.5, (bottom + top) * 0.5);
    let place =
        |p: &[f64; 2]| (f64::from(width) * 0.5 + (p[0] - mx) * scale, f64::from(height) * 0.5 - (p[1] - my) * scale);
    points.iter().map(place).collect()
}

/// Projects points to the plane: flat bodies along their thin axis, others by an oblique projection.
pub fn project(points: &[[f64; 3]]) -> Vec<[f64; 2]> {
    let range = |k: usize| {
        let values = points.iter().map(|p| p[k]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    let extents = [0, 1, 2].map(|k| range(k).1 - range(k).0);
    let largest = extents.iter().copied().fold(0.0, f64::max);
    // Depth first: of two equally thin axes, z is projected out.
    let flat = [2, 1, 0].into_iter().min_by(|&a, &b| extents[a].total_cmp(&extents[b])).unwrap_or(2);
    let project = |[x, y, z]: [f64; 3]| match flat {
        _ if extents[flat] > 0.25 * largest => [0.87 * x - 0.5 * z, y - 0.25 * x - 0.43 * z],
        0 => [-z, y],
        1 => [x, -z],
        _ => [x, y],
    };
    points.iter().copied().map(project).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_bodies_are_projected_along_their_thin_axis() {
        assert_eq!(project(&[[0.0, 0.0, 0.1], [1.0, 2.0, 0.0]]), [[0.0, 0.0], [1.0, 2.0]]);
        assert_eq!(project(&[[0.0, 0.1, 0.0], [1.0, 0.1, 2.0]]), [[0.0, 0.0], [1.0, -2.0]]);
        let corners = project(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]]);
        for (i, a) in corners.iter().enumerate() {
            assert!(corners[..i].iter().all(|b| (a[0] - b[0]).hypot(a[1] - b[1]) > 0.2), "{corners:?}");
        }
    }

    #[test]
    fn points_stay_within_the_area() {
        for points in [vec![[0.0, 0.0], [5.0, 1.0]], vec![[3.0, 3.0]], vec![[0.0, 0.0], [0.0, 9.0]]] {
            for (x, y) in fit((300, 200), &points) {
                assert!((30.0..270.0).contains(&x) && (30.0..170.0).contains(&y), "{points:?}: {x} {y}");
            }
        }
    }
}
