from __future__ import annotations

from dataclasses import replace

import pytest

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.background.runner_mail import RunMail
from napari_pogmdm.runs.status import Frame, Phase, RunStatus, TracePoint

FIRST = TracePoint(0, 0, 0, 1.0, 20.0, 0.5, 0.1, 0.1, 1.0, (1.0, 1.0))
NOTICE = Notice(NoticeKind.INFORMATION, "news.")


def point(iteration: int) -> TracePoint:
    return replace(FIRST, iteration=iteration)


@pytest.fixture
def status():
    return [RunStatus(Phase.PAUSED)]


@pytest.fixture
def mail(status):
    return RunMail(lambda: status[0], lambda: None)


def test_pictures_replace_each_other_while_points_and_notices_add_up(mail):
    for iteration in (1, 2):
        mail.post(frame=Frame({}, point(iteration)), points=(point(iteration),), notice=NOTICE)
    assert mail.holds_frame
    update = mail.take()
    assert update.frame.point.iteration == 2
    assert [one.iteration for one in update.points] == [1, 2]
    assert update.notices == (NOTICE, NOTICE)
    assert not mail.holds_frame


def test_without_news_the_status_stays(mail, status):
    assert mail.take().status.phase is Phase.IDLE
    mail.post()
    assert mail.take().status.phase is Phase.PAUSED
    status[0] = RunStatus(Phase.RUNNING)
    update = mail.take()
    assert (update.status.phase, update.notices) == (Phase.PAUSED, ())


def test_a_restart_takes_back_all_but_notices(mail):
    mail.post(frame=Frame({}, FIRST), points=(FIRST,), notice=NOTICE)
    mail.post(restarted=True)
    update = mail.take()
    assert (update.frame, update.points, update.notices, update.restarted) == (None, (), (NOTICE,), True)


def test_a_fork_takes_back_what_came_after_it(mail):
    for iteration in (1, 2, 3):
        mail.post(points=(point(iteration),))
    mail.post(result=object())
    mail.post(forked=(0, 2, 0))
    mail.post(points=(point(3),))
    update = mail.take()
    assert [one.iteration for one in update.points] == [1, 2, 3]
    assert update.forked == (0, 2, 0)
    assert update.result is None
