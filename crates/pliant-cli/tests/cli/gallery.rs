//! `pliant scenes --gallery`: pictures, the page, and what is refused.

use crate::support::{SMALL, SceneDir, files};

#[test]
fn a_gallery_has_a_picture_and_a_command_for_each_scene_and_may_be_drawn_again() {
    let dir = SceneDir::with_scene(SMALL);
    for _ in 0..2 {
        let done = dir.pliant(&["scenes", "linkage", "cradle", "bunny", "--gallery", "pictures"]).code(0);
        assert!(done.stdout.starts_with("2 pictures"), "{}", done.stdout);
        assert!(done.stderr.contains("1/3 linkage"), "{}", done.stderr);
        assert_eq!(files(&dir.path("pictures")), ["cradle.png", "index.html", "linkage.png"]);
    }
    let page = std::fs::read_to_string(dir.path("pictures/index.html")).unwrap();
    for name in ["linkage", "cradle"] {
        assert!(page.contains(&format!("src=\"{name}.png\"")), "{page}");
        let decoder = png::Decoder::new(std::io::BufReader::new(
            std::fs::File::open(dir.path(&format!("pictures/{name}.png"))).unwrap(),
        ));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!((reader.info().width, reader.info().height), (480, 270));
        // Something is drawn: a picture without objects is ground and sky.
        let colors: std::collections::BTreeSet<&[u8]> = pixels.chunks_exact(3).collect();
        assert!(colors.len() > 500, "{name}: {} colors", colors.len());
    }
    // Rigid bodies have no particles.
    assert!(page.contains(" objects, after ") && !page.contains("0 particles"), "{page}");
    // The mesh of the bunny is not part of the program.
    assert!(page.contains("pliant run bunny") && page.contains("not available"), "{page}");
}

#[test]
fn a_gallery_overwrites_no_page_of_others_and_names_unknown_scenes() {
    let dir = SceneDir::with_scene(SMALL);
    std::fs::create_dir(dir.path("site")).unwrap();
    dir.write("site/index.html", "<p>mine");
    let refused = dir.pliant(&["scenes", "cradle", "--gallery", "site"]).code(2);
    assert!(refused.stderr.contains("is not a gallery"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(dir.path("site/index.html")).unwrap(), "<p>mine");
    assert_eq!(files(&dir.path("site")), ["index.html"]);
    let unknown = dir.pliant(&["scenes", "cradel", "--gallery", "new"]).code(2);
    assert!(unknown.stderr.contains("cradel") && !dir.path("new").exists(), "{}", unknown.stderr);
    dir.pliant(&["scenes", "cradle"]).code(2);
    dir.pliant(&["scenes", "--backend", "auto"]).code(2);
    dir.pliant(&["scenes", "--adapter", "0"]).code(2);
    dir.pliant(&["scenes", "--gallery", "new", "--json"]).code(2);
}
