//! Camera and output settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Camera. Unset fields are chosen so that the scene fills the image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Camera {
    /// Position of the camera [m].
    pub eye: Option<[f32; 3]>,
    /// Point at the center of the image [m].
    pub target: Option<[f32; 3]>,
    /// Vertical field of view [degrees]; default 35.
    pub fov: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { eye: None, target: None, fov: 35.0 }
    }
}

/// Duration and image size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Simulated duration [s]; default 5.
    pub seconds: f32,
    /// Frames per simulated second; a frame is a whole number of steps. Default 50.
    pub fps: f32,
    /// Image width [pixels], even, 16 to 4096; default 1280.
    pub width: u32,
    /// Image height [pixels], even, 16 to 4096; default 720. MP4 videos have at most 3840 × 2160.
    pub height: u32,
    /// Time of the still image [s]; default two thirds of the duration.
    pub still: Option<f32>,
    /// Surface reconstruction of liquids.
    pub surface: SurfaceSpec,
    /// Spray, foam and bubbles of liquids; default none.
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

/// Surface reconstruction of liquids, for files and rendering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SurfaceSpec {
    /// Cell size of surface extraction, in particle radii of the liquid, 0.25 to 2; default 0.75. Half the size gives
    /// four times as many triangles and takes six to eight times as long; from 1.2 on, single drops may be missed.
    pub cell: f32,
    /// Volume-preserving smoothing iterations, 0 to 1,000; default 10.
    pub smoothing: u32,
}

impl Default for SurfaceSpec {
    fn default() -> Self {
        Self { cell: 0.75, smoothing: 10 }
    }
}

/// Spray, foam and bubbles: secondary particles advected by the liquids from frame to frame, without feedback.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FoamSpec {
    /// Maximum rate of secondary particles per liquid particle [1/s], 0 to 100,000; default 500.
    pub rate: f32,
    /// Minimum and maximum lifetime of foam [s], up to 1,000; default 0.5 and 2.5. Spray and bubbles do not age
    /// until they become foam.
    pub lifetime: [f32; 2],
    /// Maximum number of secondary particles, up to 10 million; default 100,000. A run reports if it is exceeded.
    pub most: u32,
}

impl Default for FoamSpec {
    fn default() -> Self {
        Self { rate: 500.0, lifetime: [0.5, 2.5], most: 100_000 }
    }
}
