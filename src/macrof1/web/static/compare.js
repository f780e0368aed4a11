// The Compare view: several systems, two rankings.

import { ask, complain, copy, latest, notice, quiet, save } from "./api.js";
import { $, breakable, el, fixed, list, score, table } from "./dom.js";
import { bring } from "./matrix.js";
import { slope } from "./slope.js";
import { TOO_LARGE, decode, encode, visit, write } from "./state.js";

const OPTIONS = ["gold", "systems", "by", "weight", "missing", "test"];
const PLAIN = { missing: "error", test: "delta" };
let given = null; // {text or data, name, example}
let shown = null; // {answer, asked}: the comparison shown, and the request that it answers
let turn = 0; // answers to earlier questions come too late

const options = () => Object.fromEntries(OPTIONS.map((name) => [name, $(`compare-${name}`).value.trim()]));
const request = () => ({ text: given.text, data: given.data, name: given.name, ...options() });

const compare_now = latest((asked, signal) => ask("/api/compare", asked.body, signal), show, {
  view: "compare",
  cut: true,
  results: "compare-result",
  wanted: (asked) => asked.turn === turn,
  failed: () => {
    shown = null;
    $("compare-source").textContent = "";
    $("compare-result").hidden = true;
    $("compare-options").open = true;
  },
});

function remember() {
  const kept = Object.fromEntries(Object.entries(options()).filter(([name, value]) => value !== PLAIN[name]).map(([name, value]) => [name, encode(value)]));
  const source = given.example ? { example: given.example } : { name: encode(given.name), text: encode(given.text ?? ""), data: encode(given.data ?? "") };
  return write("compare", { ...source, ...kept });
}

function run() {
  turn += 1;
  quiet("compare");
  if (!remember()) notice(TOO_LARGE, true, "compare");
  $("compare-source").textContent = `Comparing ${given.name} …`;
  compare_now({ turn, body: request() });
}

function fields(values) {
  for (const name of OPTIONS) $(`compare-${name}`).value = values[name] ?? PLAIN[name] ?? "";
  for (const name of Object.keys(PLAIN)) if ($(`compare-${name}`).selectedIndex < 0) $(`compare-${name}`).value = PLAIN[name];
}

export async function example(name, options) {
  turn += 1;
  const mine = turn;
  try {
    const found = await ask(`/api/examples/${encodeURIComponent(name)}`);
    if (mine !== turn) return;
    given = { text: found.text, name: found.name, example: name };
    fields(options ?? found.options);
    run();
  } catch (error) {
    if (mine === turn) complain(error, "compare");
  }
}

export function drop({ text, data, name }) {
  given = { text, data, name, example: null };
  run();
}

const range = (ends) => (ends ? `${score(ends[0])} to ${score(ends[1])}` : "");
const probability = (value) => (value === null || value === undefined ? "" : fixed(value, 2));
const chance = (value) => (value === undefined || value === null ? "" : value < 0.0001 ? "<0.0001" : fixed(value, 4));

// From a system to its matrix: GermEval runs are presets, columns of predictions are counted.
const runOf = (name) => `#/matrix?preset=germeval&choice=${encode(name)}`;

function openSystem(name) {
  const { text, data, name: file, gold } = shown.asked.body;
  if (given.example) visit(runOf(name));
  else bring({ text, data, name: file, gold, pred: name });
}

const hasMatrices = () => given.example || (shown.answer.test !== null && !shown.asked.body.by);

function picture() {
  if (!shown || $("view-compare").hidden) return;
  const { systems, flips } = shown.answer;
  slope($("compare-chart"), systems, flips, { opened: hasMatrices() ? openSystem : null, found: $("compare-find").value });
}

function systemName({ name }) {
  if (!hasMatrices()) return name;
  const open = given.example ? {} : { onclick: (event) => { event.preventDefault(); openSystem(name); } };
  return el("a", { href: given.example ? runOf(name) : "#/matrix", ...open }, ...breakable(name));
}

function show(answer, asked) {
  shown = { answer, asked };
  $("compare-result").hidden = false;
  $("compare-empty").hidden = true;
  $("compare-source").textContent = `Read: ${given.name}`;
  list($("compare-headline"), answer.headline);
  picture();
  const flipping = new Set(answer.flips.flatMap((flip) => [flip.averaged_f1_prefers, flip.f1_of_averages_prefers]));
  const tested = answer.test !== null;
  table($("compare-systems-table"), [
    { title: "system", head: true, value: systemName },
    { title: "averaged F1", term: "averaged", value: (one) => score(one.averaged_f1) },
    ...(tested ? [{ title: "95% interval", term: "interval", value: (one) => range(one.averaged_f1_interval) }] : []),
    { title: "rank", value: (one) => one.rank_averaged_f1 },
    { title: "F1 of averages", term: "of-averages", value: (one) => score(one.f1_of_averages) },
    ...(tested ? [{ title: "95% interval", value: (one) => range(one.f1_of_averages_interval) }] : []),
    { title: "rank", value: (one) => one.rank_f1_of_averages },
    { title: "change", value: (one) => (one.rank_change ? el("span", { class: flipping.has(one.name) ? "flip" : null }, `${one.rank_change > 0 ? "+" : ""}${one.rank_change}`) : "=") },
    { title: "gap", term: "gap", value: (one) => score(one.gap) },
  ], answer.systems);
  table($("compare-flips"), [
    { title: "averaged F1 prefers", head: true, value: (flip) => flip.averaged_f1_prefers },
    { title: "by", value: (flip) => score(flip.averaged_f1_lead) },
    { title: "F1 of averages prefers", text: true, value: (flip) => flip.f1_of_averages_prefers },
    { title: "by", value: (flip) => score(flip.f1_of_averages_lead) },
    ...(tested ? [{ title: "probability", term: "probability", value: (flip) => probability(flip.probability) }] : []),
  ], answer.flips);
  $("compare-flips-region").hidden = !answer.flips.length;
  $("compare-flips-hint").textContent = !answer.flips.length ? "None: both formulas put every two systems in the same order."
    : tested ? "By how much each formula prefers its system, and how probable the flip is in another sample." : "By how much each formula prefers its system.";
  list($("compare-verdict"), answer.verdict);
  $("compare-pairs-region").hidden = !tested;
  $("compare-pairs-hint").hidden = !tested;
  const corrected = tested ? answer.comparisons[0].averaged_f1.p_holm : {};
  const kinds = Object.keys(corrected).filter((kind) => corrected[kind] !== null);
  const signed = (found) => `${found.difference > 0 ? "+" : ""}${score(found.difference)}${found.significant ? " *" : ""}`;
  table($("compare-pairs"), tested ? [
    { title: "pair", head: true, value: (pair) => `${pair.a} − ${pair.b}` },
    { title: "averaged F1", value: (pair) => signed(pair.averaged_f1) },
    ...kinds.map((kind) => ({ title: `p ${kind}`, value: (pair) => chance(pair.averaged_f1.p_holm[kind]) })),
    { title: "F1 of averages", value: (pair) => signed(pair.f1_of_averages) },
    ...kinds.map((kind) => ({ title: `p ${kind}`, value: (pair) => chance(pair.f1_of_averages.p_holm[kind]) })),
  ] : [], tested ? answer.comparisons.slice(0, 300) : []);
  const hidden = tested ? answer.comparisons.length - 300 : 0;
  list($("compare-notes"), [...(hidden > 0 ? [`${hidden} more pairs are in a saved report.`] : []), ...answer.notes]);
  $("compare-latex").textContent = answer.latex;
  $("compare-signature").replaceChildren(...breakable(answer.signature.averaged_f1));
}

export async function start() {
  $("compare-find").addEventListener("input", picture);
  window.addEventListener("resize", picture);
  $("compare-again").addEventListener("click", () => { if (given) run(); });
  $("copy-latex").addEventListener("click", (event) => copy($("compare-latex").textContent, event.target));
  $("copy-compare-signature").addEventListener("click", (event) => copy($("compare-signature").textContent, event.target));
  $("save-compare").addEventListener("click", () => save("/api/report/compare", shown.asked.body, "comparison.html", "compare"));
}

export async function open(state) {
  const options = Object.fromEntries(OPTIONS.filter((name) => state[name] !== undefined).map((name) => [name, decode(state[name])]));
  if (state.example) {
    await example(decode(state.example), Object.keys(options).length ? options : null);
  } else if (state.text !== undefined || state.data !== undefined) {
    fields(options);
    drop({ text: decode(state.text), data: decode(state.data), name: decode(state.name) || "pasted text" });
  } else if (given) {
    remember();
    picture();
  }
}
