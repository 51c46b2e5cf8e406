//! The window's surface and the device that draws to it.

use std::sync::{Arc, Mutex, PoisonError};
use wgpu::{CurrentSurfaceTexture, Device, Queue, Surface, SurfaceConfiguration, TextureFormat};
use winit::window::Window;

/// Surface, device and queue.
pub struct WindowDevice {
    /// The device.
    pub device: Device,
    /// Its queue.
    pub queue: Queue,
    /// Name of the adapter.
    pub name: String,
    /// Whether it is a software driver.
    pub software: bool,
    /// Format of the views that are painted to; it does not convert bytes.
    pub format: TextureFormat,
    /// The first error that the driver has reported, if there was one.
    trouble: Arc<Mutex<Option<String>>>,
    instance: wgpu::Instance,
    surface: Surface<'static>,
    config: SurfaceConfiguration,
    window: Arc<Window>,
}

impl WindowDevice {
    /// Opens the fastest adapter that can draw to a window. The error is one line for the user.
    pub fn open(window: &Arc<Window>) -> Result<Self, String> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        descriptor.flags = wgpu::InstanceFlags::empty().with_env();
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance.create_surface(window.clone()).map_err(|e| format!("cannot draw to the window: {e}"))?;
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            force_fallback_adapter: false,
            compatible_surface: Some(&surface),
            apply_limit_buckets: false,
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))
            .map_err(|e| format!("no graphics driver can draw to the window: {e}"))?;
        let info = adapter.get_info();
        let wanted = wgpu::DeviceDescriptor {
            label: Some("pliant-view"),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted))
            .map_err(|e| format!("cannot use the graphics driver of {}: {e}", info.name))?;
        let trouble = Arc::new(Mutex::new(None));
        let (from_error, from_loss) = (trouble.clone(), trouble.clone());
        // Without these an error would end the program in the middle of what it does.
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| note(&from_error, e.to_string())));
        device.set_device_lost_callback(move |reason, message| {
            // A device that is given up at the end is no error.
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&from_loss, format!("the graphics device is lost: {message}"));
            }
        });
        let size = window.inner_size();
        let (width, height) = (size.width.max(1), size.height.max(1));
        let mut config = surface
            .get_default_config(&adapter, width, height)
            .ok_or_else(|| format!("{} cannot draw to the window", info.name))?;
        let formats = surface.get_capabilities(&adapter).formats;
        let plain = formats.iter().copied().find(|f| !f.is_srgb() && f.block_copy_size(None) == Some(4));
        config.format = plain.unwrap_or(config.format);
        let format = config.format.remove_srgb_suffix();
        if format != config.format {
            config.view_formats.push(format);
        }
        config.present_mode = wgpu::PresentMode::AutoVsync;
        let this = Self {
            name: info.name,
            software: info.device_type == wgpu::DeviceType::Cpu,
            format,
            trouble,
            device,
            queue,
            instance,
            surface,
            config,
            window: window.clone(),
        };
        this.configure();
        Ok(this)
    }

    /// The first error that the driver has reported, if there was one.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Size of the surface [px].
    pub fn size(&self) -> (u32, u32) {
        (self.config.width, self.config.height)
    }

    /// Takes over another size of the window; none has fewer than one pixel.
    pub fn resize(&mut self, width: u32, height: u32) {
        let most = self.device.limits().max_texture_dimension_2d;
        (self.config.width, self.config.height) = (width.clamp(1, most), height.clamp(1, most));
        self.configure();
    }

    fn configure(&self) {
        self.surface.configure(&self.device, &self.config);
    }

    /// Paints the next picture of the window. Where the window is hidden or its surface is not ready, nothing happens and the
    /// answer is false.
    pub fn present(&mut self, paint: impl FnOnce(&wgpu::TextureView)) -> bool {
        let texture = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(texture) | CurrentSurfaceTexture::Suboptimal(texture) => texture,
            CurrentSurfaceTexture::Outdated => {
                self.configure();
                return false;
            }
            CurrentSurfaceTexture::Lost => {
                if let Ok(surface) = self.instance.create_surface(self.window.clone()) {
                    self.surface = surface;
                    self.configure();
                }
                return false;
            }
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Occluded | CurrentSurfaceTexture::Validation => {
                return false;
            }
        };
        let format = Some(self.format);
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor { format, ..Default::default() });
        paint(&view);
        drop(view);
        self.window.pre_present_notify();
        self.queue.present(texture);
        true
    }
}

fn note(trouble: &Mutex<Option<String>>, text: String) {
    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
}
