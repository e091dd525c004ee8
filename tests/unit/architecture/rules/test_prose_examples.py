"""Good and bad examples of a document."""

from tests.unit.architecture.rules.documents import lines_of, prose


def test_what_only_the_bad_example_does_is_a_rule():
    pattern = prose("""\
        # Talking to services

        ## Clients

        Bad:

        ```python
        import requests
        answer = requests.get(url)
        ```

        Good:

        ```python
        answer = self.client.get(url)
        ```
    """)

    assert lines_of(pattern, "import requests as r\nx = r.get(url)\n", "python") == [2]
    assert lines_of(pattern, "x = client.get(url)\n", "python") == []


def test_a_structure_that_only_the_bad_example_has_is_recognised_in_any_language():
    pattern = prose("""\
        # Errors

        ## Handling

        ```python
        # ❌ Bad
        try:
            save(order)
        except Exception:
            pass

        # ✅ Good
        try:
            save(order)
        except StorageError as error:
            raise OrderNotSaved(order) from error
        ```
    """)

    assert lines_of(pattern, "class A { void f() { try { g(); } catch (E e) { } } }\n", "java") == [1]
    assert lines_of(pattern, "try:\n    f()\nexcept Exception as e:\n    log(e)\n", "python") == []


def test_a_bad_example_is_met_again_under_other_names_and_only_as_a_whole():
    pattern = prose("""\
        # Loops

        ## Building lists

        ### Don't

        ```python
        names = []
        for user in users:
            if user.is_active:
                names.append(user.name)
        ```

        ### Do

        ```python
        names = [user.name for user in users if user.is_active]
        ```
    """)

    assert lines_of(pattern, "a = []\nfor b in c:\n    if b.is_active:\n        a.append(b.name)\n", "python") == [2]
    assert lines_of(pattern, "for b in c:\n    a.append(b.name)\n", "python") == []


def test_an_example_that_nobody_judges_gives_no_rule():
    pattern = prose("# A\n\n## Use\n\n```python\nimport os\nos.system('ls')\n```\n")

    assert pattern.rules == ()
