"""What the window says about a run, in words."""

from __future__ import annotations

from napari_pogmdm.recon.sampler.choices.choices import WARNINGS
from napari_pogmdm.runs.history import BUDGET
from napari_pogmdm.runs.status import Phase, Position, RunStatus

_DONE = {
    "predict": "predictor",
    "correct": "corrector",
    "data": "data step",
    "coils": "coil step",
    "denoise": "estimate",
}
_ORDINALS = ("first", "second", "third")
_CHANGED = "finished; Run takes the new settings and keeps this run's curves"
_OUTDATED = "of an earlier scan, mask or model; the next run starts again"


def progress_text(status: RunStatus, outdated: bool = False, changed: bool = False) -> str:
    """Say where a run stands: iteration, sigma, chain and time left.

    Parameters
    ----------
    status
        Of the run.
    outdated
        Whether it is of another scan, mask or model than the window shows; then there is no room for all of this.
    changed
        Whether settings changed since a finished run began.
    """
    fixed = {
        Phase.IDLE: "No run yet",
        Phase.PREPARING: "Finding first coils ...",
        Phase.CANCELLING: "Cancelling ...",
    }
    if status.phase in fixed:
        return fixed[status.phase]
    if outdated:
        return f"{status.iteration} of {status.steps} iterations {_OUTDATED}"
    begun = status.iteration + (status.substep > 0)  # as the state that is shown counts them
    parts = [f"iteration {begun} of {status.steps}", f"sigma {status.sigma:.3g}"]
    if status.chains > 1:
        parts.append(f"chain {status.chain + 1} of {status.chains}")
    if status.phase is Phase.FINISHED:
        parts.append("finished" if not changed else _CHANGED)
    elif status.phase is Phase.STOPPED:
        parts.append(f"stopped at step {status.iteration}")
    elif status.phase is Phase.PAUSED:
        parts.append("paused")
    elif status.seconds_left is not None:
        parts.append(f"{time_text(status.seconds_left)} left")
    return ", ".join(parts)


def choice_text(status: RunStatus) -> str:
    """Say in short what the data chose, warnings first; the evidence, in brackets, is left to the tooltip."""
    warnings = [one[0].upper() + one[1:] for one in status.choices if one in WARNINGS]
    chosen = [one.partition(" (")[0].rstrip(".") for one in status.choices if one not in WARNINGS]
    return " ".join((*warnings, *(f"Chosen from the data: {one}." for one in chosen)))


def time_text(seconds: float) -> str:
    """Write a duration in two units at most."""
    whole = round(seconds)
    if whole < 60:
        return f"{max(whole, 1)} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def position_text(position: Position, plan: tuple[str, ...]) -> str:
    """Say which state is shown: "iteration 12, after data step"; a whole iteration ends with its last substep.

    A substep that an iteration takes more than once is counted.
    """
    if position.iteration == 0 and position.substep == 0:
        return "start"
    if position.substep == 0:
        return f"iteration {position.iteration}, complete"
    name = last_substep(position, plan)
    count = plan[: position.substep].count(name)
    which = f"{_ORDINALS[count - 1]} " if plan.count(name) > 1 and 1 <= count <= len(_ORDINALS) else ""
    return f"iteration {position.iteration + 1}, after {which}{_DONE.get(name, 'a substep')}"


def last_substep(position: Position, plan: tuple[str, ...]) -> str:
    """Name the substep that led to a state."""
    return plan[(position.substep - 1) % len(plan)] if plan else ""


def substep_words(name: str) -> str:
    """Name a substep for people."""
    return _DONE.get(name, name)


def memory_text(status: RunStatus) -> str:
    """Say what the kept states cost."""
    states = f"{len(status.kept)} state" + ("" if len(status.kept) == 1 else "s")
    return f"{states}, {status.kept_bytes / 2**20:.0f}/{BUDGET // 2**20} MB"  # there is little room
