"""PDF documents: read by a limited child, cited by page and line of what it made of them."""

import json
import subprocess

from tests.document_wires import ask_by_command
from tests.servers import FIELDGUIDE, environment


def pdf(*pages: str) -> bytes:
    """A PDF with one line of text on each page."""
    streams = [f"BT /F1 12 Tf 72 720 Td ({page}) Tj ET".encode() for page in pages]
    numbers = [4 + 2 * number for number in range(len(pages))]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{each} 0 R' for each in numbers)}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, stream in zip(numbers, streams, strict=True):
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        place = f"/MediaBox [0 0 612 792] /Contents {number + 1} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R {font} {place} >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    made = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(made))
    return made + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def test_a_pdf_is_read_by_pages(project):
    project.write("docs/ferns.pdf", pdf("Ferns like shade.", "# Water them with rainwater."))
    ask = ask_by_command(project)

    outline = ask("documents_get_outline", collection="docs", document="ferns.pdf").value["outline"]
    hit = ask("documents_search", query="rainwater").value[0]
    page = ask("documents_get_section", collection="docs", document="ferns.pdf", section="Page 2").value

    assert [(each["level"], each["text"]) for each in outline] == [(2, "Page 1"), (2, "Page 2")]
    assert (hit["sectionHeading"], hit["startLine"]) == ("Page 2", page["startLine"])
    assert "\\# Water them with rainwater." in page["content"]


def test_a_broken_one_is_left_out_and_hinders_no_other(project):
    project.write("docs/ferns.md", "# Ferns\n")
    project.write("docs/broken.pdf", b"%PDF-1.4\n\0\0 nothing")

    listed = ask_by_command(project)("documents_list_documents", collection="docs").value

    assert [each["id"] for each in listed["documents"]] == ["ferns.md"]


def test_without_the_extra_one_sentence_says_what_is_missing(project, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util as util\nfound = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'pypdf' else found(name, package)\n"
    )
    project.write("docs/ferns.pdf", pdf("Ferns"))

    command = [FIELDGUIDE, "index", "--project", str(project.root), "--json"]
    told = {**environment(), "PYTHONPATH": str(hidden)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=told)

    assert json.loads(done.stdout)["documents"]["indexed"]["docs"]["needsExtra"] == ["ferns.pdf"]
    sentences = [line for line in done.stderr.splitlines() if "pdf" in line.lower()]
    assert len(sentences) == 1
    assert "PDF needs the extra `pdf`" in sentences[0]
