"use strict";
(() => {
  const PAGE = 60;
  // Systems whose marks a line of the list has room for.
  const MOST_MARKS = 4;
  const byId = (id) => document.getElementById(id);

  // ---- examples ------------------------------------------------------------------------------
  const packed = byId("packed");
  if (!packed) return;
  const status = byId("status");
  const list = byId("items");
  const moreButton = byId("more");
  const detail = byId("detail");
  let matches = [];
  let shown = 0;
  let current = -1;

  // ---- state <-> address ---------------------------------------------------------------------
  const FIELDS = ["metric", "a", "b", "seed", "verdict", "q", "sort", "id"];
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
  const systemA = () => systemIndex(state.a, data.order[0]);
  const systemB = () => systemIndex(state.b, several() ? data.order.find((place) => place !== systemA()) : -1);
  const verdictChoices = () => {
    const a = several() ? data.systems[systemA()] + " " : "", b = several() ? data.systems[systemB()] : "";
    const graded = !metricNow().yesNo, whole = graded ? (metricNow().right === 0 ? "0" : "100") : "right";
    const less = graded ? (metricNow().right === 0 ? "above 0" : "below 100") : "wrong";
    return [["", "all"], ["wrong", a + less], ["right", a + whole],
      ...(several() ? [["better", a + (graded ? "better than " + b : "right, " + b + " wrong")], ["worse", a + (graded ? "worse than " + b : "wrong, " + b + " right")], ["both", "both " + less]] : []),
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
    if (several()) controls.append(field("sort", "Order", [["", "one of each kind"], ["apart", "largest disagreement"]]));
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
  // By how much one output is better than another, of a metric that grades.
  const further = (verdicts, a, b, index) => {
    const [left, right] = [a, b].map((voice) => (voice < 0 ? null : verdicts.values[voice][index]));
    if (typeof left !== "number" || typeof right !== "number") return 0;
    return (left - right) * (verdicts.right === 0 ? -1 : 1);
  };
  // Which results an example is one of, for the chosen systems.
  function resultsOf(verdicts, a, b, seedsOfA, index) {
    const left = isRight(verdicts, a, index), right = b >= 0 ? isRight(verdicts, b, index) : null;
    if (left === null) return verdicts.values[a][index] === "?" ? ["", "open"] : [""];
    const found = ["", left ? "right" : "wrong"];
    if (verdicts.yesNo ? left && right === false : further(verdicts, a, b, index) > 0) found.push("better");
    if (verdicts.yesNo ? !left && right === true : further(verdicts, a, b, index) < 0) found.push("worse");
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
    return [state.sort === "apart" ? byDisagreement(found) : inTurn(found), counts];
  }
  // How far apart systems are on an example: by every metric on its own range, the chosen one first.
  function disagreement(index) {
    const means = (verdicts) => data.systems.map((name, system) => {
      const values = voicesOf(system).map((voice) => verdicts.values[voice][index]).filter((value) => typeof value === "number");
      return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN;
    }).filter((value) => !Number.isNaN(value));
    const apart = (verdicts) => {
      const found = means(verdicts);
      return found.length > 1 ? (Math.max(...found) - Math.min(...found)) / (verdicts.yesNo ? 1 : 100) : 0;
    };
    return 10 * apart(metricNow()) + data.verdicts.reduce((sum, verdicts) => sum + apart(verdicts), 0);
  }
  function byDisagreement(found) {
    const apart = new Map(found.map((index) => [index, disagreement(index)]));
    return found.sort((x, y) => apart.get(y) - apart.get(x) || x - y);
  }
  // One of every kind, then the second of every kind: what comes first shows all there is.
  function inTurn(found) {
    const tag = data.tags[data.main];
    const voice = voiceNow(systemIndex(state.a, data.order[0])), verdicts = metricNow();
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

  // ---- the list ------------------------------------------------------------------------------
  function item(index) {
    const row = element("li");
    const button = row.appendChild(element("button", "row"));
    button.type = "button";
    const mark = element("span", "marks");
    for (const system of shownSystems().slice(0, MOST_MARKS)) {
      const ok = isRight(metricNow(), voiceNow(system), index);
      const value = metricNow().values[voiceNow(system)][index], graded = !metricNow().yesNo && typeof value === "number";
      const one = mark.appendChild(graded ? element("span", "grade", String(Math.round(value)))
        : element("span", "verdict " + (ok === null ? "" : ok ? "ok" : "no"), ok === null ? "–" : ok ? "✓" : "✗"));
      one.title = data.systems[system];
    }
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
    showExample(detail, matches[place]);
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
    if (!state.a) state.a = data.systems[data.order[0]];
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
    if (byId("words").open) tellWords();
    if (keepAddress !== true) remember();
  }
  function tellWords() {
    showWords(byId("words-told"), matches, (word) => { state.q = word; delete state.id; refresh(); });
  }
  byId("words").addEventListener("toggle", () => { if (data && byId("words").open) tellWords(); });
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
    if (event.key === "Escape" && document.activeElement === byId("q")) { byId("q").blur(); return; }
    const typing = /^(INPUT|SELECT|TEXTAREA)$/u.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); byId("q").focus(); byId("q").scrollIntoView({ block: "center" }); }
    else if (!typing && event.key === "j") move(1);
    else if (!typing && event.key === "k") move(-1);
  });
  window.addEventListener("hashchange", () => {
    if (data && readAddress()) { refresh(true); byId("examples").scrollIntoView(); }
  });
  unpack(packed).then((found) => {
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
