"""How long it takes to open a large raw file, and how much memory: one line of JSON for each format.

    python benchmarks/opening.py [--gigabytes 2] [--folder FOLDER] [--with-others]

Writes a file of so many gigabytes (ISMRMRD, and Siemens twix in the layout of version VD), then opens each in a fresh
process: seconds until all readouts are indexed, seconds from then to the image of the first slice, and the largest
memory of the process beyond what it had before; ``_cpu`` are seconds of the processor, which a busy machine changes
less. ``--with-others`` does the same with the libraries ismrmrd and twixtools, as far as they go. The files were just
written, so they come from memory rather than from a disk.
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

COILS, SAMPLES, LINES = 16, 512, 256  # a readout of 64 kB, a slice of 16 MiB
HEADER = """<ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD"><encoding>
<encodedSpace><matrixSize><x>512</x><y>256</y><z>1</z></matrixSize>
<fieldOfView_mm><x>500</x><y>250</y><z>5</z></fieldOfView_mm></encodedSpace>
<reconSpace><matrixSize><x>256</x><y>256</y><z>1</z></matrixSize>
<fieldOfView_mm><x>250</x><y>250</y><z>5</z></fieldOfView_mm></reconSpace>
<encodingLimits><kspace_encoding_step_1><minimum>0</minimum><maximum>255</maximum><center>128</center>
</kspace_encoding_step_1></encodingLimits><trajectory>cartesian</trajectory></encoding></ismrmrdHeader>"""
PROTOCOL = {
    "sKSpace.lBaseResolution": 256,
    "sKSpace.lPhaseEncodingLines": 256,
    "sKSpace.ucTrajectory": 1,
    "sSliceArray.asSlice[0].dReadoutFOV": 250,
    "sSliceArray.asSlice[0].dPhaseFOV": 250,
    "sSliceArray.asSlice[0].dThickness": 5,
}

READ = """
import json, resource, sys, time
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.recon.measurement import reference_image
open_scan("phantom"); reference_image(open_scan("phantom")[0])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begun, cpu = time.perf_counter(), time.process_time()
scan = open_scan(sys.argv[1])
indexed, indexed_cpu = time.perf_counter(), time.process_time()
image = reference_image(scan[len(scan) // 2])
done, done_cpu = time.perf_counter(), time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"slices": len(scan), "index_s": round(indexed - begun, 2),
                  "first_picture_s": round(done - indexed, 2),
                  "index_cpu_s": round(indexed_cpu - cpu, 2), "first_picture_cpu_s": round(done_cpu - indexed_cpu, 2),
                  "memory_MB": round((peak - before) / 1000)}))
"""
OTHERS = {
    "ismrmrd": """
import json, sys, time, ismrmrd
begun = time.perf_counter()
file = ismrmrd.Dataset(sys.argv[1], "dataset", create_if_needed=False)
wanted = [i for i in range(file.number_of_acquisitions()) if file.read_acquisition(i).idx.slice == 0]
print(json.dumps({"library": "ismrmrd", "index_s": round(time.perf_counter() - begun, 2)}))
""",
    "twix": """
import json, sys, time, twixtools
begun = time.perf_counter()
twixtools.read_twix(sys.argv[1], verbose=False, parse_geometry=False)
print(json.dumps({"library": "twixtools", "index_s": round(time.perf_counter() - begun, 2)}))
""",
}


def write_ismrmrd(path: Path, slices: int) -> None:
    import ismrmrd

    generator = np.random.default_rng(0)
    dtype = ismrmrd.hdf5.acquisition_dtype
    samples = generator.normal(size=(LINES, 2 * COILS * SAMPLES)).astype(np.float32)
    with h5py.File(path, "w") as file:
        group = file.create_group("dataset")
        group.create_dataset("xml", data=[HEADER.encode()], dtype=h5py.string_dtype())
        data = group.create_dataset("data", (slices * LINES,), dtype, maxshape=(None,), chunks=(1,))
        for number in range(slices):
            rows = np.zeros(LINES, dtype)
            head = rows["head"]
            head["version"], head["number_of_samples"], head["center_sample"] = 1, SAMPLES, SAMPLES // 2
            head["active_channels"] = head["available_channels"] = COILS
            head["idx"]["kspace_encode_step_1"], head["idx"]["slice"] = np.arange(LINES), number
            for line in range(LINES):
                rows["data"][line], rows["traj"][line] = samples[line], np.zeros(0, np.float32)
            data[number * LINES : (number + 1) * LINES] = rows


def write_twix(path: Path, slices: int) -> None:
    generator = np.random.default_rng(0)
    listed = "\n".join(f"{name} = {value}" for name, value in PROTOCOL.items())
    meas = '<ParamLong."iPEFTLength"> { 256 }\n<ParamDouble."flReadoutOSFactor"> { 2.0 }\n'
    body = b""
    for name, text in (("Meas", meas), ("MeasYaps", listed), ("Dicom", '<ParamString."SoftwareVersions"> { "a" }')):
        body += name.encode() + b"\0" + struct.pack("<I", len(text)) + text.encode()
    protocol = (struct.pack("<II", 20_000, 3) + body).ljust(20_000, b"\0")
    length = 192 + COILS * (32 + 8 * SAMPLES)
    readouts = np.zeros((LINES, length), np.uint8)
    blocks = readouts[:, 192:].reshape(LINES, COILS, 32 + 8 * SAMPLES)
    noise = generator.normal(size=(LINES, COILS, 2 * SAMPLES)).astype("<f4")
    blocks[:, :, 32:] = noise.view(np.uint8).reshape(LINES, COILS, -1)
    readouts[:, :4] = np.frombuffer(struct.pack("<I", length), np.uint8)
    readouts[:, 48:52] = np.frombuffer(struct.pack("<HH", SAMPLES, COILS), np.uint8)
    readouts[:, 52:54] = np.arange(LINES, dtype="<u2").view(np.uint8).reshape(LINES, 2)
    readouts[:, 84:86] = np.frombuffer(struct.pack("<H", SAMPLES // 2), np.uint8)
    readouts[:, 96:98] = np.frombuffer(struct.pack("<H", LINES // 2), np.uint8)
    size = len(protocol) + slices * readouts.size + 192
    table = struct.pack("<IIIIQQ", 0, 1, 1, 1, 10_240, size).ljust(10_240, b"\0")
    end = bytearray(192)
    struct.pack_into("<I", end, 0, 192)
    struct.pack_into("<Q", end, 40, 1)
    with path.open("wb") as file:
        file.write(table + protocol)
        for number in range(slices):
            readouts[:, 56:58] = np.frombuffer(struct.pack("<H", number), np.uint8)
            file.write(readouts.tobytes())
        file.write(end)


def run(program: str, path: Path) -> dict[str, object]:
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1]) | {"process_s": round(time.perf_counter() - begun, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--with-others", action="store_true")
    options = parser.parse_args()
    slices = max(1, round(options.gigabytes * 1e9 / (8 * COILS * SAMPLES * LINES)))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for kind, write, name in (("ismrmrd", write_ismrmrd, "large.h5"), ("twix", write_twix, "large.dat")):
            path = Path(folder) / name
            write(path, slices)
            size = round(path.stat().st_size / 1e9, 2)
            print(json.dumps({"format": kind, "gigabytes": size, **run(READ, path)}), flush=True)
            if options.with_others:
                print(json.dumps({"format": kind, **run(OTHERS[kind], path)}), flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
