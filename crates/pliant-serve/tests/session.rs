//! A session without connections: what commands do to its world.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use pliant_serve::playback::MOST_THROWN;
use pliant_serve::{Command, Session, SessionOptions};

fn session(text: &str) -> Session {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let options = SessionOptions { playing: false, history_bytes: 16 << 20, ..SessionOptions::default() };
    Session::new(world, &scene, "test", options).unwrap()
}

fn obey(session: &mut Session, text: &str) -> Result<(), String> {
    session.obey(1, Command::parse(text).unwrap())
}

const STEP: &str = r#"{ "do": "step" }"#;
const RESTART: &str = r#"{ "do": "restart" }"#;

#[test]
fn however_much_is_thrown_the_oldest_objects_go() {
    let mut session = session("[[collider]]\nplane = {}\n[world]\ngravity = [0, 0, 0]\n");
    let colliders = 1;
    let throw = |session: &mut Session, k: usize| {
        let (x, y) = (2 * (k % 32), 1 + 2 * (k / 32));
        let ray = format!(r#"{{ "origin": [{x}, {y}, 0], "direction": [0, 0, 1] }}"#);
        obey(session, &format!(r#"{{ "do": "throw", "ray": {ray} }}"#)).unwrap();
    };
    (0..MOST_THROWN + 30).for_each(|k| throw(&mut session, k));
    assert_eq!(session.world().objects().len(), MOST_THROWN + colliders);
    // A step at a kept moment; what is thrown after it and gone again at a rewind is no longer counted.
    for _ in 0..15 {
        obey(&mut session, STEP).unwrap();
    }
    let kept = session.world().time();
    (0..60).for_each(|k| throw(&mut session, 1000 + k));
    for _ in 0..15 {
        obey(&mut session, STEP).unwrap();
    }
    obey(&mut session, &format!(r#"{{ "do": "rewind", "time": {kept} }}"#)).unwrap();
    (0..60).for_each(|k| throw(&mut session, 2000 + k));
    obey(&mut session, STEP).unwrap();
    assert_eq!((session.world().objects().len(), session.trouble()), (MOST_THROWN + colliders, None));
    obey(&mut session, RESTART).unwrap();
    assert_eq!(session.world().objects().len(), colliders);
    (0..MOST_THROWN + 5).for_each(|k| throw(&mut session, k));
    assert_eq!(session.world().objects().len(), MOST_THROWN + colliders);
}
