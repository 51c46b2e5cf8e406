//! Prefix sums and the radix sort.

use crate::support::{devices, plain, storage, submit, words};
use pliant::neighbors::gpu::{Scan, Sort};
use pliant::runtime::gpu::Device;

/// Pseudorandom words, the same every time.
fn random(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    (0..count).map(|_| next()).collect()
}

/// Sixteen million and some, or what a driver that computes on the CPU does in a few seconds.
fn many(device: &Device) -> usize {
    if device.software { (1 << 20) + 3 } else { (1 << 24) + 12_345 }
}

fn scanned(device: &Device, data: &[u32]) -> Vec<u32> {
    let buffer = storage(device, data);
    let scan = Scan::new(device, &buffer, data.len()).unwrap();
    submit(device, |pass| scan.encode(pass));
    let mut all = words(device, &buffer);
    all.truncate(data.len());
    all
}

fn sums(data: &[u32]) -> Vec<u32> {
    let next = |sum: &mut u32, &v: &u32| Some(std::mem::replace(sum, sum.wrapping_add(v)));
    data.iter().scan(0_u32, next).collect()
}

#[test]
fn s30_prefix_sums_of_any_length_are_exact() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 7, 8, 255, 256, 257, 2047, 2048, 2049, 4096, 100_003] {
            let data = random(count, count as u64);
            assert_eq!(scanned(device, &data), sums(&data), "{count} numbers, {name}");
        }
    }
}

#[test]
fn s30_prefix_sums_of_millions_are_exact() {
    let Some(device) = plain() else { return };
    // Above 2048² = 4,194,304 there are three levels of blocks.
    for count in [many(device), 4_194_304 + 5] {
        let data: Vec<u32> = random(count, 5).iter().map(|v| v >> 28).collect();
        assert!(scanned(device, &data) == sums(&data), "{count} numbers");
    }
}

fn sorted(device: &Device, keys: &[u32], bits: u32) -> (Vec<u32>, Vec<u32>) {
    let sort = Sort::new(device, keys.len(), bits).unwrap();
    let numbers: Vec<u32> = (0..keys.len() as u32).collect();
    device.queue.write_buffer(sort.keys(), 0, bytemuck::cast_slice(keys));
    device.queue.write_buffer(sort.values(), 0, bytemuck::cast_slice(&numbers));
    submit(device, |pass| sort.encode(pass));
    let (mut keys_out, mut values) = (words(device, sort.sorted_keys()), words(device, sort.sorted_values()));
    keys_out.truncate(keys.len());
    values.truncate(keys.len());
    (keys_out, values)
}

/// Stable: equal keys in the order of their numbers.
fn expected(keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: Vec<u32> = (0..keys.len() as u32).collect();
    numbers.sort_by_key(|&i| keys[i as usize]);
    (numbers.iter().map(|&i| keys[i as usize]).collect(), numbers)
}

#[test]
fn s30_s31_the_radix_sort_on_the_gpu_is_stable_for_keys_of_any_length() {
    for (name, device) in devices() {
        // Every number of keys with some bits, every number of bits with some keys.
        let most = [0, 1, 2, 31, 33, 128, 511, 512, 513].map(|count| (count, 9));
        let rest = [1, 5, 8, 20, 31, 32].map(|bits| (2049 + 500 * bits as usize, bits));
        for (count, bits) in most.into_iter().chain(rest).skip(if *name == "plain" { 0 } else { 13 }) {
            let keys: Vec<u32> = random(count, u64::from(bits)).iter().map(|k| k >> (32 - bits)).collect();
            assert!(sorted(device, &keys, bits) == expected(&keys), "{count} keys of {bits} bits, {name}");
        }
    }
}

#[test]
fn s30_s31_equal_ordered_and_reversed_keys_are_sorted_on_the_gpu() {
    let Some(device) = plain() else { return };
    let n = 10_000;
    for (name, keys) in [
        ("alike", vec![0xdead_beef; n as usize]),
        ("two values", (0..n).map(|i| i % 2 * u32::MAX).collect()),
        ("in order", (0..n).map(|i| i * 400_000).collect()),
        ("reversed", (0..n).map(|i| (n - i) * 400_000).collect()),
        ("one digit", (0..n).map(|i| (i % 256) << 16).collect()),
    ] {
        assert!(sorted(device, &keys, 32) == expected(&keys), "{name}");
    }
}

#[test]
fn s30_s31_millions_of_pairs_are_sorted_on_the_gpu() {
    let Some(device) = plain() else { return };
    // Threads have four, eight and sixteen keys each.
    for (count, bits) in [(249_999, 11), (300_007, 16), (many(device), 32)] {
        let keys: Vec<u32> = random(count, 77).iter().map(|k| k >> (32 - bits)).collect();
        assert!(sorted(device, &keys, bits) == expected(&keys), "{count} keys");
    }
}
