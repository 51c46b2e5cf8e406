//! Locates a key such as `cloth[0].density` in a TOML text.

use toml::de::{DeTable, DeValue};

/// Byte offset of the value at `path`, or of its nearest parent in the text.
pub fn locate(text: &str, path: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut keys = path.split(['.', '[', ']']).filter(|k| !k.is_empty());
    let (mut here, mut at) = match keys.next() {
        Some(key) => root.get_ref().get(key).map(|v| (v.get_ref(), v.span().start))?,
        None => return None,
    };
    for key in keys {
        let next = match here {
            DeValue::Table(table) => table.get(key),
            DeValue::Array(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
            _ => None,
        };
        let Some(value) = next else { break };
        (here, at) = (value.get_ref(), value.span().start);
    }
    Some(at)
}
