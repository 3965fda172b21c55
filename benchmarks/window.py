"""How the window behaves while a run goes on in it: answers, throughput, display, cancelling, leaks, closing.

Prints JSON. Run it with a display, or as ``tools/with_display.sh python benchmarks/window.py``. Throughput is a ratio
within one run, headless and watched turns alternating; `load` is what else the machine was doing. On a busy machine the
figures ``by_cpu_time`` say what the others would on a quiet one: they count the seconds that a thread was computing
instead of those on the clock (with one thread of torch, so that a thread's time is all of its work).
``on_several_threads`` is the share of the sampler's blocks that were shared out between threads: 1 on idle cores.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch
from qtpy.QtCore import QAbstractEventDispatcher, QEventLoop, QObject, Qt, QTimer, Signal
from qtpy.QtWidgets import QApplication

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.sampler.dock import SamplerDock
from napari_pogmdm.gui.docks.trace.dock import TraceDock
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.status import Phase
from napari_pogmdm.runtime import threads
from napari_pogmdm.runtime.pace import Pace

LONG = 5_000
ASK_SECONDS = 0.01


class CountingPace(Pace):
    """Counts how often the sampler worked on several threads, and how often on one because others were in the way."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: Counter[bool] = Counter()

    def several(self) -> bool:
        answer = super().several()
        self.answers[answer] += 1
        return answer

    def share(self) -> float:
        """Share of several threads since the last call."""
        counted, self.answers = self.answers, Counter()
        return counted[True] / max(counted.total(), 1)


PACE = CountingPace()


class Asker(QObject):
    """Asks the window's thread something every few milliseconds, and notes how long it takes to answer."""

    asked = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._ended = threading.Event()
        self.asked.connect(
            lambda then: self.waits.append(time.perf_counter() - then), Qt.ConnectionType.QueuedConnection
        )
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def _ask(self) -> None:
        while not self._ended.wait(ASK_SECONDS):
            self.asked.emit(time.perf_counter())

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


class Turns:
    """Seconds of computing in each turn of the window's own event loop; waiting is no computing.

    Qt's event loops tell before they wait and after it; some of them handle events before the second, some after it.
    """

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._before = time.thread_time()
        dispatcher = QAbstractEventDispatcher.instance()
        self._signals = (dispatcher.awake, dispatcher.aboutToBlock)
        for signal in self._signals:
            signal.connect(self._turn)

    def _turn(self) -> None:
        now = time.thread_time()
        self.seconds.append(now - self._before)
        self._before = now

    def end(self) -> None:
        for signal in self._signals:
            signal.disconnect(self._turn)


def live(seconds: float) -> None:
    """Let the window live for a while in an event loop that sleeps until something happens, as its own does."""
    loop = QEventLoop()
    QTimer.singleShot(round(1e3 * seconds), loop.quit)
    loop.exec()


def until(condition: Callable[[], object], seconds: float = 120.0) -> float:
    begun = time.perf_counter()
    application = QApplication.instance()
    while not condition():
        application.processEvents()
        if time.perf_counter() - begun > seconds:
            raise TimeoutError
        time.sleep(0.0005)
    return time.perf_counter() - begun


def open_window(size: tuple[int, int], coils: int) -> tuple[Workbench, SamplerDock]:
    import napari

    viewer = napari.Viewer(show=True)
    viewer.window.resize(1600, 1000)
    bench = Workbench.of(viewer)
    dock = SamplerDock(viewer)
    viewer.window.add_dock_widget(dock, name="Sampler", area="right")
    viewer.window.add_dock_widget(TraceDock(viewer), name="Trace", area="bottom")
    load(bench, size, coils)
    return bench, dock


def load(bench: Workbench, size: tuple[int, int], coils: int) -> None:
    session = bench.session
    session.virtual_coils = 0
    session.settings = replace(preset("default"), iterations=LONG, choose=Choosing.NONE)
    session.mask_request = MaskRecipe("cartesian", 4.0, 0.08)
    session.measurement = None
    bench.loader.take(InMemoryScan("phantom", (simulate_scan(shepp_logan(size), coils=coils, noise=0.01),)))
    bench.loader.load_model("flf-tc")
    until(lambda: session.measurement is not None and session.prior is not None)
    live(0.5)


def headless(bench: Workbench, seconds: float) -> tuple[float, float]:
    """Substeps a second without a window's doings, on the clock and by the time that the thread computed."""
    session = bench.session
    assert session.measurement is not None
    assert session.prior is not None
    sampler = make_sampler(session.measurement, session.prior, session.settings)
    state = sampler.step(sampler.start())
    count, begun, computed = 0, time.perf_counter(), time.thread_time()
    while time.perf_counter() - begun < seconds:
        state = sampler.substep(state)
        count += 1
    return count / (time.perf_counter() - begun), count / (time.thread_time() - computed)


def computing(thread: int | None) -> float:
    """Seconds that a thread of this process has computed."""
    times = {one.id: one.user_time + one.system_time for one in psutil.Process().threads()}
    return times[thread or 0]


def painting() -> float:
    """Seconds that the threads of Mesa's software painter have computed; 0 where something else paints."""
    painters = {int(task.name) for task in Path("/proc/self/task").glob("*") if _name(task).startswith("llvmpipe")}
    times = {one.id: one.user_time + one.system_time for one in psutil.Process().threads()}
    return sum(times.get(painter, 0.0) for painter in painters)


def _name(task: Path) -> str:
    try:
        return (task / "comm").read_text()
    except OSError:  # it has just ended
        return ""


def watched(bench: Workbench, dock: SamplerDock, seconds: float, phase: Phase) -> dict[str, Any]:
    """Substeps and pictures a second while a run plays or runs, and all waits for an answer."""
    (dock.buttons.play if phase is Phase.PLAYING else dock.buttons.run).click()
    until(lambda: bench.session.status.phase is phase and bench.session.status.iteration >= 2)
    live(0.5)
    frames: list[float] = []
    draws: list[float] = []
    count_frame = lambda *_: frames.append(time.perf_counter())  # noqa: E731
    count_draw = lambda *_: draws.append(time.perf_counter())  # noqa: E731
    scene = bench.viewer.window._qt_viewer.canvas._scene_canvas
    bench.session.events.frame.connect(count_frame)
    scene.events.draw.connect(count_draw)
    asker, run = Asker(), bench.runner._run
    assert run is not None
    done = lambda: run.state.iteration * len(run.sampler.plan) + run.state.substep  # noqa: E731
    worker = bench.runner._thread.native_id
    begun, before, computed, handled = time.perf_counter(), done(), computing(worker), time.thread_time()
    painted = painting()
    turns = Turns()
    PACE.share()
    live(seconds)
    several = PACE.share()
    turns.end()
    spent, after = time.perf_counter() - begun, done()
    computed, handled = computing(worker) - computed, time.thread_time() - handled
    painted = painting() - painted
    asker.end()
    bench.session.events.frame.disconnect(count_frame)
    scene.events.draw.disconnect(count_draw)
    dock.buttons.run.click()
    until(lambda: not bench.session.status.phase.busy)
    dock.buttons.reset.click()
    until(lambda: bench.session.status.phase is Phase.IDLE)
    return {
        "substeps": (after - before) / spent,
        "frames": len(frames) / spent,
        "draws": len(draws) / spent,
        "waits": asker.waits,
        "handling": turns.seconds,
        "substeps_by_cpu": (after - before) / computed,
        "handled_per_frame": handled / max(len(frames), 1),
        "handled": handled / spent,
        "painted": painted / spent,
        "several": several,
    }


def while_it_goes_on(bench: Workbench, dock: SamplerDock, turns: int, seconds: float, phase: Phase) -> dict[str, Any]:
    alone, played = [], []
    for _ in range(turns):
        alone.append(headless(bench, seconds))
        played.append(watched(bench, dock, seconds, phase))
    alone.append(headless(bench, seconds))
    waits = 1e3 * np.concatenate([np.array(turn["waits"]) for turn in played])
    handling = 1e3 * np.concatenate([np.array(turn["handling"]) for turn in played])
    clock, cpu = zip(*alone, strict=True)
    ratios = [turn["substeps"] / (0.5 * (clock[i] + clock[i + 1])) for i, turn in enumerate(played)]
    by_cpu = [turn["substeps_by_cpu"] / (0.5 * (cpu[i] + cpu[i + 1])) for i, turn in enumerate(played)]
    return {
        "answer_median_ms": round(float(np.median(waits)), 2),
        "answer_p99_ms": round(float(np.percentile(waits, 99)), 1),
        "answer_max_ms": round(float(waits.max()), 1),
        "answers": len(waits),
        "headless_substeps_per_s": round(float(np.median(clock)), 1),
        "watched_substeps_per_s": round(float(np.median([turn["substeps"] for turn in played])), 1),
        "throughput": round(float(np.median(ratios)), 3),
        "throughput_best": round(max(ratios), 3),
        "by_cpu_time": {
            "throughput": round(float(np.median(by_cpu)), 3),
            "headless_substeps_per_s": round(float(np.median(cpu)), 1),
            "handling_p99_ms": round(float(np.percentile(handling, 99)), 1),
            "handling_max_ms": round(float(handling.max()), 1),
            "window_ms_per_frame": round(1e3 * float(np.median([turn["handled_per_frame"] for turn in played])), 1),
        },
        "cores_for_window_and_painting": [
            round(float(np.median([turn[share] for turn in played])), 2) for share in ("handled", "painted")
        ],
        "on_several_threads": round(float(np.median([turn["several"] for turn in played])), 2),
        "frames_per_s": round(float(np.median([turn["frames"] for turn in played])), 1),
        "draws_per_s": round(float(np.median([turn["draws"] for turn in played])), 1),
    }


def cancelling(bench: Workbench, dock: SamplerDock, times: int) -> dict[str, float]:
    """Seconds from the click on Cancel to rest, at random moments, the first of them while coils are found."""
    chance, waits = random.Random(0), []
    for turn in range(times):
        dock.buttons.run.click()
        if turn:
            until(lambda: bench.session.status.phase is Phase.RUNNING)
            live(chance.random())
        else:
            live(0.02)
        dock.buttons.run.click()
        waits.append(until(lambda: not bench.session.status.phase.busy))
        dock.buttons.reset.click()
        until(lambda: bench.session.status.phase is Phase.IDLE)
    return {"cancel_median_s": round(float(np.median(waits)), 3), "cancel_max_s": round(max(waits), 3)}


def leaks(bench: Workbench, dock: SamplerDock, cycles: int) -> dict[str, float]:
    """What so many runs that are begun and cancelled leave behind, after ten that do not count."""
    process = psutil.Process()

    def cycle() -> None:
        dock.buttons.run.click()
        until(lambda: bench.session.status.iteration >= 1)
        dock.buttons.run.click()
        until(lambda: not bench.session.status.phase.busy)
        live(0.05)

    for _ in range(10):
        cycle()
        dock.buttons.reset.click()
        until(lambda: bench.session.status.phase is Phase.IDLE)
    gc.collect()
    memory, threads, layers = process.memory_info().rss, threading.active_count(), len(bench.viewer.layers)
    for _ in range(cycles):
        cycle()
        dock.buttons.reset.click()
        until(lambda: bench.session.status.phase is Phase.IDLE)
    gc.collect()
    return {
        "cycles": cycles,
        "leaked_mb": round((process.memory_info().rss - memory) / 2**20, 1),
        "leaked_threads": threading.active_count() - threads,
        "leaked_layers": len(bench.viewer.layers) - layers,
    }


def closing() -> dict[str, float]:
    """Seconds from closing the window in the middle of a run to the end of the process, and its exit code."""
    process = subprocess.run(
        [sys.executable, __file__, "--close"], capture_output=True, text=True, timeout=300, check=False
    )
    closed = [line for line in process.stdout.splitlines() if line.startswith("closing ")]
    ended = time.time()
    return {
        "exit_code": process.returncode,
        "exit_s": round(ended - float(closed[0].split()[1]), 2) if closed else -1.0,
    }


def close_in_a_run() -> None:
    import napari

    bench, dock = open_window((320, 320), 8)
    dock.buttons.run.click()
    until(lambda: bench.session.status.iteration >= 2)

    def close() -> None:
        print("closing", time.time(), flush=True)
        bench.viewer.window._qt_window.close()

    QTimer.singleShot(300, close)
    napari.run()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--close", action="store_true", help="only open a window, close it in a run, and end")
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 leaves the choice to it")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--quick", action="store_true", help="only how fast a run is while it is watched")
    parser.add_argument("--cycles", type=int, default=50)
    options = parser.parse_args()
    if options.close:
        close_in_a_run()
        return
    if options.threads:
        torch.set_num_threads(options.threads)
    threads._PACE = PACE
    report: dict[str, object] = {"load": os.getloadavg()[0], "threads": torch.get_num_threads()}
    bench, dock = open_window((320, 320), 8)
    for phase in (Phase.RUNNING, Phase.PLAYING):
        name = f"{phase.value}_320_8_coils_1600x1000"
        report[name] = while_it_goes_on(bench, dock, options.turns, options.seconds, phase)
    if options.quick:
        print(json.dumps(report, indent=2))
        bench.close()
        bench.viewer.close()
        return
    report["cancel_320_8_coils"] = cancelling(bench, dock, 12)
    report["leaks"] = leaks(bench, dock, options.cycles)
    load(bench, (640, 372), 15)
    report["cancel_640x372_15_coils"] = cancelling(bench, dock, 8)
    bench.close()
    report["closing"] = closing()
    report["load_after"] = os.getloadavg()[0]
    print(json.dumps(report, indent=2))
    bench.viewer.close()


if __name__ == "__main__":
    main()
