//! The composed modules are valid, and their structs have the host's memory layout.

use pliant::aero::gpu::{AERODYNAMICS, Air, WindUniforms, wind};
use pliant::constraints::ConstraintKind;
use pliant::constraints::gpu::{ConstraintUniforms, SURFACE_VOLUME};
use pliant::contact::gpu::layouts::{MovingCollider, Pose};
use pliant::contact::gpu::shaders::{
    COHESION, COLLIDER_CONTACT, COLLIDER_QUERIES, ContactFeatures, PARTICLE_CONTACT, RESTITUTION, TABLE_COLLIDERS,
};
use pliant::contact::gpu::uniforms::{ContactPassUniforms, ParticleContactUniforms, RestitutionUniforms};
use pliant::fluid::gpu::body_coupling::{BodyCouplingUniforms, body_pass};
use pliant::fluid::gpu::shaders::{fluid_pass, projection_pass};
use pliant::fluid::gpu::uniforms::FluidUniforms;
use pliant::grip::gpu::{GripUniforms, project_grips};
use pliant::integration::gpu::{FinalizeUniforms, INTEGRATORS, PredictUniforms, finalize, predict};
use pliant::integration::momentum_gpu::{MomentumUniforms, momentum};
use pliant::integration::sleeping_gpu::{self, SleepUniforms};
use pliant::methods::jacobi::gpu::{JacobiUniforms, jacobi_apply};
use pliant::methods::vbd::gpu::shaders::ElasticFeatures;
use pliant::methods::vbd::gpu::uniforms::ElasticUniforms;
use pliant::neighbors::gpu::uniforms::{PyramidUniforms, QueryUniforms, ScanUniforms, SortUniforms};
use pliant::runtime::gpu::program::{ShaderSource, Uniform};
use pliant::runtime::gpu::wgpu::naga::front::wgsl::parse_str;
use pliant::runtime::gpu::wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};
use pliant::runtime::gpu::wgpu::naga::{AddressSpace, Module, TypeInner};
use pliant::schedule::gpu::Substep;
use pliant::shape_matching::gpu::shaders::shape_matching;
use pliant::shape_matching::gpu::uniforms::ShapeMatchingUniforms;
use pliant::solver::gpu::pass_uniforms::{
    CarryUniforms, CopyUniforms, InflateUniforms, MotionChangeUniforms, NearUniforms, PatchUniforms,
};
use pliant::solver::gpu::reactions::{Pressure, ReactionUniforms, body_reactions};
use pliant::solver::gpu::shaders::{self, PatchShader, compose, module};
use pliant::solver::gpu::workgroup_memory::WorkgroupMemory;
use pliant::voxel::gpu::plan::VoxelUniforms;
use std::mem::{offset_of, size_of};

/// Name, offset and size of a member [bytes].
type Member<'a> = (&'a str, usize, usize);

fn parsed(source: &str) -> Module {
    let module = parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    module
}

/// All WGSL kernels in one module.
fn everything() -> Module {
    let kinds = ConstraintKind::ALL.map(ConstraintKind::wgsl);
    // Functions and constants that table queries need from the including module.
    let tables = "
        const BRIEF: bool = true;\nconst SHAPES: u32 = 255u;
        fn solid_vector(at: u32) -> vec4<f32> { return vec4<f32>(f32(at)); }
        fn solid_words(at: u32) -> vec4<u32> { return vec4<u32>(at); }";
    let contact = [COLLIDER_CONTACT, TABLE_COLLIDERS, PARTICLE_CONTACT, COHESION, RESTITUTION, tables];
    let others = [AERODYNAMICS, SURFACE_VOLUME, INTEGRATORS];
    parsed(&compose(&[&kinds[..], &contact, &COLLIDER_QUERIES, &others].concat()))
}

fn assert_alike(module: &Module, name: &str, size: usize, members: &[Member<'_>]) {
    let (_, in_wgsl) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("a struct");
    let TypeInner::Struct { members: found, span } = &in_wgsl.inner else { panic!("{name} is no struct") };
    let size_of_member =
        |m: &pliant::runtime::gpu::wgpu::naga::StructMember| module.types[m.ty].inner.size(module.to_ctx()) as usize;
    let found: Vec<Member<'_>> =
        found.iter().map(|m| (m.name.as_deref().unwrap_or(""), m.offset as usize, size_of_member(m))).collect();
    assert_eq!(found, members, "{name}");
    assert_eq!(*span as usize, size, "{name}");
}

fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// Compares a host struct with its WGSL struct, member by member.
macro_rules! assert_alike {
    ($module:expr, $host:ident: $($member:ident),+) => {
        assert_alike(
            &$module,
            stringify!($host),
            size_of::<$host>(),
            &[$((
                stringify!($member),
                offset_of!($host, $member),
                size_of_field(|record: &$host| &record.$member),
            )),+],
        )
    };
}

/// Modules of a family of shaders: each has its own uniform record, and no other, at binding 9.
fn family(record: &str, sources: &[ShaderSource]) -> Module {
    let mut modules = sources.iter().map(|source| {
        let module = parsed(&module(source));
        let uniforms: Vec<_> = module
            .global_variables
            .iter()
            .filter(|(_, v)| v.binding.is_some_and(|b| (b.group, b.binding) == (0, 9)))
            .map(|(_, v)| (v.space, module.types[v.ty].name.clone()))
            .collect();
        assert_eq!(uniforms, [(AddressSpace::Uniform, Some(record.to_owned()))], "{}", source.label);
        module
    });
    let first = modules.next().expect("a module");
    modules.for_each(drop);
    first
}

/// A module of one struct of a WGSL file.
fn only(name: &str, text: &str) -> Module {
    let from = text.find(&format!("struct {name} {{")).unwrap_or_else(|| panic!("no struct {name}"));
    let length = text[from..].find("\n}").expect("its end") + 2;
    parsed(&text[from..from + length])
}

/// Constants of a liquid's shaders, with arbitrary values.
fn liquid() -> String {
    let flags = ["SPLINE", "EVEN", "PROJECTS", "SINGLE_FLUID", "LARGE_PARTICLES", "BODIES"]
        .map(|name| format!("const {name}: bool = false;\n"));
    let numbers = "REACH RADIUS SETBACK VOLUME VISCOSITY XSPH_DRAG WIDTH TENSION TENSION_NOISE TENSION_SCALE AIR CLOSE \
                   ADHESION OMEGA COMPLIANCE RELAXATION CARRY ARTIFICIAL_PRESSURE ARTIFICIAL_PRESSURE_SCALE \
                   CONFINEMENT CONFINEMENT_NOISE LATTICE_DIAGONAL DENSITY SURFACE_PRIOR";
    let numbers = numbers.split_whitespace().map(|name| format!("const {name}: f32 = 1.0f;\n"));
    let words = "CARRIED PACKED GRADIENTS PROPERTIES REST MATRIX MATRIX_ACROSS SLOPES SMOOTHED SURFACE PIECES UNBOUNDED \
                 BODY_MOTIONS POINTS ACTING BODY_COUNT POINT_COUNT";
    let words = words.split_whitespace().map(|name| format!("const {name}: u32 = 0u;\n"));
    flags.into_iter().chain(numbers).chain(words).collect()
}

fn patches(whole: bool) -> ShaderSource {
    let memory = WorkgroupMemory { threads: 64, ..WorkgroupMemory::default() };
    shaders::patches(&PatchShader {
        kinds: vec![ConstraintKind::Stretch],
        contact: ContactFeatures::default(),
        memory,
        multipliers: true,
        whole,
    })
}

#[test]
fn s14_all_wgsl_forms_one_valid_module_with_a_function_per_kind() {
    let module = everything();
    for kind in ConstraintKind::ALL {
        let found = module.functions.iter().any(|(_, f)| f.name.as_deref() == Some(kind.name()));
        assert!(found, "{kind:?} has no function {} in its WGSL", kind.name());
    }
}

#[test]
fn s14_structs_of_host_and_gpu_have_the_same_members_offsets_and_size() {
    let module = everything();
    assert_alike!(module, Pose: position, rotation);
    assert_alike!(module, MovingCollider: before, after, size, static_friction, kinetic_friction, shape, table);
    assert_alike!(module, Air: half_density, drag, lift, spare);
}

#[test]
fn s14_substep_uniforms_have_the_same_layout_on_host_and_gpu() {
    let module = parsed(&module(&finalize(&ContactFeatures::default())));
    assert_alike!(module, Substep:
        gravity, h, wind, gust, inv_h, keep, inv_h2, memory, gust_period, sleep, margin, omega, flags, particles, solid,
        colliders, stabilization, moving_colliders, poses, radii, spins, counts, island_bits, seams, seam_of, masks,
        first_order, collider_impulses, forces, exchange, copies, particle_contacts, predicted, fields, carried, wet, mass_splitting,
        contact_counts, last_impulses, cohesion, surface_bodies, environments, body_colliders, object_contacts);
}

#[test]
fn s14_uniforms_of_integration_and_constraints_have_the_same_layout() {
    let contact = ContactFeatures::default();
    let module = family("PredictUniforms", &[predict("predict", &contact)]);
    assert_alike!(module, PredictUniforms:
        mode, packed, radius_scale, mass_scaling, carry, pin_count, pin_rows, pin_places);
    let module = family("FinalizeUniforms", &[finalize(&contact)]);
    assert_alike!(module, FinalizeUniforms: mode, copies);
    let all = ConstraintKind::ALL.map(|kind| shaders::constraint(kind, "batch"));
    let module = family("ConstraintUniforms", &all);
    assert_alike!(module, ConstraintUniforms: count, indices, params, multipliers, corrections, fresh);
    let module = family("PatchUniforms", &[patches(false), patches(true)]);
    assert_alike!(module, PatchUniforms:
        directory, count, mode, half, iterations, copies_in, copies_out, fresh, substeps, copy_motion);
    let module = family("CopyUniforms", &[shaders::copies("spread_copies")]);
    assert_alike!(module, CopyUniforms: count, first_tie);
    let module = family("JacobiUniforms", &[jacobi_apply()]);
    assert_alike!(module, JacobiUniforms: starts, entries, corrections);
    let module = family("WindUniforms", &[wind()]);
    assert_alike!(module, WindUniforms: count, particles, incidence, triangles, coefficients);
    let module = family("InflateUniforms", &[shaders::inflate()]);
    assert_alike!(module, InflateUniforms: bodies, fresh);
    let module = family("GripUniforms", &[project_grips()]);
    assert_alike!(module, GripUniforms: grips, multipliers, fresh, count);
}

#[test]
fn s14_uniforms_of_descent_have_the_same_layout() {
    let features = ElasticFeatures { kinds: u32::MAX, contact: ContactFeatures::default() };
    let vertices =
        ["begin", "start_forces", "start_energies", "choose_start", "take_impulses", "find_forces", "try_step"];
    let mut sources: Vec<ShaderSource> = vertices.map(|entry| features.vertices(entry)).to_vec();
    sources.extend(["find_trial_forces", "take_step", "sweep"].map(|entry| features.vertices(entry)));
    sources.extend(["restrict_forces", "fit_rotations"].map(|entry| features.aggregates(entry)));
    sources.extend(["factor", "solve"].map(|entry| features.coarse(entry)));
    sources.extend(["momentum_sums", "restore_momentum", "write_rows"].map(|entry| features.momentum(entry)));
    sources.push(features.assembly());
    sources.extend(["start_bodies", "descend"].map(|entry| features.bodies(entry, 256)));
    let module = family("ElasticUniforms", &sources);
    assert_alike!(module, ElasticUniforms:
        vertices, vertex_words, vertex_vectors, chunks, groups, bodies, aggregates, aggregate_count, pairs, matrix_rows,
        work, numbers, unknowns, all_chunks, first_order, mode, slices, small_bodies);
}

#[test]
fn s14_uniforms_of_contacts_bodies_and_liquids_have_the_same_layout() {
    let contact = ContactFeatures::default();
    let module = family("ContactPassUniforms", &[contact.contact_pass("collider_contacts")]);
    assert_alike!(module, ContactPassUniforms: in_islands, packed, first_contacts, surfaces, bodies, row_bodies);
    let module = family("ParticleContactUniforms", &[contact.particle_contacts("project_contacts")]);
    assert_alike!(module, ParticleContactUniforms:
        mode, fresh, static_friction, kinetic_friction, omega, momentum, packed_in, packed_out, rest, attachments,
        recovery);
    let both = [contact.restitution_colliders("save_velocities"), contact.restitution_particles("count_restitution")];
    let module = family("RestitutionUniforms", &both);
    assert_alike!(module, RestitutionUniforms:
        mode, velocities_before, shares, velocities_after, collider_laws, restitution, rest_speed, rolling_damping);
    let module = family("ShapeMatchingUniforms", &[shape_matching("shape_whole")]);
    assert_alike!(module, ShapeMatchingUniforms:
        body_count, pieces, piece_count, members, member_rows, row_starts, row_members, sums, moves, extraction, fresh,
        parted, rest_fields);
    let both =
        [fluid_pass("density_multipliers", liquid(), &contact), projection_pass("pressure_sweep", liquid(), &contact)];
    let module = family("FluidUniforms", &both);
    assert_alike!(module, FluidUniforms: mode, fresh, sweep, steps_in, steps_out, momentum, repeats);
    let both = ["begin_bodies", "press_points", "move_bodies"].map(|entry| body_pass(entry, liquid(), &contact));
    let module = family("BodyCouplingUniforms", &both);
    assert_alike!(module, BodyCouplingUniforms: mode, sums, parts);
    let module = family("MomentumUniforms", &[momentum("save_momentum"), momentum("restore_momentum")]);
    assert_alike!(module, MomentumUniforms: islands, saved, count, rigid, grips, multipliers, grip_count, second_order);
}

#[test]
fn s14_uniforms_of_sleeping_and_of_reactions_have_the_same_layout() {
    let contact = ContactFeatures::default();
    let passes = ["save_sleepers", "keep_sleepers", "wake_touched"].map(sleeping_gpu::rows);
    let module = family("SleepUniforms", &passes);
    assert_alike!(module, SleepUniforms: asleep, groups, rows, saved, bodies, has_history);
    family("SleepUniforms", &[sleeping_gpu::touched_by_colliders(&contact)]);
    let module = family("ReactionUniforms", &[body_reactions(&contact, Pressure::None)]);
    assert_alike!(module, ReactionUniforms: sums, first_slot, environments, parts);
}

#[test]
fn s14_uniforms_of_single_passes_have_the_same_layout() {
    let module = only("CarryUniforms", include_str!("../../src/solver/gpu/device_carry.wgsl"));
    assert_alike!(module, CarryUniforms:
        count, stride, from_at, to_at, map_at, colliders_before, colliders, impulses_before, impulses, collider_map,
        unused_0, unused_1);
    let module = only("MotionChangeUniforms", include_str!("../../src/solver/gpu/motion_change.wgsl"));
    assert_alike!(module, MotionChangeUniforms:
        first, count, rows, arrays, orders, masks, mask_words, mode, linear, angular, impulse, point);
    let module = only("NearUniforms", include_str!("../../src/solver/gpu/near.wgsl"));
    assert_alike!(module, NearUniforms: low, high, particles, radii, phases, room);
}

#[test]
fn s14_uniforms_of_neighbor_search_and_voxelization_have_the_same_layout() {
    let module = only("QueryUniforms", include_str!("../../src/neighbors/gpu/query.wgsl"));
    assert_alike!(module, QueryUniforms:
        particles, capacity, radii_at, phases_at, margin, once, phased, places, zero, used, rows_at, environments);
    let module = only("ScanUniforms", include_str!("../../src/neighbors/gpu/scan.wgsl"));
    assert_alike!(module, ScanUniforms: count, unused_0, unused_1, unused_2);
    let module = only("PyramidUniforms", include_str!("../../src/neighbors/gpu/pyramid.wgsl"));
    assert_alike!(module, PyramidUniforms: level, unused_0, unused_1, unused_2);
    let module = only("SortUniforms", include_str!("../../src/neighbors/gpu/sort.wgsl"));
    assert_alike!(module, SortUniforms: count, shift, last, blocks);
    let module = only("VoxelUniforms", include_str!("../../src/voxel/gpu/bindings.wgsl"));
    assert_alike!(module, VoxelUniforms:
        dims, row_words, axes, fraction_bits, triangle_count, positions_at, triangles_at, half_positions_at, levels,
        merge_depth, capacity, level_words, edge, zero, count_groups, column_stride, column_length, wants, level_below,
        unused);
}

#[test]
fn s14_shaders_with_collision_groups_are_valid() {
    let contact = ContactFeatures { own_contacts: true, bodies: true, shapes: 255, ..ContactFeatures::default() };
    let contacts = ["count_contacts", "project_contacts", "filter_contacts"].map(|e| contact.particle_contacts(e));
    let restitution = ["count_restitution", "restitution_particles"].map(|e| contact.restitution_particles(e));
    let fluid = ["filter_neighbors", "density_multipliers", "viscosity_sweep"];
    let fluid = fluid.map(|entry| fluid_pass(entry, liquid(), &contact));
    let projection = ["measure_neighbors", "pressure_force", "expect_velocities", "correct_positions"];
    let projection = projection.map(|entry| projection_pass(entry, liquid(), &contact));
    let mut all = vec![predict("predict", &contact), finalize(&contact), contact.contact_pass("mark_surface_bodies")];
    all.push(contact.restitution_colliders("restitution_colliders"));
    all.push(body_pass("press_points", liquid(), &contact));
    for source in all.iter().chain(&contacts).chain(&restitution).chain(&fluid).chain(&projection) {
        parsed(&module(source));
    }
}

#[test]
fn s14_a_stored_record_has_the_capacity_of_the_largest() {
    let record = FluidUniforms { mode: 1, fresh: 2, sweep: 3, steps_in: 4, steps_out: 5, ..FluidUniforms::default() };
    let stored = Uniform::of(&record);
    assert_eq!(stored.words()[..5], [1, 2, 3, 4, 5]);
    assert!(stored.words()[5..].iter().all(|&word| word == 0));
    assert!(Uniform::BYTES >= size_of::<ShapeMatchingUniforms>());
}
