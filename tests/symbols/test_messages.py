"""The steps that messages take: from what sends one to what receives it, by the key that both sides write."""

import pytest

from fieldguide.code.symbols.calls import EVENT, MOST_RECEIVERS
from fieldguide.code.symbols.readers.messages import MOST_MESSAGES
from fieldguide.code.symbols.readers.walk import read_packed
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.text.cancellation import Cancellation

SENT = {
    "a quoted name and its handler": (
        {
            "send.ts": "export function ship(bus) {\n  bus.emit('parcel.shipped', 1);\n}\n",
            "take.ts": "function track(weight) {\n  return weight;\n}\n\n"
            "export function wire(bus) {\n  bus.on('parcel.shipped', track);\n}\n",
        },
        ("ship", "track", 2),
    ),
    "a constant and a handler in wrappers": (
        {
            "send.js": "function save(app) {\n  app.send(Events.SAVED, 1);\n}\n",
            "take.js": "function store(row) {\n  return row;\n}\n\n"
            "function wire(app) {\n  app.method(Events.SAVED, mutator(undoable(store)));\n}\n",
        },
        ("save", "store", 2),
    ),
    "a type that a handler has as its parameter": (
        {
            "Buy.cs": "class Shop {\n    void Buy() {\n        bus.PublishEvent(new OrderPlaced(1));\n    }\n}\n",
            "Mail.cs": "class Mailer {\n    public void Handle(OrderPlaced message) {\n        Send();\n    }\n}\n",
        },
        ("Shop.Buy", "Mailer.Handle", 3),
    ),
    "a job that is sent as a whole": (
        {
            "Buy.php": "<?php\nclass Shop {\n    public function buy() {\n        PackGoods::dispatch(1);\n    }\n}\n",
            "Pack.php": "<?php\nclass PackGoods {\n    public function handle() {\n        return 1;\n    }\n}\n",
        },
        ("Shop.buy", "PackGoods.handle", 4),
    ),
    "a signal": (
        {
            "send.py": "def save(document):\n    document_saved.send(sender=None)\n",
            "take.py": "def mail(sender):\n    return sender\n\n\ndef wire():\n    document_saved.connect(mail)\n",
        },
        ("save", "mail", 2),
    ),
    "a signal and a decorated handler": (
        {
            "send.py": "def save(document):\n    document_saved.send(sender=None)\n",
            "take.py": "@receiver(document_saved)\ndef mail(sender):\n    return sender\n",
        },
        ("save", "mail", 2),
    ),
    "a queue": (
        {
            "pool.rb": "class Pool\n  def add(job)\n    @work_queue.push(job)\n  end\n\n"
            "  def run\n    @work_queue.pop(1)\n  end\nend\n"
        },
        ("Pool.add", "Pool.run", 3),
    ),
    "a channel": (
        {
            "pool.go": "package pool\n\ntype Pool struct {\n\tjobs chan int\n}\n\n"
            "func (p *Pool) Push(job int) {\n\tp.jobs <- job\n}\n\n"
            "func (p *Pool) Run() {\n\tfor job := range p.jobs {\n\t\tprintln(job)\n\t}\n}\n"
        },
        ("Pool.Push", "Pool.Run", 8),
    ),
    "a request and its route": (
        {
            "client.js": "function load(client) {\n  return client.post('/simplefin/accounts', 1);\n}\n",
            "server.js": "app.post('/accounts', (request, response) => {\n  response.send(1);\n});\n",
        },
        ("load", "/accounts", 2),
    ),
}


def events_of(asked, name: str) -> list[tuple[str, int, bool]]:
    """What messages of a symbol lead to: the target, the line that sends it, and whether it is certain."""
    symbol = asked.symbol(name)
    with asked.symbols.call_graph(Cancellation()) as graph:
        edges = graph.calls(DefinitionPlace(symbol.path, symbol.place))
        return [(graph.qualified(each.target), each.line, each.is_certain) for each in edges if each.via == EVENT]


@pytest.mark.parametrize("case", SENT)
def test_a_message_leads_to_what_receives_it_and_back(small_project, case):
    files, (sender, receiver, line) = SENT[case]
    asked = small_project(files)

    assert events_of(asked, sender) == [(receiver, line, True)]
    symbol = asked.symbol(receiver)
    with asked.symbols.call_graph(Cancellation()) as graph:
        back = [each for each in graph.callers(DefinitionPlace(symbol.path, symbol.place)) if each.via == EVENT]
        assert [(graph.qualified(each.source), each.line) for each in back] == [(sender, line)]


def test_a_variant_leads_to_the_arm_of_a_match_and_to_what_it_calls(small_project):
    text = """\
fn press(bus: &Bus) {
    bus.send(Instruction::Render(1, 2));
}

fn draw() {
    let x = 1;
}

fn run(instruction: Instruction) {
    match instruction {
        Instruction::Close => {
            press(bus);
        }
        Instruction::Render(x, y) => {
            draw();
        }
    }
}
"""
    asked = small_project({"screen.rs": text})

    assert {each[0] for each in events_of(asked, "press")} == {"run", "draw"}


def test_a_message_with_several_receivers_is_not_certain_and_one_that_everything_receives_leads_nowhere(small_project):
    send = "def save(bus):\n    bus.emit('row.saved', 1)\n"

    def take(count: int) -> dict[str, str]:
        return {f"take{n}.py": f"def wire{n}(bus):\n    bus.on('row.saved', lambda row: {n})\n" for n in range(count)}

    assert events_of(small_project({"send.py": send, **take(2)}), "save") == [("wire0", 2, False), ("wire1", 2, False)]
    assert events_of(small_project({"send.py": send, **take(MOST_RECEIVERS + 1)}), "save") == []


def test_queues_of_one_name_in_two_folders_are_two(small_project):
    put = "def add(job):\n    job_queue.put(job)\n"
    take = "def run():\n    return job_queue.get(1)\n"

    assert events_of(small_project({"a/put.py": put, "b/take.py": take}), "add") == []
    assert events_of(small_project({"a/put.py": put, "a/take.py": take}), "add") == [("run", 2, True)]


def test_what_libraries_send_and_what_one_object_sends_of_many_kinds_is_no_message(small_project):
    text = "def load(server, client):\n    server.emit('close', 1)\n    client.send(1)\n\n\n"
    text += "def wire(server, client):\n    server.on('close', load)\n    client.connect(load)\n"

    assert events_of(small_project({"load.py": text}), "load") == []


def test_a_text_full_of_messages_keeps_a_bounded_number():
    text = "def load(bus):\n" + "".join(f"    bus.emit('row.saved.{n}', 1)\n" for n in range(MOST_MESSAGES + 50))

    assert sum(name.startswith("~") for name in read_packed(text, "python").names) == MOST_MESSAGES
