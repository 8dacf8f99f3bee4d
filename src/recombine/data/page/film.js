"use strict";
(() => {
  // ---- the map over training: every cell and tile as it was at a checkpoint -----------------------
  const slider = document.getElementById("film"), packed = document.getElementById("film-data");
  const map = document.querySelector(".map.main"), choice = document.getElementById("map-metric");
  if (!slider || !packed || !map) return;
  const film = JSON.parse(packed.textContent), shown = document.getElementById("film-step");
  const [low, high] = film.range;
  const table = map.querySelector(".map-table");
  // What is coloured, where its number stands, and its scores; the means of families have none.
  const places = [];
  if (table) {
    for (const row of table.plain) {
      table.columns.forEach((system, place) => {
        const cell = row.cells[place];
        if (cell.plain && film.scores[system]) places.push([cell, cell.querySelector("a > span") || cell, film.scores[system][row.dataset.value], row.dataset.value ? "\u2013" : ""]);
      });
    }
  } else {
    const [only] = Object.values(film.scores);
    for (const tile of map.querySelectorAll(".tile[data-value]")) places.push([tile, tile.querySelector("b"), only[tile.dataset.value], "\u2013"]);
    for (const mean of map.querySelectorAll(".strip h3 .quiet")) places.push([mean, mean, null, ""]);
  }
  const scored = places.map(([box, text]) => [box.className, text.textContent, box.dataset.v]);
  function look(box, text, scores, none, place, at) {
    if (at === film.steps.length) return scored[place];
    const value = scores ? scores[at] : null;
    const plain = scored[place][0].split(" ").filter((name) => !/^[mw]\d+$/.test(name));
    if (value === null || value === undefined) return [plain.join(" "), none, NaN];
    const share = Math.max(0, Math.min(1, (value - low) / (high - low)));
    return [[...plain, film.scale + Math.round(10 * share)].join(" "), value.toFixed(0), value];
  }
  function draw() {
    const at = Number(slider.value);
    shown.textContent = at === film.steps.length ? film.last : "step " + film.steps[at].toLocaleString("en");
    places.forEach(([box, text, scores, none], place) => {
      const [colours, written, value] = look(box, text, scores, none, place, at);
      [box.className, text.textContent] = [colours, written];
      // Order and differences go by what is shown.
      if (box.plain) [box.plain, box.dataset.v] = [[colours, written], value];
    });
    if (table) table.during = at !== film.steps.length;
    document.dispatchEvent(new Event("map"));
  }
  slider.addEventListener("input", () => {
    if (choice) choice.value = map.dataset.map;
    draw();
  });
  // Another metric was not kept at the checkpoints.
  choice?.addEventListener("change", () => {
    if (choice.value === map.dataset.map) return;
    slider.value = film.steps.length;
    draw();
  });
})();
