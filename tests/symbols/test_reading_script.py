"""What is read out of a script: definitions with their types, uses with what stands before them, and imports."""

from tests.symbols.indexed_symbols import read_facts

TEXT = """import React, { useState as state, type Kind } from "react";
import * as all from "./all";
export { thing as other } from "./thing";
export * from "./more";

/** Keeps people. */
export class Store<T> extends Base<T> implements all.Keeps {
  static limit = 3;
  #people: Person[] = [];
  constructor(private readonly root: Folder, { size = 1 }: Options) { super(); }
  get first(): Person | undefined { return this.#people[0]; }
  find = async (name: string) => this.root.look(name, size);
}

export interface Options { size?: number; nested: { deep: Kind }; (key: string): Person }
export type Made<T> = Omit<Options, "size"> & { made: T };
export enum Colour { Red, Blue = "blue" }
export namespace Tools { export const hammer = () => new Store(); }
export const settings: Options = { size: 2, nested: { deep: "x" } };
export default function Page({ title }: { title: string }) {
  const [open, setOpen] = state(false);
  return <Layout wide={open}><all.Part title={title} /></Layout>;
}
app.get("/people/:id", (request, reply) => reply.send(request.params.id));
program.command("serve [folder]").action(() => {});
"""


def test_definitions_tell_kind_parent_type_and_place():
    facts = read_facts(TEXT, "tsx")
    told = {each.name: each for each in facts.definitions if each.kind not in ("local", "parameter", "import")}

    def parent(name):
        return facts.definitions[told[name].parent].name if told[name].parent >= 0 else ""

    assert {name: (each.kind, parent(name)) for name, each in told.items()} == {
        "other": ("export", ""), "*": ("export", ""), "Store": ("class", ""), "limit": ("field", "Store"),
        "#people": ("field", "Store"), "constructor": ("method", "Store"), "root": ("field", "Store"),
        "first": ("field", "Store"), "find": ("method", "Store"), "Options": ("interface", ""),
        "size": ("field", "settings"), "nested": ("field", "settings"), "deep": ("field", "nested"),
        "()": ("export", "Options"), "Made": ("type", ""), "made": ("field", "Made"), "Colour": ("enum", ""),
        "Red": ("constant", "Colour"), "Blue": ("constant", "Colour"), "Tools": ("module", ""),
        "hammer": ("function", "Tools"), "settings": ("constant", ""), "default": ("export", ""),
        "Page": ("function", ""), "title": ("field", ""), "/people/:id": ("route", ""), "serve": ("command", ""),
    }  # fmt: skip
    assert told["Store"].bases == ("Base<T>", "all.Keeps")
    assert (told["Store"].line, told["Store"].column, told["Store"].end_line) == (7, 13, 13)
    assert told["Store"].signature == "class Store<T> extends Base<T> implements all.Keeps"
    assert told["Store"].doc == "Keeps people."
    assert told["first"].type == ":Person | undefined"
    assert told["Made"].type == '<T>:Omit<Options, "size"> & !'
    assert told["hammer"].type == "=Store()"


def test_uses_tell_role_and_what_stands_before_them():
    facts = read_facts(TEXT, "tsx")
    told = {(each.name, each.line, each.role, each.receiver) for each in facts.references}

    for expected in (
        ("useState", 1, "import", "@1"),
        ("default:react", 1, "import", "@0"),
        ("thing", 3, "import", "@4"),
        ("Base", 7, "inherit", ""),
        ("Keeps", 7, "inherit", "all"),
        ("look", 12, "call", "self.root"),
        ("#people", 11, "read", "self"),
        ("Kind", 15, "type", ""),
        ("size", 19, "write", "(:Options)"),
        ("deep", 19, "write", "(:Options).nested"),
        ("Layout", 22, "call", ""),
        ("wide", 22, "write", "Layout~0"),
        ("Part", 22, "call", "all"),
        ("title", 22, "write", "all.Part~0"),
        ("id", 24, "read", "request.params"),
    ):
        assert expected in told
    assert not {each.name for each in facts.references if not each.receiver} & {"open", "setOpen", "name", "request"}
    assert [(each.text, each.name) for each in facts.imports][:5] == [
        ("react", "default"), ("react", "useState"), ("react", "Kind"), ("./all", "*"), ("./thing", "thing"),
    ]  # fmt: skip


def test_common_modules_and_comments_of_javascript_are_read():
    facts = read_facts(
        "const { a, b: c } = require('./x');\n"
        "const whole = require('./y');\n"
        "/**\n * @param {import('./z').Options} options\n * @returns {Promise<Made>}\n */\n"
        "function make(options) { return options.size; }\n"
        "class Old { constructor() { this.items = []; } }\n"
        "exports.later = () => c(a);\n"
        "module.exports = { make, Old };\n",
        "javascript",
    )
    told = {each.name: each for each in facts.definitions}

    assert [(each.text, each.name) for each in facts.imports] == [
        ("./x", "a"), ("./x", "b"), ("./y", "export="), ("./z", "*"),
    ]  # fmt: skip
    assert told["options"].type == ":@3.Options"
    assert told["items"].kind == "field"
    assert told["later"].kind == "function"
    assert [each.name for each in facts.definitions if each.kind == "export"] == ["export=", "make", "Old"]
    assert ("Options", "@3") in {(each.name, each.receiver) for each in facts.references}


def test_the_script_of_a_component_keeps_its_places():
    text = '<template>\n  <p>{{ é }}</p>\n</template>\n<script lang="ts">const made = 1; use(made)</script>\n'
    facts = read_facts(text, "vue")

    (made,) = [each for each in facts.definitions if each.name == "made"]
    assert (made.line, made.column) == (4, text.split("\n")[3].index("made"))
    assert ("use", 4) in {(each.name, each.line) for each in facts.references}
