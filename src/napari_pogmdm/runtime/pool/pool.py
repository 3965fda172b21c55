"""What every pool of workers can do, and the one loop that hands jobs out and takes results in."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

Work = Callable[[Any, Any], Any]
"""A function that a worker can import; it is called with a job, and with what all jobs have in common."""


@dataclass(frozen=True, eq=False)
class Lost:
    """A job whose worker was killed each time it was tried.

    Attributes
    ----------
    job
        What was lost.
    reason
        What is known, without a full stop.
    """

    job: Any
    reason: str


@dataclass(frozen=True, eq=False)
class Failed:
    """A job that raised an exception, which the loop raises again here."""

    error: BaseException


_AHEAD = 2  # jobs for each place that may be out, or done and not given yet as an earlier one is not


class Crew(Protocol):
    """Workers that know what to do and wait for jobs."""

    @property
    def places(self) -> int:
        """How many jobs they take at a time: one each, so that a worker that dies costs one job."""
        ...

    def send(self, number: int, job: Any) -> None:
        """Hand out a job under a number of its own."""
        ...

    def receive(self) -> Sequence[tuple[int, Any]]:
        """Wait until some jobs are done, and give numbers with results, `Lost` or `Failed`."""
        ...


class Pool(Protocol):
    """Where jobs run."""

    @property
    def here(self) -> bool:
        """Whether jobs run in this very process, one after the other."""
        ...

    @property
    def places(self) -> int:
        """How many jobs run side by side."""
        ...

    def crew(self, work: Work, common: Any) -> AbstractContextManager[Crew]:
        """Get workers ready; leaving the block ends what they still do.

        Parameters
        ----------
        work
            What they do with a job.
        common
            What all jobs need, such as weights: it is sent to each worker once.
        """
        ...

    def sees(self, files: Iterable[str]) -> bool:
        """Whether all workers find the same files under the same names; names of no file count as found."""
        ...


def run_jobs(
    pool: Pool, work: Work, jobs: Iterable[Any], common: Any = None, *, in_order: bool = True
) -> Generator[tuple[int, Any], None, None]:
    """Compute ``work(job, common)`` for all jobs.

    Jobs are taken from the iterable only when there is room for them: what is out and what has come back but was not
    taken yet is bounded, so that memory is, too.

    Parameters
    ----------
    pool
        Where.
    work
        What.
    jobs
        To do.
    common
        Sent to each worker once.
    in_order
        Give results in the order of the jobs, rather than as they are done.

    Yields
    ------
    The number of a job and its result, or `Lost`.
    """
    waiting = enumerate(jobs)
    out, following = 0, 0
    back: dict[int, Any] = {}
    with pool.crew(work, common) as crew:
        while True:
            places = crew.places
            while out < places and out + len(back) < _AHEAD * places and (one := next(waiting, None)) is not None:
                crew.send(*one)
                out += 1
            if not out:
                return
            for number, result in crew.receive():
                out -= 1
                if isinstance(result, Failed):
                    raise result.error
                back[number] = result
            while back and (following in back or not in_order):
                number = following if in_order else next(iter(back))
                following += 1
                yield number, back.pop(number)


class Here:
    """The process itself, which does one job after the other."""

    here = True
    places = 1

    @contextmanager
    def crew(self, work: Work, common: Any) -> Iterator[_HereCrew]:
        """See `Pool.crew`."""
        yield _HereCrew(work, common)

    def sees(self, files: Iterable[str]) -> bool:
        """See `Pool.sees`."""
        return True


class _HereCrew:
    places = 1  # nobody else is there

    def __init__(self, work: Work, common: Any) -> None:
        self._work, self._common = work, common
        self._job: tuple[int, Any] | None = None

    def send(self, number: int, job: Any) -> None:
        self._job = number, job

    def receive(self) -> Sequence[tuple[int, Any]]:
        assert self._job is not None
        (number, job), self._job = self._job, None
        return [(number, self._work(job, self._common))]


_question: ContextVar[Callable[[], bool]] = ContextVar("_question")


def unwanted() -> bool:
    """Whether nobody waits any more for the job that is being done: a `CancelCheck` for the work of a pool."""
    asked = _question.get(None)
    return asked is not None and asked()


@contextmanager
def asking(question: Callable[[], bool]) -> Iterator[None]:
    """Let `unwanted` be answered by a question while a job is done."""
    token = _question.set(question)
    try:
        yield
    finally:
        _question.reset(token)
