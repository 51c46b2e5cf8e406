//! Screenshots and videos of the window.

use super::OpenWindow;
use super::video::Video;
use crate::files::write_file;
use pliant_render::write_png;
use std::path::PathBuf;

impl OpenWindow {
    /// A name in the folder that is not taken: `flags-001.png`.
    pub(super) fn free_path(&self, extension: &str) -> PathBuf {
        let name = if self.view.status.name.is_empty() { "scene" } else { &self.view.status.name };
        let path = |k: u32| self.folder.join(format!("{name}-{k:03}.{extension}"));
        (1..=999_999).map(path).find(|p| !p.exists()).unwrap_or_else(|| path(1))
    }

    /// Writes the picture without panels.
    pub(super) fn screenshot(&mut self) {
        let path = self.free_path("png");
        self.refine();
        let done = self.renderer.image().and_then(|image| {
            let bytes = write_png(&image).map_err(|e| e.to_string())?;
            write_file(&path, &bytes).map_err(|e| e.to_string())
        });
        match done {
            Ok(()) => self.tell(format!("wrote {}", path.display()), false),
            Err(error) => self.tell(format!("cannot write {}: {error}", path.display()), true),
        }
    }

    /// Begins a video of the picture, or ends it.
    pub(super) fn toggle_video(&mut self) {
        if self.video.is_some() {
            self.end_video();
            return;
        }
        let path = self.free_path("mp4");
        self.refine();
        let begun = std::fs::create_dir_all(&self.folder)
            .map_err(|e| e.to_string())
            .and_then(|()| Video::begin(&path, self.renderer.size()));
        match begun {
            Ok(video) => self.video = Some(video),
            Err(error) => self.tell(format!("cannot write {}: {error}", path.display()), true),
        }
    }

    /// Adds the picture to a video that is being written.
    pub(super) fn film(&mut self) {
        let Some(video) = &mut self.video else { return };
        let due = video.due();
        let done = if due > 0 { self.renderer.image().and_then(|image| video.add(&image, due)) } else { Ok(()) };
        self.info.video = Some(video.seconds());
        if let Err(error) = done {
            self.tell(format!("the video ends: {error}"), true);
            self.end_video();
        }
    }

    /// Completes a video.
    pub(super) fn end_video(&mut self) {
        self.info.video = None;
        let Some(video) = self.video.take() else { return };
        match video.end() {
            Ok(path) => self.tell(format!("wrote {}", path.display()), false),
            Err(error) => self.tell(format!("the video could not be written: {error}"), true),
        }
    }
}
