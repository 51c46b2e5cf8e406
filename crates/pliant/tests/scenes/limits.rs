//! Both sides of every limit that `docs/limits.md` states.

use pliant::scene::{Format, Override, Scene};

const BASE: &str = r#"
[world]
gravity = [0, -9.81, 0]
[[cloth]]
grid = { cells = [2, 2], size = [1, 1] }
stretch = { compliance = 1e-6 }
velocity = [0, 0, 0]
transform = { scale = 1, translate = [0, 0, 0] }
[[soft]]
block = { cells = [1, 1, 1], size = [1, 1, 1] }
fem = { young = 1e5, poisson = 0.3 }
[[rope]]
path = [[0, 0, 0], [1, 0, 0]]
segments = 4
[[inflatable]]
sphere = { radius = 1, subdivisions = 1 }
[[grains]]
radius = 0.1
fill = { min = [0, 0, 0], max = [0.4, 0.4, 0.4] }
[[body]]
box = [1, 1, 1]
grid = 3
[[collider]]
plane = {}
"#;

fn with(field: &str, value: &str) -> Result<Scene, pliant::SceneError> {
    let set: Override = format!("{field}={value}").parse().unwrap();
    Scene::parse_with(BASE, Format::Toml, &[set])
}

/// The values just outside of a limit.
fn beyond(field: &str, limit: &str, up: bool) -> String {
    if limit.contains(['.', 'e']) {
        let number: f64 = limit.parse().unwrap();
        let step = if number == 0.0 { 1e-3 } else { 0.01 * number.abs() };
        return format!("{:e}", if up { number + step } else { number - step });
    }
    let (number, even): (i64, bool) = (limit.parse().unwrap(), field.starts_with("output."));
    let step = if even { 2 } else { 1 };
    (if up { number + step } else { number - step }).to_string()
}

#[test]
fn r06_values_at_the_limits_are_read_and_those_beyond_are_refused() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/limits.md")).unwrap();
    let mut tried = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, least, most] = cells[..] else { panic!("{line}") };
        let field = name.split('`').nth(1).unwrap();
        for limit in [least, most] {
            with(field, limit).unwrap_or_else(|e| panic!("{field} = {limit} is within its limits: {e}"));
        }
        for outside in [beyond(field, least, false), beyond(field, most, true), "nan".into()] {
            let error = with(field, &outside).expect_err(&format!("{field} = {outside} is beyond its limits"));
            let key = error.path.replace('[', ".").replace(']', "");
            assert!(key == field || field.starts_with(&key), "{field} = {outside}: {error}");
        }
        tried += 1;
    }
    assert!(tried >= 40, "{tried} limits");
}

#[test]
fn r06_counts_at_the_limit_are_read_and_those_beyond_are_refused() {
    let copies = |n: u32| format!("{{ count = [{n}, 10000, 1], spacing = [1, 1, 0] }}");
    // A cloth of 2 × 2 cells has nine particles: 11,111 × 10,000 / 10 copies of it are just below the limit.
    assert!(with("cloth.0.array", &copies(1111)).is_ok());
    let error = with("cloth.0.array", &copies(1112)).unwrap_err();
    assert!(error.message.contains("at most 100000000"), "{error}");
    let depth = |n: usize| vec!["a"; n].join(".");
    assert!(format!("{}=1", depth(16)).parse::<Override>().is_ok());
    assert!(format!("{}=1", depth(17)).parse::<Override>().is_err());
}
