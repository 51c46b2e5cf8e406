//! A scene that uses every key of the format, and a test that checks this.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene, schema};
use pliant::{Options, World};
use serde_json::Value;
use std::collections::BTreeSet;

/// Every key but `mesh`, which needs files.
pub const FULL: &str = r#"
title = "everything"

[solver]
method = "xpbd"
integrator = "bdf2"
partition = "color"
colors = 6
balance = true
together = true
patch_particles = 500
dt = 0.01
substeps = 2
iterations = 3
quality = "accurate"
stabilization = 1
omega = 1.2
sleep_speed = 0.001
rotation = "polar"
contact_margin = 0.02

[world]
gravity = [0.5, -9.81, 0.25]
air_density = 1.2
wind = { velocity = [3.0, 0.5, 1.0], gust = 0.5, period = 2.5 }
damping = 0.1

[[cloth]]
name = "sheet"
grid = { cells = [4, 5], size = [1.0, 1.25], plane = "xz" }
transform = { scale = 1.5, rotate = { axis = [0.5, 1.0, 0.25], degrees = 30.0 }, translate = [1.0, 2.0, 3.0] }
array = { count = [2, 1, 2], spacing = [3.0, 1.0, 3.0] }
velocity = [0.25, 0.5, 1.0]
squash = [1.25, 1.5, 0.75]
density = 0.3
particle_mass = 0.02
radius = 0.015
stretch = { compliance = 0.001 }
bend = { modulus = 0.001 }
bend_model = "isometric"
thickness = 0.002
tether = 1.05
drag = 1.5
lift = 0.25
collision = { groups = [0, 3], with = [0, 1, 15] }
friction = { static = 0.75, kinetic = 0.5 }
restitution = 0.25
color = [0.25, 0.5, 0.75]

[[cloth.pin]]
at = "left edge"
motion = { oscillate = { amplitude = [0.1, 0.2, 0.3], period = 2.0, phase = 0.25 } }

[[cloth.pin]]
particles = [3, 7]
motion = { spin = { axis = [0.5, 1.0, 0.5], center = [0.1, 0.2, 0.3], rate = 45.0 } }

[[cloth]]
name = "membrane"
grid = { cells = [3, 3], size = [1.0, 1.0] }
fem = { young = 1e5, poisson = 0.3 }
bend = { stiffness = 0.5 }

[[cloth]]
name = "kite"
inline = { points = [[0.1, 0.2, 9.0], [1.0, 0.3, 9.0], [0.5, 1.0, 9.5], [1.5, 1.0, 9.5]], triangles = [[0, 1, 2], [1, 3, 2]], masses = [0.1, 0.2, 0.3, 0.4] }

[[rope]]
name = "line"
path = [[0.1, 0.2, 0.3], [1.0, 0.5, 0.4]]
segments = 8
slack = 1.1
transform = { scale = 1.0, translate = [0.0, 5.0, 0.0] }
array = { count = [1, 1, 2], spacing = [1.0, 1.0, 1.0] }
velocity = [0.1, 0.2, 0.3]
density = 0.2
particle_mass = 0.01
radius = 0.01
stretch = { modulus = 1e7 }
bend = { stiffness = 0.5 }
twist = { compliance = 0.5 }
color = [0.25, 0.5, 0.75]

[[rope.pin]]
at = "start"
motion = { keys = { frames = [{ time = 0.5, translate = [0.1, 0.2, 0.3] }, { time = 1.5, rotate = { axis = [1.0, 0.5, 0.25], degrees = 90.0 } }], center = [0.5, 0.25, 0.125] } }

[[soft]]
name = "block"
block = { cells = [2, 3, 2], size = [0.5, 0.75, 0.5], tets = "six" }
transform = { translate = [5.0, 1.0, 0.0] }
array = { count = [1, 2, 1], spacing = [1.0, 2.0, 1.0] }
velocity = [0.1, 0.2, 0.3]
squash = [0.5, 1.5, 1.25]
density = 500.0
particle_mass = 0.1
radius = 0.01
stretch = { stiffness = 0.5 }
volume = { modulus = 1e6 }
color = [0.25, 0.5, 0.75]

[[soft.pin]]
inside = { min = [4.5, 0.5, -0.5], max = [6.0, 4.25, 1.0] }

[[soft]]
torus = { radius = 0.5, width = 0.2, height = 0.3, cells = [12, 2], layers = 3 }
transform = { translate = [0.0, 9.0, 0.0] }
fem = { young = 1e5, poisson = 0.25, material = "neo-hookean" }

[[soft]]
ball = { radius = 0.5, cells = 4 }
transform = { translate = [0.0, 12.0, 0.0] }

[[soft]]
urchin = { radius = 0.5, cells = 5, spikes = { length = 0.25, cells = [1, 2], gap = 1 } }
transform = { translate = [0.0, 15.0, 0.0] }

[[soft]]
figure = { height = 1.5, cells = 12 }
transform = { translate = [0.0, 18.0, 0.0] }

[[soft]]
transform = { translate = [0.0, 21.0, 0.0] }
tetrahedra = { count = 200, grading = 2 }
[soft.inline]
points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

[[soft]]
transform = { translate = [0.0, 24.0, 0.0] }
tetrahedra = { size = 0.25, grading = 0 }
[soft.inline]
points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

[[inflatable]]
name = "balloon"
sphere = { radius = 0.5, subdivisions = 2 }
pressure = 1.25
volume = { compliance = 0.001 }
transform = { translate = [-3.0, 2.0, 0.0] }
array = { count = [1, 1, 1], spacing = [1.0, 2.0, 1.0] }
velocity = [0.1, 0.2, 0.3]
density = 0.25
particle_mass = 0.01
radius = 0.01
stretch = { compliance = 0.0001 }
bend = { compliance = 0.5 }
bend_model = "dihedral"
drag = 0.5
lift = 0.25
color = [0.25, 0.5, 0.75]

[[inflatable.pin]]
particles = [0]

[fluid]
radius = 0.02
reach = 4
kernel = "poly6"
omega = 0.5
carry = 0.4
relaxation = 0.03
compressibility = 1e-9
xsph = 0.01
spread = 0.05
adhesion = 0.2
vorticity = 0.5

[[liquid]]
name = "water"
fill = { min = [-0.2, -0.2, -0.2], max = [0.05, 0.05, 0.05] }
jitter = 0.5
transform = { translate = [3, 0.1, 0] }
array = { count = [1, 1, 2], spacing = [1, 1, 1] }
velocity = [0, 0.1, 0]
density = 998
viscosity = 0.002
tension = 0.07
color = [0.2, 0.4, 0.9]

[contact]
between = false
itself = true
friction = { static = 0.5, kinetic = 0.4 }
omega = 1.1
stacking = 0.5
whole = false
restitution = 0.25
cohesion = 0.5
rolling = 0.5
recovery_speed = 2

[[grains]]
name = "sand"
fill = { min = [-0.2, -0.2, -0.2], max = [0.05, 0.05, 0.05] }
radius = 0.03
distance = 0.07
jitter = 0.5
transform = { translate = [9, 3, 0] }
array = { count = [2, 1, 1], spacing = [1, 0, 0] }
velocity = [0, -1, 0]
density = 2000
color = [0.8, 0.7, 0.4]

[[grains]]
name = "stream"
radius = 0.03
pour = { from = [16, 3, 0], radius = 0.1, per_second = 5, velocity = [0, -2, 0], until = 1.0 }

[[body]]
name = "brick"
box = [0.2, 0.1, 0.1]
grid = 4
merge = 1.5
density = 700
recovery = 0.1
regions = { size = 0.1, overlap = 0.08 }
show = "mesh"
plastic = { threshold = 0.1, creep = 10, most = 0.5 }
transform = { translate = [12, 3, 0] }
array = { count = [1, 1, 2], spacing = [0, 0, 1] }
velocity = [0, -1, 0]
color = [0.7, 0.3, 0.3]

[[body]]
name = "marble"
ball = 0.1
grid = 3
transform = { translate = [14, 3, 0] }

[[body]]
name = "ice"
box = [0.12, 0.12, 0.12]
grid = 3
transform = { translate = [18, 3, 0] }

[[body]]
name = "rod"
capsule = { radius = 0.05, length = 0.2 }
model = "rigid"
sensor = true
transform = { translate = [24, 3, 0] }

[[body]]
name = "drum"
cylinder = { radius = 0.1, length = 0.2 }
transform = { translate = [25, 3, 0] }

[[body]]
name = "cone"
cone = { radius = 0.1, length = 0.2 }
transform = { translate = [26, 3, 0] }

[[body]]
name = "gem"
convex = [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]]
transform = { translate = [27, 3, 0] }

[[body]]
name = "compound"
parts = [{ box = [0.1, 0.1, 0.1], translate = [0.2, 0.0, 0.0], rotate = { axis = [1.0, 0.5, 0.0], degrees = 30.0 } }, { ball = 0.1 }, { capsule = { radius = 0.05, length = 0.1 }, translate = [0.4, 0.0, 0.0] }, { cylinder = { radius = 0.05, length = 0.1 }, translate = [0.6, 0.0, 0.0] }, { cone = { radius = 0.05, length = 0.1 }, translate = [0.8, 0.0, 0.0] }, { convex = [[1.0, 0.0, 0.0], [1.2, 0.0, 0.0], [1.0, 0.2, 0.0], [1.0, 0.0, 0.2]] }]
transform = { translate = [28, 3, 0] }

[[joint]]
kind = "hinge"
body = "rod"
to = "drum"
anchor = [24.5, 3.0, 0.0]
axis = [0.0, 0.0, 1.0]
limits = [-30.0, 45.0]
motor = { speed = 1.5, most = 10.0, target = 5.0, stiffness = 20.0, damping = 1.5 }
friction = 0.5
angular_compliance = 0.001
angular_damping = 2.0
break_force = 1000.0
break_torque = 500.0
collide = true

[[joint]]
kind = "six"
body = "cone"
to = "drum"
anchor = [26.0, 3.0, 0.0]
axis = [0.0, 0.0, 1.0]
axis2 = [1.0, 0.0, 0.0]
compliance = 0.001
axes = { x = { limits = [-0.5, 0.25] }, y = { friction = 1.5 }, z = { friction = 0.5 }, rx = { motor = { speed = 0.5, most = 2.0 } }, ry = { friction = 0.5 }, rz = { limits = [-20.0, 10.0] } }

[[joint]]
kind = "distance"
body = "cone"
anchor = [26.0, 3.0, 0.0]
anchor_to = [26.0, 4.0, 0.0]
length = 1.1
stiffness = 100.0
damping = 2.0

[[melt]]
body = "ice"
liquid = "water"
start = 0.01
speed = 0.5

[[liquid]]
name = "brine"
fill = { min = [-0.2, -0.2, -0.2], max = [0.05, 0.05, 0.05] }
transform = { translate = [20, 3, 0] }

[[freeze]]
liquid = "brine"
start = 0.01
sphere = { center = [20, 3, 0], radius = 0.5 }
speed = 5.0
from = [20, 2.5, 0]
density = 917
color = [0.8, 0.9, 1.0]

[[freeze]]
liquid = "brine"
box = { center = [20, 3, 0], size = [0.1, 0.1, 0.1] }

[[drain]]
sphere = { center = [1.0, -3.5, 0.25], radius = 0.5 }
object = "stream"
recycle = true
motion = { oscillate = { amplitude = [0.1, 0.2, 0.3], period = 2.0 } }

[[drain]]
box = { center = [1.0, -3.5, 0.25], size = [0.5, 0.25, 0.75] }

[[attach]]
from = { object = "balloon", particles = [5] }
to = { object = "block", inside = { min = [-50.0, -50.0, -50.0], max = [50.0, 50.0, 50.0] } }
within = 20.0
compliance = 0.001

[[attach]]
from = { object = "line", at = "end" }
to = { object = "balloon" }
within = 30.0

[[collider]]
name = "floor"
plane = { normal = [0.1, 1.0, 0.2], offset = -0.5 }
friction = { static = 0.5, kinetic = 0.25 }
collision = { groups = [1] }

[[collider]]
sphere = { center = [1.0, 0.5, 0.25], radius = 0.5 }
motion = { oscillate = { amplitude = [0.1, 0.2, 0.3], period = 2.0 } }
sensor = true

[[collider]]
capsule = { from = [1.0, 0.5, 0.25], to = [2.0, 0.5, 0.75], radius = 0.25 }

[[collider]]
cylinder = { from = [1.0, 0.5, 0.25], to = [2.0, 0.5, 0.75], radius = 0.25 }

[[collider]]
box = { center = [1.0, 0.5, 0.25], size = [0.5, 0.25, 0.75], rotate = { axis = [0.5, 0.25, 1.0], degrees = 45.0 } }
restitution = 0.5
rolling = 0.25

[[collider]]
convex = { points = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.25, 0.25, 0.25]], transform = { scale = 2.0, rotate = { axis = [0.5, 0.25, 1.0], degrees = 45.0 }, translate = [3.0, 0.5, 0.25] } }

[[collider]]
surface = { bowl = { radius = 0.5, height = 0.25, segments = 12 }, transform = { translate = [9.0, 1.0, 0.0] } }

[[collider]]
sdf = { grid = 12, inline = { points = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]], triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }, transform = { translate = [5.0, 0.5, 0.25] } }

[[collider]]
sdf = { torus = { radius = 0.5, width = 0.25, cells = [12, 2] }, grid = 8 }

[[collider]]
surface = { figure = { height = 0.5, cells = 12 }, transform = { translate = [0.0, -2.0, 0.0] } }

[camera]
eye = [1.0, 2.0, 3.0]
target = [0.5, 0.25, 0.75]
fov = 40.0

[output]
seconds = 2.0
fps = 25.0
width = 640
height = 480
still = 1.0
surface = { cell = 0.5, smoothing = 4 }
foam = { rate = 50.0, lifetime = [0.25, 1.5], most = 5000 }
"#;

pub fn table() -> toml::Table {
    toml::from_str(FULL).unwrap()
}

#[test]
fn r06_the_full_example_is_valid_builds_and_steps() {
    let scene = Scene::parse(FULL, Format::Toml).unwrap();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    for _ in 0..3 {
        sim.step().unwrap();
    }
}

#[test]
fn r06_toml_and_json_read_into_the_same_scene_and_back() {
    let scene = Scene::parse(FULL, Format::Toml).unwrap();
    let json = serde_json::to_string(&table()).unwrap();
    assert_eq!(Scene::parse(&json, Format::Json).unwrap(), scene);
    let written = toml::to_string(&scene).unwrap();
    assert_eq!(Scene::parse(&written, Format::Toml).unwrap(), scene);
}

/// Names of all properties that a schema allows anywhere.
fn properties(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(own)) = map.get("properties") {
                found.extend(own.keys().cloned());
            }
            map.values().for_each(|v| properties(v, found));
        }
        Value::Array(items) => items.iter().for_each(|v| properties(v, found)),
        _ => {}
    }
}

fn keys(value: &toml::Value, found: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => table.iter().for_each(|(k, v)| {
            found.insert(k.clone());
            keys(v, found);
        }),
        toml::Value::Array(items) => items.iter().for_each(|v| keys(v, found)),
        _ => {}
    }
}

#[test]
fn r06_the_schema_holds_every_key_and_the_full_example_uses_them_all() {
    let (mut allowed, mut used) = (BTreeSet::new(), BTreeSet::new());
    properties(&schema(), &mut allowed);
    keys(&toml::Value::Table(table()), &mut used);
    let unknown: Vec<_> = used.difference(&allowed).collect();
    assert!(unknown.is_empty(), "not in the schema: {unknown:?}");
    allowed.remove("mesh");
    let unused: Vec<_> = allowed.difference(&used).collect();
    assert!(unused.is_empty(), "not in the full example, so never tested with bad values: {unused:?}");
}
