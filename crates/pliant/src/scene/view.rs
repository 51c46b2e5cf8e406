//! Camera and output settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where pictures are taken from. What is not said is chosen so that the scene fills the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Camera {
    /// Position of the eye [m].
    pub eye: Option<[f32; 3]>,
    /// Point in the middle of the picture [m].
    pub target: Option<[f32; 3]>,
    /// Vertical angle of view [degrees]; default 35.
    pub fov: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { eye: None, target: None, fov: 35.0 }
    }
}

/// Length of the run and size of its pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Length of the run [s]; default 5.
    pub seconds: f32,
    /// Frames per simulated second; a frame is a whole number of steps. Default 50.
    pub fps: f32,
    /// Width of pictures [pixels], even; default 1280.
    pub width: u32,
    /// Height of pictures [pixels], even; default 720.
    pub height: u32,
    /// Time of the still picture [s]; default at two thirds of the run.
    pub still: Option<f32>,
    /// How surfaces of liquids are made.
    pub surface: SurfaceSpec,
    /// Spray, foam and bubbles of liquids; none by default.
    pub foam: Option<FoamSpec>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            seconds: 5.0,
            fps: 50.0,
            width: 1280,
            height: 720,
            still: None,
            surface: SurfaceSpec::default(),
            foam: None,
        }
    }
}

/// How particles of liquids become surfaces, in files and in pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SurfaceSpec {
    /// Edge of the cubes that a surface is cut from, in radii of the liquid's particles, 0.25 to 2; default 0.75. Half of it
    /// makes four times as many triangles, in six to eight times the time; from 1.2 on, lone drops may slip through.
    pub cell: f32,
    /// Rounds of smoothing, which keep the volume, 0 to 1,000; default 10.
    pub smoothing: u32,
}

impl Default for SurfaceSpec {
    fn default() -> Self {
        Self { cell: 0.75, smoothing: 10 }
    }
}

/// Spray, foam and bubbles: flecks that follow the liquids of a scene from frame to frame and do nothing to them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FoamSpec {
    /// Flecks that a particle makes in a second where the liquid is as violent as it gets [1/s], 0 to 100,000; default 500.
    pub rate: f32,
    /// Shortest and longest time that foam lies on the liquid [s], up to 1,000; default 0.5 and 2.5. Spray and bubbles wait
    /// until they are foam.
    pub lifetime: [f32; 2],
    /// Flecks at a time, at most, up to 10 million; default 100,000. Where more were to be made a run says so.
    pub most: u32,
}

impl Default for FoamSpec {
    fn default() -> Self {
        Self { rate: 500.0, lifetime: [0.5, 2.5], most: 100_000 }
    }
}
