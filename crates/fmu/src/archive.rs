//! The file of a unit: a ZIP archive with deflated members and fixed dates, so that one model gives one file.
//!
//! Written here because it is a page (PKWARE, APPNOTE 6.3.3, sections 4.3.7, 4.3.12 and 4.3.16), and archives beyond
//! 4 GiB, encryption and reading are not needed.

/// A member of an archive: its path and its bytes.
pub type Member = (String, Vec<u8>);

/// 1 January 2000, the date of all members.
const DATE: u16 = (20 << 9) | (1 << 5) | 1;
const VERSION: u16 = 20;
const DEFLATED: u16 = 8;
const LEVEL: u8 = 6;

/// The fields that a member has both before its bytes and in the directory.
fn fields(bytes: &[u8], packed: &[u8], name: &str) -> Vec<u8> {
    let mut out = vec![];
    for field in [VERSION, 0, DEFLATED, 0, DATE] {
        out.extend(field.to_le_bytes());
    }
    for field in [crc32fast::hash(bytes), packed.len() as u32, bytes.len() as u32] {
        out.extend(field.to_le_bytes());
    }
    for field in [name.len() as u16, 0] {
        out.extend(field.to_le_bytes());
    }
    out
}

/// The archive of some members.
pub fn archive(members: &[Member]) -> Vec<u8> {
    let (mut out, mut directory) = (vec![], vec![]);
    for (name, bytes) in members {
        let packed = miniz_oxide::deflate::compress_to_vec(bytes, LEVEL);
        let fields = fields(bytes, &packed, name);
        let offset = out.len() as u32;
        out.extend(0x0403_4b50_u32.to_le_bytes());
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(&packed);
        directory.extend(0x0201_4b50_u32.to_le_bytes());
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&fields);
        // No comment, disk 0, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (n, at, size) = (members.len() as u16, out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend(0x0605_4b50_u32.to_le_bytes());
    for field in [0, 0, n, n] {
        out.extend(field.to_le_bytes());
    }
    out.extend(size.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_from_the_end_and_come_back() {
        let members = vec![("a/b.txt".to_owned(), b"hello hello hello".to_vec()), ("c".to_owned(), vec![])];
        let file = archive(&members);
        let end = file.len() - 22;
        assert_eq!(file[end..end + 4], 0x0605_4b50_u32.to_le_bytes());
        let word = |k: usize| u32::from_le_bytes(file[k..k + 4].try_into().unwrap()) as usize;
        let mut at = word(end + 16);
        for (name, bytes) in &members {
            let offset = word(at + 42);
            assert_eq!(&file[at + 46..at + 46 + name.len()], name.as_bytes());
            let first = offset + 30 + name.len();
            let packed = &file[first..first + word(at + 20)];
            assert_eq!(&miniz_oxide::inflate::decompress_to_vec(packed).unwrap(), bytes);
            at += 46 + name.len();
        }
        assert_eq!(at, end);
    }
}
