"use strict";
(() => {
  // ---- the map over training: every cell and tile as it was at a checkpoint -----------------------
  const slider = document.getElementById("film"), packed = document.getElementById("film-data");
  if (!slider || !packed) return;
  const film = JSON.parse(packed.textContent), shown = document.getElementById("film-step");
  const [low, high] = film.range;
  const places = [];
  const table = document.querySelector("[data-map] .map-table");
  if (table) {
    const systems = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.system);
    for (const row of table.querySelectorAll("tr[data-value]")) {
      systems.forEach((system, place) => {
        const cell = row.cells[place];
        if (cell && film.scores[system]) places.push([cell, cell.querySelector("a") || cell, film.scores[system][row.dataset.value]]);
      });
    }
  } else {
    const [only] = Object.values(film.scores);
    for (const tile of document.querySelectorAll("[data-map] .tile[data-value]")) {
      places.push([tile, tile.querySelector("b"), only[tile.dataset.value]]);
    }
  }
  // The means of families are those of the scored model alone.
  const means = table ? [...table.querySelectorAll("tbody tr:not([data-value]) td")] : [...document.querySelectorAll("[data-map] .strip h3 .quiet")];
  const before = places.map(([box, text]) => [box.className, text.textContent]);
  slider.addEventListener("input", () => {
    const at = Number(slider.value), last = at === film.steps.length;
    shown.textContent = last ? "the model that was scored" : "step " + film.steps[at].toLocaleString("en");
    for (const mean of means) mean.style.visibility = last ? "" : "hidden";
    places.forEach(([box, text, scores], number) => {
      const value = scores ? scores[at] : null;
      const colours = box.className.split(" ").filter((name) => !/^([mw]\d+|wide|unsure)$/.test(name));
      if (last) [box.className, text.textContent] = before[number];
      else if (value === null || value === undefined) [box.className, text.textContent] = [colours.join(" "), "–"];
      else {
        const share = Math.max(0, Math.min(1, (value - low) / (high - low)));
        box.className = [...colours, film.scale + Math.round(10 * share)].join(" ");
        text.textContent = value.toFixed(0);
      }
    });
  });
})();
