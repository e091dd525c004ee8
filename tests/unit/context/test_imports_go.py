"""Go's imports to the files of a project: a package is its folder without tests."""

from tests.unit.context.import_trees import grow, resolve


def test_a_package_of_the_module_leads_to_all_its_files_but_the_tests(tmp_path):
    grow(
        tmp_path,
        {
            "go.mod": "// x\nmodule example.com/shop\n\ngo 1.22\n",
            "main.go": 'package main\nimport (\n"fmt"\n"example.com/shop/cart"\n"example.com/other"\n)\n',
            "cart/cart.go": "",
            "cart/total.go": "",
            "cart/cart_test.go": "",
            "cart/README.md": "",
            "cart/inner/deep.go": "",
        },
    )

    assert resolve(tmp_path, "main.go") == (["cart/cart.go", "cart/total.go"], ["fmt", "example.com/other"])


def test_replaced_nested_and_joined_modules_are_found(tmp_path):
    grow(
        tmp_path,
        {
            "go.work": "go 1.22\nuse (\n./app\n./tools\n)\n",
            "app/go.mod": "module app\nreplace (\n\texample.com/log v1.0.0 => ../third/log // ours\n)\n",
            "app/main.go": 'package a\nimport "app/x"\nimport "example.com/log/sub"\nimport "tools/y"\nimport "os"\n',
            "app/x/x.go": "",
            "third/log/sub/s.go": "",
            "tools/go.mod": "module tools\n",
            "tools/y/y.go": "",
            "tools/y/z/go.mod": 'module "tools/y/z"\n',
        },
    )

    assert resolve(tmp_path, "app/main.go") == (["app/x/x.go", "third/log/sub/s.go", "tools/y/y.go"], ["os"])


def test_the_longest_module_wins(tmp_path):
    grow(
        tmp_path,
        {
            "go.mod": "module a.b/c\n",
            "d/wrong.go": "",
            "elsewhere/go.mod": "module a.b/c/d\n",
            "elsewhere/e/right.go": "",
            "main.go": 'package main\nimport "a.b/c/d/e"\n',
        },
    )

    assert resolve(tmp_path, "main.go").internal == ["elsewhere/e/right.go"]


def test_inside_a_module_a_source_folder_is_no_gopath_unless_it_is_the_standard_library(tmp_path):
    files = {
        "src/errors/errors.go": "",
        "src/main.go": 'package main\nimport "errors"\n',
        "test/x.go": 'package x\nimport "errors"\nimport "./y"\n',
        "test/y.go": "",
    }
    grow(tmp_path / "shop", files | {"go.mod": "module example.com/shop\n"})
    grow(tmp_path / "go", files | {"src/go.mod": "module std\n"})

    assert resolve(tmp_path / "shop", "src/main.go") == ([], ["errors"])
    assert resolve(tmp_path / "go", "src/main.go").internal == ["src/errors/errors.go"]
    assert resolve(tmp_path / "go", "test/x.go").internal == ["src/errors/errors.go", "test/y.go"]


def test_a_gopath_needs_no_module(tmp_path):
    grow(
        tmp_path,
        {
            "src/github.com/a/b/main.go": 'package b\nimport "github.com/a/c"\nimport "strings"\n',
            "src/github.com/a/c/c.go": "",
        },
    )

    assert resolve(tmp_path, "src/github.com/a/b/main.go") == (["src/github.com/a/c/c.go"], ["strings"])
