// What makes the page quicker; everything works without it. No inline handlers, no library.
"use strict";

const FRAGMENT = { "X-Fragment": "1" };
const REST_MILLISECONDS = 600;
const HOME = document.querySelector("a.brand").getAttribute("href");

/** Fetch a part of a page and put it in the place of an element's content; a part with a stamp only if it changed. */
async function fill(element, address, options = {}) {
  const seen = element.querySelector("[data-stamp]")?.dataset.stamp;
  const headers = seen === undefined ? FRAGMENT : { ...FRAGMENT, "X-Seen": seen };
  const answer = await fetch(address, { headers, credentials: "same-origin", ...options });
  if (answer.status === 401) return location.reload();
  if (answer.status === 204) return;
  const known = new Set([...element.querySelectorAll("[data-entry]")].map((entry) => entry.dataset.entry));
  element.innerHTML = await answer.text();
  for (const entry of element.querySelectorAll("[data-entry]")) {
    if (known.size && !known.has(entry.dataset.entry)) entry.classList.add("new");
  }
  prepare(element);
}

/** Show the buttons that copy; the text is that of the code beside them. */
function prepareCopying(root) {
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("code").textContent;
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
  }
}

/** What refreshes itself does so gently: only while it is looked at, and not while somebody works in it. */
function prepareRefreshing(root) {
  for (const element of root.querySelectorAll("[data-refresh]")) {
    const seconds = Number(element.dataset.refresh);
    const again = async () => {
      if (!element.isConnected) return;
      if (!document.hidden && !element.contains(document.activeElement)) {
        try {
          await fill(element, element.dataset.from || location.href);
        } catch { /* the server may be away for a moment */ }
      }
      if (!element.querySelector("[data-settled]")) setTimeout(again, seconds * 1000);
    };
    setTimeout(again, seconds * 1000);
  }
}

/** Search while somebody types; arrows go through what was found, Escape clears. */
function prepareSearch(form) {
  const box = form.querySelector("input[type=search]");
  const results = document.getElementById("results");
  const found = document.getElementById("found");
  const beside = document.querySelector("[data-else]");
  let waiting, again, asking, asked = 0;

  const address = () => {
    const given = new URLSearchParams(new FormData(form));
    if (!box.value.trim()) given.delete("q");
    const query = given.toString();
    return query ? `${form.getAttribute("action")}?${query}` : form.getAttribute("action");
  };
  const show = (isSearching) => {
    if (beside) { beside.hidden = isSearching; results.hidden = !isSearching; }
  };
  const ask = async () => {
    clearTimeout(again);
    asking?.abort();
    const mine = asking = new AbortController();
    const isSearching = Boolean(box.value.trim());
    asked = performance.now();
    if (!isSearching && beside) {
      show(false);
      found.textContent = "";
      history.replaceState(null, "", HOME);
      return;
    }
    results.setAttribute("aria-busy", "true");
    try {
      await fill(results, address(), { signal: mine.signal });
    } catch (error) {
      if (error.name === "AbortError") return;
      results.textContent = "The server does not answer. Is it still running?";
    }
    results.removeAttribute("aria-busy");
    show(true);
    const told = results.querySelector("[data-said]");
    found.textContent = told ? told.dataset.said : "";
    history.replaceState(null, "", address());
    if (told && told.dataset.again) again = setTimeout(ask, Number(told.dataset.again) * 1000);
  };
  const soon = (delay) => {  // searches are counted by the minute: whoever types slowly must not use them up
    clearTimeout(waiting);
    waiting = setTimeout(ask, Math.max(delay, asked + REST_MILLISECONDS - performance.now()));
  };

  show(Boolean(results.querySelector("[data-said]")));
  box.addEventListener("input", () => soon(160));
  form.addEventListener("change", (event) => { if (event.target !== box && box.value.trim()) soon(0); });
  form.addEventListener("submit", (event) => {
    if (!beside) { event.preventDefault(); soon(0); }
  });
  document.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll(".hit a.cite")];
    const at = links.indexOf(document.activeElement);
    const isInside = at >= 0 || document.activeElement === box;
    if (!isInside || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown" && at + 1 < links.length) {
      event.preventDefault();
      links[at + 1].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (at ? links[at - 1] : box).focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      box.value = "";
      box.focus();
      soon(0);
    }
  });
  const first = results.querySelector("[data-again]");
  if (first) again = setTimeout(ask, Number(first.dataset.again) * 1000);
}

/** Load the slow parts of a page that came without them. */
function prepareLoading(root) {
  for (const element of root.querySelectorAll("[data-load]")) {
    fill(element, element.dataset.load).catch(() => {
      element.textContent = "The server does not answer. Is it still running?";
    }).finally(() => element.removeAttribute("aria-busy"));
  }
}

function prepare(root) {
  prepareLoading(root);
  prepareCopying(root);
  prepareRefreshing(root);
}

/** On a phone the sections scroll sideways: show the one that is open. */
function showSection() {
  const here = document.querySelector("header nav [aria-current]");
  const row = here?.closest("nav");
  if (row) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
}

prepare(document);
showSection();
document.querySelectorAll("form[data-search]").forEach(prepareSearch);

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const box = document.querySelector("input[type=search]");
    if (box) { event.preventDefault(); box.focus(); box.select(); } else { location.assign(HOME); }
  }
});
