"use strict";
// One example: source, reference and outputs with what differs, and the sentence as a tree.
function line(label, fill, language) {
  const row = element("div", "line");
  row.append(element("span", "", label));
  const text = row.appendChild(element("div"));
  text.dir = "auto";
  if (language) text.lang = language;
  fill(text);
  return row;
}
const mainOf = (index) => {
  const tag = data.tags[data.main];
  const code = tag ? tag.codes[index] : -1;
  return code < 0 ? null : { label: tag.labels[code], hint: tag.hints[code] };
};
function marks(who, system, voice, index) {
  const voices = voicesOf(system);
  who.append(element("strong", "", data.systems[system]));
  if (voices.length > 1) who.append(element("span", "quiet", "seed " + data.voices[voice][1]));
  for (const verdicts of data.verdicts) {
    const value = verdicts.values[voice][index];
    if (value === null) continue;
    if (verdicts.yesNo) {
      const ok = value === verdicts.right, open = value === "?";
      const mark = who.appendChild(element("span", "verdict " + (ok ? "ok" : open ? "" : "no"), (ok ? "✓ " : open ? "? " : "✗ ") + verdicts.label));
      if (voices.length > 1) {
        const right = voices.filter((one) => verdicts.values[one][index] === verdicts.right).length;
        mark.append(element("small", "", " right in " + right + " of " + voices.length));
      }
    } else who.append(element("span", "", verdicts.label + " " + value));
  }
}
// What a metric stored of this output, the one that names faults first; else what is not found in it.
function happened(voice, index) {
  const order = [...data.verdicts].sort((x, y) => Number(y.metric === "anatomy" || y.metric === "meaning") - Number(x.metric === "anatomy" || x.metric === "meaning"));
  const reasons = new Map(); // metrics that say the same share a line
  for (const verdicts of order) {
    const reason = reasonOf(verdicts, voice, index);
    if (reason) reasons.set(reason, [...(reasons.get(reason) || []), verdicts.label]);
  }
  return reasons;
}
// Of each constituent: 0 its text is in the output, 1 it is not, 2 it is not because of a smaller one.
function brokenIn(rows, text, reference) {
  const found = rows.map((row) => Number(!standsIn(text, row[3], reference)));
  return found.map((broken, place) => {
    for (let below = place + 1; broken && below < rows.length && rows[below][0] > rows[place][0]; below++) if (found[below]) return 2;
    return broken;
  });
}
function missing(index, text) {
  const rows = data.structure[String(index)];
  if (!rows || text === null) return "";
  const broken = brokenIn(rows, text, data.references[index][0]), gone = rows.filter((row, place) => broken[place] === 1);
  return gone.length ? "not found as in the reference: " + gone.slice(0, 4).map((row) => row[1] + " “" + row[2] + "”").join(", ") : "";
}
function side(system, index) {
  const box = element("div", "side c" + (system % 8));
  const who = box.appendChild(element("div", "who"));
  const voice = voiceNow(system);
  const text = hypothesisOf(voice, index);
  const reference = data.references[index][0];
  marks(who, system, voice, index);
  const hyp = box.appendChild(element("div", "hyp"));
  hyp.dir = "auto";
  hyp.lang = data.languages[1] || "";
  if (text === null) hyp.append(element("em", "quiet", "no translation"));
  else if (text === "") hyp.append(element("em", "quiet", "empty translation"));
  else if (reference === undefined || reference === text) put(hyp, text);
  else putDiff(hyp, reference, text, data.languages[1]);
  const reasons = happened(voice, index);
  const why = element("ul", "why");
  for (const [reason, metrics] of reasons) why.append(element("li", "", metrics.join(", ") + ": " + reason));
  if (!reasons.size && text !== reference) {
    const gone = missing(index, text);
    if (gone) why.append(element("li", "", gone));
  }
  if (why.childNodes.length) box.append(why);
  return box;
}
// The sentence as a tree: what each constituent is, its words in both languages, and whether each output has them.
function tree(index) {
  const rows = data.structure[String(index)];
  if (!rows) return null;
  const box = element("div", "tree");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "The sentence as a tree, and which of its parts the outputs have");
  const systems = shownSystems().slice(0, 3);
  const said = systems.map((system) => hypothesisOf(voiceNow(system), index));
  const reference = data.references[index][0];
  const broken = said.map((text) => (text === null ? null : brokenIn(rows, text, reference)));
  const branch = (nodes) => {
    const list = element("ul");
    for (const node of nodes) {
      const item = list.appendChild(element("li"));
      const label = item.appendChild(element("div", node.tested ? "node tested" : "node"));
      label.append(element("small", "", node.role + (node.tested ? " · asked about" : "")));
      const lacks = systems.map((system, place) => {
        if (!broken[place]) return false;
        return node.place === undefined ? !standsIn(said[place], node.there, reference) : broken[place][node.place] === 1;
      });
      // A phrase is said by its parts; by itself only where these are there and it is not.
      if (!node.below.length || lacks.some(Boolean)) {
        if (!node.below.length) label.appendChild(element("span", "", node.here)).lang = data.languages[0] || "";
        const target = label.appendChild(element(lacks.some(Boolean) ? "del" : "span", "there", node.there));
        target.lang = data.languages[1] || "";
      }
      if (lacks.some(Boolean)) {
        const who = label.appendChild(element("small", "lacks", "not in "));
        systems.forEach((system, place) => { if (lacks[place]) who.append(element("b", "c" + (system % 8), data.systems[system]), " "); });
      }
      if (node.below.length) item.append(branch(node.below));
    }
    return list;
  };
  box.append(branch([{ role: "sentence", here: "", there: "", below: nodesOf(rows) }]));
  return box;
}
// Two sentences that differ in one place, and what a system made of both.
function pair(index, other) {
  const box = element("div", "twins");
  const columns = [[other, index], [index, other]];
  for (const [own, against] of columns) {
    const half = box.appendChild(element("div"));
    half.append(line(own === index ? "and with the change" : "source", (node) => putSide(node, data.source[own], data.source[against], data.languages[0]), data.languages[0]));
    for (const system of shownSystems()) {
      const voice = voiceNow(system);
      const text = hypothesisOf(voice, own), compared = hypothesisOf(voice, against);
      half.append(line(data.systems[system], (node) => {
        if (text) putSide(node, text, compared || "", data.languages[1]);
        else node.append(element("em", "quiet", "no translation"));
      }, data.languages[1]));
    }
  }
  return box;
}
function showExample(detail, index) {
  const box = document.createDocumentFragment();
  const main = mainOf(index);
  const top = box.appendChild(element("div", "chips"));
  if (main) {
    top.append(element("h3", "", main.label));
  }
  const link = top.appendChild(element("a", "idlink", "link to this"));
  const a = systemIndex(state.a, data.order[0]), b = systemIndex(state.b, -1);
  link.href = "#examples?" + new URLSearchParams(Object.fromEntries(
    [["a", data.systems[a]], ["b", b >= 0 ? data.systems[b] : ""],
      ["seed", state.seed || ""], ["id", data.id[index]]].filter((p) => p[1]))).toString();
  link.title = "Permanent link to example " + data.id[index];
  if (main && main.hint) {
    const hint = box.appendChild(element("p", "hint", "Trained: " + main.hint[0]));
    hint.append(document.createElement("br"));
    put(hint, "Asked, for example: " + main.hint[1]);
  }
  const other = data.partner[index];
  if (other >= 0) {
    box.append(pair(index, other));
    for (const system of shownSystems()) {
      const voice = voiceNow(system);
      const row = box.appendChild(element("div", "side c" + (system % 8)));
      marks(row.appendChild(element("div", "who")), system, voice, index);
      const why = element("ul", "why");
      for (const [reason, metrics] of happened(voice, index)) why.append(element("li", "", metrics.join(", ") + ": " + reason));
      if (why.childNodes.length) row.append(why);
    }
  } else {
    const focus = data.focus[index];
    box.append(line("source", (node) => putMarked(node, data.source[index], focus.map((one) => one[0])), data.languages[0]));
    data.references[index].forEach((text, place) => {
      box.append(line(place ? "or" : "reference", (node) => putMarked(node, text, focus.flatMap((one) => one[2])), data.languages[1]));
    });
    const sides = box.appendChild(element("div", "sides"));
    for (const system of shownSystems()) sides.append(side(system, index));
    const structure = tree(index);
    if (structure) box.append(structure);
  }
  const rest = box.appendChild(element("div", "chips tags"));
  for (const name of Object.keys(data.tags)) {
    const tag = data.tags[name], code = tag.codes[index];
    if (code >= 0 && tag.values[code] !== "" && name !== data.main) rest.append(element("span", "chip", tag.label + ": " + tag.labels[code]));
  }
  detail.replaceChildren(box);
  // A tree that is too wide for its place grows down, not sideways.
  const drawn = detail.querySelector(".tree");
  if (drawn && drawn.scrollWidth > drawn.clientWidth) drawn.classList.add("down");
}
