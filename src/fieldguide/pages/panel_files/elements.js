"use strict";

// Elements made from values. Whatever a project or a person wrote becomes a text node, never HTML; characters that would
// turn the text around them or can't be seen are spelt out.

const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function spelt(text) {
  return String(text ?? "").replace(UNSEEN, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

// An element with attributes, listeners (`onclick`) and children; a string is a text node, nothing is left out.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((each) => each !== null && each !== undefined && each !== ""));
  return made;
}

// Somebody's words, kept apart from the words around them.
function foreign(text, attributes = {}, name = "span") {
  return element(name, { ...attributes, class: `foreign ${attributes.class ?? ""}`.trim(), dir: "auto" }, spelt(text));
}

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function show(...children) {
  const main = document.getElementById("main");
  main.replaceChildren(...children.filter((each) => each !== null));
  main.removeAttribute("aria-busy");
}

function say(sentence, isFault = false) {
  const said = document.getElementById("said");
  said.classList.toggle("fault", isFault);
  said.textContent = spelt(sentence);
}
