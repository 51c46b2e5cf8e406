//! Formatting of tables, counts and sizes for terminal output.

/// Aligned columns of text: the first left, the others right, with two spaces between.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cell = |(c, cell): (usize, &String)| {
            let w = widths[c];
            if c == 0 { format!("{cell:<w$}") } else { format!("  {cell:>w$}") }
        };
        let line: String = row.iter().enumerate().map(cell).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// 12345678 as "12,345,678".
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in B, KiB, MiB or GiB.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB"] {
        if value < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1024.0;
    }
    format!("{value:.2} GiB")
}

/// "1 thread", "2 threads".
pub fn threads(n: usize) -> String {
    if n == 1 { "1 thread".into() } else { format!("{n} threads") }
}

/// "1 step", "2 steps".
#[cfg(feature = "gpu")]
pub fn steps(n: u32) -> String {
    if n == 1 { "1 step".into() } else { format!("{n} steps") }
}

/// "2 threads", or the name of a GPU.
pub fn device(adapter: Option<&str>, n: Option<usize>) -> String {
    adapter.map_or_else(|| threads(n.unwrap_or(1)), str::to_owned)
}

/// "stretch 13,000, bend 12,000", or "none".
pub fn counts(counts: &pliant::schedule::stats::Counts) -> String {
    let all: Vec<String> = counts.iter().map(|(kind, n)| format!("{kind} {}", grouped(*n))).collect();
    if all.is_empty() { "none".into() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_thousands() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        for (n, expected) in cases {
            assert_eq!(grouped(n), expected);
        }
    }

    #[test]
    fn sizes_have_a_suitable_unit() {
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 30), "3.00 GiB");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["a".into(), "1".into()], vec!["bcd".into(), "100".into()]];
        assert_eq!(table(&rows), "a      1\nbcd  100\n");
    }
}
