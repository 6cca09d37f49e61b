"""Writes `.dls` files as docs/file-formats.md describes them, for problems made by tests."""
import hashlib
import json
import struct

import numpy as np

NAMES = {"<f8": "F64", "<u8": "U64", "<u4": "U32", "|u1": "U8"}


def checksum(text, arrays):
    """SHA-256 of the metadata and of every array, each piece after its length."""
    digest = hashlib.sha256()

    def add(data):
        digest.update(struct.pack("<Q", len(data)) + data)

    for key in sorted(set(text) - {"checksum"}):
        add(key.encode())
        add(text[key].encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        add(name.encode())
        add(NAMES[array.dtype.str].encode())
        digest.update(struct.pack(f"<{1 + array.ndim}Q", array.ndim, *array.shape))
        add(array.tobytes())
    return "sha256:" + digest.hexdigest()


def pack(text, arrays):
    """The bytes of a file with this metadata and these arrays."""
    text = {**text, "checksum": checksum(text, arrays)}
    header, body = {"__metadata__": text}, b""
    # without gaps every array is aligned if the widest types come first
    for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name)):
        array = np.ascontiguousarray(arrays[name])
        ends = [len(body), len(body) + array.nbytes]
        header[name] = {"dtype": NAMES[array.dtype.str], "shape": list(array.shape),
                        "data_offsets": ends}
        body += array.tobytes()
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    return struct.pack("<Q", len(words)) + words + body
