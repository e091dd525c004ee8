"""The smallest of many numbers: by numpy where it is at hand or worth its import, in plain Python otherwise."""

import heapq
import sys
from typing import Any

SAMPLED = 64
ALIKE = 1e-6  # numbers this near to each other, beside the largest, may be equal but for rounding
WORTH_NUMPY = 60_000  # numbers to look through: so many take plain Python as long as the import of numpy takes


def smallest(values: "memoryview[float]", limit: int) -> list[int]:
    """The places of the smallest of these, and of what equals the last of them; in plain Python."""
    listed = values.tolist()
    most = heapq.nsmallest(limit, listed)[-1]
    return [place for place, value in enumerate(listed) if value <= most]


def smallest_in_array(numpy: Any, values: Any, limit: int) -> Any:
    """The places of the smallest of these, and of as many again that equal the last of them but for rounding."""
    if len(values) <= limit:
        return numpy.arange(len(values))
    near = _near(numpy, values, limit)
    kept = values[near]
    last = numpy.partition(kept, limit - 1)[limit - 1]
    margin = ALIKE * max(abs(float(kept.min())), abs(float(last)))
    sure = near[kept < last - margin]
    alike = near[numpy.abs(kept - last) <= margin]
    return numpy.concatenate((sure, alike[: 2 * limit]))


def _near(numpy: Any, values: Any, limit: int) -> Any:
    """The places that may hold the smallest: those under a bound that a sample gives, a tenth of the work."""
    sample = values[::SAMPLED]
    if len(sample) > limit:
        place = 4 * limit // SAMPLED + 1  # four times as many as are wanted, if the sample is like the whole
        bound = numpy.partition(sample, place)[place]
        margin = ALIKE * abs(float(bound))
        near = numpy.flatnonzero(values <= bound + margin)
        if len(near) >= limit:
            return near
    return numpy.arange(len(values))


def numpy_for(count: int) -> Any:
    """Numpy, where other work has already imported it or so many numbers are worth it; None otherwise."""
    found = imported_numpy()
    if found is None and count > WORTH_NUMPY:
        import numpy

        return numpy
    return found


def imported_numpy() -> Any:
    """Numpy, if it is there to the last of its parts."""
    numpy = sys.modules.get("numpy")
    is_whole = not getattr(getattr(numpy, "__spec__", None), "_initializing", False)  # another thread may be importing
    return numpy if is_whole else None
