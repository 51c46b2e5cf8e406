// Square roots and quotients rounded as in IEEE 754 on any hardware: bitwise equal to the CPU.
// The hardware estimate is a few units off; the remainder gives the correction. It is small, so its lowest 32 bits
// are sufficient, though the numbers it is the difference of have 48.

// For a normal number above 0.
fn exact_sqrt(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let exponent = i32(bits >> 23u) - 127;
    let odd = u32(exponent & 1);
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    // The root of mantissa << (23 + odd) has 24 bits.
    var root = u32(sqrt(f32(mantissa << odd)) * 2896.3093);
    var left = bitcast<i32>((mantissa << (23u + odd)) - root * root);
    while left < 0 {
        root--;
        left += 2 * i32(root) + 1;
    }
    while left > 2 * i32(root) {
        left -= 2 * i32(root) + 1;
        root++;
    }
    // Beyond root + 1/2; never equal, since its square is not an integer.
    if left > i32(root) {
        root++;
    }
    let half = (exponent - i32(odd)) / 2;
    return bitcast<f32>((u32(half + 127) << 23u) + root - 0x800000u);
}

// For 0 or a normal number divided by a normal one above 0, if the quotient is normal.
fn exact_quotient(a: f32, b: f32) -> f32 {
    let bits = bitcast<u32>(a);
    let sign = bits & 0x80000000u;
    if (bits ^ sign) == 0u {
        return a;
    }
    let below = bitcast<u32>(b);
    let exponent = i32(bits >> 23u & 0xffu) - i32(below >> 23u);
    let over = (bits & 0x7fffffu) | 0x800000u;
    let under = (below & 0x7fffffu) | 0x800000u;
    // The quotient of over << shift has 24 bits.
    let more = select(0u, 1u, over < under);
    let shift = 23u + more;
    var quotient = u32(f32(over) / f32(under) * f32(1u << shift));
    var left = bitcast<i32>((over << shift) - quotient * under);
    while left < 0 {
        quotient--;
        left += i32(under);
    }
    while left >= i32(under) {
        quotient++;
        left -= i32(under);
    }
    // Never a tie: an odd number of 25 bits would have to divide one of 24.
    if 2 * left > i32(under) {
        quotient++;
    }
    return bitcast<f32>(sign | ((u32(exponent - i32(more) + 127) << 23u) + quotient - 0x800000u));
}
