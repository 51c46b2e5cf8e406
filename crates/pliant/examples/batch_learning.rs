//! Learning in a batch: 64 carts with a box on top are pushed at random. Speed is rewarded while the box stands and the floor
//! bears the cart. The best push of a round is the mean of the next. Run: `cargo run -p pliant --example batch_learning`

#![allow(clippy::print_stdout, reason = "an example")]

use glam::Vec3;
use pliant::scene::{Format, Scene};
use pliant::{Batch, BatchOptions};

const COPIES: usize = 64;

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 2, iterations = 6 }
    [[body]]
    name = "cart"
    box = [0.6, 0.1, 0.4]
    grid = 6
    transform = { translate = [0, 0.06, 0] }
    [[body]]
    name = "box"
    box = [0.1, 0.3, 0.1]
    grid = 3
    transform = { translate = [0, 0.27, 0] }
    [[collider]]
    name = "floor"
    plane = {}
    friction = { static = 0.05, kinetic = 0.05 }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut batch = Batch::new(&Scene::parse(SCENE, Format::Toml)?, COPIES, &BatchOptions::default())?;
    let (cart, load, floor) = (batch.object("cart")?, batch.object("box")?, batch.object("floor")?);
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut mean = 0.0;
    for round in 0..5 {
        let pushes: Vec<f32> = (0..COPIES).map(|_| mean + 4.0 * random() / (1 + round) as f32).collect();
        let mut rewards = vec![0.0; COPIES];
        batch.apply_impulses(cart, &pushes.iter().map(|&push| Vec3::X * push).collect::<Vec<_>>())?;
        for _ in 0..30 {
            batch.step()?;
            let weight = batch.collider_forces(floor)?;
            let (carts, loads) = (batch.momenta(cart)?, batch.momenta(load)?);
            for (k, reward) in rewards.iter_mut().enumerate() {
                let upright = loads[k].center.y > 0.2 && weight[k].y < 0.0;
                *reward += if upright { carts[k].linear.x / carts[k].mass } else { 0.0 };
            }
        }
        let fallen = batch.momenta(load)?.iter().filter(|m| m.center.y < 0.2).count();
        mean = *pushes.iter().zip(&rewards).max_by(|a, b| a.1.total_cmp(b.1)).ok_or("no copy")?.0;
        println!("round {round}: best push {mean:5.2} N·s, {fallen} of {COPIES} boxes fell");
        batch.reset_all()?;
    }
    assert!(mean > 0.0, "pushing forward pays");
    Ok(())
}
