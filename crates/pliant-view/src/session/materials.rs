//! Materials of objects as numbers that can be changed while the world runs.

use pliant::scene::{Elasticity, Fem, FrictionSpec, Object};
use pliant::{EditError, Handle, World};

/// A property of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// Resistance to stretching.
    Stretch,
    /// Resistance to bending.
    Bend,
    /// Young's modulus.
    Young,
    /// Static friction.
    StaticFriction,
    /// Kinetic friction.
    KineticFriction,
    /// Restitution.
    Restitution,
    /// Viscosity of a liquid.
    Viscosity,
    /// Surface tension of a liquid.
    Tension,
    /// Pressure of an inflatable.
    Pressure,
}

/// A property with its present value and the range of its slider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialValue {
    /// The property.
    pub which: Material,
    /// Its name, and its unit in brackets.
    pub label: &'static str,
    /// Its value.
    pub value: f32,
    /// Least and greatest value of a slider.
    pub range: (f32, f32),
    /// Whether the slider is logarithmic.
    pub logarithmic: bool,
}

/// The properties of an object. `friction` is that of objects without their own.
pub fn materials(object: &Object, friction: FrictionSpec) -> Vec<MaterialValue> {
    let mut all = Vec::new();
    match object {
        Object::Cloth(o) => elastic(&mut all, o.fem, Some(o.stretch), o.bend),
        Object::Soft(o) => elastic(&mut all, o.fem, Some(o.stretch), None),
        Object::Rope(o) => elastic(&mut all, None, Some(o.stretch), o.bend),
        Object::Inflatable(o) => {
            elastic(&mut all, None, Some(o.stretch), o.bend);
            all.push(linear(Material::Pressure, "pressure [volumes]", o.pressure, 5.0));
        }
        Object::Liquid(o) => {
            all.push(logarithmic(Material::Viscosity, "viscosity [Pa·s]", o.viscosity, (1e-4, 100.0)));
            all.push(linear(Material::Tension, "surface tension [N/m]", o.tension, 1.0));
        }
        _ => {}
    }
    if let Some((own, restitution)) = surface(object) {
        let used = own.unwrap_or(friction);
        all.push(linear(Material::StaticFriction, "static friction", used.static_friction, 2.0));
        all.push(linear(Material::KineticFriction, "kinetic friction", used.kinetic_friction, 2.0));
        all.push(linear(Material::Restitution, "restitution", restitution, 1.0));
    }
    all
}

fn elastic(all: &mut Vec<MaterialValue>, fem: Option<Fem>, stretch: Option<Elasticity>, bend: Option<Elasticity>) {
    if let Some(fem) = fem {
        all.push(logarithmic(Material::Young, "Young's modulus [Pa]", fem.young, (1e2, 1e10)));
    } else if let Some(stretch) = stretch {
        all.push(elasticity(Material::Stretch, stretch));
    }
    if let Some(bend) = bend {
        all.push(elasticity(Material::Bend, bend));
    }
}

fn elasticity(which: Material, value: Elasticity) -> MaterialValue {
    let stretch = which == Material::Stretch;
    match value {
        Elasticity::Compliance(v) => {
            let label = if stretch { "stretch compliance [m/N]" } else { "bend compliance [rad²/J]" };
            logarithmic(which, label, v, (1e-9, 10.0))
        }
        Elasticity::Modulus(v) => {
            let label = if stretch { "stretch modulus" } else { "bend modulus" };
            logarithmic(which, label, v, (1e-8, 1e10))
        }
        Elasticity::Stiffness(v) => linear(which, if stretch { "stretch stiffness" } else { "bend stiffness" }, v, 1.0),
    }
}

fn linear(which: Material, label: &'static str, value: f32, most: f32) -> MaterialValue {
    MaterialValue { which, label, value, range: (0.0, most.max(value)), logarithmic: false }
}

fn logarithmic(which: Material, label: &'static str, value: f32, range: (f32, f32)) -> MaterialValue {
    let low = if value > 0.0 { range.0.min(value) } else { 0.0 };
    MaterialValue { which, label, value, range: (low, range.1.max(value)), logarithmic: true }
}

/// Friction, if the object has its own, and restitution of objects that have a surface.
fn surface(object: &Object) -> Option<(Option<FrictionSpec>, f32)> {
    Some(match object {
        Object::Cloth(o) => (o.friction, o.restitution.unwrap_or(0.0)),
        Object::Rope(o) => (o.friction, o.restitution.unwrap_or(0.0)),
        Object::Soft(o) => (o.friction, o.restitution.unwrap_or(0.0)),
        Object::Inflatable(o) => (o.friction, o.restitution.unwrap_or(0.0)),
        Object::Grains(o) => (o.friction, o.restitution.unwrap_or(0.0)),
        Object::Body(o) => (o.friction, o.restitution.unwrap_or(0.0)),
        Object::Collider(o) => (Some(o.friction), o.restitution),
        _ => return None,
    })
}

/// Changes a property in the world, and in the entry of the object.
pub fn change(
    world: &mut World,
    (handle, object): (Handle, &mut Object),
    which: Material,
    value: f32,
    friction: FrictionSpec,
) -> Result<(), EditError> {
    let mut changed = object.clone();
    write(&mut changed, which, value, friction);
    match which {
        Material::Young => world.set_young(handle, value)?,
        Material::Stretch => {
            if let Some(stretch) = stretch_of(&mut changed) {
                world.set_stretch(handle, *stretch)?;
            }
        }
        Material::Bend => {
            if let Some(bend) = bend_of(&mut changed) {
                world.set_bend(handle, Some(*bend))?;
            }
        }
        Material::StaticFriction | Material::KineticFriction => {
            if let Some((Some(own), _)) = surface(&changed) {
                world.set_friction(handle, own.static_friction, own.kinetic_friction)?;
            }
        }
        Material::Restitution => world.set_restitution(handle, value)?,
        Material::Viscosity => world.set_viscosity(handle, value)?,
        Material::Tension => world.set_surface_tension(handle, value)?,
        Material::Pressure => world.set_object_pressure(handle, value)?,
    }
    *object = changed;
    Ok(())
}

fn stretch_of(object: &mut Object) -> Option<&mut Elasticity> {
    match object {
        Object::Cloth(o) => Some(&mut o.stretch),
        Object::Rope(o) => Some(&mut o.stretch),
        Object::Soft(o) => Some(&mut o.stretch),
        Object::Inflatable(o) => Some(&mut o.stretch),
        _ => None,
    }
}

fn bend_of(object: &mut Object) -> Option<&mut Elasticity> {
    match object {
        Object::Cloth(o) => o.bend.as_mut(),
        Object::Rope(o) => o.bend.as_mut(),
        Object::Inflatable(o) => o.bend.as_mut(),
        _ => None,
    }
}

fn friction_of(object: &mut Object, default: FrictionSpec) -> Option<&mut FrictionSpec> {
    Some(match object {
        Object::Cloth(o) => o.friction.get_or_insert(default),
        Object::Rope(o) => o.friction.get_or_insert(default),
        Object::Soft(o) => o.friction.get_or_insert(default),
        Object::Inflatable(o) => o.friction.get_or_insert(default),
        Object::Grains(o) => o.friction.get_or_insert(default),
        Object::Body(o) => o.friction.get_or_insert(default),
        Object::Collider(o) => &mut o.friction,
        _ => return None,
    })
}

fn write(object: &mut Object, which: Material, value: f32, friction: FrictionSpec) {
    let with = |elasticity: &mut Elasticity| match elasticity {
        Elasticity::Compliance(v) | Elasticity::Modulus(v) | Elasticity::Stiffness(v) => *v = value,
    };
    match which {
        Material::Stretch => stretch_of(object).map_or((), with),
        Material::Bend => bend_of(object).map_or((), with),
        Material::Young => {
            if let Object::Cloth(pliant::scene::Cloth { fem: Some(fem), .. })
            | Object::Soft(pliant::scene::Soft { fem: Some(fem), .. }) = object
            {
                fem.young = value;
            }
        }
        // The kinetic coefficient is at most the static one: each takes the other with it.
        Material::StaticFriction => {
            if let Some(own) = friction_of(object, friction) {
                own.static_friction = value;
                own.kinetic_friction = own.kinetic_friction.min(value);
            }
        }
        Material::KineticFriction => {
            if let Some(own) = friction_of(object, friction) {
                own.kinetic_friction = value;
                own.static_friction = own.static_friction.max(value);
            }
        }
        Material::Restitution => match object {
            Object::Cloth(o) => o.restitution = Some(value),
            Object::Rope(o) => o.restitution = Some(value),
            Object::Soft(o) => o.restitution = Some(value),
            Object::Inflatable(o) => o.restitution = Some(value),
            Object::Grains(o) => o.restitution = Some(value),
            Object::Body(o) => o.restitution = Some(value),
            Object::Collider(o) => o.restitution = value,
            _ => {}
        },
        Material::Viscosity | Material::Tension => {
            if let Object::Liquid(o) = object {
                *(if which == Material::Viscosity { &mut o.viscosity } else { &mut o.tension }) = value;
            }
        }
        Material::Pressure => {
            if let Object::Inflatable(o) = object {
                o.pressure = value;
            }
        }
    }
}
