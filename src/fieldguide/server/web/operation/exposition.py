"""Prometheus' text format: families of samples, each with its help and its kind, and labels that are escaped."""

from collections.abc import Iterable, Mapping

Labels = Mapping[str, str]
ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})
LONGEST_LABEL = 200


class Exposition:
    """The text of one answer of `/metrics`; a family is named once, and its samples stand together."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def gauge(self, name: str, about: str, samples: "Iterable[tuple[Labels, float]]") -> None:
        """Something that goes up and down."""
        self._family(name, "gauge", about, samples)

    def counter(self, name: str, about: str, samples: "Iterable[tuple[Labels, float]]") -> None:
        """Something that only goes up; its name ends with `_total`."""
        self._family(name, "counter", about, samples)

    def histogram(
        self, name: str, about: str, bounds: Iterable[float], samples: Iterable[tuple[Labels, tuple[int, ...], float]]
    ) -> None:
        """How often something took how long: for each the counts between the bounds, and the sum of all."""
        self._head(name, "histogram", about)
        shown = [*map(_number, bounds), "+Inf"]
        for labels, within, total in samples:
            seen = 0
            for bound, count in zip(shown, within, strict=True):
                seen += count
                self._sample(f"{name}_bucket", {**labels, "le": bound}, seen)
            self._sample(f"{name}_sum", labels, total)
            self._sample(f"{name}_count", labels, seen)

    def text(self) -> str:
        """All of it."""
        return "".join(f"{line}\n" for line in self._lines)

    def _family(self, name: str, kind: str, about: str, samples: "Iterable[tuple[Labels, float]]") -> None:
        self._head(name, kind, about)
        for labels, value in samples:
            self._sample(name, labels, value)

    def _head(self, name: str, kind: str, about: str) -> None:
        self._lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]

    def _sample(self, name: str, labels: Labels, value: float) -> None:
        named = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        self._lines.append(f"{name}{{{named}}} {_number(value)}" if named else f"{name} {_number(value)}")


def _escaped(text: str) -> str:
    return text[:LONGEST_LABEL].encode("utf-8", "replace").decode().translate(ESCAPES)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
