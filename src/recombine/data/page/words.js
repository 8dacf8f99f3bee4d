"use strict";
// Words that a system says more or less often than the references of the examples in the list.
const MOST_COUNTED = 4000, MOST_WORDS = 10;
function wordCounts(index, systems, counts) {
  const language = data.languages[1], reference = data.references[index][0];
  if (reference === undefined) return;
  const add = (text, column) => {
    for (const piece of pieces(text, language)) {
      if (!/[\p{L}\p{N}]/u.test(piece)) continue;
      if (!counts.has(piece)) counts.set(piece, new Array(systems.length + 1).fill(0));
      counts.get(piece)[column] += 1;
    }
  };
  add(reference, 0);
  systems.forEach((system, place) => add(hypothesisOf(voiceNow(system), index) || "", place + 1));
}
// How far two counts are apart, against what chance moves them by.
const surprise = (said, wanted) => (said - wanted) / Math.sqrt(said + wanted + 1);
function wordsOf(indices, systems) {
  const counts = new Map();
  for (const index of indices.slice(0, MOST_COUNTED)) wordCounts(index, systems, counts);
  return systems.map((system, place) => {
    const rows = [...counts].map(([word, of]) => [word, of[place + 1], of[0], surprise(of[place + 1], of[0])]);
    rows.sort((x, y) => y[3] - x[3]);
    const often = rows.filter((row) => row[3] > 2).slice(0, MOST_WORDS);
    const rarely = rows.filter((row) => row[3] < -2).slice(-MOST_WORDS).reverse();
    return { system, often, rarely };
  });
}
function showWords(box, indices, search) {
  box.replaceChildren();
  const row = (label, words) => {
    const line = element("p", "words", label + ": ");
    if (!words.length) line.append("none");
    for (const [word, said, wanted] of words) {
      const button = line.appendChild(element("button", "chip", word));
      button.type = "button";
      button.append(element("small", "", " " + said + " for " + wanted));
      button.title = "said " + said + " times, in the references " + wanted + " times";
      button.addEventListener("click", () => search(word));
    }
    return line;
  };
  for (const { system, often, rarely } of wordsOf(indices, shownSystems())) {
    const part = box.appendChild(element("div", "side c" + (system % 8)));
    part.append(element("strong", "", data.systems[system]), row("too often", often), row("too rarely", rarely));
  }
  const counted = Math.min(indices.length, MOST_COUNTED);
  box.append(element("p", "small quiet", "In " + counted.toLocaleString() + " examples, one seed: how often a word is said, for how often it is in the references. A click searches for it."));
}
