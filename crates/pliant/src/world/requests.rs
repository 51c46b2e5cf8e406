//! Positions that are asked for now and looked at later, while steps go on.

use crate::math::RowData;
#[cfg(feature = "gpu")]
use crate::solver::gpu::row_request::RowRequest;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
enum Part {
    Positions,
    Velocities,
}

/// Positions of an object that were asked for by [`World::request_positions`].
#[derive(Debug)]
pub struct PositionRequest {
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "asked for again where a device was late"))]
    object: Handle,
    rows: Option<Vec<RowData>>,
    #[cfg(feature = "gpu")]
    under_way: Option<RowRequest>,
}

/// Velocities of an object that were asked for by [`World::request_velocities`].
#[derive(Debug)]
pub struct VelocityRequest(PositionRequest);

impl World {
    /// Asks for the positions of an object as they are after all steps so far. Returns without waiting: a program that draws
    /// asks after each step and looks at what it has asked for the step before. On the CPU they are copied at once.
    pub fn request_positions(&mut self, object: Handle) -> Result<PositionRequest, EditError> {
        self.request(object, Part::Positions)
    }

    /// [`Self::request_positions`], of velocities.
    pub fn request_velocities(&mut self, object: Handle) -> Result<VelocityRequest, EditError> {
        self.request(object, Part::Velocities).map(VelocityRequest)
    }

    fn request(&mut self, object: Handle, part: Part) -> Result<PositionRequest, EditError> {
        let range = self.particles_of(object)?;
        #[cfg(feature = "gpu")]
        let solid = self.state.memory().velocities.len();
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            let under_way = match part {
                Part::Positions => gpu.request_rows(range),
                Part::Velocities => gpu.request_velocities(solid, range),
            };
            let under_way = Some(under_way.map_err(crate::error::StepError::from)?);
            return Ok(PositionRequest { object, rows: None, under_way });
        }
        let state = self.current_state()?;
        let rows = match part {
            Part::Positions => &state.rows[range],
            Part::Velocities => &state.velocities[range],
        };
        Ok(PositionRequest {
            object,
            rows: Some(rows.to_vec()),
            #[cfg(feature = "gpu")]
            under_way: None,
        })
    }

    /// The positions of a request, x, y, z [m] and inverse mass [1/kg], if they have arrived. Does not wait, except where a GPU
    /// has to repeat steps for which its lists had no room: then these are the positions of now.
    pub fn poll_positions<'a>(&mut self, request: &'a mut PositionRequest) -> Result<Option<&'a [RowData]>, EditError> {
        self.poll(request, Part::Positions)
    }

    /// The velocities of a request [m/s], fourth component 0, as [`Self::poll_positions`].
    pub fn poll_velocities<'a>(
        &mut self,
        request: &'a mut VelocityRequest,
    ) -> Result<Option<&'a [RowData]>, EditError> {
        self.poll(&mut request.0, Part::Velocities)
    }

    fn poll<'a>(&mut self, request: &'a mut PositionRequest, part: Part) -> Result<Option<&'a [RowData]>, EditError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref()
            && let Some(under_way) = &request.under_way
        {
            match gpu.poll_rows(under_way).map_err(crate::error::StepError::from)? {
                None => return Ok(None),
                Some(Some(rows)) => request.rows = Some(rows),
                Some(None) => {
                    request.rows = Some(match part {
                        Part::Positions => self.positions(request.object)?.to_vec(),
                        Part::Velocities => self.velocities(request.object)?.to_vec(),
                    });
                }
            }
            request.under_way = None;
        }
        let _ = part;
        Ok(request.rows.as_deref())
    }
}
