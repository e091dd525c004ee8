// The task board: what is to do and what is done. Whatever is done here is a call of a tool, as the user of the answer.

const PAGE = 100;
const COLUMNS = [
  { key: "pending", title: "To do", empty: "Nothing to do.", isDone: false },
  { key: "completed", title: "Done", empty: "Nothing is done yet.", isDone: true },
];
const LONGEST_TITLE = 200;
const LONGEST_DESCRIPTION = 1000;

const board = { user: {}, tasks: null, lack: "", cut: [], touched: null, asked: {}, isBusy: false, open: null, shown: { pending: PAGE, completed: PAGE } };

function isTask(each) {
  return each !== null && typeof each === "object" && Number.isInteger(each.id);
}

function listed(result) {
  const value = valueOf(result);
  return Array.isArray(value) ? value.filter(isTask) : null;
}

function isCut(result) {
  return (result.content ?? []).length > 1;
}

async function load() {
  const whole = await host.call("list_tasks", { ...board.user, status: "all" });
  if (!isCut(whole)) {
    board.tasks = listed(whole) ?? [];
    board.lack = "";
    board.cut = [];
    return;
  }
  const parts = await Promise.all(COLUMNS.map(({ key }) => host.call("list_tasks", { ...board.user, status: key })));
  board.tasks = parts.flatMap((part) => listed(part) ?? []);
  board.cut = COLUMNS.map(({ key }) => key).filter((key, at) => isCut(parts[at]));
  board.lack = board.cut.length ? "There are more tasks than fit here: the newest are shown." : "";
}

// Makes a change, reads the list again, and puts the focus where the person was.
async function change(tool, given, told, focus) {
  if (board.isBusy) return;
  board.isBusy = true;
  draw();
  try {
    const made = valueOf(await host.call(tool, { ...board.user, ...given })) ?? {};
    board.touched = made.task_id ?? null;
    board.open = null;
    say(told);
    tellModel(tool, made.task_id);
    await load();
  } catch (error) {
    say(error.message, true);
  }
  board.isBusy = false;
  draw();
  focusOn(focus);
}

// The model learns what the person did, by number: a title is not ours to put before it.
function tellModel(tool, id) {
  if (!host.capabilities.updateModelContext || !Number.isInteger(id)) return;
  const did = { add_task: "added", complete_task: "completed", update_task: "changed", delete_task: "deleted" }[tool];
  const text = `On the task board the user ${did} task ${id}.`;
  host.ask("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
}

function focusOn(wanted) {
  for (const selector of [].concat(wanted ?? [])) {
    const found = document.querySelector(selector);
    if (found) {
      found.focus();
      return;
    }
  }
}

function draw() {
  const draft = document.getElementById("new")?.value ?? "";
  show(
    head(),
    host.can("add_task") ? addForm(draft) : null,
    board.tasks === null ? element("p", { class: "quiet" }, "The tasks could not be read.") : columns(board.tasks),
    board.lack ? element("p", { class: "quiet" }, board.lack) : null,
  );
}

function head() {
  const whose = typeof board.user.user_id === "string" ? foreign(board.user.user_id, { class: "quiet" }) : null;
  const again = host.can("list_tasks")
    ? element("button", { type: "button", id: "again", class: "plain", disabled: board.isBusy, onclick: refresh }, "Refresh")
    : null;
  return element("div", { class: "head" }, element("h1", {}, "Tasks"), whose, again);
}

async function refresh() {
  board.isBusy = true;
  draw();
  try {
    await load();
    say("");
  } catch (error) {
    say(error.message, true);
  }
  board.isBusy = false;
  draw();
  focusOn("#again");
}

// A closed frame submits no forms: fields and buttons do it themselves.
function onEnter(act) {
  return (event) => {
    if (event.key === "Enter" && !event.isComposing && event.target.tagName === "INPUT") act();
  };
}

function addForm(draft) {
  const field = element("input", { id: "new", maxlength: LONGEST_TITLE, autocomplete: "off", dir: "auto" });
  field.value = draft;
  const send = () => {
    const title = field.value.trim();
    if (!title || board.isBusy) return;
    field.value = "";
    change("add_task", { title }, `Added: ${title}`, "#new");
  };
  return element(
    "div",
    { class: "add", role: "group", "aria-label": "Add a task", onkeydown: onEnter(send) },
    element("div", {}, element("label", { for: "new" }, "New task"), field),
    element("button", { type: "button", class: "chief", disabled: board.isBusy, onclick: send }, "Add"),
  );
}

function columns(tasks) {
  const made = COLUMNS.map((each) => column(each, tasks.filter((task) => Boolean(task.completed) === each.isDone)));
  return element("div", { class: "columns" }, ...made);
}

function column(about, tasks) {
  const few = tasks.slice(0, board.shown[about.key]);
  const left = tasks.length - few.length;
  const made = element(
    "section",
    { class: "column", "aria-labelledby": `h-${about.key}` },
    element("h2", { id: `h-${about.key}`, tabindex: "-1" }, about.title, element("span", { class: "quiet" }, `${tasks.length}${board.cut.includes(about.key) ? "+" : ""}`)),
    few.length ? element("ul", { "aria-labelledby": `h-${about.key}` }, ...few.map(taskItem)) : element("p", { class: "quiet" }, about.empty),
    left ? element("div", { class: "actions" }, element("button", { type: "button", onclick: () => showMore(about.key) }, `Show more (${left} left)`)) : null,
  );
  if (about.isDone && host.can("complete_task")) takeDrops(made);
  return made;
}

function showMore(key) {
  board.shown[key] += PAGE;
  draw();
  focusOn(`#h-${key}`);
}

function takeDrops(column) {
  column.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("text/x-task")) return;
    event.preventDefault();
    column.classList.add("over");
  });
  column.addEventListener("dragleave", () => column.classList.remove("over"));
  column.addEventListener("drop", (event) => {
    event.preventDefault();
    const task = board.tasks.find((each) => String(each.id) === event.dataTransfer.getData("text/x-task"));
    if (task && !task.completed) complete(task);
  });
}

function complete(task) {
  const open = board.tasks.filter((each) => !each.completed);
  const next = open[open.indexOf(task) + 1] ?? open[open.indexOf(task) - 1];
  change("complete_task", { task_id: task.id }, `Done: ${task.title}`, [next ? `#task-${next.id} .tick` : "#none", "#h-pending"]);
}

function taskItem(task) {
  const canMove = !task.completed && host.can("complete_task") && !board.isBusy;
  const names = ["task", task.completed ? "done" : "", task.id === board.touched ? "fresh" : ""];
  const opened = board.open?.id === task.id ? board.open.how : "";
  const item = element(
    "li",
    { id: `task-${task.id}`, class: names.filter(Boolean).join(" "), draggable: canMove ? "true" : "false" },
    ...(opened === "change" ? [changeForm(task)] : [...told(task), actions(task, opened)]),
  );
  item.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/x-task", String(task.id));
    event.dataTransfer.effectAllowed = "move";
  });
  return item;
}

function told(task) {
  return [foreign(task.title, { class: "title" }), task.description ? foreign(task.description, { class: "more" }) : null];
}

function actions(task, opened) {
  if (opened === "delete") return askToDelete(task);
  const all = [
    ["complete_task", "Done", "tick", () => complete(task), !task.completed],
    ["update_task", "Edit", "plain", () => openUp(task, "change"), true],
    ["delete_task", "Delete", "plain", () => openUp(task, "delete"), true],
  ];
  const made = all
    .filter(([tool, , , , fits]) => fits && host.can(tool))
    .map(([tool, word, look, act]) =>
      element("button", { type: "button", class: look, "data-does": tool, "aria-label": `${word}: ${spelt(task.title)}`, disabled: board.isBusy, onclick: act }, word),
    );
  return made.length ? element("div", { class: "actions" }, ...made) : null;
}

function openUp(task, how) {
  board.open = { id: task.id, how };
  draw();
  focusOn(how === "change" ? `#task-${task.id} input` : `#task-${task.id} .keep`);
}

function shut(task, how) {
  board.open = null;
  draw();
  focusOn(`#task-${task.id} [data-does="${how}"]`);
}

function askToDelete(task) {
  const after = ["#h-" + (task.completed ? "completed" : "pending")];
  return element(
    "div",
    { class: "actions", role: "group", "aria-label": `Delete: ${spelt(task.title)}`, onkeydown: (event) => event.key === "Escape" && shut(task, "delete_task") },
    element("span", { class: "question" }, "Delete it for good?"),
    element("button", { type: "button", class: "keep", onclick: () => shut(task, "delete_task") }, "Keep"),
    element("button", { type: "button", class: "danger", disabled: board.isBusy, onclick: () => change("delete_task", { task_id: task.id }, `Deleted: ${task.title}`, after) }, "Delete"),
  );
}

function changeForm(task) {
  const title = element("input", { name: "title", id: `title-${task.id}`, maxlength: LONGEST_TITLE, dir: "auto" });
  const more = element("textarea", { name: "description", id: `more-${task.id}`, maxlength: LONGEST_DESCRIPTION, dir: "auto" });
  title.value = task.title;
  more.value = task.description ?? "";
  const send = () => {
    if (!title.value.trim() || board.isBusy) return;
    const given = { task_id: task.id, title: title.value };
    if (more.value !== (task.description ?? "")) given.description = more.value;
    change("update_task", given, `Changed: ${title.value}`, `#task-${task.id} [data-does="update_task"]`);
  };
  const shutIt = () => shut(task, "update_task");
  const onKey = (event) => (event.key === "Escape" ? shutIt() : onEnter(send)(event));
  return element(
    "div",
    { class: "change", role: "group", "aria-label": `Edit: ${spelt(task.title)}`, onkeydown: onKey },
    element("div", {}, element("label", { for: `title-${task.id}` }, "Title"), title),
    element("div", {}, element("label", { for: `more-${task.id}` }, "Description"), more),
    element(
      "div",
      { class: "actions" },
      element("button", { type: "button", class: "chief", disabled: board.isBusy, onclick: send }, "Save"),
      element("button", { type: "button", onclick: shutIt }, "Cancel"),
    ),
  );
}

// What the model's call gave: the whole list, a part of it, or one task of it.
async function receiveResult(result) {
  const value = valueOf(result);
  const given = result.isError ? null : listed(result);
  board.touched = given === null ? (value?.task_id ?? null) : null;
  if (given !== null) board.tasks = given;
  const isWhole = given !== null && !isCut(result) && (board.asked.status ?? "all") === "all";
  if (result.isError) say(wordsOf(result), true);
  if (!isWhole && host.can("list_tasks")) await loadQuietly();
  else if (!isWhole) board.lack = "Only what the answer holds is shown: this client makes no calls for a page.";
  draw();
}

async function loadQuietly() {
  try {
    await load();
  } catch (error) {
    say(error.message, true);
  }
}

host
  .begin("fieldguide-tasks", {
    "tool-input": ({ arguments: given = {} }) => {
      board.asked = given;
      board.user = typeof given.user_id === "string" ? { user_id: given.user_id } : {};
    },
    "tool-result": receiveResult,
    "tool-cancelled": async () => {
      say("The call was cancelled.");
      if (host.can("list_tasks")) await loadQuietly();
      draw();
    },
  })
  .catch((error) => say(error.message, true));
