"""The folder of a project's state, made by many at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from fieldguide.storage.state_folder import make_state_folder, read_label

THREADS = 8


def test_threads_that_make_a_folder_at_once_all_get_it(tmp_path):
    barrier = Barrier(THREADS)

    def made(project: str) -> str:
        barrier.wait()
        return make_state_folder(project)

    with ThreadPoolExecutor(THREADS) as pool:
        for number in range(20):
            project = tmp_path / f"project{number}"
            project.mkdir()

            folders = {*pool.map(made, [str(project)] * THREADS)}

            label = read_label(folders.pop())
            assert not folders
            assert label is not None
            assert label.project == str(project)
