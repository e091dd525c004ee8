"""Two replicas that many tests share."""

import pytest

from tests.replicas.replicas import two_replicas


@pytest.fixture(scope="package")
def replicas(tmp_path_factory, postgres):
    with two_replicas(tmp_path_factory.mktemp("served"), postgres.new_database()) as both:
        yield both
