//! An object that touches nothing changes no bit of the others: not their plan, not how their contacts push.
#![allow(missing_docs, reason = "a test")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// Objects on a floor, in groups that touch.
const NEAR: [(&str, &str); 6] = [
    (
        "box",
        r#"
        [[body]]
        name = "box"
        box = [0.31, 0.31, 0.31]
        grid = 5
        transform = { translate = [0, 0.31, 0], rotate = { axis = [1, 0.3, 0.2], degrees = 23 } }
    "#,
    ),
    (
        "rag",
        r#"
        [[cloth]]
        name = "rag"
        grid = { cells = [9, 9], size = [0.6, 0.6], plane = "xz" }
        transform = { translate = [-0.3, 0.3, -0.3] }
        radius = 0.02
        [[collider]]
        sphere = { center = [0, 0.1, 0], radius = 0.15 }
    "#,
    ),
    (
        "rope",
        r#"
        [[rope]]
        name = "rope"
        path = [[1, 0.1, 0], [2, 0.2, 0]]
        segments = 20
        [[rope]]
        name = "other"
        path = [[1.5, 0.3, -0.5], [1.5, 0.4, 0.5]]
        segments = 20
    "#,
    ),
    (
        "sand",
        r#"
        [[grains]]
        name = "sand"
        radius = 0.03
        fill = { min = [2.5, 0.05, 0], max = [2.8, 0.35, 0.3] }
        [[soft]]
        block = { cells = [3, 3, 3], size = [0.2, 0.2, 0.2] }
        transform = { translate = [2.55, 0.4, 0.05] }
    "#,
    ),
    (
        "ball",
        r#"
        [[inflatable]]
        name = "ball"
        sphere = { radius = 0.2, subdivisions = 2 }
        transform = { translate = [4.5, 0.23, 0] }
        radius = 0.02
    "#,
    ),
    (
        "water",
        r#"
        [[liquid]]
        name = "water"
        fill = { min = [5.5, 0.05, 0], max = [5.8, 0.3, 0.3] }
        [[body]]
        box = [0.1, 0.1, 0.1]
        grid = 4
        density = 300
        transform = { translate = [5.65, 0.4, 0.15] }
    "#,
    ),
];

/// Objects out of reach.
const FAR: [(&str, &str); 14] = [
    (
        "surface",
        "[[collider]]\nsurface = { bowl = { radius = 0.3, height = 0.2 }, transform = { translate = [18, 0.1, 0] } }\n",
    ),
    ("hull", "[[collider]]\nconvex = { points = [[18, 0, 0], [19, 0, 0], [18, 1, 0], [18, 0, 1]] }\n"),
    ("bouncy", "[[collider]]\nrestitution = 0.5\nsphere = { center = [18, 0.1, 0], radius = 0.2 }\n"),
    (
        "regions",
        "[[body]]\nbox = [0.6, 0.1, 0.1]\ngrid = 12\nrecovery = 0.02\nregions = { size = 0.15 }\n\
         transform = { translate = [-20, 0.9, 0] }\n",
    ),
    (
        "plastic",
        "[[body]]\nbox = [0.3, 0.3, 0.3]\ngrid = 6\nrecovery = 0.05\n\
         plastic = { threshold = 0.02, creep = 40, most = 0.5 }\ntransform = { translate = [-20, 0.3, 0] }\n",
    ),
    ("body", "[[body]]\nbox = [0.3, 0.3, 0.3]\ngrid = 5\ntransform = { translate = [-20, 0.3, 0] }\n"),
    (
        "body in a bowl",
        "[[body]]\nball = 0.1\ngrid = 5\ntransform = { translate = [18, 0.3, 0] }\n[[collider]]\n\
         surface = { bowl = { radius = 0.3, height = 0.2 }, transform = { translate = [18, 0.1, 0] } }\n",
    ),
    ("cloth", "[[cloth]]\ngrid = { cells = [9, 9], size = [0.5, 0.5] }\ntransform = { translate = [19, 1, 0] }\n"),
    (
        "fine cloth",
        "[[cloth]]\ngrid = { cells = [30, 30], size = [0.5, 0.5] }\nradius = 0.002\ntransform = { translate = [19, 1, 0] }\n",
    ),
    (
        "block",
        "[[soft]]\nblock = { cells = [3, 3, 3], size = [0.2, 0.2, 0.2] }\ntransform = { translate = [-19, 1, 0] }\n",
    ),
    ("dust", "[[grains]]\nradius = 0.004\nfill = { min = [19, 0.1, 9], max = [19.03, 0.13, 9.03] }\n"),
    (
        "rod",
        "[[rope]]\npath = [[19, 0.5, 0], [20, 0.7, 0]]\nsegments = 20\nbend = { modulus = 1e7 }\ntwist = { modulus = 1e7 }\n",
    ),
    (
        "balloon",
        "[[inflatable]]\nsphere = { radius = 0.2, subdivisions = 2 }\ntransform = { translate = [19, 0.4, 0] }\n",
    ),
    (
        "ropes",
        "[[rope]]\nname = 'a'\npath = [[19, 0.5, 0], [20, 0.7, 0]]\nsegments = 9\n[[rope]]\nname = 'b'\n\
         path = [[20, 0.7, 0], [21, 0.7, 0]]\nsegments = 9\n[[attach]]\nfrom = { object = 'b', at = 'start' }\n\
         to = { object = 'a', at = 'end' }\nwithin = 0.05\n",
    ),
];

/// Bits of an object's particles after each of some numbers of steps.
fn run(text: &str, name: &str) -> Vec<Vec<[u32; 4]>> {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let object = world.topology().object_names.iter().position(|n| n == name).unwrap() as u32;
    let of = world.model().topology.objects.clone();
    let moments = STEPS.iter().map(|&steps| {
        world.advance(steps).unwrap();
        let state = world.state();
        (0..of.len()).filter(|&i| of[i] == object).map(|i| state.rows[i].map(f32::to_bits)).collect()
    });
    moments.collect()
}

/// Steps from one comparison to the next.
const STEPS: [u32; 5] = [0, 1, 4, 15, 25];

#[test]
fn r01_objects_out_of_reach_change_no_bit_of_the_others() {
    let mut wrong = Vec::new();
    for (name, near) in NEAR {
        let head = "fluid = { radius = 0.03 }\nsolver = { iterations = 6 }\n";
        let base = format!("{head}{near}\n[[collider]]\nplane = {{}}\n");
        let alone = run(&base, name);
        for (far, text) in FAR {
            let beside = run(&format!("{base}{text}"), name);
            if let Some(moment) = (0..STEPS.len()).find(|&k| beside[k] != alone[k]) {
                let steps: u32 = STEPS[..=moment].iter().sum();
                wrong.push(format!("{name} notices {far} within {steps} steps"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Where a rigid body is after each of some numbers of steps.
fn rigid(text: &str) -> Vec<[u64; 7]> {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let moments = STEPS.iter().map(|&steps| {
        world.advance(steps).unwrap();
        let body = &world.state().rigid_bodies.bodies[0];
        let (x, q) = (body.position.to_array(), body.rotation.to_array());
        [x[0], x[1], x[2], q[0], q[1], q[2], q[3]].map(f64::to_bits)
    });
    moments.collect()
}

#[test]
fn r01_joints_out_of_reach_change_no_bit_of_a_rolling_and_bouncing_body() {
    let base = "
        contact = { rolling = 0.5 }
        [[body]]
        box = [0.3, 0.2, 0.1]
        restitution = 0.6
        transform = { translate = [0, 0.5, 0], rotate = { axis = [1, 0.3, 0.2], degrees = 23 } }
        [[collider]]
        plane = {}
    ";
    let far = "
        [[body]]
        name = \"hung\"
        ball = 0.1
        transform = { translate = [9, 2, 0] }
        [[joint]]
        kind = \"ball\"
        body = \"hung\"
        anchor = [9, 2.5, 0]
    ";
    let alone = rigid(base);
    assert!(alone[4] != alone[0]);
    assert!(rigid(&format!("{base}{far}")) == alone, "the body notices a joint out of reach");
}
