"use strict";
(() => {
  const PAGE = 25;
  const LONGEST_DIFF = 700;
  const byId = (id) => document.getElementById(id);

  // ---- examples ------------------------------------------------------------------------------
  const packed = byId("packed");
  if (!packed) return;
  const status = byId("status");
  const list = byId("items");
  const moreButton = byId("more");
  let data = null;
  let state = {};
  let matches = [];
  let shown = 0;
  let current = -1;

  async function unpack() {
    const bytes = Uint8Array.from(atob(packed.textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

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
  const segmenter = typeof Intl !== "undefined" && Intl.Segmenter
    ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;
  const letters = (text) =>
    segmenter ? Array.from(segmenter.segment(text), (part) => part.segment) : Array.from(text);

  // Longest common subsequence on what is left between the common ends.
  function diff(before, after) {
    const a = letters(before), b = letters(after);
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
  function putDiff(parent, reference, hypothesis) {
    for (const [kind, text] of diff(reference, hypothesis)) {
      put(parent, text, kind === "same" ? null : kind);
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

  // A voice is a system with a seed; what it said is a number: nothing, the reference, or a text.
  const hypothesisOf = (voice, index) => {
    const code = data.said[voice][index];
    return code < 0 ? null : code === 0 ? data.references[index][0] : data.texts[index][code - 1];
  };
  const voicesOf = (system) => data.voices.flatMap((voice, number) => (voice[0] === system ? [number] : []));
  const voiceNow = (system) => {
    const own = voicesOf(system);
    return own.find((voice) => String(data.voices[voice][1]) === state.seed) ?? own[0];
  };
  const reasonOf = (verdicts, voice, index) => {
    const told = (verdicts.why[String(index)] || []).find((one) => one[1].includes(voice));
    return told ? told[0] : "";
  };
  const tagOf = (name, index) => {
    const tag = data.tags[name];
    return tag && tag.codes[index] >= 0 ? tag.values[tag.codes[index]] : null;
  };
  const isYesNo = (verdicts) => verdicts.values.every((column) => column.every((v) => v === null || v === 0 || v === 1));
  const metricNow = () => data.verdicts.find((one) => one.metric === state.metric) || data.verdicts[0];
  const isRight = (verdicts, voice, index) => {
    const value = verdicts.values[voice][index];
    return value === null ? null : verdicts.yesNo ? value === verdicts.right : value >= 100;
  };

  // ---- state <-> address ---------------------------------------------------------------------
  const FIELDS = ["metric", "a", "b", "seed", "verdict", "q", "id"];
  function readAddress() {
    const hash = location.hash;
    if (!hash.startsWith("#examples?")) return false;
    const given = new URLSearchParams(hash.slice("#examples?".length));
    state = {};
    for (const [key, value] of given) {
      if (FIELDS.includes(key) || (key.startsWith("tag.") && data.tags[key.slice(4)])) state[key] = value;
    }
    return true;
  }
  function address() {
    const kept = new URLSearchParams();
    for (const key of Object.keys(state).sort()) if (state[key]) kept.set(key, state[key]);
    return "#examples?" + kept.toString();
  }
  function remember() {
    const wanted = address();
    if (location.hash !== wanted) history.replaceState(null, "", wanted);
  }

  // ---- filters -------------------------------------------------------------------------------
  function select(name, label, options, changed) {
    const box = element("label", "", label);
    const field = box.appendChild(document.createElement("select"));
    field.name = name;
    for (const [value, text] of options) {
      const option = field.appendChild(document.createElement("option"));
      option.value = value;
      put(option, text);
    }
    field.addEventListener("change", () => { state[name] = field.value; delete state.id; changed(); });
    return box;
  }
  const VERDICTS = [["", "any"], ["wrong", "A is wrong"], ["right", "A is right"], ["better", "A right, B wrong"],
    ["worse", "A wrong, B right"], ["both", "both wrong"], ["mixed", "A's seeds disagree"]];
  function buildControls() {
    const controls = byId("controls");
    const names = Object.keys(data.tags).filter((name) => {
      const count = data.tags[name].values.length;
      return count > 1 && count <= 200;
    });
    const system = data.systems.map((name, index) => [name, name]);
    controls.append(select("a", "System A", system, refresh));
    if (data.systems.length > 1) {
      controls.append(select("b", "System B (side by side)", [["", "none"], ...system], refresh));
    }
    const seeds = [...new Set(data.voices.map((voice) => voice[1]))].sort((x, y) => x - y);
    if (seeds.length > 1) {
      controls.append(select("seed", "Seed", [["", "first of each"], ...seeds.map((seed) => [String(seed), String(seed)])], refresh));
    }
    controls.append(select("metric", "Judged by", data.verdicts.map((v) => [v.metric, v.metric]), refresh));
    controls.append(select("verdict", "Verdict", VERDICTS, refresh));
    for (const name of names.slice(0, 6)) {
      const values = [...data.tags[name].values];
      if (values.every((v) => v !== "" && !Number.isNaN(Number(v)))) values.sort((x, y) => x - y);
      controls.append(select("tag." + name, name.replaceAll("_", " "), [["", "any"], ...values.map((v) => [v, v.replaceAll("_", " ")])], refresh));
    }
    const box = element("label", "wide", "Text in source, reference, translation or explanation ( / )");
    const search = box.appendChild(document.createElement("input"));
    search.type = "search"; search.name = "q"; search.id = "q";
    let timer = 0;
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => { state.q = search.value; delete state.id; refresh(); }, 150);
    });
    controls.append(box);
  }
  function showControls() {
    for (const field of byId("controls").querySelectorAll("select, input")) {
      const value = state[field.name] || "";
      if (field.tagName === "SELECT" && ![...field.options].some((o) => o.value === value)) {
        field.selectedIndex = 0;
      } else if (field.value !== value) field.value = value;
    }
  }
  const systemIndex = (name, fallback) => {
    const found = data.systems.indexOf(name);
    return found >= 0 ? found : fallback;
  };
  function filter() {
    const verdicts = metricNow();
    const systemA = systemIndex(state.a, 0), systemB = systemIndex(state.b, -1);
    const a = voiceNow(systemA), b = systemB >= 0 ? voiceNow(systemB) : -1;
    const seedsOfA = voicesOf(systemA);
    const tags = Object.keys(state).filter((key) => key.startsWith("tag.") && state[key]).map((key) => {
      const tag = data.tags[key.slice(4)];
      return [tag.codes, tag.values.indexOf(state[key])];
    });
    const words = (state.q || "").toLowerCase().split(/\s+/u).filter(Boolean);
    const found = [];
    for (let index = 0; index < data.id.length; index++) {
      if (state.id && data.id[index] !== state.id) continue;
      if (tags.some(([codes, code]) => codes[index] !== code)) continue;
      if (state.verdict) {
        const left = isRight(verdicts, a, index);
        const right = b >= 0 ? isRight(verdicts, b, index) : null;
        if (left === null) continue;
        if (state.verdict === "mixed"
          && !seedsOfA.some((voice) => isRight(verdicts, voice, index) === !left)) continue;
        if (state.verdict === "wrong" && left) continue;
        if (state.verdict === "right" && !left) continue;
        if (state.verdict === "better" && !(left && right === false)) continue;
        if (state.verdict === "worse" && !(!left && right === true)) continue;
        if (state.verdict === "both" && (left || right !== false)) continue;
      }
      if (words.length) {
        const text = [data.source[index], ...data.references[index], hypothesisOf(a, index) || "",
          b >= 0 ? hypothesisOf(b, index) || "" : "",
          ...data.verdicts.map((one) => reasonOf(one, a, index))].join("\n").toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
      }
      found.push(index);
    }
    return found;
  }

  // ---- one example ---------------------------------------------------------------------------
  function line(label, fill) {
    const row = element("div", "line");
    row.append(element("span", "", label));
    const text = row.appendChild(element("div"));
    text.dir = "auto";
    fill(text);
    return row;
  }
  function side(system, index) {
    const box = element("div", "side c" + (system % 8));
    const who = box.appendChild(element("div", "who"));
    const voice = voiceNow(system), voices = voicesOf(system);
    who.append(element("strong", "", data.systems[system]));
    if (voices.length > 1) who.append(element("span", "quiet", "seed " + data.voices[voice][1]));
    const text = hypothesisOf(voice, index);
    const reference = data.references[index][0];
    for (const verdicts of data.verdicts) {
      const value = verdicts.values[voice][index];
      if (value === null) continue;
      if (verdicts.yesNo) {
        const ok = value === verdicts.right;
        const mark = who.appendChild(element("span", "verdict " + (ok ? "ok" : "no"), (ok ? "✓ " : "✗ ") + verdicts.metric));
        if (voices.length > 1) {
          const right = voices.filter((one) => verdicts.values[one][index] === verdicts.right).length;
          mark.append(element("small", "", " right in " + right + " of " + voices.length));
        }
      } else who.append(element("span", "", verdicts.metric + " " + value));
    }
    const hyp = box.appendChild(element("div", "hyp"));
    hyp.dir = "auto";
    if (text === null) hyp.append(element("em", "quiet", "no translation"));
    else if (text === "") hyp.append(element("em", "quiet", "empty translation"));
    else if (reference === undefined || reference === text) put(hyp, text);
    else putDiff(hyp, reference, text);
    const why = element("ul", "why");
    const reasons = new Map(); // metrics that say the same share a line
    for (const verdicts of data.verdicts) {
      const reason = reasonOf(verdicts, voice, index);
      if (reason) reasons.set(reason, [...(reasons.get(reason) || []), verdicts.metric]);
    }
    for (const [reason, metrics] of reasons) why.append(element("li", "", metrics.join(", ") + ": " + reason));
    if (why.childNodes.length) box.append(why);
    return box;
  }
  function item(index) {
    const a = systemIndex(state.a, 0), b = systemIndex(state.b, -1);
    const row = element("li", "item card");
    row.id = "example-" + index;
    row.tabIndex = -1;
    const chips = row.appendChild(element("div", "chips"));
    for (const name of Object.keys(data.tags)) {
      const value = tagOf(name, index);
      if (value !== null && value !== "") chips.append(element("span", "chip", (name + ": " + value).replaceAll("_", " ")));
    }
    const link = chips.appendChild(element("a", "idlink", "link to this"));
    link.href = "#examples?" + new URLSearchParams(Object.fromEntries(
      [["a", data.systems[a]], ["b", b >= 0 ? data.systems[b] : ""],
        ["seed", state.seed || ""], ["id", data.id[index]]].filter((p) => p[1]))).toString();
    link.setAttribute("aria-label", "Permanent link to example " + data.id[index]);
    const focus = data.focus[index];
    row.append(line("source", (node) => putMarked(node, data.source[index], focus.map((one) => one[0]))));
    data.references[index].forEach((text, number) => {
      row.append(line(number ? "or" : "reference", (node) => putMarked(node, text, focus.flatMap((one) => one[2]))));
    });
    if (focus.length) {
      row.append(line("looks at", (node) => put(node, focus.map((one) =>
        one[0] + " (" + one[1] + ")" + (one[2].length ? " → " + one[2].join(" / ") : "")).join("; "))));
    }
    const aligned = data.aligned[index];
    if (aligned) {
      row.append(line("constituents", (node) => {
        const grid = node.appendChild(element("div", "aligned"));
        for (const [role, here, there] of aligned) {
          const box = grid.appendChild(element("span", "pair"));
          box.append(element("small", "", role), element("span", "", here), element("span", "", there));
        }
      }));
    }
    const sides = row.appendChild(element("div", b >= 0 && b !== a ? "sides two" : "sides"));
    sides.append(side(a, index));
    if (b >= 0 && b !== a) sides.append(side(b, index));
    return row;
  }
  function showMore(focusFirst) {
    const first = shown;
    const part = document.createDocumentFragment();
    for (; shown < Math.min(matches.length, first + PAGE); shown++) part.append(item(matches[shown]));
    list.append(part);
    moreButton.classList.toggle("hidden", shown >= matches.length);
    moreButton.textContent = "Show " + Math.min(PAGE, matches.length - shown) + " more";
    if (focusFirst && list.children[first]) list.children[first].focus();
  }
  function refresh(keepAddress) {
    if (!state.a) state.a = data.systems[0];
    matches = filter();
    list.replaceChildren();
    shown = 0;
    current = -1;
    showMore(false);
    const all = packed.dataset.total;
    status.textContent = matches.length.toLocaleString() + " of the " + data.id.length.toLocaleString()
      + " examples in this page match" + (Number(all) > data.id.length
        ? " (" + Number(all).toLocaleString() + " were translated; errors and disagreements are kept first)" : "");
    byId("clear").classList.toggle("hidden", Object.keys(state).filter((k) => k !== "a" && state[k]).length === 0);
    showControls();
    if (keepAddress !== true) remember();
  }
  function move(step) {
    if (!list.children.length) return;
    current = Math.max(0, Math.min(list.children.length - 1, current + step));
    if (current === list.children.length - 1 && shown < matches.length) showMore(false);
    for (const one of list.querySelectorAll(".current")) one.classList.remove("current");
    const row = list.children[current];
    row.classList.add("current");
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  }

  moreButton.addEventListener("click", () => showMore(true));
  byId("clear").addEventListener("click", () => { state = {}; refresh(); });
  byId("copy").addEventListener("click", async () => {
    remember();
    const text = location.href;
    try { await navigator.clipboard.writeText(text); byId("copy").textContent = "Link copied"; }
    catch { byId("copy").textContent = "Copy it from the address bar"; }
    setTimeout(() => { byId("copy").textContent = "Copy link to this selection"; }, 2500);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/u.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); byId("q").focus(); byId("q").scrollIntoView({ block: "center" }); }
    else if (!typing && event.key === "j") move(1);
    else if (!typing && event.key === "k") move(-1);
  });
  window.addEventListener("hashchange", () => {
    if (data && readAddress()) { refresh(true); byId("examples").scrollIntoView(); }
  });
  unpack().then((found) => {
    data = found;
    for (const verdicts of data.verdicts) verdicts.yesNo = isYesNo(verdicts);
    buildControls();
    const asked = readAddress();
    refresh(true);
    if (asked) byId("examples").scrollIntoView();
    document.documentElement.dataset.ready = "yes";
  }).catch((error) => {
    status.textContent = "The examples could not be unpacked in this browser: " + error.message;
  });
})();
