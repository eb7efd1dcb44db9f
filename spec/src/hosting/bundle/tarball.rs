//! Finds one file in a tarball, plain or in gzip. The compression of bundles is left open.

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The name of the wanted file.
pub const MANIFEST: &str = "manifest.json";

/// The longest decompressed tarball, in bytes: the project's own limit.
const INFLATED_BYTES: usize = 1024 * 1024 * 1024;
/// The longest name in its own entry.
const NAME_BYTES: usize = 4096;
const BLOCK: usize = 512;

/// The result of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The manifest's bytes.
    Manifest(Vec<u8>),
    /// A compression that is not supported here, by name.
    Unread(&'static str),
}

/// Looks for the manifest at the tarball's root; the error says what is wrong.
pub fn find_manifest(bytes: &[u8]) -> Result<Found, String> {
    let compressions: [(&[u8], _); 3] =
        [(&[0x28, 0xb5, 0x2f, 0xfd], "zstd"), (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz"), (b"BZh", "bzip2")];
    if let Some((_, name)) = compressions.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Ok(Found::Unread(name));
    }
    let tar = match bytes.strip_prefix(&[0x1f, 0x8b]) {
        Some(rest) => Cow::Owned(gunzip(rest)?),
        None => Cow::Borrowed(bytes),
    };
    let found = walk(&tar)?.ok_or_else(|| format!("{MANIFEST} is missing from the tarball"))?;
    Ok(Found::Manifest(found.to_vec()))
}

/// Walks the entries up to the end mark.
fn walk(tar: &[u8]) -> Result<Option<&[u8]>, String> {
    let (mut at, mut long_name, mut entries) = (0, None, 0_usize);
    while let Some(header) = tar.get(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        let own: u64 = header[148..156].iter().map(|byte| u64::from(*byte)).sum();
        if octal(&header[148..156]) != Some(sum - own + 8 * u64::from(b' ')) {
            return Err(format!("not a tarball: the checksum of the header at {at} is wrong"));
        }
        let size = octal(&header[124..136]).and_then(|size| usize::try_from(size).ok());
        let content = size.and_then(|size| tar.get(at + BLOCK..)?.get(..size));
        let content = content.ok_or_else(|| format!("the entry at {at} is truncated"))?;
        match header[156] {
            b'L' if content.len() <= NAME_BYTES => long_name = Some(until_zero(content).to_vec()),
            b'x' if content.len() <= NAME_BYTES => long_name = pax_path(content).or(long_name),
            kind => {
                let name = long_name.take().unwrap_or_else(|| name(header));
                let name = name.strip_prefix(b"./").unwrap_or(&name);
                if matches!(kind, b'0' | 0 | b'7') && name == MANIFEST.as_bytes() {
                    return Ok(Some(content));
                }
            }
        }
        at += BLOCK + content.len().next_multiple_of(BLOCK);
        entries += 1;
    }
    if entries == 0 { Err("not a tarball: it has no entries".to_owned()) } else { Ok(None) }
}

/// Prefix and name of an old-format header.
fn name(header: &[u8]) -> Vec<u8> {
    let name = until_zero(&header[..100]);
    let prefix = until_zero(&header[345..500]);
    if &header[257..262] == b"ustar" && !prefix.is_empty() {
        [prefix, b"/", name].concat()
    } else {
        name.to_vec()
    }
}

/// The value of `path` in an extended header, which has lines of a length, a blank, a key, `=` and a value.
fn pax_path(content: &[u8]) -> Option<Vec<u8>> {
    content.split(|byte| *byte == b'\n').find_map(|line| {
        let at = line.iter().position(|byte| *byte == b' ')?;
        line[at + 1..].strip_prefix(b"path=").map(<[u8]>::to_vec)
    })
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)
}

/// A number in octal digits, with leading blanks and trailing blanks or zeros.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(until_zero(field)).ok()?.trim_matches(' ');
    u64::from_str_radix(if text.is_empty() { "0" } else { text }, 8).ok()
}

/// The first member of a gzip file, after its two magic bytes.
fn gunzip(rest: &[u8]) -> Result<Vec<u8>, String> {
    let body = gzip_body(rest).ok_or("not gzip: the header is truncated or unknown")?;
    let inflated = decompress_to_vec_with_limit(body, INFLATED_BYTES);
    inflated.map_err(|e| format!("not gzip: {:?}", e.status))
}

/// The body after the header and its optional fields.
fn gzip_body(rest: &[u8]) -> Option<&[u8]> {
    let (&[method, flags], mut rest) = rest.split_first_chunk::<2>()?;
    rest = rest.get(6..)?;
    if flags & 4 != 0 {
        let (length, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(usize::from(u16::from_le_bytes(*length))..)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    (method == 8).then_some(rest)
}

#[cfg(test)]
pub(super) mod tests {
    use miniz_oxide::deflate::compress_to_vec;
    use proptest::prelude::*;

    use super::*;

    /// A tarball of files, in the old format.
    pub(in super::super) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = Vec::new();
        for (name, content) in files {
            entry(&mut tar, name, b'0', content);
        }
        tar.resize(tar.len() + 2 * BLOCK, 0);
        tar
    }

    fn entry(tar: &mut Vec<u8>, name: &str, kind: u8, content: &[u8]) {
        let mut header = [0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        tar.extend_from_slice(&header);
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }

    fn gzip(bytes: &[u8], flags: u8, fields: &[u8]) -> Vec<u8> {
        [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255][..], fields, &compress_to_vec(bytes, 6), &[0; 8]]
            .concat()
    }

    #[test]
    fn manifest_is_found_at_the_root() {
        let good = Ok(Found::Manifest(b"{}".to_vec()));
        let plain = tar(&[("app/main", &[7; 700]), ("manifest.json", b"{}")]);
        assert_eq!(find_manifest(&plain), good);
        assert_eq!(find_manifest(&tar(&[("./manifest.json", b"{}")])), good);
        for (flags, fields) in
            [(0, &b""[..]), (8, b"a\0"), (4, b"\x01\0x"), (2, b"cc"), (31, b"\0\0a\0b\0cc")]
        {
            assert_eq!(find_manifest(&gzip(&plain, flags, fields)), good, "{flags}");
        }
        let mut long = Vec::new();
        entry(&mut long, "././@LongLink", b'L', b"manifest.json\0");
        entry(&mut long, "cut", b'0', b"{}");
        assert_eq!(find_manifest(&long), good);
        let mut pax = Vec::new();
        entry(&mut pax, "pax", b'x', b"22 path=manifest.json\n");
        entry(&mut pax, "cut", b'0', b"{}");
        assert_eq!(find_manifest(&pax), good);
    }

    #[test]
    fn missing_manifest_is_reported() {
        let mut folder = Vec::new();
        entry(&mut folder, "manifest.json", b'5', b"");
        let plain = tar(&[("manifest.json", b"{}")]);
        let mut changed = plain.clone();
        changed[0] ^= 1;
        for bad in [
            &b""[..],
            b"text",
            &[0; 1024],
            &tar(&[("app/manifest.json", b"{}")]),
            &folder,
            &changed,
            &plain[..513],
            &[0x1f, 0x8b],
            &gzip(&plain, 0, b"")[..30],
        ] {
            assert!(find_manifest(bad).is_err());
        }
        assert_eq!(find_manifest(b"BZh91AY"), Ok(Found::Unread("bzip2")));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000), at in 0_usize..512, gz in any::<bool>()) {
            let _ = find_manifest(&bytes);
            let mut tar = tar(&[("manifest.json", b"{}")]);
            tar[at] = bytes.first().copied().unwrap_or(b'9');
            let _ = find_manifest(&tar);
            if gz {
                let _ = find_manifest(&[&[0x1f, 0x8b, 8][..], &bytes].concat());
            }
        }
    }
}
