"""Bytes and entries in the notation of the case files."""

import base64
import hashlib
from functools import lru_cache


def read(recipe):
    """The bytes of a recipe."""
    ((form, content),) = recipe.items()
    if form == "hex":
        return bytes.fromhex(content)
    if form == "utf8":
        return content.encode()
    if form == "b64":
        return base64.b64decode(content, validate=True)
    if form == "concat":
        return b"".join(map(read, content))
    if form == "repeat":
        return bytes.fromhex(content[0]) * content[1]
    return stream(*content)


@lru_cache(maxsize=4)
def stream(seed, count):
    seeded, blocks = hashlib.sha256(seed.encode()), []
    for n in range((count + 31) // 32):
        block = seeded.copy()
        block.update(n.to_bytes(8, "big"))
        blocks.append(block.digest())
    return b"".join(blocks)[:count]


def spell_out(entries):
    """The entries of a folder, with numbered entries expanded."""
    for entry in entries:
        if "numbered" in entry:
            text, count = entry["numbered"]
            yield from ({"path": f"{text}{n}", "content": entry["content"]} for n in range(count))
        else:
            yield entry
