//! The composed module is valid, and its structs have the host's memory layout.

use pliant::constraints::{ConstraintKind, wgsl};
use pliant::runtime::gpu::wgpu::naga::front::wgsl::parse_str;
use pliant::runtime::gpu::wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};
use pliant::runtime::gpu::wgpu::naga::{Module, TypeInner};
use pliant::solver::gpu::layouts::{Air, MovingCollider, Pose};
use pliant::solver::gpu::shaders::compose;
use std::mem::{offset_of, size_of};

/// All WGSL sources in one module.
fn everything() -> Module {
    let kinds = ConstraintKind::ALL.map(ConstraintKind::wgsl);
    // Functions and constants that table queries need from the including module.
    let tables = "
        const BRIEF: bool = true;\nconst HULLS: bool = true;\nconst SURFACES: bool = true;\nconst FIELDS: bool = true;
        fn solid_vector(at: u32) -> vec4<f32> { return vec4<f32>(f32(at)); }
        fn solid_words(at: u32) -> vec4<u32> { return vec4<u32>(at); }";
    let contact = [wgsl::CONTACT, wgsl::CONTACT_SHAPED, wgsl::MEET, wgsl::COHERE, wgsl::REBOUND, tables];
    let others = [wgsl::AERO, wgsl::INFLATE, wgsl::INTEGRATE];
    let source = compose(&[&kinds[..], &contact, &wgsl::COLLIDE, &others].concat());
    let module = parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    module
}

#[test]
fn s14_all_twins_stand_in_one_valid_module_with_a_function_for_every_kind() {
    let module = everything();
    for kind in ConstraintKind::ALL {
        let found = module.functions.iter().any(|(_, f)| f.name.as_deref() == Some(kind.name()));
        assert!(found, "{kind:?} has no function {} in its WGSL", kind.name());
    }
}

#[test]
fn s14_structs_of_host_and_gpu_have_the_same_members_offsets_and_size() {
    let module = everything();
    let check = |name: &str, size: usize, members: &[(&str, usize)]| {
        let (_, twin) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("a struct");
        let TypeInner::Struct { members: found, span } = &twin.inner else { panic!("{name} is no struct") };
        let found: Vec<_> = found.iter().map(|m| (m.name.as_deref().unwrap_or(""), m.offset as usize)).collect();
        assert_eq!(found, members, "{name}");
        assert_eq!(*span as usize, size, "{name}");
    };
    macro_rules! check {
        ($host:ident: $($member:ident),+) => {
            check(stringify!($host), size_of::<$host>(), &[$((stringify!($member), offset_of!($host, $member))),+])
        };
    }
    check!(Pose: position, rotation);
    check!(MovingCollider: before, after, size, static_friction, kinetic_friction, shape, table);
    check!(Air: half_density, drag, lift, spare);
}
