"use strict";
// The examples that the page holds, packed, and what was chosen of them.
let data = null;
let state = {};

async function unpack(packed) {
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
  return value === null || value === "?" ? null : verdicts.yesNo ? value === verdicts.right : verdicts.right === 0 ? value <= 0 : value >= 100;
};
const systemIndex = (name, fallback) => {
  const found = data.systems.indexOf(name);
  return found >= 0 ? found : fallback;
};
const shownSystems = () => {
  const a = systemIndex(state.a, data.order[0]), b = systemIndex(state.b, -1);
  if (b >= 0 && b !== a) return [a, b];
  return [a, ...data.order.filter((place) => place !== a)];
};
