//! The 64-bit hash of Fowler, Noll and Vo (FNV-1a): it tells contents apart that differ by accident, not by intent.

/// Nothing so far.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash of some bytes.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(EMPTY, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// The hash of many bytes, eight of them at a time; another one than [`checksum`].
pub fn checksum_of_many(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |hash: u64, word: &[u8; 8]| {
        // The product carries low digits upward only; the rotation brings high ones back.
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME).rotate_left(29)
    };
    words.iter().fold(EMPTY ^ bytes.len() as u64, step) ^ checksum(rest)
}

#[cfg(test)]
mod tests {
    use super::{checksum, checksum_of_many};

    /// Values published with the hash.
    #[test]
    fn published_values() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn every_byte_counts() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = checksum_of_many(&bytes);
        for k in 0..100 {
            let mut other = bytes.clone();
            other[k] ^= 0x80;
            assert_ne!(checksum_of_many(&other), whole, "{k}");
            assert_ne!(checksum_of_many(&bytes[..k]), whole, "{k}");
        }
    }
}
