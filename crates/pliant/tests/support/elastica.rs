//! The heavy elastica: a clamped beam that bends far under its own weight.

/// How far the tip of a clamped heavy elastica sinks, by shooting from the clamp: stiffness [N·m²], load [N/m].
pub fn elastica(stiffness: f64, load: f64, length: f64) -> f64 {
    let steps = 2000;
    let shoot = |start: f64| {
        let (h, mut angle, mut curvature, mut y) = (length / f64::from(steps), 0.0_f64, start, 0.0);
        for i in 0..steps {
            let middle = angle + 0.5 * h * curvature;
            let arm = length - (f64::from(i) + 0.5) * h;
            curvature -= h * load * arm * middle.cos() / stiffness;
            y += h * middle.sin();
            angle = middle + 0.5 * h * curvature;
        }
        (curvature, y)
    };
    let (mut low, mut high) = (0.0, load * length * length / stiffness);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle).0 < 0.0 { low = middle } else { high = middle }
    }
    shoot(low).1
}
