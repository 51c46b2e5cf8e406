//! Pictures read back from the device, for screenshots and videos.

use pliant_render::Image;
use wgpu::{Device, Queue, Texture};

/// Waits for a picture of four bytes per pixel and reads it back. The error is what the device says.
pub fn read_back(device: &Device, queue: &Queue, picture: &Texture) -> Result<Image, String> {
    let (width, height) = (picture.width(), picture.height());
    let stride = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size: u64::from(stride) * u64::from(height),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(picture.as_image_copy(), to, picture.size());
    queue.submit([encoder.finish()]);
    let (send, receive) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |done| {
        let _ = send.send(done);
    });
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| e.to_string())?;
    receive.recv().map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
    let bytes = buffer.get_mapped_range(..).map_err(|e| e.to_string())?;
    let mut image = Image::new(width, height);
    let rows = image.pixels.chunks_exact_mut(3 * width as usize);
    for (to, from) in rows.zip(bytes.chunks_exact(stride as usize)) {
        for (pixel, four) in to.chunks_exact_mut(3).zip(from.chunks_exact(4)) {
            pixel.copy_from_slice(&four[..3]);
        }
    }
    Ok(image)
}
