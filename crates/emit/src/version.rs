//! Which text a generated file came from.

/// A name for this text that another text hardly has: its hash (FNV-1a, 64 bits) in hexadecimal digits, line ends apart.
///
/// ```
/// use cardan_emit::version;
/// assert_eq!(version("model a\n"), version("model a\r\n"));
/// assert_ne!(version("model a\n"), version("model b\n"));
/// ```
pub fn version(text: &str) -> String {
    let bytes = text.bytes().filter(|b| *b != b'\r');
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published values of the hash.
    #[test]
    fn known_hashes() {
        assert_eq!(version(""), "cbf29ce484222325");
        assert_eq!(version("a"), "af63dc4c8601ec8c");
        assert_eq!(version("foobar"), "85944171f73967e8");
    }
}
