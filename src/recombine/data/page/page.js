"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // ---- the map: metric, order, differences ----------------------------------------------------
  const blocks = [...document.querySelectorAll("[data-map]")];
  const choice = byId("map-metric"), sort = byId("map-sort"), mode = byId("map-mode");
  const number = (cell) => (cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : NaN);
  const signed = (value) => (Math.abs(value) < .5 ? "" : value < 0 ? "\u2212" : "+") + Math.abs(value).toFixed(0);
  for (const table of document.querySelectorAll(".map-table")) {
    table.columns = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.system);
    table.plain = [...table.tBodies[0].rows];
    for (const cell of table.querySelectorAll("td[data-v]")) {
      const text = cell.querySelector("a > span") || cell;
      cell.plain = [cell.className, text.textContent];
    }
  }
  // Where two systems cannot be told apart; nothing was tested against a paper or between checkpoints.
  const tiesOf = (table, pair) => {
    const ties = table && !table.during ? JSON.parse(table.dataset.ties) : {};
    return ties[pair[0] + "\n" + pair[1]] || ties[pair[1] + "\n" + pair[0]];
  };
  const column = (table, system) => table.columns.indexOf(system);
  const folded = new Set();
  function drawMap() {
    for (const block of blocks) block.classList.toggle("hidden", Boolean(choice) && block.dataset.map !== choice.value);
    const pair = mode && mode.value ? JSON.parse(mode.value) : null;
    for (const key of document.querySelectorAll("#map .key")) {
      key.querySelector(".scores").classList.toggle("hidden", pair !== null);
      key.querySelector(".differences").classList.toggle("hidden", pair === null);
      key.querySelector(".ticks").classList.toggle("hidden", pair !== null);
      key.querySelector(".tested").classList.toggle("hidden", pair === null || !tiesOf(key.parentNode.querySelector(".map-table"), pair));
    }
    for (const table of document.querySelectorAll(".map-table")) {
      const rows = table.plain.filter((row) => row.dataset.order !== undefined);
      const first = pair ? column(table, pair[0]) : -1, second = pair ? column(table, pair[1]) : -1;
      const shown = first >= 0 && second >= 0;
      const tied = (pair && tiesOf(table, pair)) || [];
      for (const head of table.tHead.rows[0].cells) {
        head.querySelector(".less")?.remove();
        if (!shown || head.cellIndex !== first) continue;
        const less = head.appendChild(document.createElement("small"));
        less.className = "less";
        less.textContent = "\u2212 " + pair[1];
      }
      for (const row of table.plain) {
        const values = [...row.cells].map(number).filter((value) => !Number.isNaN(value));
        row.low = values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : Infinity;
        row.spread = Math.max(...values) - Math.min(...values);
        for (const cell of row.cells) if (cell.plain) {
          const text = cell.querySelector("a > span") || cell;
          cell.className = cell.plain[0];
          text.textContent = cell.plain[1];
          if (shown) cell.classList.add("aside");
          cell.querySelector(".tick")?.classList.toggle("hidden", shown || Boolean(table.during));
        }
        if (shown) {
          const gap = number(row.cells[first]) - number(row.cells[second]);
          row.low = Number.isNaN(gap) ? Infinity : gap;
          row.spread = Number.isNaN(gap) ? -1 : Math.abs(gap);
          const cell = row.cells[first];
          if (cell.plain && Number.isNaN(gap)) (cell.querySelector("a > span") || cell).textContent = "";
          else if (cell.plain) {
            const share = Math.max(-1, Math.min(1, gap / Number(table.dataset.range)));
            cell.className = tied.includes(row.dataset.value) ? "tie" : "d" + (4 + Math.sign(share) * Math.ceil(4 * Math.abs(share)));
            (cell.querySelector("a > span") || cell).textContent = signed(gap);
          }
        }
      }
      const order = sort ? sort.value : "paper";
      const sorted = order === "paper" ? table.plain
        : [...rows].sort((a, b) => (order === "score" ? a.low - b.low : b.spread - a.spread));
      table.tBodies[0].replaceChildren(...sorted);
      // Families fold where they stand together.
      for (const row of table.plain) {
        const away = order === "paper" && folded.has(row.dataset.family || "");
        if (row.classList.contains("family")) row.querySelector(".fold").setAttribute("aria-expanded", String(!away));
        else row.classList.toggle("hidden", away);
      }
    }
  }
  // ---- the map's state in the address, as that of the examples: a link shows what its sender saw ----
  const fields = { by: choice, sorted: sort, showing: mode };
  function remember() {
    const kept = new URLSearchParams();
    for (const [name, field] of Object.entries(fields)) if (field && field.value !== field.options[field.plain].value) kept.set(name, field.value);
    for (const name of folded) kept.append("fold", name);
    history.replaceState(null, "", "#map" + (kept.size ? "?" + kept : ""));
  }
  function recall() {
    if (!location.hash.startsWith("#map?")) return false;
    const given = new URLSearchParams(location.hash.slice("#map?".length));
    for (const [name, field] of Object.entries(fields)) if (field) {
      const wanted = [...field.options].findIndex((option) => option.value === given.get(name));
      field.selectedIndex = wanted >= 0 ? wanted : field.plain;
    }
    folded.clear();
    for (const name of given.getAll("fold")) folded.add(name);
    return true;
  }
  for (const field of [choice, sort, mode]) if (field) {
    field.plain = field.selectedIndex;
    field.addEventListener("change", () => { drawMap(); remember(); });
  }
  for (const button of document.querySelectorAll(".map-table .fold")) button.addEventListener("click", () => {
    const name = button.closest("tr").dataset.family;
    if (!folded.delete(name)) folded.add(name);
    drawMap();
    remember();
  });
  const goToMap = () => { if (recall()) { drawMap(); document.getElementById("map").scrollIntoView(); } };
  window.addEventListener("hashchange", goToMap);
  goToMap();
  document.addEventListener("map", drawMap);
})();
