//! A session without a window: what it writes, and how much it takes.

use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use pliant_serve::playback::MOST_THROWN;
use pliant_view::session::{Command, Item, Ray, Session};
use pliant_view::{Loaded, SceneSource, SessionOptions};
use std::path::Path;

/// A scene from a text.
struct Text(&'static str);

impl SceneSource for Text {
    fn name(&self) -> &str {
        "text"
    }

    fn file(&self) -> Option<&Path> {
        None
    }

    fn load(&mut self) -> Result<Loaded, String> {
        let scene = Scene::parse(self.0, Format::Toml).map_err(|e| e.to_string())?;
        let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() });
        Ok(Loaded { world: world.map_err(|e| e.to_string())?, scene })
    }
}

fn session(text: &'static str) -> Session {
    let mut source = Text(text);
    let loaded = source.load().unwrap();
    let options = SessionOptions { playing: false, ..SessionOptions::default() };
    let mut session = Session::new(loaded, Box::new(source), options).unwrap();
    session.view().unwrap();
    session
}

#[cfg(unix)]
#[test]
fn saved_files_replace_links_and_follow_none() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("out")).unwrap();
    for name in ["a.snapshot", "a.snapshot.part", "a.json", "a.json.part"] {
        std::fs::write(path(name), "precious").unwrap();
        symlink(path(name), path("out").join(name)).unwrap();
    }
    let mut session = session("[[body]]\nball = 0.1\n");
    session.obey(Command::SaveSnapshot(path("out/a.snapshot")));
    session.obey(Command::SaveScene(path("out/a.json")));
    session.obey(Command::SaveScene(path("new/folder/a.json")));
    let notices = session.view().unwrap().notices;
    assert!(notices.len() == 3 && notices.iter().all(|n| !n.error), "{notices:?}");
    for name in ["a.snapshot", "a.snapshot.part", "a.json", "a.json.part"] {
        assert_eq!(std::fs::read(path(name)).unwrap(), b"precious", "{name}");
    }
    assert!(std::fs::read(path("out/a.snapshot")).unwrap().len() > 100);
    assert_eq!(std::fs::read(path("out/a.json")).unwrap(), std::fs::read(path("new/folder/a.json")).unwrap());
    // A folder that cannot be is an error that names the file once.
    session.obey(Command::SaveScene(path("a.json/b.json")));
    let notices = session.view().unwrap().notices;
    assert!(notices[0].error && notices[0].text.matches("b.json").count() == 1, "{notices:?}");
}

#[test]
fn however_much_is_thrown_the_oldest_objects_go() {
    let mut session = session("[[collider]]\nplane = {}\n[world]\ngravity = [0, 0, 0]\n");
    let colliders = 1;
    let throw = |session: &mut Session, k: usize| {
        let origin = Vec3::new(4.0 * (k % 32) as f32, 1.0 + 4.0 * (k / 32) as f32, 0.0);
        session.obey(Command::Throw(Ray { origin, direction: Vec3::Z }, Item::THROWN[k % 2]));
    };
    (0..MOST_THROWN + 30).for_each(|k| throw(&mut session, k));
    let view = session.view().unwrap();
    assert_eq!(view.notices, []);
    assert_eq!(
        (session.world().objects().len(), view.objects.len()),
        (MOST_THROWN + colliders, MOST_THROWN + colliders)
    );
    (0..10).for_each(|_| session.obey(Command::Step));
    (0..30).for_each(|k| throw(&mut session, 2000 + k));
    session.obey(Command::Back);
    (0..30).for_each(|k| throw(&mut session, 3000 + k));
    session.obey(Command::Step);
    let view = session.view().unwrap();
    assert_eq!(
        (session.world().objects().len(), view.objects.len()),
        (MOST_THROWN + colliders, MOST_THROWN + colliders)
    );
    session.obey(Command::Restart);
    assert_eq!(session.view().unwrap().objects.len(), colliders);
}
