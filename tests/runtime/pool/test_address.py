"""What the user may say about a cluster, and a dozen things that are refused in one sentence."""

from __future__ import annotations

import json

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool.address import LocalAddress, QueueAddress, SchedulerAddress, read_address


def test_workers_of_this_machine():
    assert read_address("local:3") == LocalAddress(3)
    found = read_address("local")
    assert isinstance(found, LocalAddress)
    assert found.workers >= 1


@pytest.mark.parametrize("text", ["tcp://host:8786", "tls://10.0.0.1:8786", "tcp://[::1]:8786"])
def test_a_scheduler_by_its_address(text):
    assert read_address(text) == SchedulerAddress(text)


def test_a_scheduler_file(tmp_path):
    path = tmp_path / "scheduler.json"
    path.write_text(json.dumps({"type": "Scheduler", "id": "x", "address": "tcp://127.0.0.1:1234", "workers": {}}))
    assert read_address(str(path)) == SchedulerAddress("tcp://127.0.0.1:1234")


@pytest.mark.parametrize(
    "text",
    [
        "cluster: slurm\nworkers: 4\noptions: {queue: short, cores: 1, memory: 4GB}",
        '{"cluster": "slurm", "workers": 4, "options": {"queue": "short", "cores": 1, "memory": "4GB"}}',
    ],
)
def test_a_file_that_names_a_queue(tmp_path, text):
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
    assert read_address(str(path)) == QueueAddress("slurm", 4, {"queue": "short", "cores": 1, "memory": "4GB"})


@pytest.mark.parametrize(
    "text", ["", "locale", "local:", "local:0", "local:-1", "local:two", "local:9999", "host:8786", "tcp://host",
             "tcp://host:port", "http://host:80", "absent.yaml", "x" * 5000, "a\0b"],
)  # fmt: skip
def test_what_names_no_cluster_is_refused(text):
    with pytest.raises(InputError, match=r"^--cluster: .*\.$"):
        read_address(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\0", b"[1, 2]", b"7", b"cluster: [", b"cluster: magic", b"address: nowhere", b"workers: 4",
     b"cluster: slurm\nworkers: many", b"cluster: slurm\nworkers: true", b"cluster: slurm\nqueue: short",
     b"cluster: slurm\noptions: [1]", b"cluster: slurm\noptions: {1: 2}", b"cluster: [slurm]",
     b"!!python/object/apply:os.system ['true']", b"[" * 100_000, b"x" * (2**20 + 1)],
)  # fmt: skip
def test_files_that_name_none_are_refused(tmp_path, content):
    path = tmp_path / "cluster.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^--cluster: .*cluster\.yaml.*\.$|^--cluster: .* is not a number"):
        read_address(str(path))
