// WGSL version of collider_shape.rs for analytic shapes. Codes and sizes come from `ColliderShape::shader_record`.
//
// Needs `const SHAPES: u32`, a bit for every code that the scene has: other shapes are not compiled.

const CYLINDERS: bool = (SHAPES & (1u << CYLINDER)) != 0u;

// Penetration depth [m], positive inside, and the outward normal.
struct Depth { inside: f32, normal: vec3<f32> }

// Sphere around the closest point of an axis; at zero distance the normal is `up`.
fn contact_from_axis(d: vec3<f32>, radius: f32, up: vec3<f32>) -> Depth {
    let size = sqrt(dot(d, d));
    return Depth(radius - size, select(up, d / size, size > 1e-12));
}

fn contact_box(half: vec3<f32>, p: vec3<f32>) -> Depth {
    let q = abs(p) - half;
    let outside = max(q, vec3<f32>(0.0));
    let size = sqrt(dot(outside, outside));
    let side = select(vec3<f32>(1.0), vec3<f32>(-1.0), p < vec3<f32>(0.0));
    if size > 0.0 {
        return Depth(-size, outside * side / size);
    }
    if q.x >= q.y && q.x >= q.z {
        return Depth(-q.x, vec3<f32>(side.x, 0.0, 0.0));
    }
    if q.y >= q.z {
        return Depth(-q.y, vec3<f32>(0.0, side.y, 0.0));
    }
    return Depth(-q.z, vec3<f32>(0.0, 0.0, side.z));
}

fn contact_cylinder(half: f32, radius: f32, p: vec3<f32>) -> Depth {
    let size = sqrt(p.x * p.x + p.z * p.z);
    let radial = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(p.x / size, 0.0, p.z / size), size > 1e-12);
    let axial = vec3<f32>(0.0, select(1.0, -1.0, p.y < 0.0), 0.0);
    let side = size - radius;
    let end = abs(p.y) - half;
    let out = max(side, 0.0);
    let over = max(end, 0.0);
    let far = sqrt(out * out + over * over);
    if far > 0.0 {
        return Depth(-far, (radial * out + axial * over) / far);
    }
    if side >= end {
        return Depth(-side, radial);
    }
    return Depth(-end, axial);
}

// Shapes with edges: box and cylinder.
fn contact_edged(shape: u32, size: vec4<f32>, p: vec3<f32>) -> Depth {
    if CYLINDERS && shape == CYLINDER {
        return contact_cylinder(size.x, size.w, p);
    }
    return contact_box(size.xyz, p);
}

// In the collider's frame, without the particle's radius.
fn contact_local(shape: u32, size: vec4<f32>, p: vec3<f32>) -> Depth {
    switch shape {
        case PLANE: { return Depth(-p.y, vec3<f32>(0.0, 1.0, 0.0)); }
        case SPHERE: { return contact_from_axis(p, size.w, vec3<f32>(0.0, 1.0, 0.0)); }
        case CAPSULE: {
            let d = p - vec3<f32>(0.0, clamp(p.y, -size.x, size.x), 0.0);
            return contact_from_axis(d, size.w, vec3<f32>(0.0, 1.0, 0.0));
        }
        default: { return contact_edged(shape, size, p); }
    }
}
