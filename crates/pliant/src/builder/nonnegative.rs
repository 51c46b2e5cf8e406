//! Nonnegative least squares with few equations, after Lawson, Hanson, "Solving least squares problems", 1974, chapter 23.
//!
//! Only additions, products, quotients and comparisons in a fixed order: the same input gives the same bits everywhere.

/// Columns whose gradient is within this factor of the largest count as equal, and the first is taken: grids then get
/// the same pattern at every vertex in spite of rounding.
const TIE: f64 = 0.99;
/// Gradients and residuals below this are zero; columns have unit size.
const SMALL: f64 = 1e-9;

/// Nonnegative weights x with Σ xₖ·columnₖ ≈ `target` in the least-squares sense, as (k, xₖ) for xₖ > 0. At most `E` are
/// positive. `target` becomes what is left.
pub fn fit<const E: usize>(columns: &[[f64; E]], target: &mut [f64; E]) -> Vec<(usize, f64)> {
    let wanted = *target;
    let mut chosen: Vec<(usize, f64)> = Vec::with_capacity(E + 1);
    let mut refused = vec![false; columns.len()];
    // Each round lowers the residual; the bound guards against rounding only.
    for _ in 0..8 * E {
        *target = residual(columns, &wanted, &chosen);
        let gradient = |k: usize| dot(&columns[k], target);
        let free = |k: &usize| !refused[*k] && chosen.iter().all(|c| c.0 != *k);
        let largest = (0..columns.len()).filter(free).map(gradient).fold(0.0, f64::max);
        let Some(next) = (0..columns.len()).filter(free).find(|&k| largest > SMALL && gradient(k) >= TIE * largest)
        else {
            break;
        };
        chosen.push((next, 0.0));
        loop {
            let Some(solution) = solve(columns, &wanted, &chosen) else {
                // Depends on those already chosen.
                chosen.pop();
                refused[next] = true;
                break;
            };
            let blocked = |(c, z): (&(usize, f64), &f64)| (*z <= 0.0).then(|| c.1 / (c.1 - z).max(f64::MIN_POSITIVE));
            let step = chosen.iter().zip(&solution).filter_map(blocked).fold(1.0, f64::min);
            if chosen.iter().zip(&solution).all(|(_, z)| *z > 0.0) {
                chosen.iter_mut().zip(&solution).for_each(|(c, z)| c.1 = *z);
                break;
            }
            chosen.iter_mut().zip(&solution).for_each(|(c, z)| c.1 += step * (z - c.1));
            let before = chosen.len();
            chosen.retain(|c| c.1 > SMALL * SMALL);
            if chosen.len() == before || !chosen.iter().any(|c| c.0 == next) {
                refused[next] = true;
                chosen.retain(|c| c.0 != next);
            }
            if chosen.is_empty() {
                break;
            }
        }
    }
    *target = residual(columns, &wanted, &chosen);
    chosen
}

fn dot<const E: usize>(a: &[f64; E], b: &[f64; E]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn residual<const E: usize>(columns: &[[f64; E]], wanted: &[f64; E], chosen: &[(usize, f64)]) -> [f64; E] {
    let mut left = *wanted;
    for &(k, x) in chosen {
        left.iter_mut().zip(&columns[k]).for_each(|(l, c)| *l -= x * c);
    }
    left
}

/// Unconstrained least squares over the chosen columns by their normal equations; `None` if they depend on each other.
fn solve<const E: usize>(columns: &[[f64; E]], wanted: &[f64; E], chosen: &[(usize, f64)]) -> Option<Vec<f64>> {
    let n = chosen.len();
    if n > E {
        return None;
    }
    let mut a: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let row = &columns[chosen[i].0];
            chosen.iter().map(|c| dot(row, &columns[c.0])).chain([dot(row, wanted)]).collect()
        })
        .collect();
    for k in 0..n {
        let scale = dot(&columns[chosen[k].0], &columns[chosen[k].0]);
        if a[k][k] <= SMALL * scale {
            return None;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..=n {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][n] - rest) / a[k][k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_inside_the_cone_is_met_and_one_outside_is_projected_onto_it() {
        let columns = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let mut target = [3.0, 1.0];
        let found = fit(&columns, &mut target);
        let sum = found.iter().fold([0.0, 0.0], |s, &(k, x)| [s[0] + x * columns[k][0], s[1] + x * columns[k][1]]);
        assert!((sum[0] - 3.0).abs() < 1e-12 && (sum[1] - 1.0).abs() < 1e-12, "{found:?}");
        let mut target = [2.0, -1.0];
        assert_eq!(fit(&columns, &mut target), [(0, 2.0)]);
        assert_eq!(target, [0.0, -1.0]);
    }

    #[test]
    fn equal_columns_give_the_first() {
        let columns = [[1.0, 1e-3], [1.0, 0.0], [1.0, 0.0]];
        assert_eq!(fit(&columns, &mut [1.0, 0.0]), [(1, 1.0)]);
    }
}
