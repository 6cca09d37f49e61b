"""Makes the files beside it with h5py: what the C library writes, in its oldest and its newest style.

Run `python make.py` in this folder; needs h5py and numpy.
"""

import h5py
import numpy as np

for name, version in [("old", "earliest"), ("new", "latest")]:
    with h5py.File(f"{name}.hdf5", "w", libver=version) as file:
        plain = file.create_group("plain")
        plain["integers"] = np.array([1, -2, 3], "<i4")
        plain["long"] = np.array([1, -2, 2**40], "<i8")
        plain["reals"] = np.array([[0.1, -0.0], [np.inf, 5e-324]], "<f8")
        plain["big_integers"] = np.array([1, -2, 3], ">i4")
        plain["big_reals"] = np.array([0.1, -2.5], ">f8")
        plain["single"] = np.array([0.5, -2.5], "<f4")
        plain["scalar"] = np.float64(7.5)
        plain["empty"] = np.zeros(0)
        stored = file.create_group("stored")
        stored.create_dataset("chunked", data=np.arange(35.0).reshape(5, 7), chunks=(2, 3))
        stored.create_dataset("packed", data=np.arange(50.0), chunks=(50,), compression="gzip")
        stored.create_dataset("unwritten", (4,), "<f8")
        stored.create_dataset("filled", (4,), "<f8", fillvalue=2.5)
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((3,))
        dataset = h5py.h5d.create(stored.id, b"compact", h5py.h5t.IEEE_F64LE, space, compact)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1.0, 2.0, 3.0]))
        texts = file.create_group("texts")
        texts["fixed"] = np.bytes_(b"Box_stacks \xa8")
        texts["variable"] = "variable µ"
        texts["none"] = ""
        texts.attrs["variable"] = "an attribute"
        facts = file.create_group("facts")
        facts.attrs["truth"] = True
        facts.attrs["lie"] = np.bool_(False)
        facts.attrs["count"] = np.int64(-7)
        facts.attrs["list"] = np.array([1, 2], "<i4")
        facts.attrs["real"] = np.nan
        many = file.create_group("many")
        for k in range(20 if name == "old" else 8):
            many[f"item {k:02}"] = np.int32(k)
        link = file.create_group("links")
        link["soft"] = h5py.SoftLink("/plain/long")
        odd = file.create_group("odd")
        odd["type"] = np.dtype("<f8")
        odd["compound"] = np.zeros(2, [("a", "<i4"), ("b", "<f8")])
        odd["complex"] = np.zeros(2, "<c16")

# FCLIB problems whose matrix is far larger than its file: compressed a thousandfold, never written, and of more values than can be counted
for name, count, how in [
    ("bomb", 1 << 21, {"chunks": (1 << 21,), "compression": "gzip", "compression_opts": 9}),
    ("hollow", 10**10, {"fillvalue": 1.0}),
    ("chunks", 10**12, {"chunks": (1 << 20,)}),
]:
    with h5py.File(f"{name}.hdf5", "w") as file:
        matrix = file.create_group("fclib_local/W")
        for key, value in {"m": 1500, "n": 1500, "nz": -2, "nzmax": count}.items():
            matrix[key] = np.array([value if value < 2**31 else -1], "<i4")
        data = np.zeros(count) if name == "bomb" else None
        matrix.create_dataset("x", (count,), "<f8", data=data, **how)
        file["fclib_local/spacedim"] = np.array([3], "<i4")
