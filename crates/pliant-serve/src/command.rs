//! What viewers may ask for. Messages come from outside: they are parsed without panics and checked.

use crate::playback;
use glam::Vec3;
use serde::Deserialize;

/// Largest coordinate that a message may have [m].
const FARTHEST: f32 = 1e5;

/// Why a message was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It is no command.
    #[error("not a command: {0}")]
    Malformed(String),
    /// A number is not finite or too large.
    #[error("{0} is out of range")]
    OutOfRange(&'static str),
}

/// A ray from the eye of a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ray {
    /// Where it starts [m].
    pub origin: [f32; 3],
    /// Its direction; any length but 0.
    pub direction: [f32; 3],
}

impl From<Ray> for playback::Ray {
    fn from(ray: Ray) -> Self {
        Self { origin: ray.origin.into(), direction: Vec3::from(ray.direction).normalize() }
    }
}

/// What a viewer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Let time run.
    Play {},
    /// Stop time.
    Pause {},
    /// One step while time stands still.
    Step {},
    /// Back to the beginning.
    Restart {},
    /// Back to the kept moment that is nearest to a time [s].
    Rewind {
        /// Simulated time [s].
        time: f64,
    },
    /// Ratio of simulated to real time.
    Speed {
        /// 0.05 to 4.
        value: f32,
    },
    /// Gravity [m/s²].
    Gravity {
        /// The acceleration.
        value: [f32; 3],
    },
    /// Wind [m/s]; zero is still air.
    Wind {
        /// The velocity of the air.
        value: [f32; 3],
    },
    /// Grip what a ray hits.
    Grab {
        /// The ray.
        ray: Ray,
    },
    /// Move the grip of this viewer.
    Move {
        /// Where the gripped point shall be [m].
        target: [f32; 3],
    },
    /// Let go.
    Release {},
    /// Throw a ball along a ray.
    Throw {
        /// The ray.
        ray: Ray,
    },
    /// Remove the object that a ray hits.
    Remove {
        /// The ray.
        ray: Ray,
    },
}

impl Command {
    /// Parses a message.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let command: Self = serde_json::from_str(text).map_err(|e| CommandError::Malformed(e.to_string()))?;
        command.check()?;
        Ok(command)
    }

    fn check(&self) -> Result<(), CommandError> {
        let near = |what, v: [f32; 3], limit: f32| {
            let v = Vec3::from(v);
            if v.is_finite() && v.abs().max_element() <= limit { Ok(()) } else { Err(CommandError::OutOfRange(what)) }
        };
        match self {
            Self::Play {} | Self::Pause {} | Self::Step {} | Self::Restart {} | Self::Release {} => Ok(()),
            Self::Rewind { time } if time.is_finite() && *time >= 0.0 => Ok(()),
            Self::Rewind { .. } => Err(CommandError::OutOfRange("time")),
            Self::Speed { value } if (0.05..=4.0).contains(value) => Ok(()),
            Self::Speed { .. } => Err(CommandError::OutOfRange("speed")),
            Self::Gravity { value } => near("gravity", *value, 1000.0),
            Self::Wind { value } => near("wind", *value, 200.0),
            Self::Move { target } => near("target", *target, FARTHEST),
            Self::Grab { ray } | Self::Throw { ray } | Self::Remove { ray } => {
                near("origin", ray.origin, FARTHEST)?;
                near("direction", ray.direction, FARTHEST)?;
                let long = Vec3::from(ray.direction).length_squared() > 1e-12;
                if long { Ok(()) } else { Err(CommandError::OutOfRange("direction")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed() {
        assert_eq!(Command::parse(r#"{"do":"play"}"#), Ok(Command::Play {}));
        assert_eq!(Command::parse(r#"{"do":"move","target":[1,2,3]}"#), Ok(Command::Move { target: [1.0, 2.0, 3.0] }));
        let ray = Ray { origin: [0.0; 3], direction: [0.0, 0.0, -1.0] };
        let text = r#"{"do":"grab","ray":{"origin":[0,0,0],"direction":[0,0,-1]}}"#;
        assert_eq!(Command::parse(text), Ok(Command::Grab { ray }));
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for text in [
            "",
            "play",
            "{}",
            "[]",
            r#"{"do":"fly"}"#,
            r#"{"do":"play","now":1}"#,
            r#"{"do":"move","target":[1,2]}"#,
            r#"{"do":"move","target":[1e9,0,0]}"#,
            r#"{"do":"move","target":[1e300,0,0]}"#,
            r#"{"do":"move","target":[null,0,0]}"#,
            r#"{"do":"rewind","time":-1}"#,
            r#"{"do":"speed","value":0}"#,
            r#"{"do":"gravity","value":[0,-9999,0]}"#,
            r#"{"do":"grab","ray":{"origin":[0,0,0],"direction":[0,0,0]}}"#,
            r#"{"do":"grab","ray":{"origin":[0,0,0]}}"#,
        ] {
            assert!(Command::parse(text).is_err(), "{text}");
        }
        // Nested as deep as a message can be.
        assert!(Command::parse(&"[".repeat(4000)).is_err());
    }
}
