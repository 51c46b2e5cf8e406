//! CPU time and memory of this process, and how it takes limits.

use std::fs;

/// CPU time of all threads [s].
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the struct it is given, which lives until after the call; all zeros are a
    // valid rusage, so that reading it is sound even if the call fails.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Makes a write beyond the allowed size of files an error, as a full disk is: by default it ends the process.
#[cfg(unix)]
pub fn let_full_files_fail() {
    // SAFETY: no handler is installed, the signal is ignored; called before any thread is started.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// There is no such limit.
#[cfg(not(unix))]
pub fn let_full_files_fail() {}

/// Wall time, as CPU time is not available on this system [s].
#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Resets [`peak_bytes`], where the system supports it.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Peak memory since [`reset_peak`] [bytes], if the system reports it.
pub fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_and_memory_are_known() {
        assert!(cpu_seconds() >= 0.0);
        assert!(peak_bytes().unwrap() > 1 << 20);
    }
}
