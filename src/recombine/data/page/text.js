"use strict";
// Text in the page: put there as text alone, compared by words.
const LONGEST_DIFF = 700;

// Text is only ever inserted as text. Characters that would reorder or hide it are spelled out.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
function put(parent, text, tag) {
  const target = tag ? parent.appendChild(document.createElement(tag)) : parent;
  let plain = "";
  const flush = () => { if (plain) { target.append(plain); plain = ""; } };
  for (const letter of text) {
    if (CONTROL.test(letter)) {
      flush();
      const box = document.createElement("span");
      box.className = "ctl";
      box.textContent = "U+" + letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      target.append(box);
    } else plain += letter;
  }
  flush();
  return target;
}
function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) put(node, text);
  return node;
}
// Words and morphemes, also of languages that write no spaces; spaces and marks are pieces, too.
const cutters = new Map();
function pieces(text, language) {
  if (typeof Intl === "undefined" || !Intl.Segmenter) return text.match(/[\p{L}\p{M}\p{N}]+|[^]/gu) || [];
  if (!cutters.has(language)) {
    let cutter;
    try { cutter = new Intl.Segmenter(language || undefined, { granularity: "word" }); }
    catch { cutter = new Intl.Segmenter(undefined, { granularity: "word" }); }
    cutters.set(language, cutter);
  }
  return Array.from(cutters.get(language).segment(text), (part) => part.segment);
}

// Longest common subsequence on what is left between the common ends.
function diff(before, after, language) {
  const a = pieces(before, language), b = pieces(after, language);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start
    && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const x = a.slice(start, a.length - end), y = b.slice(start, b.length - end);
  const middle = [];
  if (x.length * y.length === 0 || Math.max(x.length, y.length) > LONGEST_DIFF) {
    if (x.length) middle.push(["del", x.join("")]);
    if (y.length) middle.push(["ins", y.join("")]);
  } else {
    const width = y.length + 1;
    const table = new Uint16Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i--) {
      for (let j = y.length - 1; j >= 0; j--) {
        table[i * width + j] = x[i] === y[j] ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
      }
    }
    let i = 0, j = 0;
    const add = (kind, text) => {
      const last = middle[middle.length - 1];
      if (last && last[0] === kind) last[1] += text; else middle.push([kind, text]);
    };
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) { add("same", x[i]); i++; j++; }
      else if (j >= y.length || (i < x.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) add("del", x[i++]);
      else add("ins", y[j++]);
    }
  }
  return [["same", a.slice(0, start).join("")], ...middle, ["same", a.slice(a.length - end).join("")]]
    .filter((part) => part[1]);
}
function putDiff(parent, reference, hypothesis, language) {
  for (const [kind, text] of diff(reference, hypothesis, language)) {
    put(parent, text, kind === "same" ? null : kind);
  }
}
// One side of a pair: its own words where the other has others.
function putSide(parent, own, other, language) {
  for (const [kind, text] of diff(other, own, language)) {
    if (kind !== "del") put(parent, text, kind === "same" ? null : "mark");
  }
}
function putMarked(parent, text, wanted) {
  // All of them in a row where they stand so (the atoms of a compound), else the longest.
  const place = (one) => {
    const exact = text.indexOf(one), low = text.toLowerCase();
    return exact >= 0 || low.length !== text.length ? exact : low.indexOf(one.toLowerCase());
  };
  const found = [wanted.join(" "), ...wanted].filter((one) => one && place(one) >= 0).sort((a, b) => b.length - a.length)[0];
  if (!found) { put(parent, text); return; }
  const at = place(found), end = at + found.length;
  put(parent, text.slice(0, at));
  put(parent, text.slice(at, end), "mark");
  put(parent, text.slice(end));
}
// Whether an output has what the reference says for a constituent: in one piece, or piece by piece where it is torn apart there, too.
function standsIn(text, wanted, reference) {
  return reference.includes(wanted) ? text.includes(wanted) : wanted.split(/[ …]+/u).every((one) => text.includes(one));
}
// Rows from the outside in, as nodes; what a phrase says beside its parts is a part of its own, its head.
function nodesOf(rows) {
  const top = { here: "", below: [] }, open = [top];
  rows.forEach(([depth, role, here, there, tested], place) => {
    const node = { role, here, there, tested, place, below: [] };
    open.length = depth + 1;
    open[depth].below.push(node);
    open.push(node);
  });
  const without = (text, parts) => parts.reduce((rest, part) => rest.replace(part, "\u0000"), text).split("\u0000").map((one) => one.trim()).filter(Boolean);
  const addHead = (node) => {
    node.below.forEach(addHead);
    const said = without(node.here, node.below.map((one) => one.here));
    if (!node.below.length || !said.length) return;
    node.below.push({ role: "head", here: said.join(" … "), there: without(node.there, node.below.map((one) => one.there)).join(" … "), below: [], at: node.here.indexOf(said[0]) });
    node.below.sort((x, y) => (x.at ?? node.here.indexOf(x.here)) - (y.at ?? node.here.indexOf(y.here)));
  };
  top.below.forEach(addHead);
  return top.below;
}
