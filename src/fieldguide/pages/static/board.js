// Cards of the task board by mouse and by arrow keys. Without it, the buttons below each card do the same.
"use strict";

const board = document.querySelector("[data-board]");
const told = document.getElementById("told");
const mover = document.getElementById("mover");
const COLUMNS = board ? [...board.querySelectorAll("[data-column]")] : [];

function tell(text, isBad) {
  told.textContent = "";
  const box = document.createElement("div");
  box.className = isBad ? "notice bad" : "unseen";
  if (isBad) box.setAttribute("role", "alert");
  box.textContent = text;
  told.append(box);
}

function columnOf(card) {
  return card.closest("[data-column]");
}

function count(column, change) {
  const shown = column.querySelector(".count");
  const number = Number(shown.textContent.replace(/\D/g, "")) + change;
  shown.textContent = number.toLocaleString("en");
}

/** Send what the card's button would send; the card goes where it belongs, or stays and the page says why. */
async function move(card, state) {
  const from = columnOf(card);
  const to = board.querySelector(`[data-column="${state}"]`);
  if (from === to || card.classList.contains("moving")) return;
  card.classList.add("moving");
  try {
    const answer = await fetch(`/tasks/${card.dataset.task}/${state}`, {
      method: "POST",
      headers: { "X-Fragment": "1" },
      body: new URLSearchParams(new FormData(mover)),
      credentials: "same-origin",
    });
    const text = await answer.text();
    const read = new DOMParser().parseFromString(text, "text/html").body;
    if (!answer.ok) throw new Error(read.textContent.trim() || `The server answered ${answer.status}.`);
    const moved = read.firstElementChild;
    card.remove();
    to.querySelector(".cards").prepend(moved);
    count(from, -1);
    count(to, 1);
    prepareCard(moved);
    moved.focus();
    const name = to.querySelector("h2").firstChild.textContent.trim();
    tell(`Moved to ${name}: ${moved.querySelector("h3").textContent}`, false);
  } catch (error) {
    card.classList.remove("moving");
    tell(`The card was not moved. ${error.message}`, true);
  }
}

function neighbour(card, step) {
  const cards = [...columnOf(card).querySelectorAll(".task")];
  return cards[cards.indexOf(card) + step];
}

function prepareKeys(card) {
  card.addEventListener("keydown", (event) => {
    if (event.target !== card || event.altKey || event.ctrlKey || event.metaKey) return;
    const side = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const state = side && COLUMNS[COLUMNS.indexOf(columnOf(card)) + side]?.dataset.column;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && neighbour(card, step);
    if (side || step) event.preventDefault();
    if (state) move(card, state);
    if (next) next.focus();
  });
}

function prepareDragging(card) {
  card.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/plain", card.dataset.task);
    event.dataTransfer.effectAllowed = "move";
    card.classList.add("dragged");
  });
  card.addEventListener("dragend", () => card.classList.remove("dragged"));
}

function prepareCard(card) {
  prepareKeys(card);
  prepareDragging(card);
}

if (board && mover) {
  board.querySelectorAll(".task").forEach(prepareCard);
  for (const column of COLUMNS) {
    column.addEventListener("dragover", (event) => {
      event.preventDefault();
      column.classList.add("over");
    });
    column.addEventListener("dragleave", (event) => {
      if (!column.contains(event.relatedTarget)) column.classList.remove("over");
    });
    column.addEventListener("drop", (event) => {
      event.preventDefault();
      column.classList.remove("over");
      const card = document.getElementById(`task-${event.dataTransfer.getData("text/plain")}`);
      if (card) move(card, column.dataset.column);
    });
  }
}
