"""Several workers: replaced, rolled, recycled, grown and shrunk without losing a request."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from integration.lifecycle import (
    APP,
    TESTS,
    Notes,
    eventually,
    fresh_notes,
    stop_while_starting,
    workers,
)
from integration.load import Load
from serving import DEADLINE, Server, children

notes = fresh_notes


def answering(server: Server, count: int) -> set[int]:
    """The processes that answer, once it is so many of them. A new connection each time."""
    pids: set[int] = set()

    def enough() -> bool:
        pids.add(int(httpx.get(server.url).text))
        return len(pids) >= count

    eventually(enough, f"answers of {count} workers")
    return pids


@contextmanager
def sleepers(server: Server) -> Iterator[Load]:
    """Requests that take a moment, each on a connection of its own."""
    with Load(server.port, "/sleep/0.01", clients=4) as load:
        yield load


def answered_by(load: Load) -> set[int]:
    """The processes that have answered; nothing else may have happened."""
    assert load.lost == []
    assert load.refused == 0
    assert all(answer.status == 200 for answer in load.answers.values())
    return {int(answer.body) for answer in load.answers.values()}


def test_readiness_is_reported_when_every_lifespan_has_started(notes: Notes) -> None:
    with workers(2, notes) as server:
        assert len(notes.of("startup")) == 2
        before = server.log.partition("Alula running on")[0]
        assert before.count("Application startup complete.") == 2
        assert answering(server, 2) == set(notes.of("startup"))
        server.stop()
        assert sorted(notes.of("shutdown")) == sorted(notes.of("startup"))
        assert f"Stopping parent process [{server.pid}]" in server.log


def test_the_supervisor_does_not_import_the_application(notes: Notes) -> None:
    with workers(2, notes) as server:
        assert Path(f"/proc/{server.pid}/maps").exists()
        assert server.pid not in notes.of("startup")
        assert set(notes.of("startup")) == set(children(server.pid))


def test_a_killed_worker_is_replaced(notes: Notes) -> None:
    with workers(2, notes) as server:
        victim = notes.of("startup")[0]
        os.kill(victim, signal.SIGKILL)
        server.wait_for_log(rf"Child process \[{victim}\] died \(killed by SIGKILL\)")
        replaced = notes.wait_for("startup", 3)[2]
        assert answering(server, 2) == {notes.of("startup")[1], replaced}


def test_workers_that_keep_dying_are_replaced_ever_more_slowly(notes: Notes) -> None:
    with workers(2, notes) as server:
        first, other = notes.of("startup")
        start = time.monotonic()
        for count in (3, 4):
            victim = next(pid for pid in reversed(notes.of("startup")) if pid != other)
            os.kill(victim, signal.SIGKILL)
            notes.wait_for("startup", count)
        assert first in notes.of("startup")
        assert time.monotonic() - start >= 0.5
        assert httpx.get(server.url).status_code == 200


def test_sighup_rolls_every_worker_without_losing_a_request(notes: Notes) -> None:
    with workers(2, notes) as server:
        old = set(notes.of("startup"))
        with sleepers(server) as load:
            load.expect(20)
            server.send_signal(signal.SIGHUP)
            new = set(notes.wait_for("startup", 4)) - old
            assert set(notes.wait_for("shutdown", 2)) == old
            load.expect(20)
        assert new <= answered_by(load)
        eventually(lambda: set(children(server.pid)) == new, "the old workers' end")
        assert notes.path.read_text().index(f"startup {notes.of('startup')[2]}") < (
            notes.path.read_text().index("shutdown")
        )


def test_a_roll_that_fails_keeps_the_old_workers(notes: Notes) -> None:
    with workers(2, notes) as server:
        old = set(notes.of("startup"))
        fail = notes.path.with_name("notes.fail")
        fail.touch()
        server.send_signal(signal.SIGHUP)
        server.wait_for_log(r"New child process \[\d+\] failed to start \(exit code 3\), keeping")
        server.wait_for_log("Restart aborted.")
        assert answering(server, 2) == old
        fail.unlink()
        server.send_signal(signal.SIGHUP)
        assert set(notes.wait_for("shutdown", 2)) == old


def test_a_replacement_that_hangs_is_killed_and_a_later_restart_succeeds(notes: Notes) -> None:
    with workers(2, notes, "--timeout-worker-startup", "1") as server:
        old = set(notes.of("startup"))
        hang = notes.path.with_name("notes.hang")
        hang.touch()
        server.send_signal(signal.SIGHUP)
        (hung,) = notes.wait_for("hanging")
        server.wait_for_log(
            rf"Child process \[{hung}\] is not ready after 1 seconds"
            r" \(--timeout-worker-startup\), killing it\."
        )
        server.wait_for_log("Restart aborted.")
        assert answering(server, 2) == old
        hang.unlink()
        server.send_signal(signal.SIGHUP)
        assert set(notes.wait_for("shutdown", 2)) == old


def test_a_restart_replaces_a_replacement_that_hangs(notes: Notes) -> None:
    with workers(2, notes) as server:
        old = set(notes.of("startup"))
        hang = notes.path.with_name("notes.hang")
        hang.touch()
        server.send_signal(signal.SIGHUP)
        (hung,) = notes.wait_for("hanging")
        hang.unlink()
        server.send_signal(signal.SIGHUP)
        server.wait_for_log(rf"Child process \[{hung}\] is still starting, replacing it too\.")
        assert set(notes.wait_for("shutdown", 2)) == old
        eventually(lambda: hung not in children(server.pid), "the hanging worker's end")


def test_the_successor_of_a_dead_worker_that_hangs_is_killed_and_tried_again(notes: Notes) -> None:
    with workers(2, notes, "--timeout-worker-startup", "1") as server:
        victim, other = notes.of("startup")
        hang = notes.path.with_name("notes.hang")
        hang.touch()
        os.kill(victim, signal.SIGKILL)
        (hung,) = notes.wait_for("hanging")
        hang.unlink()
        server.wait_for_log(rf"Child process \[{hung}\] died \(killed by SIGKILL\)")
        assert answering(server, 2) == {other, notes.wait_for("startup", 3)[2]}


def test_sigttin_and_sigttou_add_and_remove_a_worker(notes: Notes) -> None:
    with workers(2, notes) as server:
        server.send_signal(signal.SIGTTIN)
        third = notes.wait_for("startup", 3)[2]
        assert third in answering(server, 3)
        server.send_signal(signal.SIGTTOU)
        assert notes.wait_for("shutdown") == [third]
        server.send_signal(signal.SIGTTOU)
        notes.wait_for("shutdown", 2)
        server.send_signal(signal.SIGTTOU)
        server.wait_for_log("Already reached one process")
        assert answering(server, 1) < set(notes.of("startup")[:2])


def test_a_full_worker_is_replaced_before_it_leaves(notes: Notes) -> None:
    limits = ("--limit-max-requests", "30", "--limit-max-requests-jitter", "10")
    with workers(2, notes, *limits) as server:
        with sleepers(server) as load:
            notes.wait_for("shutdown", 4)
        assert len(answered_by(load)) >= 4
        server.wait_for_log("has reached its request limit")
        events = [line.split() for line in notes.path.read_text().splitlines()]
        alive = 0
        for what, _ in events:
            alive += {"startup": 1, "shutdown": -1}.get(what, 0)
            assert alive >= 2 or what == "startup"


def test_a_single_worker_that_is_full_ends_with_code_0(notes: Notes) -> None:
    with workers(1, notes, "--limit-max-requests", "3") as server:
        for _ in range(3):
            httpx.get(server.url)
        assert server.wait() == 0
        server.wait_for_log("Maximum request limit of 3 exceeded. Terminating process.")
        assert len(notes.of("shutdown")) == 1


def test_a_hung_worker_is_killed_and_replaced(notes: Notes) -> None:
    with workers(2, notes, "--timeout-worker-healthcheck", "0.5") as server:
        victim = notes.of("startup")[0]
        os.kill(victim, signal.SIGSTOP)
        server.wait_for_log(rf"Child process \[{victim}\] does not answer, killing it\.")
        notes.wait_for("startup", 3)
        assert victim not in answering(server, 2)


def test_a_busy_worker_is_not_taken_for_a_hung_one(notes: Notes) -> None:
    with workers(2, notes, "--timeout-worker-healthcheck", "0.3") as server:
        assert httpx.get(f"{server.url}/block/1.5", timeout=DEADLINE).status_code == 200
        assert "does not answer" not in server.log


def test_a_first_worker_that_fails_ends_the_server_with_code_3(notes: Notes) -> None:
    options = ("--workers", "3")
    env = {"LIFECYCLE_FILE": str(notes.path), "LIFECYCLE_STARTUP": "fail"}
    server = Server(APP, *options, app_dir=TESTS, env=env)
    with pytest.raises(AssertionError, match="no log line"):
        server.start()
    assert server.wait() == 3
    assert "failed to start (exit code 3), stopping the parent process." in server.log
    assert notes.of("startup") == []


def test_a_replacement_that_fails_ends_the_server_with_code_3(notes: Notes) -> None:
    with workers(2, notes) as server:
        notes.path.with_name("notes.fail").touch()
        os.kill(notes.of("startup")[0], signal.SIGKILL)
        assert server.wait() == 3
        assert notes.of("shutdown") == [notes.of("startup")[1]]


def test_stopping_finishes_what_is_in_flight_and_ends_with_code_0(notes: Notes) -> None:
    with workers(2, notes) as server:
        answers: list[int] = []
        ask = threading.Thread(
            target=lambda: answers.append(httpx.get(f"{server.url}/sleep/0.5").status_code)
        )
        ask.start()
        notes.wait_for("sleeping")
        server.send_signal(signal.SIGTERM)
        ask.join()
        assert answers == [200]
        assert server.wait() == 0
        assert len(notes.of("shutdown")) == 2


def test_stopping_while_workers_start_ends_at_once(notes: Notes) -> None:
    stop_while_starting(notes, "--workers", "2", hanging=2)


def test_a_second_signal_kills_everything(notes: Notes) -> None:
    with workers(2, notes) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"GET /stubborn HTTP/1.1\r\nHost: a\r\n\r\n")
            notes.wait_for("stubborn")
            pids = notes.of("startup")
            server.send_signal(signal.SIGTERM)
            server.wait_for_log("Received SIGTERM, exiting.")
            server.send_signal(signal.SIGTERM)
            assert server.wait() == 128 + signal.SIGTERM
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_workers_end_with_their_supervisor(notes: Notes) -> None:
    server = Server(APP, "--workers", "2", app_dir=TESTS, env={"LIFECYCLE_FILE": str(notes.path)})
    server.start()
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    notes.wait_for("shutdown", 2)
    eventually(
        lambda: not any(Path(f"/proc/{pid}").exists() for pid in notes.of("startup")), "their end"
    )


def test_workers_share_the_interpreters_options_and_paths(notes: Notes) -> None:
    with workers(1, notes) as alone:
        paths = httpx.get(f"{alone.url}/path").text
    with workers(2, notes) as server:
        assert httpx.get(f"{server.url}/path").text == paths
