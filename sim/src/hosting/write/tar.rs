//! Tarballs of a few small files, in the ustar format of POSIX.

/// The size of a block in bytes.
const BLOCK: usize = 512;

/// The tarball of these files, in this order.
pub(super) fn tarball(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, bytes) in files {
        tar.extend_from_slice(&header(name, bytes.len()));
        tar.extend_from_slice(bytes);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks end the archive.
    tar.resize(tar.len() + 2 * BLOCK, 0);
    tar
}

fn header(name: &str, length: usize) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{length:011o}\0"));
    put(136, "00000000000\0");
    // The checksum counts its own field as spaces.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    header[148..156].copy_from_slice(sum.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_in_blocks_with_their_length_and_sum() {
        let tar = tarball(&[("a.txt", b"hello"), ("b", &[7; BLOCK])]);
        assert_eq!(tar.len(), BLOCK * (1 + 1 + 1 + 1 + 2));
        assert_eq!(&tar[..6], b"a.txt\0");
        assert_eq!(&tar[124..136], b"00000000005\0");
        assert_eq!(&tar[BLOCK..BLOCK + 6], b"hello\0");
        let mut head: Vec<u8> = tar[..BLOCK].to_vec();
        let stated = u32::from_str_radix(std::str::from_utf8(&head[148..154]).expect("digits"), 8);
        head[148..156].fill(b' ');
        assert_eq!(stated, Ok(head.iter().map(|byte| u32::from(*byte)).sum()));
    }
}
