//! Which requirement is proved by which tests. The list is checked against the sources: every name must be a
//! test, and every requirement of the engine so far must have at least one.
#![allow(missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

/// Requirements that stand so far, and the tests that prove them. S systems, T scenes, E errata,
/// R reliability, V validation.
#[rustfmt::skip]
const PROVED: &[(&str, &[&str])] = &[
    ("s01", &[
        "s01_explicit_euler_gains_and_implicit_euler_loses_what_theory_says",
        "s01_symplectic_euler_and_verlet_take_the_same_steps",
        "s01_v01_free_fall_is_the_discrete_formula",
        "s01_v01_free_fall_is_the_discrete_formula_at_240_steps_a_second",
    ]),
    ("s02", &[
        "s02_a_steady_frame_uploads_nothing_and_a_moving_collider_its_places",
        "s02_normals_in_the_solvers_device_are_those_of_the_host",
        "s02_the_frame_drawn_from_the_solvers_buffer_is_the_software_picture",
        "s02_what_is_changed_between_steps_reaches_the_gpu",
        "s02_what_the_caller_changed_is_drawn_without_a_step",
    ]),
    ("s03", &[
        "s03_particles_have_position_velocity_inverse_mass_a_radius_and_a_phase_of_their_own",
    ]),
    ("s04", &[
        "s04_a_fixed_row_stays_and_the_others_do_all_the_work",
        "s04_a_hinge_with_one_triangle_without_area_stays_finite_and_calm",
        "s04_coincident_and_nearly_coincident_points_give_finite_corrections",
        "s04_every_correction_follows_the_gradient_by_finite_differences",
        "s04_flat_elements_and_triangles_without_area_give_finite_corrections",
        "s04_multipliers_do_not_grow_where_there_is_no_direction",
        "s04_projections_keep_linear_and_angular_momentum_for_random_masses",
        "s04_rigid_projections_satisfy_the_constraint_in_the_steps_its_shape_needs",
        "s04_single_precision_projections_agree_with_double",
        "s04_without_any_freedom_nothing_moves",
        "s04_zero_parameters_give_finite_corrections",
    ]),
    ("s05", &[
        "s05_e11_xpbd_cloth_takes_the_implicit_euler_step_of_a_newton_solve",
        "s05_multipliers_and_contacts_come_back_from_the_gpu",
        "s05_repeated_projections_of_one_soft_constraint_stop_at_its_compliance",
        "s05_s07_e11_e13_xpbd_fem_block_takes_the_implicit_euler_step_of_a_newton_solve",
        "s05_softness_holds_a_compliance_or_a_stiffness_in_one_number",
        "s05_the_multiplier_of_every_scalar_constraint_is_that_of_xpbd",
        "s05_v04_t09_xpbd_spring_hangs_by_m_g_alpha_for_any_iterations_and_step",
    ]),
    ("s06", &[
        "s06_e12_t09_bdf2_loses_measurably_less_energy_than_bdf1",
    ]),
    ("s07", &[
        "s05_s07_e11_e13_xpbd_fem_block_takes_the_implicit_euler_step_of_a_newton_solve",
        "s07_singular_systems_get_finite_answers_that_solve_what_can_be_solved",
        "s07_solve_symmetric_agrees_with_gaussian_elimination",
        "s07_v05_cantilever_of_fem_tets_agrees_with_linear_fem_and_converges_to_the_beam",
        "s07_v05_cantilever_of_fem_triangles_agrees_with_linear_fem_and_converges_to_the_beam",
    ]),
    ("s08", &[
        "s08_an_iteration_of_serial_gauss_seidel_uses_what_the_constraints_before_have_done",
        "s08_s09_s12_s13_all_sweeps_come_to_the_same_rest",
    ]),
    ("s09", &[
        "s08_s09_s12_s13_all_sweeps_come_to_the_same_rest",
        "s09_jacobi_keeps_linear_momentum",
        "s09_scattered_and_gathered_jacobi_agree_bit_for_bit",
    ]),
    ("s10", &[
        "s10_a_cloth_that_touches_itself_lies_in_layers",
        "s10_a_pile_at_rest_gains_no_energy",
        "s10_a_pile_weighs_on_the_floor_what_its_grains_weigh",
        "s10_collisions_of_all_kinds_keep_momentum",
        "s10_e18_sleeping_compares_displacement_with_speed_times_step",
        "s10_e33_lists_that_outgrow_their_room_lose_no_step",
        "s10_lower_grains_that_count_as_heavier_let_a_column_stand_higher",
        "s10_particles_touch_where_there_are_grains_or_bodies_or_the_scene_says_so",
        "s10_pre_stabilization_removes_penetration_without_adding_velocity",
        "s10_s14_contacts_of_two_particles_are_the_same_on_the_gpu",
        "s10_s14_grains_bodies_and_cloth_touch_on_the_gpu_as_on_the_cpu",
        "s10_s17_forces_of_a_pile_come_back_from_the_gpu",
        "s10_two_grains_meet_and_go_on_together",
    ]),
    ("s11", &[
        "s11_all_pairs_of_five_rows_take_five_colors_at_least",
        "s11_balanced_colors_stay_valid_and_no_class_grows_beyond_the_largest",
        "s11_coloring_is_valid_complete_deterministic_and_within_the_smallest_last_bound",
        "s11_islands_share_no_row_and_contacts_have_every_particle_once",
        "s11_more_than_sixty_four_and_more_than_two_words_of_colors_work",
        "s11_nothing_to_color_gives_no_sets",
        "s11_s12_patches_are_within_half_again_of_colors_at_equal_iterations_and_a_mosaic_within_two_and_a_half",
        "s11_s12_s13_an_iteration_runs_every_constraint_once_and_passes_share_no_row",
        "s11_s12_s13_every_plan_has_every_constraint_once_and_no_row_twice_in_a_set",
        "s11_s12_scanned_bodies_take_as_many_colors_as_their_busiest_particle_or_as_few_as_wished",
        "t05_t06_s11_s12_gauss_seidel_variants_come_to_the_same_rest",
    ]),
    ("s12", &[
        "s08_s09_s12_s13_all_sweeps_come_to_the_same_rest",
        "s11_s12_patches_are_within_half_again_of_colors_at_equal_iterations_and_a_mosaic_within_two_and_a_half",
        "s11_s12_s13_an_iteration_runs_every_constraint_once_and_passes_share_no_row",
        "s11_s12_s13_every_plan_has_every_constraint_once_and_no_row_twice_in_a_set",
        "s11_s12_scanned_bodies_take_as_many_colors_as_their_busiest_particle_or_as_few_as_wished",
        "s12_a_lattice_needs_hardly_more_copies_than_the_least",
        "s12_a_row_named_twice_counts_once",
        "s12_above_the_limit_omega_is_the_busiest_row",
        "s12_bodies_that_fit_are_islands_or_pieces_without_copies",
        "s12_constraints_that_meet_no_other_are_cliques_of_one",
        "s12_e07_e09_any_two_or_more_colors_are_enough_with_copies",
        "s12_e08_particles_split_within_pieces_keep_linear_momentum",
        "s12_e08_phantoms_keep_momentum_with_random_masses",
        "s12_e08_seams_keep_linear_momentum_with_random_masses",
        "s12_e09_ring_of_five_takes_two_colors_with_one_particle_split",
        "s12_e09_star_of_five_takes_two_colors_with_three_copies",
        "s12_edges_that_all_meet_sit_on_one_row_or_on_a_triangle",
        "s12_every_constraint_is_in_one_piece_and_every_seam_particle_has_a_copy_in_each",
        "s12_few_patches_take_half_the_colors_for_volumes_and_all_for_edges",
        "s12_five_constraints_on_one_row_are_one_clique",
        "s12_nothing_has_no_cliques",
        "s12_omega_gives_up_after_a_fixed_number_of_steps_and_says_so",
        "s12_omega_is_the_size_of_the_largest_clique",
        "s12_omega_of_ten_thousand_tetrahedra_is_proved",
        "s12_phantoms_never_show_in_outputs_counts_or_the_hash",
        "s12_pieces_are_of_even_size_and_few_of_their_particles_are_shared",
        "s12_s13_enough_colors_split_nothing_and_give_the_bits_of_plain_colors",
        "s12_s13_released_at_rest_nothing_moves",
        "s12_s14_pieces_that_exchange_their_seams_within_a_pass_take_the_steps_of_the_cpu",
        "s12_sets_that_all_meet_are_no_more_than_those_with_a_row_in_common",
        "s12_the_edges_between_five_rows_have_stars_of_four_and_triangles",
        "s12_the_lines_of_a_projective_plane_are_a_clique_far_above_the_busiest_row",
        "s12_the_listed_cliques_are_all_the_maximal_ones_each_once",
        "s12_three_edges_of_a_triangle_are_a_clique_though_every_row_has_two",
        "t05_t06_s11_s12_gauss_seidel_variants_come_to_the_same_rest",
    ]),
    ("s13", &[
        "s08_s09_s12_s13_all_sweeps_come_to_the_same_rest",
        "s11_s12_s13_an_iteration_runs_every_constraint_once_and_passes_share_no_row",
        "s11_s12_s13_every_plan_has_every_constraint_once_and_no_row_twice_in_a_set",
        "s12_s13_enough_colors_split_nothing_and_give_the_bits_of_plain_colors",
        "s12_s13_released_at_rest_nothing_moves",
        "s13_hybrid_keeps_the_first_colors_and_averages_the_rest",
        "t08_s13_all_solvers_bring_the_stretched_cloth_back_and_only_plain_hybrid_carries_it_away",
    ]),
    ("s14", &[
        "r03_s14_ten_runs_of_a_hundred_steps_with_contacts_and_seams_have_the_same_bits",
        "r04_s14_built_in_scenes_agree_after_a_step_and_their_statistics_after_many",
        "r04_s14_every_partition_method_and_integrator_takes_the_same_steps_on_the_gpu",
        "r04_s14_pinned_wind_contact_and_rods_take_the_same_steps_with_every_cap",
        "s10_s14_contacts_of_two_particles_are_the_same_on_the_gpu",
        "s10_s14_grains_bodies_and_cloth_touch_on_the_gpu_as_on_the_cpu",
        "s12_s14_pieces_that_exchange_their_seams_within_a_pass_take_the_steps_of_the_cpu",
        "s14_all_twins_stand_in_one_valid_module_with_a_function_for_every_kind",
        "s14_auto_leaves_a_small_scene_to_the_cpu",
        "s14_cards_of_neighbors_lie_in_different_banks",
        "s14_every_kernel_answers_on_the_gpu_what_it_answers_on_the_cpu",
        "s14_integration_is_the_same_on_the_gpu",
        "s14_lane_minimum_maximum_and_reciprocal_are_what_they_say",
        "s14_s16_the_volume_of_a_surface_and_its_gradient_are_the_same_on_the_gpu",
        "s14_s17_s18_contact_with_friction_is_the_same_on_the_gpu_for_every_shape",
        "s14_s25_lift_and_drag_are_the_same_on_the_gpu",
        "s14_s25_the_wind_is_the_same_on_the_gpu",
        "s14_structs_of_host_and_gpu_have_the_same_members_offsets_and_size",
        "s14_the_reciprocal_and_the_arctangent_are_the_same_on_the_gpu",
    ]),
    ("s15", &[
        "s15_atan2_is_within_five_ten_millionths_of_a_radian_in_all_quadrants",
        "s15_dihedral_and_isometric_bending_have_one_energy_at_small_angles",
    ]),
    ("s16", &[
        "s14_s16_the_volume_of_a_surface_and_its_gradient_are_the_same_on_the_gpu",
        "s16_elastic_balloon_balances_gas_against_skin",
        "s16_inflate_gradient_matches_finite_differences_and_the_volume_of_a_cube",
        "s16_slack_tether_exerts_no_force",
        "s16_soft_balloon_has_pressure_times_its_rest_volume",
        "s16_softness_changed_at_run_time_melts_the_spring",
        "s16_tether_never_lets_go_farther_than_its_length",
    ]),
    ("s17", &[
        "s10_s17_forces_of_a_pile_come_back_from_the_gpu",
        "s14_s17_s18_contact_with_friction_is_the_same_on_the_gpu_for_every_shape",
        "s17_distances_are_finite_where_no_direction_is_best",
        "s17_dropped_particle_rests_on_plane_sphere_capsule_and_box",
        "s17_rising_plane_lifts_a_particle",
        "s17_s18_moving_box_and_plane_carry_a_particle_by_friction",
        "s17_signed_distances_agree_with_brute_force_and_normals_point_the_way_out",
    ]),
    ("s18", &[
        "s14_s17_s18_contact_with_friction_is_the_same_on_the_gpu_for_every_shape",
        "s17_s18_moving_box_and_plane_carry_a_particle_by_friction",
        "s18_e19_v06_slides_with_g_times_sine_minus_mu_cosine",
        "s18_e19_v06_slips_half_a_degree_above_the_friction_angle",
        "s18_e19_v06_sticks_half_a_degree_below_the_friction_angle_and_creeps_less_than_a_tenth_of_a_millimeter",
        "s18_s19_a_rigid_box_sticks_below_the_angle_of_friction_and_slides_above",
        "s18_static_friction_holds_where_kinetic_alone_would_slip",
        "s18_the_slope_of_a_heap_rises_with_friction",
        "s18_v06_a_box_on_an_incline_sticks_and_slides_like_a_particle",
        "s18_v06_tilted_plane_is_the_same_as_tilted_gravity",
    ]),
    ("s19", &[
        "e23_s19_every_matrix_gives_a_proper_rotation_by_all_three_ways",
        "s18_s19_a_rigid_box_sticks_below_the_angle_of_friction_and_slides_above",
        "s19_a_beam_of_regions_sags_where_one_body_does_not",
        "s19_a_body_far_from_the_origin_keeps_its_shape_as_well_as_places_there_resolve",
        "s19_a_box_of_voxels_has_the_mass_and_the_middle_of_the_box",
        "s19_a_pin_that_is_let_go_counts_like_any_other_again",
        "s19_a_rigid_body_in_flight_keeps_momentum_and_spins_down_as_projection_says",
        "s19_a_rigid_box_falls_on_its_corner_and_keeps_its_shape",
        "s19_a_time_constant_does_not_depend_on_the_substep_and_d4s_does",
        "s19_a_turned_and_shifted_rest_shape_stays_where_it_is_and_a_shaken_one_comes_back",
        "s19_adaptive_weights_leave_a_pushed_corner_where_the_contact_put_it",
        "s19_bodies_keep_their_shape_on_the_gpu_as_on_the_cpu",
        "s19_bodies_of_several_workgroups_keep_their_shape",
        "s19_e23_a_warm_start_is_continuous_where_a_body_is_flattened_and_turned_inside_out",
        "s19_e23_plates_rods_and_single_particles_are_bodies_too",
        "s19_e23_polar_and_iterative_extraction_find_the_rotation_of_the_decomposition",
        "s19_e23_rotations_of_bodies_are_the_same_on_the_gpu",
        "s19_e23_what_a_matrix_of_rank_one_does_not_say_stays_as_it_was",
        "s19_gram_schmidt_keeps_the_first_column_and_turns_what_is_only_stretched",
        "s19_iterations_share_the_stiffness_and_come_to_the_same",
        "s19_matching_keeps_linear_and_angular_momentum_and_gram_schmidt_does_not",
        "s19_moved_pins_carry_the_body_and_a_body_of_pins_stays",
        "s19_one_pin_is_a_ball_joint_and_the_limit_of_a_heavy_particle",
        "s19_places_that_are_no_numbers_make_no_rotation_of_none",
        "s19_quaternions_and_matrices_are_the_same_rotations",
        "s19_regions_follow_bending_that_one_body_takes_back",
        "s19_regions_hold_every_particle_and_those_within_the_overlap",
        "s19_regions_keep_linear_and_angular_momentum",
        "s19_s20_bits_do_not_depend_on_threads_instructions_or_whether_rows_are_a_run_or_a_list",
        "s19_shapes_that_make_no_sense_are_refused_with_the_reason",
        "s19_the_iterative_extraction_leaves_the_places_half_a_turn_away",
        "s19_the_iterative_extraction_turns_a_rod_about_its_axis_where_the_published_step_hardly_moves",
        "s19_two_pins_are_a_hinge_and_three_hold_the_body",
        "v06_s19_a_rigid_box_creeps_less_than_a_tenth_of_a_millimeter_half_a_degree_below_and_slides_half_above",
    ]),
    ("s20", &[
        "s19_s20_bits_do_not_depend_on_threads_instructions_or_whether_rows_are_a_run_or_a_list",
        "s20_a_plastic_ball_keeps_the_dent_and_a_softer_one_springs_back",
        "s20_a_vertex_at_a_particle_is_that_particle_to_the_bit",
        "s20_a_vertex_whose_nearest_particles_lie_in_a_plane_gets_one_off_it",
        "s20_creep_depends_neither_on_iterations_nor_on_the_substep",
        "s20_e23_plates_and_rods_flow_within_themselves_and_no_body_is_turned_inside_out",
        "s20_plastic_bodies_give_way_on_the_gpu_as_on_the_cpu",
        "s20_skin_weights_add_up_to_one_stay_moderate_and_name_each_particle_once",
        "s20_skinning_follows_every_affine_motion_exactly",
        "s20_squeezed_below_the_threshold_a_body_springs_back",
        "s20_squeezed_beyond_the_threshold_a_body_keeps_the_deformation_and_its_volume",
        "s20_sums_are_taken_in_the_order_that_is_written_down",
        "s20_the_rest_shape_stays_within_its_bound_and_keeps_its_volume_there",
        "s20_the_skin_of_a_rigid_body_is_where_its_pose_puts_it",
    ]),
    ("s22", &[
        "v15_s22_a_tower_that_gets_a_hundred_times_heavier_upward_stands_for_a_minute",
    ]),
    ("s25", &[
        "s14_s25_lift_and_drag_are_the_same_on_the_gpu",
        "s14_s25_the_wind_is_the_same_on_the_gpu",
        "s25_drag_and_lift_of_a_triangle_follow_the_plate_formula",
        "s25_flat_falling_sheet_reaches_the_speed_where_drag_is_weight",
        "s25_still_cloth_in_the_wind_gains_velocity_by_force_over_mass",
        "s25_wind_stays_within_its_gusts_and_keeps_its_mean",
    ]),
    ("s26", &[
        "s26_catmull_rom_has_continuous_tangents",
        "s26_catmull_rom_keeps_straight_lines_straight",
        "s26_catmull_rom_passes_through_its_points",
        "s26_rod_cantilever_sags_like_a_beam",
        "s26_twisted_rod_shares_the_twist_evenly_and_carries_g_j_phi_over_l",
    ]),
    ("s27", &[
        "s27_a_cavity_is_empty",
        "s27_a_hole_that_lets_a_ray_through_is_found_without_the_check_of_the_mesh",
        "s27_centers_on_slanted_faces_edges_and_corners_follow_the_half_open_rule",
        "s27_e24_a_box_with_corners_on_centers_is_closed_below_and_open_above",
        "s27_e24_t12_a_cartesian_grid_has_not_one_wrong_voxel_where_rays_in_floating_point_have_many",
        "s27_every_voxel_is_what_the_winding_number_of_the_snapped_mesh_says",
        "s27_grids_hold_the_mesh_with_voxels_on_all_sides",
        "s27_grids_that_are_none_or_too_large_are_refused_before_memory_is_taken",
        "s27_meshes_from_files_and_shapes_by_name_are_filled",
        "s27_meshes_without_an_inside_are_refused_and_others_repaired_with_a_note",
        "s27_ray_casting_in_floating_point_agrees_but_for_centers_next_to_the_surface",
        "s27_t10_rays_in_floating_point_find_the_same_bunny_but_for_a_few_voxels",
        "s27_the_axis_of_projection_does_not_matter",
        "s27_the_volume_of_voxels_goes_to_that_of_the_mesh",
        "s27_what_makes_no_solid_is_refused_with_the_reason",
        "s27_what_was_repaired_is_told_beside_the_data",
    ]),
    ("s28", &[
        "e26_s28_the_nearest_site_is_not_always_the_nearest_way_to_the_surface",
        "s28_a_plate_of_one_voxel_and_a_single_voxel_have_a_way_out",
        "s28_distances_are_negative_inside_and_half_a_voxel_at_the_faces",
        "s28_distances_of_a_ball_are_within_a_voxel_of_its_radius_and_mirror_images_are_equal",
        "s28_e25_squared_distances_are_those_of_brute_force_to_the_last_unit",
        "s28_fast_marching_is_as_near_as_a_first_order_method_comes",
        "s28_gradients_are_unit_vectors_that_lead_out_also_at_the_sides_of_the_grid",
        "s28_nothing_inside_is_infinitely_far_from_everywhere",
    ]),
    ("s29", &[
        "s29_depths_at_which_the_surface_would_merge_are_refused",
        "s29_e26_distances_of_merged_particles_are_upper_bounds",
        "s29_e27_every_voxel_inside_is_in_one_particle_and_none_outside_is",
        "s29_no_particle_reaches_nearer_to_the_surface_than_the_depth_allows",
        "s29_particles_are_in_meters_and_move_and_grow_with_the_mesh",
        "s29_t10_the_box_has_the_counts_of_d4_and_the_json_exactly_its_keys",
        "s29_the_table_and_the_picture_show_the_particles",
        "t10_s29_the_box_merges_into_the_counts_of_d4_at_any_depth_that_it_may_have_used",
    ]),
    ("s30", &[
        "s30_a_run_has_every_place_of_its_cells_once",
        "s30_a_search_on_the_gpu_follows_particles_that_move",
        "s30_arrays_of_different_lengths_are_refused",
        "s30_cells_are_the_floor_and_never_decrease",
        "s30_counting_and_sorting_on_the_gpu_give_the_same_places_and_sorting_ascends_within",
        "s30_counting_and_sorting_put_particles_in_the_same_order",
        "s30_e32_the_nearest_are_those_of_brute_force_with_ties_by_number",
        "s30_e33_everybody_touching_everybody_is_reported_in_full",
        "s30_prefix_sums_of_any_length_are_exact",
        "s30_prefix_sums_of_millions_are_exact",
        "s30_s31_auto_takes_the_grid_for_like_radii_and_the_tree_for_unlike_ones",
        "s30_s31_keys_that_are_all_alike_or_in_order_or_reversed_are_sorted_on_the_gpu",
        "s30_s31_millions_of_pairs_are_sorted_on_the_gpu",
        "s30_s31_s32_every_search_on_the_gpu_finds_exactly_the_pairs_of_brute_force",
        "s30_s31_s32_lists_of_the_gpu_are_those_of_the_cpu_with_checks_without_and_in_a_browser",
        "s30_s31_s32_ten_searches_on_the_gpu_have_one_result",
        "s30_s31_the_radix_sort_on_the_gpu_is_stable_for_keys_of_any_length",
        "s30_s32_a_world_that_is_all_nan_ends_without_neighbors",
        "s30_s32_e33_everybody_in_one_cell_grows_the_lists_and_nobody_is_dropped",
        "s30_s32_lists_are_the_same_for_any_search_threads_and_instructions",
        "s30_s32_lists_of_both_are_symmetric_and_ascending_and_hold_those_of_once",
        "s30_s32_pairs_on_the_edge_are_decided_with_the_roundings_of_the_cpu",
        "s30_s32_particles_that_are_nowhere_have_no_neighbors_and_hide_nobody",
        "s30_s32_who_just_reaches_the_other_is_no_neighbor",
        "s30_spacing_gives_about_a_cell_per_point_for_volumes_planes_and_lines",
        "s30_tables_take_the_shape_of_the_bounds_and_at_most_four_places_per_particle",
        "s30_the_grid_finds_exactly_the_pairs_of_brute_force",
        "s30_the_margin_can_be_changed_between_searches",
        "s30_the_table_takes_the_shape_of_the_bounds_and_wraps_its_longest_axis",
        "s30_tiny_tables_wrap_around_and_still_report_every_pair_once",
    ]),
    ("s31", &[
        "s30_s31_auto_takes_the_grid_for_like_radii_and_the_tree_for_unlike_ones",
        "s30_s31_keys_that_are_all_alike_or_in_order_or_reversed_are_sorted_on_the_gpu",
        "s30_s31_millions_of_pairs_are_sorted_on_the_gpu",
        "s30_s31_s32_every_search_on_the_gpu_finds_exactly_the_pairs_of_brute_force",
        "s30_s31_s32_lists_of_the_gpu_are_those_of_the_cpu_with_checks_without_and_in_a_browser",
        "s30_s31_s32_ten_searches_on_the_gpu_have_one_result",
        "s30_s31_the_radix_sort_on_the_gpu_is_stable_for_keys_of_any_length",
        "s31_a_refitted_tree_finds_the_pairs_of_particles_that_moved",
        "s31_codes_interleave_the_bits_of_quantized_coordinates",
        "s31_e28_the_radix_tree_is_that_of_the_definition_and_covers_every_slot_once",
        "s31_s32_e29_e30_every_traversal_of_balls_finds_exactly_the_pairs_of_brute_force",
        "s31_s32_e29_e30_every_traversal_of_boxes_finds_exactly_the_pairs_of_brute_force",
        "s31_the_radix_sort_is_stable_for_keys_of_any_length",
        "s31_volumes_hold_all_that_is_below_them_and_phases_are_those_of_all",
    ]),
    ("s32", &[
        "s30_s31_s32_every_search_on_the_gpu_finds_exactly_the_pairs_of_brute_force",
        "s30_s31_s32_lists_of_the_gpu_are_those_of_the_cpu_with_checks_without_and_in_a_browser",
        "s30_s31_s32_ten_searches_on_the_gpu_have_one_result",
        "s30_s32_a_world_that_is_all_nan_ends_without_neighbors",
        "s30_s32_e33_everybody_in_one_cell_grows_the_lists_and_nobody_is_dropped",
        "s30_s32_lists_are_the_same_for_any_search_threads_and_instructions",
        "s30_s32_lists_of_both_are_symmetric_and_ascending_and_hold_those_of_once",
        "s30_s32_pairs_on_the_edge_are_decided_with_the_roundings_of_the_cpu",
        "s30_s32_particles_that_are_nowhere_have_no_neighbors_and_hide_nobody",
        "s30_s32_who_just_reaches_the_other_is_no_neighbor",
        "s31_s32_e29_e30_every_traversal_of_balls_finds_exactly_the_pairs_of_brute_force",
        "s31_s32_e29_e30_every_traversal_of_boxes_finds_exactly_the_pairs_of_brute_force",
        "s32_a_subtree_of_the_own_phase_is_not_entered",
    ]),
    ("t01", &[
        "t01_four_flags_have_13_764_stretch_and_13_140_bend_constraints",
        "t01_the_stretch_constraints_of_a_flag_take_at_most_eight_colors",
    ]),
    ("t02", &[
        "t02_sixteen_cloths_have_41_296_stretch_constraints",
    ]),
    ("t04", &[
        "t04_cloth_of_150_by_150_has_66_901_stretch_and_66_305_bend_constraints",
    ]),
    ("t05", &[
        "t05_cloth_of_100_by_100_has_29_601_stretch_and_29_205_bend_constraints",
        "t05_t06_s11_s12_gauss_seidel_variants_come_to_the_same_rest",
    ]),
    ("t06", &[
        "t05_t06_s11_s12_gauss_seidel_variants_come_to_the_same_rest",
        "t06_the_smallest_graph_and_the_falling_cube_have_their_counts",
    ]),
    ("t07", &[
        "t07_the_400_tori_have_the_counts_of_d2",
        "t07_the_flattened_omotondo_comes_back_to_its_volume",
        "t07_the_omotondo_has_the_counts_of_d2",
        "t07_the_squishy_ball_and_the_tori_meet_the_ground_and_stay_finite",
        "t07_the_squishy_ball_has_the_counts_of_d2",
    ]),
    ("t08", &[
        "t08_s13_all_solvers_bring_the_stretched_cloth_back_and_only_plain_hybrid_carries_it_away",
        "t08_the_stretched_cloth_goes_back_without_integration",
        "t08_the_stretched_cloth_has_400_particles_1_121_constraints_and_16_times_its_area",
    ]),
    ("t09", &[
        "s05_v04_t09_xpbd_spring_hangs_by_m_g_alpha_for_any_iterations_and_step",
        "s06_e12_t09_bdf2_loses_measurably_less_energy_than_bdf1",
        "t09_pbd_spring_stiffens_with_iterations_as_its_formula_says",
        "t09_pbd_stiffness_compounds_with_iterations_as_one_minus_k_to_the_n",
    ]),
    ("t10", &[
        "s27_t10_rays_in_floating_point_find_the_same_bunny_but_for_a_few_voxels",
        "s29_t10_the_box_has_the_counts_of_d4_and_the_json_exactly_its_keys",
        "t10_s29_the_box_merges_into_the_counts_of_d4_at_any_depth_that_it_may_have_used",
        "t10_scanned_models_have_the_counts_of_d4_within_two_in_a_hundred",
    ]),
    ("t11", &[
        "t11_all_methods_find_the_same_pairs_and_have_names_of_their_own",
        "t11_neighbors_are_timed_for_every_construction_and_traversal",
    ]),
    ("t12", &[
        "s27_e24_t12_a_cartesian_grid_has_not_one_wrong_voxel_where_rays_in_floating_point_have_many",
        "t12_a_grain_in_the_notch_of_two_rests_on_both",
        "t12_a_grain_thrown_into_a_corner_of_three_walls_touches_all_and_stays",
        "t12_a_large_ball_goes_into_a_pile_of_64934_grains_and_pushes_them_aside",
        "t12_a_soft_bunny_of_60_cubed_gives_way_and_comes_back",
        "t12_buried_grains_come_out_without_exploding",
        "t12_eighty_bunnies_have_the_counts_of_d4_and_fall_on_each_other",
        "t12_interlocked_boxes_come_apart",
    ]),
    ("e01", &[
        "e01_volume_gradients_are_the_cross_products_of_the_errata",
    ]),
    ("e02", &[
        "e02_one_rigid_projection_brings_every_constraint_nearer_to_zero",
    ]),
    ("e03", &[
        "e03_e04_e05_stretch_moves_each_end_by_its_share_of_the_error_along_the_unit_direction",
    ]),
    ("e04", &[
        "e03_e04_e05_stretch_moves_each_end_by_its_share_of_the_error_along_the_unit_direction",
    ]),
    ("e05", &[
        "e03_e04_e05_stretch_moves_each_end_by_its_share_of_the_error_along_the_unit_direction",
    ]),
    ("e07", &[
        "s12_e07_e09_any_two_or_more_colors_are_enough_with_copies",
    ]),
    ("e08", &[
        "s12_e08_particles_split_within_pieces_keep_linear_momentum",
        "s12_e08_phantoms_keep_momentum_with_random_masses",
        "s12_e08_seams_keep_linear_momentum_with_random_masses",
    ]),
    ("e09", &[
        "e09_a_ring_of_five_has_cliques_of_two_though_it_needs_three_colors",
        "e09_a_ring_of_five_needs_three_colors",
        "e09_five_constraints_on_one_row_need_five_colors",
        "s12_e07_e09_any_two_or_more_colors_are_enough_with_copies",
        "s12_e09_ring_of_five_takes_two_colors_with_one_particle_split",
        "s12_e09_star_of_five_takes_two_colors_with_three_copies",
    ]),
    ("e10", &[
        "e10_coloring_stays_linear_in_incidences",
    ]),
    ("e11", &[
        "e11_delta_lambda_is_xpbd_with_memory_and_pbd_without",
        "s05_e11_xpbd_cloth_takes_the_implicit_euler_step_of_a_newton_solve",
        "s05_s07_e11_e13_xpbd_fem_block_takes_the_implicit_euler_step_of_a_newton_solve",
    ]),
    ("e12", &[
        "s06_e12_t09_bdf2_loses_measurably_less_energy_than_bdf1",
    ]),
    ("e13", &[
        "e13_fem_compliance_is_the_inverse_of_volume_times_stiffness_with_engineering_shear",
        "s05_s07_e11_e13_xpbd_fem_block_takes_the_implicit_euler_step_of_a_newton_solve",
    ]),
    ("e15", &[
        "e15_the_multiplier_of_a_particle_held_at_a_point_is_minus_mass_times_displacement",
    ]),
    ("e16", &[
        "e16_a_slack_tether_does_nothing_and_a_tight_one_only_pulls",
        "e16_a_tether_gives_back_what_it_pulled_but_no_more",
    ]),
    ("e18", &[
        "s10_e18_sleeping_compares_displacement_with_speed_times_step",
    ]),
    ("e19", &[
        "s18_e19_v06_slides_with_g_times_sine_minus_mu_cosine",
        "s18_e19_v06_slips_half_a_degree_above_the_friction_angle",
        "s18_e19_v06_sticks_half_a_degree_below_the_friction_angle_and_creeps_less_than_a_tenth_of_a_millimeter",
    ]),
    ("e23", &[
        "e23_s19_every_matrix_gives_a_proper_rotation_by_all_three_ways",
        "s19_e23_a_warm_start_is_continuous_where_a_body_is_flattened_and_turned_inside_out",
        "s19_e23_plates_rods_and_single_particles_are_bodies_too",
        "s19_e23_polar_and_iterative_extraction_find_the_rotation_of_the_decomposition",
        "s19_e23_rotations_of_bodies_are_the_same_on_the_gpu",
        "s19_e23_what_a_matrix_of_rank_one_does_not_say_stays_as_it_was",
        "s20_e23_plates_and_rods_flow_within_themselves_and_no_body_is_turned_inside_out",
    ]),
    ("e24", &[
        "s27_e24_a_box_with_corners_on_centers_is_closed_below_and_open_above",
        "s27_e24_t12_a_cartesian_grid_has_not_one_wrong_voxel_where_rays_in_floating_point_have_many",
    ]),
    ("e25", &[
        "s28_e25_squared_distances_are_those_of_brute_force_to_the_last_unit",
    ]),
    ("e26", &[
        "e26_s28_the_nearest_site_is_not_always_the_nearest_way_to_the_surface",
        "s29_e26_distances_of_merged_particles_are_upper_bounds",
    ]),
    ("e27", &[
        "s29_e27_every_voxel_inside_is_in_one_particle_and_none_outside_is",
    ]),
    ("e28", &[
        "s31_e28_the_radix_tree_is_that_of_the_definition_and_covers_every_slot_once",
    ]),
    ("e29", &[
        "e29_e30_a_walk_that_starts_below_the_root_stays_in_its_subtree",
        "s31_s32_e29_e30_every_traversal_of_balls_finds_exactly_the_pairs_of_brute_force",
        "s31_s32_e29_e30_every_traversal_of_boxes_finds_exactly_the_pairs_of_brute_force",
    ]),
    ("e30", &[
        "e29_e30_a_walk_that_starts_below_the_root_stays_in_its_subtree",
        "s31_s32_e29_e30_every_traversal_of_balls_finds_exactly_the_pairs_of_brute_force",
        "s31_s32_e29_e30_every_traversal_of_boxes_finds_exactly_the_pairs_of_brute_force",
    ]),
    ("e31", &[
        "e31_the_height_stays_within_code_bits_and_bits_of_duplicates_and_deep_trees_are_walked",
    ]),
    ("e32", &[
        "e32_the_nearest_may_be_in_a_ring_after_the_one_that_fills_the_list",
        "s30_e32_the_nearest_are_those_of_brute_force_with_ties_by_number",
    ]),
    ("e33", &[
        "e33_a_search_without_room_writes_nothing_out_of_bounds_and_is_remembered",
        "e33_lists_that_an_adapter_cannot_bind_are_refused_with_their_size",
        "s10_e33_lists_that_outgrow_their_room_lose_no_step",
        "s30_e33_everybody_touching_everybody_is_reported_in_full",
        "s30_s32_e33_everybody_in_one_cell_grows_the_lists_and_nobody_is_dropped",
    ]),
    ("r01", &[
        "r01_a_mosaic_has_the_same_bits_on_one_thread_and_on_two",
        "r01_bodies_that_share_nothing_move_as_if_each_were_alone",
        "r01_building_and_stepping_again_gives_the_same_bits",
        "r01_grains_and_bodies_have_the_same_bits_on_one_thread_and_on_three",
        "r01_r02_a_cloth_in_the_wind_has_the_same_bits_on_all_threads_and_lane_widths",
        "r01_r02_every_partition_has_the_same_bits_on_all_threads_and_lane_widths",
        "r01_r02_ropes_and_a_balloon_have_the_same_bits_on_all_threads_and_lane_widths",
        "r01_r02_soft_bodies_have_the_same_bits_on_all_threads_and_lane_widths",
    ]),
    ("r02", &[
        "r01_r02_a_cloth_in_the_wind_has_the_same_bits_on_all_threads_and_lane_widths",
        "r01_r02_every_partition_has_the_same_bits_on_all_threads_and_lane_widths",
        "r01_r02_ropes_and_a_balloon_have_the_same_bits_on_all_threads_and_lane_widths",
        "r01_r02_soft_bodies_have_the_same_bits_on_all_threads_and_lane_widths",
    ]),
    ("r03", &[
        "r03_grains_and_bodies_repeat_themselves_on_the_gpu",
        "r03_s14_ten_runs_of_a_hundred_steps_with_contacts_and_seams_have_the_same_bits",
    ]),
    ("r04", &[
        "r04_every_built_in_scene_is_compared",
        "r04_s14_built_in_scenes_agree_after_a_step_and_their_statistics_after_many",
        "r04_s14_every_partition_method_and_integrator_takes_the_same_steps_on_the_gpu",
        "r04_s14_pinned_wind_contact_and_rods_take_the_same_steps_with_every_cap",
    ]),
    ("r06", &[
        "r06_a_diverging_run_ends_with_stage_particle_object_and_time",
        "r06_a_lost_gpu_is_an_error_and_no_panic",
        "r06_a_run_that_diverges_on_the_gpu_names_the_particle_that_the_cpu_names",
        "r06_a_scene_too_large_for_a_binding_names_the_buffer_and_its_size",
        "r06_an_adapter_that_is_not_there_is_named",
        "r06_an_empty_scene_and_a_single_segment_run",
        "r06_arbitrary_text_never_panics",
        "r06_attachments_that_join_nothing_or_no_one_are_refused",
        "r06_exactly_one_shape_is_needed",
        "r06_extreme_but_allowed_values_never_panic_while_building_and_stepping",
        "r06_generated_bodies_say_what_does_not_fit",
        "r06_huge_numbers_are_refused_everywhere_with_the_path",
        "r06_inline_meshes_name_only_points_and_masses_they_have",
        "r06_inline_meshes_that_make_no_surface_are_refused_or_run",
        "r06_mesh_files_need_a_source",
        "r06_mutated_scenes_are_read_or_refused_with_words",
        "r06_negative_numbers_are_refused_where_a_sign_means_nothing",
        "r06_not_a_number_and_infinity_are_refused_everywhere_with_the_path",
        "r06_numbers_out_of_range_say_the_value_and_the_range",
        "r06_overrides_set_fields_and_refuse_what_is_not_there",
        "r06_overrides_with_any_value_never_panic",
        "r06_particle_counts_that_overflow_are_refused_and_not_wrapped",
        "r06_pins_out_of_range_say_which_and_how_many_there_are",
        "r06_places_that_an_object_does_not_have_are_refused_with_those_it_has",
        "r06_regions_and_lists_without_particles_are_refused",
        "r06_scenes_made_in_code_are_checked_too",
        "r06_syntax_errors_carry_the_line_and_column",
        "r06_the_full_example_is_valid_builds_and_steps",
        "r06_the_schema_holds_every_key_and_the_full_example_uses_them_all",
        "r06_toml_and_json_read_into_the_same_scene_and_back",
        "r06_two_objects_of_one_name_are_refused",
        "r06_unknown_keys_are_refused_with_line_column_and_the_allowed_ones",
        "r06_values_of_the_wrong_type_are_refused_everywhere_with_the_path",
        "r06_what_a_gpu_cannot_do_yet_is_said_and_auto_takes_the_cpu",
        "r06_what_cannot_be_filled_or_matched_is_refused_with_its_place",
        "r06_wrong_types_and_names_say_what_was_expected",
        "r06_zero_is_refused_where_something_is_divided_by_it",
    ]),
    ("r07", &[
        "r07_every_bad_mesh_ends_in_a_note_or_a_named_error",
        "r07_headers_that_promise_too_much_are_refused_before_memory_is_taken",
        "r07_mutated_gltf_files_never_panic",
        "r07_mutated_msh_files_never_panic",
        "r07_mutated_obj_files_never_panic",
        "r07_mutated_ply_files_never_panic",
        "r07_mutated_stl_files_never_panic",
        "r07_mutated_tetgen_files_never_panic",
    ]),
    ("r12", &[
        "r12_a_state_that_was_cut_short_is_refused_before_any_index_is_used",
    ]),
    ("v01", &[
        "s01_v01_free_fall_is_the_discrete_formula",
        "s01_v01_free_fall_is_the_discrete_formula_at_240_steps_a_second",
        "v01_free_fall_is_first_order_in_the_step",
    ]),
    ("v02", &[
        "v02_pendulum_periods_at_30_60_and_90_degrees",
    ]),
    ("v03", &[
        "v03_catenary_of_length_2_over_span_1_sags_by_0_79639",
    ]),
    ("v04", &[
        "s05_v04_t09_xpbd_spring_hangs_by_m_g_alpha_for_any_iterations_and_step",
    ]),
    ("v05", &[
        "s07_v05_cantilever_of_fem_tets_agrees_with_linear_fem_and_converges_to_the_beam",
        "s07_v05_cantilever_of_fem_triangles_agrees_with_linear_fem_and_converges_to_the_beam",
    ]),
    ("v06", &[
        "s18_e19_v06_slides_with_g_times_sine_minus_mu_cosine",
        "s18_e19_v06_slips_half_a_degree_above_the_friction_angle",
        "s18_e19_v06_sticks_half_a_degree_below_the_friction_angle_and_creeps_less_than_a_tenth_of_a_millimeter",
        "s18_v06_a_box_on_an_incline_sticks_and_slides_like_a_particle",
        "s18_v06_tilted_plane_is_the_same_as_tilted_gravity",
        "v06_s19_a_rigid_box_creeps_less_than_a_tenth_of_a_millimeter_half_a_degree_below_and_slides_half_above",
    ]),
    ("v07", &[
        "v07_a_ball_rolls_down_with_five_sevenths_of_gravity",
    ]),
    ("v14", &[
        "v14_high_columns_run_out_farther_than_those_of_sand",
        "v14_low_columns_run_out_in_proportion_to_their_aspect",
    ]),
    ("v15", &[
        "v15_a_tower_of_light_and_heavy_boxes_in_turn_stands_with_true_masses_and_small_substeps",
        "v15_s22_a_tower_that_gets_a_hundred_times_heavier_upward_stands_for_a_minute",
    ]),
    ("v16", &[
        "v16_closed_fem_body_keeps_momentum_as_far_as_positions_resolve_and_gains_no_energy",
        "v16_closed_soft_body_keeps_momentum_as_far_as_positions_resolve_and_gains_no_energy",
    ]),
];

/// Names of all tests of the workspace.
fn tests() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names = Vec::new();
    for member in ["pliant", "pliant-cli", "pliant-io", "pliant-render"] {
        for part in ["src", "tests"] {
            collect(&root.join(member).join(part), &mut names);
        }
    }
    names.sort();
    names
}

fn collect(folder: &Path, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|e| e.expect("a readable folder").path()) {
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let mut lines = text.lines();
            while let Some(line) = lines.next() {
                if line.trim() == "#[test]" {
                    let name = lines.find_map(|l| l.trim().strip_prefix("fn ").map(str::to_owned));
                    names.extend(name.and_then(|n| n.split('(').next().map(str::to_owned)));
                }
            }
        }
    }
}

/// Ids at the front of a test's name: `s05_t09_…` proves S05 and T09.
fn ids(name: &str) -> impl Iterator<Item = &str> {
    name.split('_')
        .take_while(|w| w.len() == 3 && "stevr".contains(&w[..1]) && w[1..].bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn every_listed_test_exists() {
    let tests = tests();
    assert!(tests.len() > 200, "only {} tests found: are the sources where they should be?", tests.len());
    for (id, names) in PROVED {
        for name in *names {
            assert!(tests.iter().any(|t| t == name), "{id} is to be proved by {name}, which is no test");
        }
    }
}

#[test]
fn every_test_that_names_a_requirement_is_listed() {
    for test in tests() {
        for id in ids(&test) {
            let listed = PROVED.iter().any(|(i, names)| *i == id && names.contains(&test.as_str()));
            assert!(listed, "{test} proves {id}: add it to the list");
        }
    }
}
