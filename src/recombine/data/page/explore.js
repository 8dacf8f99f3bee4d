"use strict";
// Search: every rule and word has its text in data-find; groups without a match go away.
const box = document.getElementById("find");
const count = document.getElementById("count");
const none = document.getElementById("none");
const items = [...document.querySelectorAll("[data-find]")];
const rows = [...document.querySelectorAll("[data-word]")];
const groups = [...document.querySelectorAll("nav section")];
const views = [...document.querySelectorAll(".view")];

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text) => words.every((word) => text.includes(word));
  let shown = 0;
  for (const item of items) {
    item.hidden = !fits(item.dataset.find);
    shown += !item.hidden;
  }
  for (const row of rows) {
    row.hidden = !fits(row.dataset.word);
    shown += !row.hidden;
  }
  // Of words a table fits where one of its words has all that is asked for.
  for (const group of groups) {
    const table = document.getElementById(group.dataset.words);
    group.hidden = !(table || group).querySelector(table ? "[data-word]:not([hidden])" : "li:not([hidden])");
  }
  none.hidden = shown > 0;
  count.textContent = words.length ? `${shown} of ${items.length + rows.length}` : "";
  if (words.length) {
    const first = document.querySelector("nav section:not([hidden]) li:not([hidden]) a, nav section:not([hidden]) h2 a");
    if (first) show(first.hash);
  }
}

// One rule at a time, or the rules and words of one category: what the address names.
function show(hash) {
  const name = decodeURIComponent(hash.slice(1));
  const category = name.startsWith("category-") ? name.slice("category-".length) : null;
  const wanted = views.filter((view) => (category === null ? view.id === name : view.dataset.category === category));
  const chosen = wanted.length ? wanted : views.slice(0, 1);
  for (const view of views) view.hidden = !chosen.includes(view);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === hash) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// Languages: a box each; what is unchecked is hidden everywhere.
const style = document.createElement("style");
document.head.append(style);
const boxes = [...document.querySelectorAll("[data-language]")];
function choose() {
  const off = boxes.filter((one) => !one.checked).map((one) => `[lang="${one.dataset.language}"]`);
  style.textContent = off.length ? `main :is(${off.join(",")}) { display: none; }` : "";
}

box.addEventListener("input", search);
for (const one of boxes) one.addEventListener("change", choose);
window.addEventListener("hashchange", () => { show(location.hash); document.querySelector("main").scrollIntoView(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape") box.blur();
});
search();
choose();
show(location.hash || (document.querySelector("nav a")?.hash ?? ""));
document.documentElement.dataset.ready = "yes";
