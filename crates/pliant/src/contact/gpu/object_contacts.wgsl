// Collision groups and surfaces of objects, WGSL version of collision.rs. Needs `const OWN_CONTACTS: bool`: whether any object
// or collider has its own. Then `constants` has a vector for each particle, and one for each collider: groups (memberships
// below, filter above), static and kinetic friction, restitution; coefficients below 0 where it has none of its own.

fn object_contact(particle: u32) -> vec4<u32> {
    return constants[sub.object_contacts + particle];
}

fn collider_contact_of(number: u32) -> vec4<u32> {
    return constants[sub.object_contacts + sub.particles + number];
}

fn groups_touch(a: u32, b: u32) -> bool {
    // A word that is shifted has no bits above the 16 of its filter, so that filters do not meet each other.
    return (a & (b >> 16u)) != 0u && (b & (a >> 16u)) != 0u;
}

// Whether the groups of two particles touch.
fn particles_touch(i: u32, j: u32) -> bool {
    if OWN_CONTACTS {
        return groups_touch(object_contact(i).x, object_contact(j).x);
    }
    return true;
}

// Geometric mean; exactly the number where both are equal.
fn combined_friction(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return select(sqrt(a * b), a, a == b);
}

// Static and kinetic friction of two particles, where objects without their own have that of the scene.
fn friction_between(i: u32, j: u32, scene: vec2<f32>) -> vec2<f32> {
    if OWN_CONTACTS {
        let one = bitcast<vec2<f32>>(object_contact(i).yz);
        let two = bitcast<vec2<f32>>(object_contact(j).yz);
        return combined_friction(select(one, scene, one < vec2<f32>(0.0)), select(two, scene, two < vec2<f32>(0.0)));
    }
    return scene;
}

// Coefficient of restitution of two particles, where objects without their own have that of the scene.
fn restitution_between(i: u32, j: u32, scene: f32) -> f32 {
    if OWN_CONTACTS {
        let one = bitcast<f32>(object_contact(i).w);
        let two = bitcast<f32>(object_contact(j).w);
        return max(select(one, scene, one < 0.0), select(two, scene, two < 0.0));
    }
    return scene;
}

// The same of a particle and collider `number` with the coefficient `law`, which holds for objects without their own.
fn restitution_with(particle: u32, number: u32, law: f32) -> f32 {
    if OWN_CONTACTS {
        let own = bitcast<f32>(object_contact(particle).w);
        let theirs = bitcast<f32>(collider_contact_of(number).w);
        if own >= 0.0 {
            return max(own, select(theirs, law, theirs < 0.0));
        }
    }
    return law;
}
