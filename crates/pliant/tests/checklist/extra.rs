//! Tests that prove a requirement without naming it.

pub const ALL: &[(&str, &[&str])] = &[
    ("S06", &["e12_the_first_step_and_contacts_are_of_first_order"]),
    (
        "S15",
        &[
            "s04_every_correction_follows_the_gradient_by_finite_differences",
            "s04_rigid_projections_satisfy_the_constraint_in_the_steps_its_shape_needs",
        ],
    ),
    (
        "S33",
        &[
            "a_box_and_a_ball_enclose_the_volume_of_their_particles",
            "clouds_have_closed_surfaces",
            "s10_s22_a_box_lies_on_the_floor_with_any_number_of_iterations",
            "s19_regions_follow_bending_that_a_single_body_resists",
            "s30_the_table_takes_the_shape_of_the_bounds_and_wraps_its_longest_axis",
        ],
    ),
    ("T06", &["convergence_gives_equal_time_to_unequal_solvers", "convergence_writes_a_line_per_solver_and_step"]),
    ("T07", &["equal_finds_the_iterations_that_match_the_first_solver"]),
    (
        "T08",
        &[
            "colors_compares_every_number_of_colors_with_a_reference",
            "the_picture_of_a_small_scene_has_a_bar_per_color_and_a_line_per_constraint",
        ],
    ),
    (
        "R05",
        &[
            "r01_freezing_is_the_same_for_any_thread_count_and_after_a_restore",
            "r01_melting_is_the_same_for_any_thread_count_and_after_a_restore",
            "r01_recycling_is_the_same_for_any_thread_count_and_after_a_restore",
            "s10_a_restored_state_emits_again",
        ],
    ),
    (
        "R08",
        &[
            "every_format_enforces_the_limits",
            "r06_arbitrary_text_never_panics",
            "r06_mutated_scenes_are_read_or_refused_with_a_message",
            "r07_mutated_gltf_files_never_panic",
            "r07_mutated_msh_files_never_panic",
            "r07_mutated_obj_files_never_panic",
            "r07_mutated_ply_files_never_panic",
            "r07_mutated_stl_files_never_panic",
            "r07_mutated_tetgen_files_never_panic",
        ],
    ),
    (
        "R09",
        &[
            "a_diverging_run_exits_4_names_stage_and_particle_and_keeps_its_frames",
            "r06_a_diverging_run_ends_with_stage_particle_object_and_time",
            "r06_a_run_that_diverges_on_the_gpu_names_the_particle_that_the_cpu_names",
        ],
    ),
    (
        "R13",
        &[
            "a_failed_or_panicking_write_keeps_the_older_file",
            "a_failed_write_leaves_no_file",
            "a_full_disk_exits_5",
            "an_interrupt_keeps_completed_frames_and_exits_130",
        ],
    ),
    (
        "R14",
        &[
            "a_scene_reads_nothing_outside_its_own_folder",
            "gltf_buffers_come_from_the_same_folder_only",
            "symbolic_links_out_of_the_folder_are_refused",
            "names_that_leave_the_folder_are_refused",
            "r07_headers_that_promise_too_much_are_refused_before_memory_is_taken",
        ],
    ),
    (
        "R15",
        &[
            "s10_e33_overflowing_lists_lose_no_step",
            "s30_e33_all_pairs_in_contact_are_reported_in_full",
            "s30_s32_e33_all_particles_in_one_cell_grow_the_lists_and_none_is_dropped",
        ],
    ),
    ("V08", &["s18_a_ball_rebounds_to_e_squared_of_its_height"]),
    ("V13", &["s18_the_slope_of_a_heap_rises_with_friction"]),
    ("V19", &["s07_v05_cantilever_of_fem_tets_agrees_with_linear_fem_and_converges_to_the_beam"]),
    ("V23", &["s10_collisions_of_all_kinds_keep_momentum", "s18_grains_collide_with_newtons_restitution"]),
    (
        "V28",
        &[
            "s16_frozen_bodies_float_hover_or_sink_by_their_density",
            "s23_large_balls_float_as_deep_as_their_density_says",
            "s24_a_box_denser_than_water_sinks_and_a_light_one_comes_up",
        ],
    ),
    ("V29", &["s24_a_film_runs_down_a_plane_as_theory_says", "s24_a_stirred_liquid_resists_as_its_viscosity_says"]),
    ("V31", &["s24_a_drop_swings_with_the_period_of_rayleigh"]),
    ("V33", &["r06_s10_random_heaps_of_solids_gain_no_energy", "s10_a_pile_at_rest_gains_no_energy"]),
    ("V35", &["t07_the_flattened_omotondo_comes_back_to_its_volume"]),
    ("V36", &["r01_uncoupled_bodies_move_as_if_alone"]),
];
