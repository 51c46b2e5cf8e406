//! Base64 of data URIs (RFC 4648, with padding).

/// Decodes `text`; padding is optional, any other byte that is not base64 is an error with its position.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.trim_end_matches('=').as_bytes();
    if digits.len() % 4 == 1 {
        return Err("base64 data is cut short".to_owned());
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut bit_count) = (0_u32, 0);
    for (position, &digit) in digits.iter().enumerate() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => {
                return Err(format!(
                    "base64 data has byte {digit} at {position}, but only A-Z a-z 0-9 + / are allowed"
                ));
            }
        };
        bits = bits << 6 | u32::from(value);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count) as u8);
            bits &= (1 << bit_count) - 1;
        }
    }
    Ok(bytes)
}
