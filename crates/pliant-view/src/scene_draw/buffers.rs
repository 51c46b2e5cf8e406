//! Buffers that are written anew for each view, and grow with it.

use bytemuck::{Pod, cast_slice};
use wgpu::{Buffer, BufferUsages, Device, Queue};

/// A buffer of elements of one type.
pub struct Stream {
    label: &'static str,
    usage: BufferUsages,
    buffer: Option<Buffer>,
    count: u32,
}

impl Stream {
    /// Without elements.
    pub fn new(label: &'static str, usage: BufferUsages) -> Self {
        Self { label, usage: usage | BufferUsages::COPY_DST, buffer: None, count: 0 }
    }

    /// Replaces the elements. What is larger than the device allows is left out.
    pub fn write<T: Pod>(&mut self, device: &Device, queue: &Queue, elements: &[T]) {
        let most = device.limits().max_buffer_size as usize / size_of::<T>();
        let elements = &elements[..elements.len().min(most)];
        let bytes: &[u8] = cast_slice(elements);
        self.count = elements.len() as u32;
        if bytes.is_empty() {
            return;
        }
        let needed = bytes.len() as u64;
        if self.buffer.as_ref().is_none_or(|b| b.size() < needed) {
            // Half as much again, so that what is poured does not make a buffer per frame.
            let size = (needed + needed / 2).min(device.limits().max_buffer_size).max(needed).next_multiple_of(4);
            self.buffer = Some(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size,
                usage: self.usage,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = &self.buffer {
            queue.write_buffer(buffer, 0, bytes);
        }
    }

    /// The buffer and the number of elements, if there are any.
    pub fn filled(&self) -> Option<(&Buffer, u32)> {
        self.buffer.as_ref().filter(|_| self.count > 0).map(|buffer| (buffer, self.count))
    }
}
