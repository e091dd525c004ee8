"""The demo of the README is what its commands print, and a player can show it."""

import json
import re
import xml.etree.ElementTree as ET

import pytest

from docs import demo
from tests.docs.markdown import ROOT
from tests.docs.test_code_blocks import check_shell_line

PICTURES = ROOT / "docs" / "pictures"
MOST_SECONDS = 120
MOST_BYTES = 40_000


def plain(text: str) -> str:
    return demo.STYLE.sub("", text)


@pytest.fixture(scope="module")
def scenes() -> list[demo.Scene]:
    return demo.record()


@pytest.mark.slow
def test_each_command_still_prints_what_the_demo_shows(scenes):
    shown = json.loads(f"[{','.join((PICTURES / 'demo.cast').read_text(encoding='utf-8').splitlines()[1:])}]")
    recorded = plain("".join(text for _, _, text in shown)).replace("\r\n", "\n")

    for scene in scenes:
        check_shell_line(scene.command)
        assert f"$ {scene.command}\n{plain(scene.lines[0])}\n" in recorded, "`python -m docs.demo` records it anew"


@pytest.mark.slow
def test_both_files_hold_every_scene_in_two_minutes(scenes):
    [header, *events] = [json.loads(line) for line in demo.as_cast(scenes)]
    picture = ET.fromstring(demo.as_svg(scenes))  # noqa: S314  we wrote it

    assert (header["version"], header["width"]) == (2, demo.COLUMNS)
    assert [at for at, _, _ in events] == sorted(at for at, _, _ in events)
    assert events[-1][0] <= MOST_SECONDS
    texts = ["".join(each.itertext()) for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert [scene.command for scene in scenes if f"$ {scene.command}" not in texts] == []


def test_the_files_are_small_and_name_no_folder_of_a_machine():
    for name in ("demo.svg", "demo.cast"):
        text = (PICTURES / name).read_text(encoding="utf-8")
        assert len(text) < MOST_BYTES
        assert not re.search(r"/(home|root|tmp|Users)/", text)


def test_colours_of_a_terminal_become_classes_and_text_is_escaped():
    assert demo.coloured("a<b \x1b[1mbold\x1b[0m \x1b[34mf(\x1b[0m") == (
        'a&lt;b <tspan class="b">bold</tspan> <tspan class="u">f(</tspan>'
    )
