// What makes the page quicker; everything works without it. No inline handlers, no library.
"use strict";

const FRAGMENT = { "X-Fragment": "1" };

/** Fetch a part of a page and put it in the place of an element's content. */
async function fill(element, address, options = {}) {
  const answer = await fetch(address, { headers: FRAGMENT, credentials: "same-origin", ...options });
  if (answer.status === 401) return location.reload();
  element.innerHTML = await answer.text();
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

function prepare(root) {
  prepareCopying(root);
  prepareRefreshing(root);
}

prepare(document);

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const box = document.querySelector("input[type=search]");
    if (box) { event.preventDefault(); box.focus(); box.select(); } else { location.assign("/"); }
  }
});
