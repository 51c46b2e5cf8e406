// WGSL version of vorticity.rs.

// J as xx, yy, zz and as yz, zx, xy, and L.
struct RotationSums { diagonal: vec3<f32>, off_diagonal: vec3<f32>, angular: vec3<f32> }

fn vorticity_with(spin: RotationSums, apart: vec3<f32>, against: vec3<f32>, weight: f32) -> RotationSums {
    let square = apart * apart;
    return RotationSums(
        spin.diagonal + (square.yzx + square.zxy) * weight,
        spin.off_diagonal - apart.yzx * apart.zxy * weight,
        spin.angular + cross(apart, against) * weight,
    );
}

// Vorticity [1/s]: 2·J⁻¹·L.
fn vorticity_curl(spin: RotationSums) -> vec3<f32> {
    let d = spin.diagonal;
    let o = spin.off_diagonal;
    let side = o.yzx * o.zxy - d * o;
    let main = d.yzx * d.zxy - o * o;
    let a = vec3<f32>(main.x, side.z, side.y);
    let b = vec3<f32>(side.z, main.y, side.x);
    let c = vec3<f32>(side.y, side.x, main.z);
    let determinant = dot(vec3<f32>(d.x, o.z, o.y), a);
    let turned = vec3<f32>(dot(a, spin.angular), dot(b, spin.angular), dot(c, spin.angular));
    return turned * (2.0 / max(determinant, VORTICITY_LEAST));
}

// Change of velocity in a substep [m/s]. `strength` is h·ε·2r [m], `noise` the noise threshold of |η|/|ω| [1/m].
fn vorticity_velocity_change(strength: f32, noise: f32, curl: vec3<f32>, rise: vec3<f32>) -> vec3<f32> {
    let length = sqrt(dot(rise, rise) + noise * noise * dot(curl, curl));
    return cross(rise, curl) * (strength / max(length, 1e-30));
}
