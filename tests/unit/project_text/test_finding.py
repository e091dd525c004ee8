"""A project's own text is found by what is there: formats, folders, names, languages, and what stays out."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.prose.discovery import find_text, get_known_text

PROSE = "This file tells people what the project is for and how they begin to use it.\n"
PAGE = f"<html><body><h1>Guide</h1><p>{PROSE * 5}</p></body></html>"


def found(project):
    return {each.path: each for each in find_text(ConfinedFolder(str(project.root))).documents}


@pytest.mark.parametrize(
    "path",
    [
        "README", "README.md", "README.dns", "CONTRIBUTING.rst", "AGENTS.md", ".cursor/rules/style.mdc", "CHANGES.txt",
        ".github/SECURITY.md", "packages/web/README.md", "docs/guide.rst", "doc/guide.adoc", "website/docs/intro.mdx",
        "content/en/page.md", "book/src/first.md", "handbook/holidays.txt", "rfcs/0001-a.md",
        "packages/web/docs/api.md",
        "src/engine/design.md", "notebooks/first.ipynb", "docs/tests/how.md", "docs/templates/how.md",
        "tests/README.md", "docs/pods/first.md", "docs/reference/generated/get.md",
    ],
)  # fmt: skip
def test_text_of_the_project_is_found_wherever_it_lies(project, path):
    project.write(path, PROSE)

    assert path in found(project)


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE.txt", "COPYING", "docs/LICENSE.txt", "node_modules/a/README.md", "vendor/a/README.md",
        "third_party/a/docs/b.md", "Pods/a/README.md",
        "docs/node_modules/a/README.md", "tests/fixtures/page.md", "pkg/testdata/page.md", "tests/unit/deep/page.md",
        ".github/ISSUE_TEMPLATE/bug.md", ".github/PULL_REQUEST_TEMPLATE.md", "templates/page.md", "app/static/page.md",
        "src/page.txt", "src/index.html", "{{cookiecutter.name}}/README.md", "docs/_build/index.md", "main.py",
        "examples/blog/first-post.md",
    ],
)  # fmt: skip
def test_what_is_not_the_projects_own_text_stays_out(project, path):
    project.write(path, PROSE)

    assert found(project) == {}


def test_plain_text_counts_only_where_it_is_prose(project):
    project.write("docs/story.txt", PROSE * 3)
    project.write("docs/title.txt", "Title\n=====\n\n.. toctree::\n\n   story\n")
    project.write("docs/requirements.txt", "flask==3.0\nsphinx>=7\n# what the documentation is made with by people\n")
    project.write("docs/words.txt", "alpha\nbeta\ngamma\n")
    project.write("INSTALL", PROSE)
    project.write("BUILD", "# This file tells people what the project is for.\ncc_library(name='a')\n")

    assert sorted(found(project)) == ["INSTALL", "docs/story.txt", "docs/title.txt"]


def test_a_file_for_a_tool_is_none_whatever_its_comments_say(project):
    project.write("docs/guide.md", "# Guide\n")
    project.write("docs/CMakeLists.txt", "This is how the whole documentation is made.\nadd(docs)\n")

    assert sorted(found(project)) == ["docs/guide.md"]


def test_html_counts_where_somebody_wrote_it_as_documentation(project):
    project.write("docs/guide.html", PAGE)
    project.write("docs/base.html", "{% block body %}" + PAGE)
    project.write("docs/api.html", '<meta name="generator" content="Doxygen 1.9">' + PAGE)
    project.write("app/page.html", PAGE)

    assert sorted(found(project)) == ["docs/guide.html"]


def test_translations_are_told_from_the_main_language(project):
    for name in ("install", "use", "faq"):
        project.write(f"docs/{name}.md", PROSE)
        project.write(f"docs/zh/{name}.md", "文档\n")
        project.write(f"content/en/{name}.md", PROSE)
        project.write(f"content/pt-br/{name}.md", PROSE)
    project.write("README.md", PROSE)
    project.write("README.ja.md", "文書\n")
    project.write("README_CN.md", "文档\n")
    project.write("docs/cs/anything.md", PROSE)  # a folder for C#: nothing in it has a fellow elsewhere
    project.write("docs/torch.rst", PROSE)
    project.write("docs/torch.nn.rst", PROSE)

    told = {path: each.language for path, each in found(project).items() if each.language}

    assert told == {
        **{f"docs/zh/{name}.md": "zh" for name in ("install", "use", "faq")},
        **{f"content/pt-br/{name}.md": "pt-br" for name in ("install", "use", "faq")},
        "README.ja.md": "ja",
        "README_CN.md": "zh-cn",
    }


def test_a_folder_is_documentation_by_what_lies_in_it(project):
    for number in range(6):
        project.write(f"pages/{number}.md", PROSE)
        project.write(f"guide/{number}.py", "pass\n")
    project.write("guide/one.txt", PROSE)
    project.write("manuals-for-us/conf.py", "")
    project.write("manuals-for-us/index.rst", "Title\n=====\n")

    text = find_text(ConfinedFolder(str(project.root)))

    assert sorted(text.roots) == ["manuals-for-us", "pages"]
    assert "nearly all of it is text" in text.roots["pages"]
    assert "Sphinx" in text.roots["manuals-for-us"]


def test_a_walk_is_made_again_when_something_came(project):
    project.write("README.md", PROSE)
    folder = ConfinedFolder(str(project.root))
    known = get_known_text(str(project.root))
    known.is_followed = True
    before = known.now(folder)
    project.write("docs/new.md", PROSE)
    same = known.now(folder)

    known.look_again()

    assert same is before
    assert [each.path for each in known.now(folder).documents] == ["README.md", "docs/new.md"]
