//! `pliant scenes --gallery`: a page of pictures of built-in scenes, each with the command that runs it.

use crate::args::{LiquidLook, Overrides, ScenesArgs};
use crate::builtin::{Builtin, SCENES};
use crate::failure::Failure;
use crate::formatting;
use crate::interrupt::{self, interrupted};
use crate::liquid::Liquids;
use crate::picture::{FrameContent, FrameRenderer};
use crate::run::timing::FrameTiming;
use crate::scene_loader::LoadedScene;
use crate::scenes::{MAX_LISTED_PARTICLES, block_particles};
use crate::stderr;
use crate::stdout;
use pliant::Backend;
use pliant::frame::Frame;
use pliant_io::write_atomically;
use pliant_render::{Image, write_png};
use std::fmt::Write as _;
use std::path::Path;

/// Size of a picture [pixels]; it is drawn twice as large, and averaged.
const SIZE: [u32; 2] = [480, 270];

/// How titles of scenes begin that are made to be measured, which takes long.
const BENCHMARK: &str = "Benchmark";

/// The first line of a page, by which it may be written again.
const MARK: &str = "<!doctype html><meta name=generator content=\"pliant scenes --gallery\">";

/// What the page says of a scene.
struct Card {
    name: &'static str,
    title: String,
    /// Particles and time of the picture, or why there is none.
    text: String,
    has_picture: bool,
}

/// Draws the scenes and writes the page.
pub fn gallery(args: &ScenesArgs, folder: &Path) -> Result<(), Failure> {
    let scenes = chosen(&args.scenes)?;
    let backend = args.processor.backend()?;
    let page = folder.join("index.html");
    refuse_other_pages(&page)?;
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::io(&format!("cannot make folder {}", folder.display()), &e))?;
    interrupt::listen()?;
    interrupt::steps_run();
    let (mut cards, mut first_failure) = (Vec::new(), None);
    for (number, scene) in scenes.iter().enumerate() {
        stderr::note(&format!("{}/{} {}", number + 1, scenes.len(), scene.name));
        match card(scene, args, backend, folder) {
            Ok(card) => cards.push(card),
            Err(_) if interrupted() => break,
            Err(failure) => {
                stderr::note(&format!("{}: {}", scene.name, failure.message()));
                first_failure.get_or_insert(failure);
            }
        }
        // After each scene: a process that is killed leaves the page of those before.
        let html = html(&cards);
        write_atomically(&page, |file| file.write_all(html.as_bytes()))?;
    }
    if !cards.is_empty() {
        let drawn = cards.iter().filter(|c| c.has_picture).count();
        stdout::text(&format!("{drawn} pictures, {}\n", page.display()))?;
    }
    match first_failure {
        _ if interrupted() => Err(Failure::interrupted()),
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// The scenes of these names, or all.
fn chosen(names: &[String]) -> Result<Vec<&'static Builtin>, Failure> {
    if names.is_empty() {
        return Ok(SCENES.iter().collect());
    }
    let find = |name: &String| {
        SCENES.iter().find(|scene| scene.name == name).ok_or_else(|| {
            Failure::usage(format!("there is no built-in scene {name:?}")).help("`pliant scenes` lists them")
        })
    };
    names.iter().map(find).collect()
}

/// A page of someone else is not overwritten.
fn refuse_other_pages(page: &Path) -> Result<(), Failure> {
    match std::fs::read(page) {
        Ok(bytes) if !bytes.starts_with(MARK.as_bytes()) => {
            Err(Failure::usage(format!("{} is not a gallery, and would be overwritten", page.display()))
                .help("choose another folder"))
        }
        Ok(_) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(Failure::io(&format!("cannot read {}", page.display()), &e)),
    }
}

fn card(scene: &'static Builtin, args: &ScenesArgs, backend: Backend, folder: &Path) -> Result<Card, Failure> {
    let overrides = Overrides { models: args.models.clone(), ..Overrides::default() };
    let mut loaded = LoadedScene::new(scene.name, &[], &overrides)?;
    loaded.quiet = true;
    let [width, height] = SIZE;
    (loaded.scene.output.width, loaded.scene.output.height) = (2 * width, 2 * height);
    let mut card =
        Card { name: scene.name, title: loaded.scene.title.clone(), text: String::new(), has_picture: false };
    let blocks = block_particles(&loaded.scene);
    let large = blocks > MAX_LISTED_PARTICLES;
    if args.scenes.is_empty() && (large || card.title.starts_with(BENCHMARK)) {
        let why =
            if large { format!("{} particles", formatting::grouped(blocks as usize)) } else { "to measure".into() };
        card.text = format!("{why}; drawn if it is named");
        return Ok(card);
    }
    let mut world = match loaded.simulation(0, backend) {
        Ok(world) => world,
        Err(failure) => {
            card.text = format!("not available: {}", failure.message());
            return Ok(card);
        }
    };
    let image = picture(&loaded, &mut world)?;
    let bytes = write_png(&image.resized(width, height))?;
    write_atomically(&folder.join(format!("{}.png", scene.name)), |file| file.write_all(&bytes))?;
    let counts = [(world.topology().object_names.len(), "object"), (world.particles(), "particle")];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let plural = if count == 1 { "" } else { "s" };
        let _ = write!(card.text, "{} {what}{plural}, ", formatting::grouped(count));
    }
    let _ = write!(card.text, "after {:.2} s", world.time());
    card.has_picture = true;
    Ok(card)
}

/// The scene at the time of its still picture.
fn picture(loaded: &LoadedScene, world: &mut pliant::World) -> Result<Image, Failure> {
    let mut frame = Frame::default();
    world.write_frame(&mut frame);
    let liquids = Liquids::of(&loaded.scene, world);
    // As `pliant run` draws them.
    let liquids = liquids.as_ref().map(|l| (l, LiquidLook::Particles));
    let renderer = FrameRenderer::new(&loaded.scene, world, &frame, liquids)?;
    let timing = FrameTiming::of(&loaded.scene);
    let steps = timing.steps_per_frame * timing.still_frame(&loaded.scene, timing.frames(None, None));
    // Few at a time, so that an interrupt is seen.
    let at_once = if world.backend() == "gpu" { 50 } else { 1 };
    let mut done = 0;
    while done < steps {
        if interrupted() {
            return Err(Failure::interrupted());
        }
        let count = at_once.min(steps - done);
        world.advance(count as u32)?;
        world.wait()?;
        done += count;
    }
    world.sync()?;
    world.write_frame(&mut frame);
    Ok(renderer.render(&FrameContent { frame: &frame, densities: &[], surfaces: &[], foam: &[] }))
}

fn html(cards: &[Card]) -> String {
    let mut text = format!(
        "{MARK}\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n\
         <title>Scenes of Pliant</title>\n<style>{STYLE}</style>\n<h1>Scenes of Pliant</h1>\n<main>\n"
    );
    for card in cards {
        let Card { name, title, text: line, has_picture } = card;
        let [width, height] = SIZE;
        let title = escaped(title);
        let picture = if *has_picture {
            format!("<img src=\"{name}.png\" width={width} height={height} loading=lazy alt=\"{title}\">")
        } else {
            String::from("<div class=none></div>")
        };
        let _ = writeln!(
            text,
            "<figure>{picture}<figcaption><b>{title}</b><br>{}<code>pliant run {name}</code></figcaption></figure>",
            escaped(line)
        );
    }
    text.push_str("</main>\n</html>\n");
    text
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2rem;background:#f4f5f7;color:#222}\
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:1.2rem}\
figure{margin:0;background:#fff;border-radius:6px;overflow:hidden;box-shadow:0 1px 4px #0003}\
img,.none{display:block;width:100%;height:auto;aspect-ratio:16/9}.none{background:#dde}\
figcaption{padding:.6rem .8rem}code{display:block;margin-top:.4rem;user-select:all;background:#eef;padding:.2rem .4rem}";

/// Text as HTML shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_commands_and_escapes_titles() {
        let card = Card { name: "dam", title: "a < b & \"c\"".into(), text: "1 particle".into(), has_picture: true };
        let page = html(&[card]);
        assert!(page.starts_with(MARK));
        assert!(page.contains("<code>pliant run dam</code>") && page.contains("src=\"dam.png\""), "{page}");
        assert!(page.contains("a &lt; b &amp; &quot;c&quot;") && !page.contains("a < b"), "{page}");
    }
}
