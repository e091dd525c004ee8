"""TypeScript and JavaScript: who uses what, through modules, types and the types that places expect."""


def lines(asked, name, path=None):
    """The certain uses of a symbol, by file and line."""
    return sorted({(each.path, each.line) for each in asked.references(name, path) if each.is_certain})


def test_names_are_followed_through_modules(symbol_project):
    asked = symbol_project(
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/shop/package.json": '{"name": "@our/shop", "main": "dist/index.js"}',
            "packages/shop/src/index.ts": "export * from './prices';\nexport { default as Cart } from './cart';\n",
            "packages/shop/src/prices.ts": "export const total = (all: number[]) => all.length;\n",
            "packages/shop/src/cart.ts": (
                "import { total as sum } from '~/prices';\nexport default class Basket { pay() { return sum([]); } }\n"
            ),
            "packages/shop/tsconfig.json": '{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}}',
            "packages/web/package.json": '{"name": "@our/web"}',
            "packages/web/page.js": (
                "const { total, Cart } = require('@our/shop');\ntotal([]);\nnew Cart().pay();\n"
                "module.exports = total;\n"
            ),
            "packages/web/lazy.ts": (
                "import Anything from '../shop/src/cart';\n"
                "const all = await import('../shop/src/prices');\n"
                "all.total([]); new Anything();\n"
                "type Late = import('../shop/src/cart').default;\n"
            ),
            "packages/web/other.ts": "const total = 1;\nexport { total };\n",
        }
    )

    assert lines(asked, "total", "packages/shop") == [
        ("packages/shop/src/cart.ts", 1), ("packages/shop/src/cart.ts", 2), ("packages/web/lazy.ts", 3),
        ("packages/web/page.js", 1), ("packages/web/page.js", 2), ("packages/web/page.js", 4),
    ]  # fmt: skip
    assert lines(asked, "Basket") == [
        ("packages/shop/src/index.ts", 2),
        ("packages/web/lazy.ts", 1),
        ("packages/web/lazy.ts", 3),
        ("packages/web/page.js", 1),
        ("packages/web/page.js", 3),
    ]
    assert lines(asked, "Basket.pay") == [("packages/web/page.js", 3)]


def test_members_are_found_by_the_type_of_what_stands_before_them(symbol_project):
    asked = symbol_project(
        {
            "people.ts": (
                "export interface Person { name: string; friends: Person[]; }\n"
                "export class Box<T> { constructor(readonly held: T) {} open(): T { return this.held; } }\n"
                "export async function load(): Promise<Map<string, Person>> { return new Map(); }\n"
                "export type Small = Pick<Person, 'name'> & { age: number };\n"
                "export const box = <T>(it: T) => new Box<T>(it);\n"
            ),
            "use.ts": (
                "import { Box, box, load, type Person, type Small } from './people';\n"
                "async function go(one: Person, small: Small) {\n"
                "  one.name;\n"
                "  one.friends.map((each) => each.name);\n"
                "  for (const [key, value] of await load()) value.name;\n"
                "  const { name, friends: [first] } = one; first.name;\n"
                "  new Box<Person>(one).open().name;\n"
                "  box(one).held.name;\n"
                "  one.friends.map((it) => ({ it })).forEach(({ it }) => it.name);\n"
                "  small.name; small.friends;\n"
                "  one.friends.filter(Boolean).find((it) => it)!.name;\n"
                "  (one as unknown as Small).name;\n"
                "}\n"
                "class Other { name = 1; get() { return this.name; } }\n"
            ),
        }
    )

    assert lines(asked, "Person.name") == [("use.ts", each) for each in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)]
    assert lines(asked, "friends") == [
        ("use.ts", 4), ("use.ts", 6), ("use.ts", 9), ("use.ts", 11),
    ]  # fmt: skip
    assert lines(asked, "Other.name") == [("use.ts", 14)]


def test_keys_and_properties_refer_to_what_is_expected_there(symbol_project):
    asked = symbol_project(
        {
            "plugin.ts": (
                "export interface Plugin { name: string; load?(id: string): { code: string } }\n"
                "export abstract class Base { abstract name: string; }\n"
                "export class Mine extends Base implements Plugin { name = 'mine'; }\n"
                "export function use(...all: Plugin[]) {}\n"
            ),
            "config.tsx": (
                "import { use, type Plugin, Mine } from './plugin';\n"
                "const one: Plugin = { name: 'a', load: (id) => ({ code: id }) };\n"
                "use({ name: 'b' }, one);\n"
                "const Row = ({ plugin, name }: { plugin: Plugin; name: string }) => <p>{plugin.name}</p>;\n"
                "const table = <Row plugin={{ name: 'c' }} name='row' />;\n"
                "const make = (): Plugin => { const name = 'd'; return { name }; };\n"
                "new Mine().name;\n"
            ),
        }
    )

    used = [("config.tsx", 2), ("config.tsx", 3), ("config.tsx", 4), ("config.tsx", 5), ("config.tsx", 6)]
    assert lines(asked, "Plugin.name") == [*used, ("config.tsx", 7), ("plugin.ts", 3)]
    assert lines(asked, "Mine.name")[:7] == [*used, ("config.tsx", 7), ("plugin.ts", 1)]
    assert lines(asked, "code", "plugin.ts") == [("config.tsx", 2)]
    assert [each.qualified for each in asked.symbols.overrides(asked.symbol("Mine.name"))[0]] == [
        "Base.name",
        "Plugin.name",
    ]


def test_what_a_value_alone_tells_is_a_candidate(symbol_project):
    asked = symbol_project(
        {
            "shapes.ts": (
                "export interface Circle { kind: 'circle'; radius: number }\n"
                "export interface Square { kind: 'square'; side: number }\n"
                "export const draw = (shape: Circle | Square) => shape.kind;\n"
                "draw({ kind: 'circle', radius: 1 });\n"
                "export function show(thing) { return thing.radius; }\n"
                "declare const outside: import('elsewhere').Thing;\n"
                "outside.radius;\n"
            )
        }
    )

    assert lines(asked, "Circle.kind") == [("shapes.ts", 3)]
    assert {each.line for each in asked.references("Circle.kind") if not each.is_certain} == {4}
    assert lines(asked, "radius") == [("shapes.ts", 4)]
    assert {each.line for each in asked.references("radius") if not each.is_certain} == {5}


def test_what_leads_to_itself_ends(symbol_project):
    asked = symbol_project(
        {
            "a.ts": "export * from './b';\nexport * from './a';\nexport { x } from './b';\n",
            "b.ts": "export * from './a';\nexport { x } from './a';\nexport { here } from './c';\n",
            "c.ts": (
                "export const here = there.it; const there = here;\n"
                "type T<X> = T<[X, X, T<X>]>; declare const t: T<T<string>>; t.here.here; here.here;\n"
                "class A extends A { m() { return this.m().m(); } }\n"
                "interface I extends J {} interface J extends I { m(): J }\n"
                "new A().m().m();\n"
            ),
            "d.ts": "import { x, here } from './a';\nx(); here();\n",
        }
    )

    assert lines(asked, "here") == [
        ("b.ts", 3), ("c.ts", 1), ("c.ts", 2), ("d.ts", 1), ("d.ts", 2),
    ]  # fmt: skip
    assert ("c.ts", 5) in lines(asked, "A.m")


def test_what_goes_through_a_package_is_a_candidate(symbol_project):
    asked = symbol_project(
        {
            "service.ts": "export class Service { run() {} }\n",
            "page.ts": (
                "import { inject } from '@angular/core';\n"
                "import { Service } from './service';\n"
                "class Page { service = inject(Service); go() { this.service.run(); } }\n"
                "const many = [new Service()]; many.map((each) => each.run());\n"
            ),
        }
    )

    assert lines(asked, "run") == [("page.ts", 4)]
    assert [each.line for each in asked.references("run") if not each.is_certain] == [3]
