// The decisions over time: the latest first, how each stands, and a line from each to what it replaced or changed.

const PICTURE = "fieldguide/decisions";
const PAGE = 40;
const LANE = 9;
const MOST_LANES = 7;
const MIDDLE = 19;
const STANDINGS = ["in force", "proposed", "rejected", "retired"];
const TIES = { supersedes: ["supersedes", "superseded by"], amends: ["amends", "amended by"] };

const view = { records: [], byUri: new Map(), marks: new Map(), answer: {}, elsewhere: [], leftOut: 0, isWhole: false, shown: PAGE, open: null, texts: new Map(), fault: "" };

function receiveResult(result) {
  const value = valueOf(result) ?? {};
  view.fault = result.isError ? wordsOf(result) : "";
  view.answer = value;
  view.marks = marksOf(value);
  const drawn = result._meta?.[PICTURE] ?? {};
  view.records = (Array.isArray(drawn.records) ? drawn.records : bareRecords(value)).map(recordOf);
  view.leftOut = Number.isInteger(drawn.left_out) ? drawn.left_out : 0;
  view.byUri = new Map(view.records.map((each) => [each.uri, each]));
  for (const each of view.records) tieBack(each);
  view.elsewhere = (value.results ?? []).filter((each) => !view.byUri.has(each.uri));
  view.isWhole = !view.records.some((each) => view.marks.has(each.uri));
  draw();
}

// What the answer says of each decision: how it goes with a proposal, or that it was found.
function marksOf(value) {
  const marks = new Map();
  for (const each of value.results ?? []) marks.set(each.uri, { word: "found", reason: each.excerpt, citation: each.citation });
  for (const each of value.related_adrs ?? []) marks.set(each.uri, { word: each.alignment, reason: each.reason, citation: each.citation });
  return marks;
}

// A host that keeps a result's `_meta` to itself: what the answer names is drawn, without ties.
function bareRecords(value) {
  const found = (value.results ?? []).filter((each) => each.resource_type === "adr");
  return [...(value.related_adrs ?? []), ...found].map((each) => ({ ...each, label: each.adr_id, standing: each.status }));
}

function recordOf(each) {
  const record = { label: "", status: "", date: "", ...each, tied: { supersedes: [], amends: [] }, back: { supersedes: [], amends: [] } };
  record.standing = STANDINGS.includes(each.standing) ? each.standing : "in force";
  record.year = /(?:19|20)\d\d/.exec(record.date)?.[0] ?? "";
  return record;
}

function tieBack(record) {
  for (const tie of Object.keys(TIES)) {
    for (const uri of Array.isArray(record[tie]) ? record[tie] : []) {
      const other = view.byUri.get(uri);
      if (!other || other === record) continue;
      record.tied[tie].push(other);
      other.back[tie].push(record);
    }
  }
}

// The decisions of the answer with all that they are tied to; or all.
function chosen() {
  const latestFirst = [...view.records].reverse();
  if (view.isWhole) return latestFirst;
  const near = new Set();
  for (const each of view.records.filter((record) => view.marks.has(record.uri))) {
    for (const other of [each, ...Object.keys(TIES).flatMap((tie) => [...each.tied[tie], ...each.back[tie]])]) near.add(other);
  }
  return latestFirst.filter((each) => near.has(each));
}

function draw() {
  const records = chosen();
  const few = records.slice(0, view.shown);
  show(
    element("div", { class: "head" }, element("h1", {}, "Decisions"), element("span", { class: "quiet" }, counted(few.length, records.length))),
    view.fault ? element("p", { class: "fault" }, spelt(view.fault)) : null,
    advice(),
    choice(),
    few.length ? legend(few) : null,
    few.length ? picture(few) : element("p", { class: "quiet" }, "This project has no decisions that Fieldguide can find."),
    records.length > few.length ? element("button", { type: "button", onclick: showMore }, `Show more (${records.length - few.length} left)`) : null,
    elsewhere(),
  );
  drawTies(few);
}

function counted(few, all) {
  const total = all + (view.isWhole ? view.leftOut : 0);
  return few === total ? `${total}` : `${few} of ${total}`;
}

function advice() {
  const said = Array.isArray(view.answer.suggestions) ? view.answer.suggestions : [];
  return said.length ? element("ul", { class: "advice" }, ...said.map((each) => foreign(each, {}, "li"))) : null;
}

function choice() {
  const near = view.records.filter((each) => view.marks.has(each.uri)).length;
  if (!near || near === view.records.length) return null;
  const one = (word, isWhole) =>
    element("button", { type: "button", "aria-pressed": String(view.isWhole === isWhole), onclick: () => choose(isWhole) }, word);
  return element("div", { class: "choice", role: "group", "aria-label": "Which decisions" }, one("In this answer", false), one("All decisions", true));
}

function choose(isWhole) {
  view.isWhole = isWhole;
  view.shown = PAGE;
  draw();
  document.querySelector('.choice [aria-pressed="true"]')?.focus();
}

function showMore() {
  const first = view.shown;
  view.shown += PAGE;
  draw();
  document.querySelectorAll(".decision > button")[first]?.focus();
}

function picture(records) {
  const rows = [];
  let year = null;
  for (const each of records) {
    if (each.year && each.year !== year) rows.push(element("li", { class: "year" }, each.year));
    year = each.year || year;
    rows.push(row(each));
  }
  const ties = shape("svg", { id: "ties", "aria-hidden": "true", width: 1, height: 1 });
  return element("div", { class: "picture" }, ties, element("ol", { "aria-label": "Decisions, the latest first" }, ...rows));
}

function row(record) {
  const mark = view.marks.get(record.uri);
  const isOpen = view.open === record.uri;
  const button = element(
    "button",
    { type: "button", "aria-expanded": String(isOpen), onclick: () => toggle(record) },
    element("span", {}, ...(record.label ? [foreign(record.label, { class: "number" }), " "] : []), foreign(record.title, { class: "title" })),
    mark ? element("span", { class: `mark ${["conflicts", "supports", "found"].includes(mark.word) ? mark.word : "related"}` }, spelt(mark.word)) : null,
    foreign(inWords(record), { class: "words" }),
  );
  const made = element("li", { class: `decision ${record.standing.replace(" ", "-")}` }, button, isOpen ? details(record, mark) : null);
  made.dataset.uri = record.uri;
  return made;
}

function inWords(record) {
  const told = [record.status && record.status !== "unknown" ? record.status : record.standing, record.date];
  for (const [tie, [there, back]] of Object.entries(TIES)) {
    if (record.tied[tie].length) told.push(`${there} ${record.tied[tie].map(named).join(", ")}`);
    if (record.back[tie].length) told.push(`${back} ${record.back[tie].map(named).join(", ")}`);
  }
  return told.filter(Boolean).join(" · ");
}

function named(record) {
  return record.label || `“${record.title}”`;
}

function toggle(record) {
  view.open = view.open === record.uri ? null : record.uri;
  draw();
  buttonOf(record.uri)?.focus();
}

function buttonOf(uri) {
  return [...document.querySelectorAll(".decision")].find((each) => each.dataset.uri === uri)?.querySelector("button");
}

function details(record, mark) {
  const others = Object.entries(TIES).flatMap(([tie, [there, back]]) => [
    ...record.tied[tie].map((other) => jump(other, there)),
    ...record.back[tie].map((other) => jump(other, back)),
  ]);
  const text = view.texts.get(record.uri);
  const read = host.capabilities.serverResources && text === undefined ? element("button", { type: "button", class: "read", onclick: () => readOut(record) }, "Read it") : null;
  return element(
    "div",
    { class: "details" },
    mark?.reason ? foreign(mark.reason, {}, "p") : null,
    mark?.citation ? foreign(mark.citation, { class: "quiet" }, "p") : null,
    others.length || read ? element("div", { class: "actions" }, read, ...others) : null,
    text === undefined ? null : foreign(text, { class: "record", tabindex: "0", role: "region", "aria-label": "The record" }, "div"),
  );
}

function jump(other, how) {
  return element("button", { type: "button", onclick: () => goTo(other) }, `${how} `, foreign(named(other)));
}

function goTo(record) {
  if (!chosen().includes(record)) view.isWhole = true;
  view.shown = Math.max(view.shown, chosen().indexOf(record) + 1);
  view.open = record.uri;
  draw();
  buttonOf(record.uri)?.focus();
}

async function readOut(record) {
  try {
    const read = await host.ask("resources/read", { uri: record.uri });
    view.texts.set(record.uri, read.contents?.[0]?.text ?? "");
    say("");
  } catch (error) {
    say(error.message, true);
  }
  draw();
  (document.querySelector(".record") ?? buttonOf(record.uri))?.focus();
}

// Documents of the answer that are no decisions.
function elsewhere() {
  if (!view.elsewhere.length) return null;
  const items = view.elsewhere.map((each) =>
    element("li", {}, foreign(each.title, { class: "title" }), " ", foreign(each.citation ?? each.uri, { class: "quiet" })),
  );
  return element("section", { class: "elsewhere" }, element("h2", {}, "Also in this answer"), element("ul", {}, ...items));
}

function legend(records) {
  const kinds = STANDINGS.filter((each) => records.some((record) => record.standing === each));
  const ties = Object.keys(TIES).filter((tie) => records.some((record) => record.tied[tie].length));
  const dots = kinds.map((kind) => legendItem(kind, dot(kind, 12, 7)));
  const lines = ties.map((tie) => legendItem(tie, shape("path", { class: `tie ${tie}`, d: "M2 7H22" })));
  return element("p", { class: "legend" }, ...dots, ...lines);
}

function legendItem(word, drawn) {
  const made = shape("svg", { viewBox: "0 0 24 14", "aria-hidden": "true" });
  made.append(drawn);
  return element("span", {}, made, word);
}

// The shape says how a decision stands, and the colour says it again.
function dot(standing, x, y) {
  const name = `dot ${standing.replace(" ", "-")}`;
  if (standing === "rejected") return shape("path", { class: name, d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` });
  if (standing === "retired") return shape("circle", { class: name, cx: x, cy: y, r: 3 });
  return shape("circle", { class: name, cx: x, cy: y, r: 5 });
}

// Lines run in lanes beside the dots: no two of one lane overlap, unless there are more than fit.
function drawTies(records) {
  const drawn = document.getElementById("ties");
  if (!drawn) return;
  const rows = new Map([...document.querySelectorAll(".decision")].map((each) => [each.dataset.uri, each]));
  const heights = () => new Map([...rows].map(([uri, each]) => [uri, each.offsetTop + MIDDLE]));
  const pairs = pairsOf(records, heights());
  const lanes = 1 + Math.max(-1, ...pairs.map((pair) => pair.lane));
  const x = 10 + lanes * LANE;
  document.querySelector(".picture").style.setProperty("--gutter", `${x + 10}px`);
  const at = heights();
  drawn.replaceChildren(
    ...pairs.map(({ tie, from, to, lane }) => line(tie, x, x - (lane + 1) * LANE, at.get(from.uri), at.get(to.uri))),
    ...pairs.map(({ to }) => shape("path", { class: "tip", d: `M${x - 5} ${at.get(to.uri)}l-6 -4v8z` })),
    ...records.map((each) => dot(each.standing, x, at.get(each.uri))),
  );
}

function pairsOf(records, at) {
  const seen = new Set(records);
  const pairs = records.flatMap((from) =>
    Object.keys(TIES).flatMap((tie) => from.tied[tie].filter((to) => seen.has(to)).map((to) => ({ tie, from, to }))),
  );
  const ends = [];
  for (const pair of pairs) {
    const [top, bottom] = [at.get(pair.from.uri), at.get(pair.to.uri)].sort((one, other) => one - other);
    const free = ends.findIndex((end) => end < top);
    pair.lane = free >= 0 ? free : ends.length < MOST_LANES ? ends.length : MOST_LANES - 1;
    ends[pair.lane] = Math.max(bottom, ends[pair.lane] ?? 0);
  }
  return pairs;
}

function line(tie, x, lane, top, bottom) {
  const bend = Math.min(6, x - lane);
  const down = bottom > top ? bend : -bend;
  return shape("path", { class: `tie ${tie}`, d: `M${x} ${top}H${lane + bend}Q${lane} ${top} ${lane} ${top + down}V${bottom - down}Q${lane} ${bottom} ${lane + bend} ${bottom}H${x - 6}` });
}

let width = 0;

new ResizeObserver(() => {
  if (width === document.body.clientWidth) return;
  width = document.body.clientWidth;
  if (view.records.length) drawTies(chosen().slice(0, view.shown));
}).observe(document.body);

host
  .begin("fieldguide-decisions", {
    "tool-result": receiveResult,
    "tool-cancelled": () => {
      view.fault = "The call was cancelled.";
      draw();
    },
  })
  .catch((error) => say(error.message, true));
