"use strict";
(() => {
  const PAGE = 60;
  const byId = (id) => document.getElementById(id);

  // ---- examples ------------------------------------------------------------------------------
  const packed = byId("packed");
  if (!packed) return;
  const status = byId("status");
  const list = byId("items");
  const moreButton = byId("more");
  const detail = byId("detail");
  let data = null;
  let state = {};
  let matches = [];
  let shown = 0;
  let current = -1;

  async function unpack() {
    await new Promise((done) => { (window.requestIdleCallback || setTimeout)(done); }); // the map is painted first
    const text = atob(packed.textContent.trim()), bytes = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
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
  const isYesNo = (verdicts) => verdicts.values.every((column) => column.every((v) => v === null || v === 0 || v === 1 || v === "?"));
  const metricNow = () => data.verdicts.find((one) => one.metric === state.metric) || data.verdicts[0];
  const isRight = (verdicts, voice, index) => {
    const value = verdicts.values[voice][index];
    return value === null || value === "?" ? null : verdicts.yesNo ? value === verdicts.right : value >= 100;
  };

  // ---- state <-> address ---------------------------------------------------------------------
  const FIELDS = ["metric", "a", "b", "seed", "verdict", "q", "id"];
  function readAddress() {
    const hash = location.hash;
    if (!hash.startsWith("#examples?")) return false;
    const given = new URLSearchParams(hash.slice("#examples?".length));
    state = { verdict: "" };
    for (const [key, value] of given) {
      if (key === "verdict" && value === "any") continue;
      if (FIELDS.includes(key) || (key.startsWith("tag.") && data.tags[key.slice(4)])) state[key] = value;
    }
    return true;
  }
  function address() {
    const kept = new URLSearchParams();
    for (const key of Object.keys(state).sort()) if (state[key]) kept.set(key, state[key]);
    if (!state.verdict && Object.keys(state).length) kept.set("verdict", "any");
    return "#examples?" + kept.toString();
  }
  function remember() {
    const wanted = address();
    if (location.hash !== wanted) history.replaceState(null, "", wanted);
  }

  // ---- filters: two in sight, the rest behind "More", each choice with its count -----------------
  function field(name, label, options, families) {
    const box = element("label", "", label);
    const chosen = box.appendChild(document.createElement("select"));
    chosen.name = name;
    const groups = new Map();
    options.forEach(([value, text], place) => {
      let parent = chosen;
      const family = families && value !== "" ? families[place - 1] : "";
      if (family) {
        if (!groups.has(family)) {
          const group = chosen.appendChild(document.createElement("optgroup"));
          group.label = family;
          groups.set(family, group);
        }
        parent = groups.get(family);
      }
      const option = parent.appendChild(document.createElement("option"));
      option.value = value;
      option.said = text;
      put(option, text);
    });
    chosen.addEventListener("change", () => { state[name] = chosen.value; delete state.id; refresh(); });
    return box;
  }
  const several = () => data.systems.length > 1;
  const systemA = () => systemIndex(state.a, 0);
  const systemB = () => systemIndex(state.b, several() ? (systemA() === 0 ? 1 : 0) : -1);
  const verdictChoices = () => {
    const a = several() ? data.systems[systemA()] + " " : "", b = several() ? data.systems[systemB()] : "";
    return [["", "all"], ["wrong", a + "wrong"], ["right", a + "right"],
      ...(several() ? [["better", a + "right, " + b + " wrong"], ["worse", a + "wrong, " + b + " right"], ["both", "both wrong"]] : []),
      ...(data.verdicts.some((one) => one.values.some((column) => column.includes("?"))) ? [["open", a + "not judged"]] : []),
      ...(data.voices.length > data.systems.length ? [["mixed", "seeds disagree"]] : [])];
  };
  const tagField = (name) => {
    const tag = data.tags[name];
    let order = tag.values.map((value, place) => place);
    if (tag.values.every((value) => value !== "" && !Number.isNaN(Number(value)))) order.sort((x, y) => tag.values[x] - tag.values[y]);
    return field("tag." + name, tag.label, [["", "any"], ...order.map((place) => [tag.values[place], tag.labels[place]])],
      tag.families ? order.map((place) => tag.families[place]) : null);
  };
  function buildControls() {
    const controls = byId("controls");
    controls.addEventListener("submit", (event) => event.preventDefault());
    const names = Object.keys(data.tags).filter((name) => {
      const count = data.tags[name].values.length;
      return count > 1 && count <= 200;
    });
    const first = names.includes(data.main) ? data.main : names[0];
    if (first) controls.append(tagField(first));
    controls.append(field("verdict", "Result", verdictChoices()));
    const box = element("label", "wide", "Search in all texts and explanations ( / )");
    const search = box.appendChild(document.createElement("input"));
    search.type = "search"; search.name = "q"; search.id = "q";
    let timer = 0;
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => { state.q = search.value; delete state.id; refresh(); }, 150);
    });
    controls.append(box);
    const more = controls.appendChild(element("details", "more-filters"));
    more.append(element("summary", "", "More"));
    const rest = more.appendChild(element("div", "controls"));
    const systems = data.systems.map((name) => [name, name]);
    if (several()) {
      rest.append(field("a", "First system", systems));
      rest.append(field("b", "Second system", [["", "all others"], ...systems]));
    }
    const seeds = [...new Set(data.voices.map((voice) => voice[1]))].sort((x, y) => x - y);
    if (seeds.length > 1) {
      rest.append(field("seed", "Seed", [["", "first of each"], ...seeds.map((seed) => [String(seed), String(seed)])]));
    }
    if (data.verdicts.length > 1) rest.append(field("metric", "Judged by", data.verdicts.map((v) => [v.metric, v.label])));
    for (const name of names.filter((one) => one !== first).slice(0, 7)) rest.append(tagField(name));
  }
  function showControls(counts) {
    for (const box of byId("controls").querySelectorAll("select, input")) {
      const value = state[box.name] || "";
      if (box.tagName === "SELECT") {
        const found = counts[box.name];
        if (box.name === "verdict") verdictChoices().forEach(([, text], place) => { box.options[place].said = text; });
        if (found) {
          for (const option of box.options) {
            const count = found.get(option.value) || 0;
            option.textContent = "";
            put(option, option.said + " (" + count.toLocaleString() + ")");
          }
        }
        if (![...box.options].some((o) => o.value === value)) box.selectedIndex = 0;
        else if (box.value !== value) box.value = value;
      } else if (box.value !== value) box.value = value;
    }
  }
  const systemIndex = (name, fallback) => {
    const found = data.systems.indexOf(name);
    return found >= 0 ? found : fallback;
  };
  // Which results an example is one of, for the chosen systems.
  function resultsOf(verdicts, a, b, seedsOfA, index) {
    const left = isRight(verdicts, a, index), right = b >= 0 ? isRight(verdicts, b, index) : null;
    if (left === null) return verdicts.values[a][index] === "?" ? ["", "open"] : [""];
    const found = ["", left ? "right" : "wrong"];
    if (left && right === false) found.push("better");
    if (!left && right === true) found.push("worse");
    if (!left && right === false) found.push("both");
    if (seedsOfA.some((voice) => isRight(verdicts, voice, index) === !left)) found.push("mixed");
    return found;
  }
  function filter() {
    const verdicts = metricNow();
    const a = voiceNow(systemA()), b = systemB() >= 0 ? voiceNow(systemB()) : -1;
    const seedsOfA = voicesOf(systemA());
    const names = Object.keys(data.tags).filter((name) => byId("controls").querySelector("[name='tag." + CSS.escape(name) + "']") || state["tag." + name]);
    const wanted = names.map((name) => {
      const value = state["tag." + name];
      return value ? data.tags[name].values.indexOf(value) : null;
    });
    const words = (state.q || "").toLowerCase().split(/\s+/u).filter(Boolean);
    const counts = { verdict: new Map() };
    for (const name of names) counts["tag." + name] = new Map();
    const add = (map, value) => map.set(value, (map.get(value) || 0) + 1);
    const found = [];
    for (let index = 0; index < data.id.length; index++) {
      if (data.hidden[index] && data.id[index] !== state.id) continue;
      if (state.id && data.id[index] !== state.id) continue;
      if (words.length) {
        const text = [data.source[index], ...data.references[index], hypothesisOf(a, index) || "",
          b >= 0 ? hypothesisOf(b, index) || "" : "",
          ...data.verdicts.map((one) => reasonOf(one, a, index))].join("\n").toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
      }
      const failed = [];
      const results = resultsOf(verdicts, a, b, seedsOfA, index);
      if (state.verdict && !results.includes(state.verdict)) failed.push("verdict");
      for (let place = 0; place < names.length && failed.length < 2; place++) {
        if (wanted[place] !== null && data.tags[names[place]].codes[index] !== wanted[place]) failed.push("tag." + names[place]);
      }
      if (failed.length > 1) continue;
      if (!failed.length || failed[0] === "verdict") for (const one of results) add(counts.verdict, one);
      for (const name of names) {
        if (failed.length && failed[0] !== "tag." + name) continue;
        const code = data.tags[name].codes[index];
        add(counts["tag." + name], "");
        if (code >= 0) add(counts["tag." + name], data.tags[name].values[code]);
      }
      if (!failed.length) found.push(index);
    }
    return [inTurn(found), counts];
  }
  // One of every kind, then the second of every kind: what comes first shows all there is.
  function inTurn(found) {
    const tag = data.tags[data.main];
    const voice = voiceNow(systemIndex(state.a, 0)), verdicts = metricNow();
    if (!state.verdict) found.sort((x, y) => Number(isRight(verdicts, voice, x)) - Number(isRight(verdicts, voice, y)));
    if (!tag || state["tag." + data.main]) return found;
    const seen = new Map();
    const turns = found.map((index) => {
      const code = tag.codes[index], turn = seen.get(code) || 0;
      seen.set(code, turn + 1);
      return [code < 0 ? 1e6 + turn : turn, code, index];
    });
    turns.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
    return turns.map((turn) => turn[2]);
  }

  // ---- one example ---------------------------------------------------------------------------
  const shownSystems = () => {
    const a = systemIndex(state.a, 0), b = systemIndex(state.b, -1);
    if (b >= 0 && b !== a) return [a, b];
    return [a, ...data.systems.map((name, place) => place).filter((place) => place !== a)];
  };
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
  function show(index) {
    const box = document.createDocumentFragment();
    const main = mainOf(index);
    const top = box.appendChild(element("div", "chips"));
    if (main) {
      top.append(element("h3", "", main.label));
    }
    const link = top.appendChild(element("a", "idlink", "link to this"));
    const a = systemIndex(state.a, 0), b = systemIndex(state.b, -1);
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
  }

  // ---- the list ------------------------------------------------------------------------------
  function item(index) {
    const row = element("li");
    const button = row.appendChild(element("button", "row"));
    button.type = "button";
    const voice = voiceNow(systemIndex(state.a, 0)), ok = isRight(metricNow(), voice, index);
    const mark = element("span", "verdict " + (ok ? "ok" : "no"), ok === null ? "–" : ok ? "✓" : "✗");
    const main = mainOf(index);
    const text = element("span", "text");
    if (main) text.append(element("small", "", main.label));
    text.append(element("span", "", data.source[index].slice(0, 400)));
    button.append(mark, text);
    button.addEventListener("click", () => pick([...list.children].indexOf(row), true));
    return row;
  }
  function pick(place, chosen) {
    if (place < 0 || place >= list.children.length) return;
    current = place;
    for (const one of list.querySelectorAll("[aria-current]")) one.removeAttribute("aria-current");
    const button = list.children[place].firstChild;
    button.setAttribute("aria-current", "true");
    show(matches[place]);
    if (chosen) {
      button.focus({ preventScroll: true });
      button.scrollIntoView({ block: "nearest" });
      if (detail.getBoundingClientRect().top > window.innerHeight - 120) detail.scrollIntoView({ block: "nearest" });
    }
  }
  function showMore(focusFirst) {
    const first = shown;
    const part = document.createDocumentFragment();
    for (; shown < Math.min(matches.length, first + PAGE); shown++) part.append(item(matches[shown]));
    list.append(part);
    moreButton.classList.toggle("hidden", shown >= matches.length);
    moreButton.textContent = "Show " + Math.min(PAGE, matches.length - shown) + " more";
    if (focusFirst && list.children[first]) pick(first, true);
  }
  function refresh(keepAddress) {
    if (!state.a) state.a = data.systems[0];
    const [found, counts] = filter();
    matches = found;
    list.replaceChildren();
    shown = 0;
    current = -1;
    showMore(false);
    if (matches.length) pick(0, false);
    else detail.replaceChildren(element("p", "quiet", "No example matches."));
    const all = packed.dataset.total;
    status.textContent = matches.length.toLocaleString() + " of the " + data.id.length.toLocaleString()
      + " examples in this page" + (Number(all) > data.id.length ? " (of " + Number(all).toLocaleString() + " translated)" : "");
    byId("clear").classList.toggle("hidden", Object.keys(state).filter((k) => k !== "a" && state[k]).length === 0);
    showControls(counts);
    if (keepAddress !== true) remember();
  }
  function move(step) {
    if (!list.children.length) return;
    const wanted = Math.max(0, Math.min(matches.length - 1, current + step));
    if (wanted >= shown) showMore(false);
    pick(wanted, true);
  }

  moreButton.addEventListener("click", () => showMore(true));
  byId("clear").addEventListener("click", () => { state = { verdict: "" }; refresh(); });
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
    // The common sentence of several pairs is shown with each of them, not by itself.
    data.hidden = data.id.map(() => false);
    data.partner.forEach((other) => { if (other >= 0 && data.partner[other] < 0) data.hidden[other] = true; });
    buildControls();
    const asked = readAddress();
    if (!asked) state = { verdict: "wrong" };
    if (!asked && !filter()[0].length) state = {};
    refresh(true);
    if (asked) byId("examples").scrollIntoView();
    document.documentElement.dataset.ready = "yes";
  }).catch((error) => {
    status.textContent = "The examples could not be unpacked in this browser: " + error.message;
  });
})();
