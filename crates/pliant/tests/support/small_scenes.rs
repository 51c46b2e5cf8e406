//! Small scenes: every feature that changes positions is in one of them.

/// Name and text.
pub const SCENES: [(&str, &str); 12] = [
    (
        "cloth",
        r#"
        solver = { iterations = 4 }
        world = { wind = { velocity = [2, 0, 1], gust = 0.5, period = 0.4 }, damping = 0.1 }
        [[cloth]]
        grid = { cells = [16, 16], size = [1, 1], plane = "xz" }
        transform = { translate = [-0.5, 0.5, -0.5] }
        stretch = { compliance = 1e-6 }
        bend = { compliance = 1 }
        tether = 1.1
        pin = [{ at = "top left", motion = { oscillate = { amplitude = [0.1, 0, 0], period = 0.5 } } }]
        [[collider]]
        sphere = { center = [0, 0.1, 0], radius = 0.3 }
        motion = { spin = { axis = [0, 1, 0], rate = 90 } }
    "#,
    ),
    (
        "ropes",
        r#"
        solver = { iterations = 6, integrator = "bdf2" }
        [[rope]]
        name = "rope"
        path = [[0, 1, 0], [0.5, 1, 0], [0.5, 1, 0.5]]
        segments = 40
        stretch = { compliance = 1e-7 }
        bend = { modulus = 1e6 }
        pin = [{ at = "start" }]
        [[rope]]
        name = "rod"
        path = [[0.5, 1.02, 0.5], [1.5, 1.02, 0.5]]
        segments = 20
        bend = { modulus = 1e7 }
        twist = { modulus = 1e7 }
        pin = [{ at = "end", motion = { spin = { axis = [1, 0, 0], center = [1.5, 1.02, 0.5], rate = 180 } } }]
        [[attach]]
        from = { object = "rod", at = "start" }
        to = { object = "rope", at = "end" }
        within = 0.05
        compliance = 1e-5
        [[collider]]
        capsule = { from = [0.3, 0.6, -1], to = [0.3, 0.6, 1], radius = 0.1 }
    "#,
    ),
    (
        "fem tets",
        r#"
        solver = { iterations = 6, partition = "color" }
        [[soft]]
        block = { cells = [5, 3, 3], size = [0.5, 0.3, 0.3] }
        transform = { translate = [0, 0.1, 0], rotate = { axis = [0, 0, 1], degrees = 15 } }
        fem = { young = 1e5, poisson = 0.3 }
        [[cloth]]
        grid = { cells = [6, 6], size = [0.5, 0.5] }
        transform = { translate = [0, 0.8, 0] }
        fem = { young = 1e6, poisson = 0.3 }
        bend = { modulus = 1e-4 }
        bend_model = "isometric"
        pin = [{ at = "top edge" }]
        [[collider]]
        plane = {}
    "#,
    ),
    (
        "volume tets",
        r#"
        solver = { iterations = 5, partition = "shared-patch", patch_particles = 40 }
        [[soft]]
        torus = { radius = 0.3, width = 0.1, cells = [24, 2] }
        transform = { translate = [0, 0.1, 0], rotate = { axis = [1, 0, 0], degrees = 20 } }
        stretch = { modulus = 1e5 }
        volume = { compliance = 0 }
        [[collider]]
        plane = {}
        [[collider]]
        box = { center = [0.3, 0.05, 0], size = [0.2, 0.1, 0.2] }
    "#,
    ),
    (
        "inflatable",
        r#"
        solver = { iterations = 5, method = "pbd" }
        [[inflatable]]
        sphere = { radius = 0.3, subdivisions = 3 }
        transform = { translate = [0, 0.4, 0] }
        pressure = 1.3
        stretch = { stiffness = 0.8 }
        bend = { stiffness = 0.1 }
        velocity = [1, -2, 0]
        [[collider]]
        plane = {}
    "#,
    ),
    (
        "grains",
        r#"
        solver = { iterations = 4, substeps = 2 }
        contact = { friction = { static = 0.6, kinetic = 0.5 }, restitution = 0.4, rolling = 2 }
        [[grains]]
        fill = { min = [-0.15, 0.0, -0.15], max = [0.15, 0.5, 0.15] }
        radius = 0.025
        [[collider]]
        plane = {}
        restitution = 0.3
        rolling = 2
        friction = { static = 0.6, kinetic = 0.5 }
        [[collider]]
        surface = { bowl = { radius = 0.8, height = 0.3, segments = 16 } }
    "#,
    ),
    (
        "bodies",
        r#"
        solver = { iterations = 6, substeps = 2 }
        [[body]]
        name = "lower"
        box = [0.3, 0.2, 0.3]
        grid = 5
        transform = { translate = [0, 0.12, 0] }
        [[body]]
        name = "upper"
        ball = 0.15
        grid = 6
        density = 400
        transform = { translate = [0.1, 0.6, 0.02] }
        velocity = [0, -2, 0]
        [[body]]
        name = "bends"
        box = [0.6, 0.1, 0.1]
        grid = 12
        recovery = 0.02
        regions = { size = 0.15 }
        transform = { translate = [0, 0.9, 0] }
        [[collider]]
        plane = {}
    "#,
    ),
    (
        "plastic",
        r#"
        solver = { iterations = 6, substeps = 2 }
        [[body]]
        box = [0.3, 0.3, 0.3]
        grid = 6
        recovery = 0.05
        plastic = { threshold = 0.02, creep = 40, most = 0.5 }
        transform = { translate = [0, 0.3, 0], rotate = { axis = [1, 0, 1], degrees = 30 } }
        velocity = [0, -5, 0]
        [[collider]]
        plane = {}
    "#,
    ),
    (
        "dam",
        r#"
        solver = { iterations = 3, substeps = 2 }
        fluid = { radius = 0.025, vorticity = 1, spread = 0.05, adhesion = 0.5 }
        [[liquid]]
        name = "oil"
        fill = { min = [0, 0, 0], max = [0.2, 0.4, 0.2] }
        density = 900
        viscosity = 1
        tension = 0.5
        [[liquid]]
        name = "water"
        fill = { min = [0.25, 0, 0], max = [0.4, 0.2, 0.2] }
        [[body]]
        box = [0.15, 0.15, 0.15]
        grid = 3
        density = 500
        transform = { translate = [0.5, 0.4, 0.1] }
        [[collider]]
        plane = {}
        [[collider]]
        plane = { normal = [1, 0, 0], offset = 0 }
        [[collider]]
        plane = { normal = [-1, 0, 0], offset = -0.7 }
        [[collider]]
        plane = { normal = [0, 0, 1], offset = 0 }
        [[collider]]
        plane = { normal = [0, 0, -1], offset = -0.2 }
    "#,
    ),
    (
        "melt and freeze",
        r#"
        solver = { iterations = 3, substeps = 2 }
        fluid = { radius = 0.025 }
        [[liquid]]
        name = "water"
        fill = { min = [-0.3, 0, -0.15], max = [-0.1, 0.2, 0.15] }
        [[liquid]]
        name = "melt water"
        [[body]]
        name = "ice"
        box = [0.25, 0.25, 0.25]
        grid = 5
        density = 917
        transform = { translate = [0.2, 0.15, 0] }
        [[melt]]
        body = "ice"
        liquid = "melt water"
        speed = 0.2
        [[freeze]]
        liquid = "water"
        start = 0.2
        speed = 0.5
        box = { center = [-0.2, 0.05, 0], size = [0.3, 0.3, 0.3] }
        density = 917
        [[collider]]
        plane = {}
    "#,
    ),
    (
        "emitter and drain",
        r#"
        solver = { iterations = 3, substeps = 2 }
        fluid = { radius = 0.02 }
        [[liquid]]
        pour = { from = [0, 0.5, 0], radius = 0.06, per_second = 240, velocity = [0, -2, 0], until = 1 }
        [[grains]]
        radius = 0.02
        pour = { from = [0.3, 0.5, 0], radius = 0.06, per_second = 100, velocity = [-0.5, -1, 0], until = 0.4 }
        [[drain]]
        sphere = { center = [0.1, 0, 0], radius = 0.08 }
        recycle = true
        [[collider]]
        plane = {}
    "#,
    ),
    (
        "rigid bodies",
        r#"
        [contact]
        restitution = 0.3
        [[body]]
        name = "boxes"
        box = [0.2, 0.15, 0.1]
        array = { count = [2, 3, 2], spacing = [0.17, 0.3, 0.13] }
        transform = { translate = [0, 0.2, 0], rotate = { axis = [0.2, 0.1, 1], degrees = 20 } }
        [[body]]
        ball = 0.08
        velocity = [0, -1, 0]
        transform = { translate = [0.05, 1.2, 0.05] }
        [[grains]]
        radius = 0.02
        fill = { min = [-0.05, 1.4, -0.05], max = [0.1, 1.5, 0.1] }
        [[cloth]]
        grid = { cells = [8, 8], size = [0.6, 0.6], plane = "xz" }
        transform = { translate = [-0.2, 1.6, -0.2] }
        [[collider]]
        plane = {}
    "#,
    ),
];
