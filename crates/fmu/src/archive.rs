//! The file of a unit: a ZIP archive with deflated members and fixed dates, so that one model gives one file.
//!
//! Written here because it is a page (PKWARE, APPNOTE 6.3.3, sections 4.3.7, 4.3.12 and 4.3.16), and archives beyond
//! 4 GiB and encryption are not needed.

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

/// The largest member that is unpacked, in bytes.
const LARGEST: usize = 1 << 30;

/// The members of an archive; those whose names lead out of its folder are refused.
pub fn unpack(file: &[u8]) -> Result<Vec<Member>, String> {
    let wrong = || "the file is no archive, or a damaged one".to_owned();
    let bytes = |at: usize, n: usize| file.get(at..at.checked_add(n)?);
    let word = |at: usize| Some(u32::from_le_bytes(bytes(at, 4)?.try_into().ok()?) as usize);
    let half = |at: usize| Some(u16::from_le_bytes(bytes(at, 2)?.try_into().ok()?) as usize);
    // The end of the directory is the last thing but for a comment.
    let end = (0..file.len().saturating_sub(21)).rev().find(|at| word(*at) == Some(0x0605_4b50));
    let end = end.ok_or_else(wrong)?;
    let (n, mut at) = (half(end + 10).ok_or_else(wrong)?, word(end + 16).ok_or_else(wrong)?);
    let mut members = vec![];
    for _ in 0..n {
        let member = || {
            let (method, packed, size) = (half(at + 10)?, word(at + 20)?, word(at + 24)?);
            let (name, extra, comment) = (half(at + 28)?, half(at + 30)?, half(at + 32)?);
            let local = word(at + 42)?;
            let first = local + 30 + half(local + 26)? + half(local + 28)?;
            let name = std::str::from_utf8(bytes(at + 46, name)?).ok()?;
            let next = at + 46 + name.len() + extra + comment;
            Some((name.to_owned(), method, bytes(first, packed)?, size, next))
        };
        let (name, method, packed, size, next) = member().ok_or_else(wrong)?;
        at = next;
        let is_inside = |part: &str| !part.is_empty() && part != ".." && part != ".";
        if name.ends_with('/') {
            continue;
        }
        if !name.split('/').all(is_inside) || name.contains('\\') || name.contains(':') {
            return Err(format!("the member `{name}` leads out of the archive"));
        }
        let content = match method {
            0 => packed.to_vec(),
            _ if size > LARGEST => return Err(format!("the member `{name}` is too large")),
            8 => miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size).map_err(|_| wrong())?,
            _ => return Err(format!("the member `{name}` is packed by an unknown method")),
        };
        members.push((name, content));
    }
    Ok(members)
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
        assert_eq!(unpack(&file).unwrap(), members);
    }

    #[test]
    fn damaged_archives_and_members_outside_are_refused() {
        let file = archive(&[("a/b.txt".to_owned(), vec![7; 100])]);
        for cut in 0..file.len() {
            let _ = unpack(&file[..cut]);
            let mut spoilt = file.clone();
            spoilt[cut] ^= 0xff;
            let _ = unpack(&spoilt);
        }
        assert!(unpack(b"nothing").is_err());
        for name in ["../x", "/x", "a//x", "c:x"] {
            assert!(unpack(&archive(&[(name.to_owned(), vec![])])).is_err(), "{name}");
        }
    }
}
