//! Values of `--format`: the frame formats of `pliant-io`, and what only the command line writes.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use pliant_io::CacheFormat;
use std::sync::LazyLock;

/// Geometry formats. Frame formats, their names and their help come from the registry of `pliant-io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryFormat {
    /// A file per frame in a format of the registry.
    Frames(CacheFormat),
    /// Liquid surfaces.
    Surface,
    /// Spray, foam and bubbles of liquids.
    Foam,
    /// No geometry.
    None,
}

static ALL: LazyLock<Vec<GeometryFormat>> = LazyLock::new(|| {
    let frames = CacheFormat::all().map(GeometryFormat::Frames);
    frames.chain([GeometryFormat::Surface, GeometryFormat::Foam, GeometryFormat::None]).collect()
});

impl GeometryFormat {
    /// The frame format, if this is one.
    pub fn frames(self) -> Option<CacheFormat> {
        match self {
            Self::Frames(format) => Some(format),
            Self::Surface | Self::Foam | Self::None => None,
        }
    }
}

impl ValueEnum for GeometryFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Frames(format) => (format.name(), format.help()),
            Self::Surface => {
                ("surface", "Closed surfaces of liquids, one surface_LIQUID_*.ply per frame and liquid, binary")
            }
            Self::Foam => ("foam", "Spray, foam and bubbles of liquids, one foam_*.ply of points per frame, binary"),
            Self::None => ("none", "No geometry"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
