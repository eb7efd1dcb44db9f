"""The content identifier of a folder: CIDv1, raw leaves, chunks of 262144 bytes, HAMT for large folders."""
import base64
import hashlib

CHUNK = 262144
MASK = 2 ** 64 - 1


def cid_of(files):
    """The CID of a folder. `files` maps a path to bytes."""
    tree = {}
    for name, data in files.items():
        *folders, last = name.encode().split(b"/")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = data
    return "b" + base64.b32encode(folder_node(tree)[0]).decode().lower().rstrip("=")


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, value):
    """One protobuf field."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def block(codec, data):
    return b"\x01" + bytes([codec]) + b"\x12\x20" + hashlib.sha256(data).digest()


def node(links, data):
    """A dag-pb node: (cid, total size). Links are (name, cid, total size)."""
    out = b"".join(field(2, field(1, cid) + field(2, name) + field(3, size)) for name, cid, size in links)
    out += field(1, data)
    return block(0x70, out), len(out) + sum(size for _, _, size in links)


def file_node(data):
    """One level of chunks. 40 MB need no second level."""
    chunks = [data[i:i + CHUNK] for i in range(0, len(data), CHUNK)] or [b""]
    leaves = [(b"", block(0x55, chunk), len(chunk)) for chunk in chunks]
    if len(leaves) == 1:
        return leaves[0][1:]
    return node(leaves, field(1, 2) + field(3, len(data)) + b"".join(field(4, leaf[2]) for leaf in leaves))


def folder_node(tree):
    links = [(name, *(folder_node(value) if isinstance(value, dict) else file_node(value)))
             for name, value in tree.items()]
    if sum(len(name) + len(cid) for name, cid, _ in links) > CHUNK:
        return shard_node([(murmur3(link[0]), *link) for link in links])
    return node(sorted(links), field(1, 1))


def shard_node(entries, depth=0):
    """A shard with 256 slots. Entries are (hash of the name, name, cid, total size)."""
    slots = {}
    for entry in entries:
        slots.setdefault(entry[0][depth], []).append(entry)
    links = []
    for slot, inside in sorted(slots.items()):
        prefix = b"%02X" % slot
        links.append((prefix + inside[0][1], *inside[0][2:]) if len(inside) == 1 else
                     (prefix, *shard_node(inside, depth + 1)))
    bits = sum(1 << slot for slot in slots)
    bitfield = bits.to_bytes((bits.bit_length() + 7) // 8, "big")
    return node(links, field(1, 5) + field(2, bitfield) + field(5, 0x22) + field(6, 256))


def rotate(number, bits):
    return (number << bits | number >> 64 - bits) & MASK


def scramble(number, first, bits, second):
    return rotate(number * first & MASK, bits) * second & MASK


def finish(number):
    for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53):
        number = (number ^ number >> 33) * factor & MASK
    return number ^ number >> 33


def murmur3(key):
    """The first 64 bits of murmur3-x64-128."""
    c1, c2, h1, h2 = 0x87c37b91114253d5, 0x4cf5ad432745937f, 0, 0
    whole = len(key) // 16 * 16
    for i in range(0, whole + 1, 16):
        part = key[i:i + 16].ljust(16, b"\0")
        h1 ^= scramble(int.from_bytes(part[:8], "little"), c1, 31, c2)
        k2 = scramble(int.from_bytes(part[8:], "little"), c2, 33, c1)
        if i == whole:
            h2 ^= k2
            break
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729 & MASK
        h2 = (rotate(h2 ^ k2, 31) + h1) * 5 + 0x38495ab5 & MASK
    h1, h2 = h1 ^ len(key), h2 ^ len(key)
    h1 = h1 + h2 & MASK
    h2 = h2 + h1 & MASK
    return (finish(h1) + finish(h2) & MASK).to_bytes(8, "big")
