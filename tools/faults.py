"""Tries what can happen to a program from outside, and says what was left: full disks, kills, too little memory.

    make faults

A fault is met *well* if the program ends with the code that belongs to it, says one sentence where it can say one, and
leaves either the old file or the new one, and nothing half-written or hidden.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

PROGRAM = [sys.executable, "-c", "from napari_pogmdm.cli.main import main; main()"]
SMALL = 8192  # bytes that a file may have on the small disk
COMMANDS = {
    "reconstruct": "reconstruct phantom --method zero-filled -o out.h5",
    "denoise": "denoise image.npy --sigma 0.1 -o out.npy",
    "inspect": "inspect flf --png out.png",
    "mask": "mask -o out.npy",
    "recording": "recording phantom --preset fast -o out.pogmdm.h5",
    "evaluate": "evaluate phantom --masks C4 --methods zero-filled -o out",
    "train": "train --data data --out out --iterations 1 --patch 24 --batch 1 --every 1",
}
LONG = "reconstruct phantom --chains 400 --set injected_noise=0.5 -o out.h5"
STORE = "chains.npz"  # of finished chains, which a run that is ended leaves on purpose
Row = tuple[str, str, str, bool]


def start(command: str, folder: Path, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """Start a command in a folder."""
    return subprocess.Popen(
        [*PROGRAM, *command.split()],
        cwd=folder,
        preexec_fn=limit,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def make_inputs(folder: Path) -> set[Path]:
    """Write what the commands read, and give what is there."""
    rng = np.random.default_rng(0)
    (folder / "data").mkdir()
    np.save(folder / "image.npy", rng.random((64, 64), dtype=np.float32))
    np.save(folder / "data" / "volume.npy", rng.random((30, 64, 64), dtype=np.float32))
    return left(folder)


def left(folder: Path) -> set[Path]:
    """List all files, but for the journal of an evaluation, which grows line by line."""
    return {path for path in folder.rglob("*") if path.is_file() and path.suffix != ".jsonl"}


def sentences(text: str) -> list[str]:
    """Pick the program's own sentences."""
    return [line for line in text.splitlines() if line.startswith("napari-pogmdm: ")]


def refused(command: str, limit: Callable[[], None] | None, words: str, folder: Path) -> tuple[str, bool]:
    """Run a command that has to refuse; what it said, and whether that was well."""
    before = left(folder)
    process = start(command, folder, limit)
    _, err = process.communicate()
    said = sentences(err)
    clean = left(folder) == before and "Traceback" not in err
    return said[0][15:75] if said else err[-60:], process.returncode == 2 and len(said) == 1 and words in said[
        0
    ] and clean


def full_disk(name: str, folder: Path) -> Row:
    """Let no file grow beyond some kilobytes."""
    make_inputs(folder)
    said, well = refused(COMMANDS[name], lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL)),
                         "could not be written", folder)  # fmt: skip
    return "full disk", name, said, well


def no_such_place(name: str, folder: Path) -> Row:
    """Ask for a result where none can be: in /proc, whoever asks."""
    make_inputs(folder)
    command = COMMANDS[name].replace(" out", " /proc/out")
    said, well = refused(command, None, "/proc", folder)
    return "read-only", name, said, well


def small_memory(folder: Path) -> Row:
    """Leave too little memory for what is asked."""
    bound = 3 * 2**30
    command = "reconstruct demo --method cg-sense --slice 0 -o out.h5"
    program = f"""
import resource, sys
import napari_pogmdm.recon.methods, napari_pogmdm.cli.run_slices, torch, numpy
torch.set_num_threads(1)
taken = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**25, {bound} * 4))
sys.argv = ["napari-pogmdm", *{command.split()!r}]
from napari_pogmdm.cli.main import main
main()
"""
    before = left(folder)
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    said = sentences(done.stderr)
    well = done.returncode == 2 and len(said) == 1 and "memory" in said[0] and left(folder) == before
    return "out of memory", "reconstruct", said[0][15:75] if said else done.stderr[-60:], well


def ended(sent: signal.Signals, code: int, command: str, folder: Path) -> Row:
    """Send a signal in the middle of the work; there is an old result, which must stay."""
    (folder / "out.h5").write_bytes(b"the old result")
    before = left(folder)
    process = start(command, folder)
    time.sleep(6)
    began = time.monotonic()
    process.send_signal(sent)
    process.communicate()
    took = time.monotonic() - began
    store = folder / STORE
    if store.exists():  # finished chains stay, in a file that is whole
        with np.load(store) as arrays:
            for name in arrays.files:
                arrays[name]
        store.unlink()
    well = process.returncode == code and left(folder) == before and took < 2
    kept = (folder / "out.h5").read_bytes() == b"the old result"
    word = "terminate" if sent is signal.SIGTERM else "kill"
    return word, command.split()[0], f"code {process.returncode}, the old result {'stays' if kept else 'is gone'}", well


def killed_worker(folder: Path) -> Row:
    """Kill one of the processes of an evaluation again and again."""
    command = "evaluate phantom --masks C4,R4 --methods zero-filled,cg-sense --jobs 2 -o out"
    process = start(command, folder)
    struck = 0
    while process.poll() is None and struck < 2:
        time.sleep(0.5)
        for listed in Path(f"/proc/{process.pid}/task").glob("*/children"):
            for child in listed.read_text().split():
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes() and struck < 2:
                    os.kill(int(child), signal.SIGKILL)
                    struck += 1
    process.communicate()
    whole = (folder / "out" / "report.md").exists()
    return "kill", "a worker of evaluate", f"code {process.returncode}, {'a report' if whole else 'no report'}", whole


def two_writers(folder: Path) -> Row:
    """Let two programs write the same file."""
    pair = [start(COMMANDS["reconstruct"], folder) for _ in range(2)]
    codes = [one.wait() for one in pair]
    import h5py

    with h5py.File(folder / "out.h5") as file:
        whole = "reconstruction" in file and "record" in file
    return (
        "two writers",
        "reconstruct",
        f"codes {codes}, one whole file",
        codes == [0, 0] and whole and len(left(folder)) == 1,
    )


def main() -> int:
    """Try all faults and print the table."""
    rows: list[Row] = []

    def trial(fault: Callable[..., Row], *arguments: object) -> None:
        folder = Path(tempfile.mkdtemp(prefix="pogmdm-faults-"))
        try:
            rows.append(fault(*arguments, folder))
        finally:
            shutil.rmtree(folder)
        name, command, said, well = rows[-1]
        print(f"| {name} | {command} | {said.replace('|', ' ')} | {'well' if well else '**badly**'} |", flush=True)

    print("| fault | command | what it said or left | met |\n|---|---|---|---|", flush=True)
    for name in COMMANDS:
        trial(full_disk, name)
    for name in COMMANDS:
        trial(no_such_place, name)
    trial(small_memory)
    for command in (LONG, f"{LONG} --resume {STORE}"):
        trial(ended, signal.SIGTERM, 143, command)
        trial(ended, signal.SIGKILL, -signal.SIGKILL, command)
    trial(killed_worker)
    trial(two_writers)
    print(f"\n{len(rows)} faults, {sum(not row[-1] for row in rows)} met badly.")
    return int(not all(row[-1] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
