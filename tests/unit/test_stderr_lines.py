"""Lines to stderr: many threads write them, and a reader who has stopped reading makes nobody wait."""

import os
import threading

from fieldguide.spine.journal import StderrLines

THREADS = 8
LINES = 400


def test_threads_that_write_to_a_pipe_nobody_reads_all_come_to_an_end():
    reader, writer = os.pipe()
    problems: list[BaseException] = []
    lines = StderrLines(writer)

    def write() -> None:
        try:
            for number in range(LINES):
                lines([f"{number} " + "x" * 900])
        except BaseException as error:  # noqa: BLE001  the thread's own end is what is looked at
            problems.append(error)

    threads = [threading.Thread(target=write, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    stuck = [thread for thread in threads if thread.is_alive()]
    os.read(reader, 1 << 20)
    os.close(reader)
    if not stuck:
        os.close(writer)

    assert (stuck, problems) == ([], [])
