// The Compare view: several systems, two rankings.

import { ask, complain, copy, latest, quiet, save } from "./api.js";
import { $, answered, breakable, el, fixed, gapText, list, named, score, table } from "./dom.js";
import { closeFlip, drawFlip, openFlip } from "./flip.js";
import { slope } from "./slope.js";
import { decode, decodeList, encode, encodeList, visit, write } from "./state.js";

const OPTIONS = ["gold", "systems", "by", "weight", "over", "positive", "missing", "test"];
const PLAIN = { missing: "error", test: "delta" };
let given = null; // {text or data, name, example}
let shown = null; // {answer, asked}: the comparison shown, and the request that it answers
let turn = 0; // answers to earlier questions come too late
let flip = null; // {a, b}: the pair whose card is open

const options = () => Object.fromEntries(OPTIONS.map((name) => [name, $(`compare-${name}`).value.trim()]));
const plain = ({ text, data, name }) => ({ text, data, name });
const request = () => ({ ...plain(given), ...(given.more?.length ? { more: given.more.map(plain) } : {}), ...options() });
const names = () => [given, ...(given.more ?? [])].map(({ name }) => name).join(", ");

const compare_now = latest((asked, signal) => ask("/api/compare", asked.body, signal), show, {
  view: "compare",
  cut: true,
  results: "compare-result",
  wanted: (asked) => asked.turn === turn,
  failed: refused,
});

// Old results do not stand beside a complaint.
export function refused() {
  shown = null;
  closeFlip();
  $("compare-source").textContent = "";
  $("compare-result").hidden = true;
  $("compare-options").open = true;
}

// Further files of a comparison follow the first, numbered.
const fileState = (file) => Object.assign({}, ...[file, ...(file.more ?? [])].map(({ name, text, data }, place) => {
  const number = place || "";
  return { [`name${number}`]: encode(name), [`text${number}`]: encode(text ?? ""), [`data${number}`]: encode(data ?? "") };
}));

function filesOf(state) {
  const found = [];
  for (let place = 0; state[`text${place || ""}`] !== undefined || state[`data${place || ""}`] !== undefined; place += 1) {
    const number = place || "";
    found.push({ text: decode(state[`text${number}`]), data: decode(state[`data${number}`]), name: decode(state[`name${number}`]) || "pasted text" });
  }
  return found;
}

function remember() {
  const kept = Object.fromEntries(Object.entries(options()).filter(([name, value]) => value !== PLAIN[name]).map(([name, value]) => [name, encode(value)]));
  const source = given.example ? { example: given.example } : fileState(given);
  write("compare", { ...source, ...kept, pair: flip ? encodeList([flip.a, flip.b]) : "" });
}

// The card of a pair, with what the tests say of it.
function openPair(pair, options) {
  flip = pair;
  const found = shown.answer.comparisons.find(({ a, b }) => (a === pair.a && b === pair.b) || (a === pair.b && b === pair.a));
  openFlip(request(), pair, found?.averaged_f1.significant === null ? null : found, options);
}

function run() {
  turn += 1;
  quiet("compare");
  remember();
  $("compare-source").textContent = `Comparing ${names()} …`;
  compare_now({ turn, body: request() });
}

function fields(values) {
  for (const name of OPTIONS) $(`compare-${name}`).value = values[name] ?? PLAIN[name] ?? "";
  for (const name of Object.keys(PLAIN)) if ($(`compare-${name}`).selectedIndex < 0) $(`compare-${name}`).value = PLAIN[name];
}

export async function example(name, options, pair = null) {
  turn += 1;
  const mine = turn;
  try {
    const found = await ask(`/api/examples/${encodeURIComponent(name)}`);
    if (mine !== turn) return;
    given = { text: found.text, name: found.name, example: name };
    flip = pair;
    fields(options ?? found.options);
    run();
  } catch (error) {
    if (mine === turn) complain(error, "compare");
  }
}

// A number for what is being read: what is asked for later takes its place.
export function asked() {
  turn += 1;
  return turn;
}

// token: that number, if the files were dropped here, where the options stay.
export function take([first, ...more], { read_as: readAs }, token) {
  if (token === undefined) fields({});
  else if (token !== turn) return;
  given = { ...first, more, readAs, isNew: true, example: null };
  flip = null;
  run();
}

const range = (ends) => (ends ? `${score(ends[0])} to ${score(ends[1])}` : "");
const probability = (value) => (value === null || value === undefined ? "" : fixed(value, 2));
const chance = (value) => (value === undefined || value === null ? "" : value < 0.0001 ? "<0.0001" : fixed(value, 4));

// From a system to its matrix: GermEval runs are presets, columns of predictions are counted.
const runOf = (name) => `#/matrix?preset=germeval&choice=${encode(name)}`;

function openSystem(name) {
  const { gold } = shown.asked.body;
  if (given.example) visit(runOf(name));
  else document.dispatchEvent(new CustomEvent("open-files", { detail: { files: [plain(given)], view: "matrix", gold, pred: name } }));
}

const hasMatrices = () => given.example || (shown.answer.test !== null && !shown.asked.body.by && !given.more?.length);

function picture() {
  if (!shown || $("view-compare").hidden) return;
  const { systems, flips } = shown.answer;
  slope($("compare-chart"), systems, flips, { opened: hasMatrices() ? openSystem : null, found: $("compare-find").value });
  drawFlip();
}

function systemName({ name }) {
  if (!hasMatrices()) return name;
  const open = given.example ? {} : { onclick: (event) => { event.preventDefault(); openSystem(name); } };
  return el("a", { href: given.example ? runOf(name) : "#/matrix", ...open }, named(name));
}

// A flip is a link to its card.
function whyLink({ averaged_f1_prefers: a, f1_of_averages_prefers: b }) {
  return el("a", { href: "#flip-card", "aria-label": `Why ${a} and ${b} flip`, onclick: (event) => {
    event.preventDefault();
    openPair({ a, b });
    remember();
  } }, named(a));
}

function show(answer, asked) {
  shown = { answer, asked };
  if (flip) openPair(flip, { focus: false });
  else closeFlip();
  $("compare-result").hidden = false;
  $("compare-empty").hidden = true;
  $("compare-source").textContent = `Read${given.readAs ? ` as ${given.readAs}` : ""}: ${names()}`;
  const systems = answer.systems.map(({ name }) => name);
  list($("compare-headline"), answer.headline, systems);
  picture();
  const flipping = new Set(answer.flips.flatMap((flip) => [flip.averaged_f1_prefers, flip.f1_of_averages_prefers]));
  const tested = answer.test !== null;
  table($("compare-systems-table"), [
    { title: "system", head: true, value: systemName, sort: (one) => one.name },
    { title: "averaged F1", term: "averaged", value: (one) => score(one.averaged_f1), sort: (one) => one.averaged_f1 },
    ...(tested ? [{ title: "95% interval", term: "interval", value: (one) => range(one.averaged_f1_interval) }] : []),
    { title: "rank", value: (one) => one.rank_averaged_f1 },
    { title: "F1 of averages", term: "of-averages", value: (one) => score(one.f1_of_averages), sort: (one) => one.f1_of_averages },
    ...(tested ? [{ title: "95% interval", value: (one) => range(one.f1_of_averages_interval) }] : []),
    { title: "rank", value: (one) => one.rank_f1_of_averages },
    { title: "change", term: "change", sort: (one) => one.rank_change, value: (one) => (one.rank_change ? el("span", { class: flipping.has(one.name) ? "flip" : null }, `${one.rank_change > 0 ? "+" : ""}${one.rank_change}`) : "=") },
    { title: "gap", term: "gap", value: (one) => gapText(one.gap), sort: (one) => one.gap },
  ], answer.systems);
  table($("compare-flips"), [
    { title: "averaged F1 prefers", head: true, sort: (flip) => flip.averaged_f1_prefers, value: whyLink },
    { title: "by", sort: (flip) => flip.averaged_f1_lead, value: (flip) => score(flip.averaged_f1_lead) },
    { title: "F1 of averages prefers", text: true, value: (flip) => flip.f1_of_averages_prefers },
    { title: "by", sort: (flip) => flip.f1_of_averages_lead, value: (flip) => score(flip.f1_of_averages_lead) },
    ...(tested ? [{ title: "probability", term: "probability", value: (flip) => probability(flip.probability) }] : []),
  ], answer.flips);
  $("compare-flips-region").hidden = !answer.flips.length;
  $("compare-flips-hint").textContent = !answer.flips.length ? "None: both formulas put every two systems in the same order."
    : `A name opens the card that says why. By how much each formula prefers its system${tested ? ", and how probable the flip is in another sample." : "."}`;
  const hasDetectable = tested && answer.comparisons.some((pair) => pair.averaged_f1.detectable !== null);
  list($("compare-verdict"), answer.verdict.filter((said) => hasDetectable || !said.startsWith("Detectable")), systems);
  $("compare-pairs-region").hidden = !tested;
  $("compare-pairs-hint").hidden = !tested;
  const corrected = tested ? answer.comparisons[0].averaged_f1.p_holm : {};
  const kinds = Object.keys(corrected).filter((kind) => corrected[kind] !== null);
  const signed = (found) => `${found.difference > 0 ? "+" : ""}${score(found.difference)}${found.significant ? " *" : ""}`;
  table($("compare-pairs"), tested ? [
    { title: "pair", head: true, value: (pair) => `${pair.a} − ${pair.b}` },
    { title: "averaged F1", value: (pair) => signed(pair.averaged_f1) },
    ...kinds.map((kind) => ({ title: `p ${kind}`, value: (pair) => chance(pair.averaged_f1.p_holm[kind]) })),
    ...(hasDetectable ? [{ title: "detectable", value: (pair) => score(pair.averaged_f1.detectable) }] : []),
    { title: "F1 of averages", value: (pair) => signed(pair.f1_of_averages) },
    ...kinds.map((kind) => ({ title: `p ${kind}`, value: (pair) => chance(pair.f1_of_averages.p_holm[kind]) })),
  ] : [], tested ? answer.comparisons.slice(0, 300) : []);
  const hidden = tested ? answer.comparisons.length - 300 : 0;
  list($("compare-notes"), [...(hidden > 0 ? [`${hidden} more pairs are in a saved report.`] : []), ...answer.notes]);
  $("compare-latex").textContent = answer.latex;
  $("compare-signature").replaceChildren(...breakable(answer.signature.averaged_f1));
  if (given.isNew) answered($("compare-rankings"));
  given.isNew = false;
}

export async function start() {
  $("compare-find").addEventListener("input", picture);
  window.addEventListener("resize", picture);
  $("compare-again").addEventListener("click", () => { if (given) run(); });
  $("copy-latex").addEventListener("click", (event) => copy($("compare-latex").textContent, event.target));
  $("copy-compare-signature").addEventListener("click", (event) => copy($("compare-signature").textContent, event.target));
  $("flip-close").addEventListener("click", () => {
    flip = null;
    closeFlip();
    remember();
    $("compare-flips-region").focus();
  });
  $("save-compare").addEventListener("click", () => save("/api/report/compare", shown.asked.body, "comparison.html", "compare"));
}

export async function open(state) {
  const [a, b] = decodeList(state.pair);
  const pair = b ? { a, b } : null;
  const options = Object.fromEntries(OPTIONS.filter((name) => state[name] !== undefined).map((name) => [name, decode(state[name])]));
  if (state.example) {
    await example(decode(state.example), Object.keys(options).length ? options : null, pair);
  } else if (state.text !== undefined || state.data !== undefined) {
    fields(options);
    const [first, ...more] = filesOf(state);
    given = { ...first, more, example: null };
    flip = pair;
    run();
  } else if (given) {
    remember();
    picture();
  }
}
