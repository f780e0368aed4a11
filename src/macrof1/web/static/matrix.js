// The Matrix view: one confusion matrix, both scores, and what makes the gap.

import { ask, complain, copy, latest, notice, quiet, save } from "./api.js";
import { $, breakable, el, list, percentOf, score, table, whole } from "./dom.js";
import { axis, heat, plane } from "./drawings.js";
import { draw } from "./editor.js";
import { TOO_LARGE, decode, decodeList, encode, encodeList, write } from "./state.js";

let presets = [];
let contours = [];
let matrix = { labels: ["x", "y"], matrix: [[1, 0], [0, 1]], rows: "predicted" };
let origin = null; // {preset, values, choice} while the matrix is a preset's
let shown = null;
let edits = 0; // what was asked for before an edit does not undo it

const score_now = latest((request) => ask("/api/score", request), show, { failed: () => { $("stale").hidden = !shown; } });

function remember() {
  // Another machine does not have this one's file: its cells go into the link.
  const state = origin && origin.preset !== "own"
    ? { preset: origin.preset, ...origin.values, choice: encode(origin.choice ?? "") }
    : { rows: matrix.rows, labels: encodeList(matrix.labels), cells: matrix.matrix.map((row) => row.join(",")).join(";") };
  return write("matrix", state);
}

function changed() {
  edits += 1;
  origin = null;
  $("preset").value = "";
  sliders();
  remember();
  score_now(matrix);
}

function rebuild() {
  draw(matrix, { changed, rebuilt: () => { rebuild(); changed(); }, pasted: (text) => drop({ text, name: "pasted text" }) });
  $("rows").value = matrix.rows;
}

function set(given) {
  matrix = { labels: [...given.labels], matrix: given.matrix.map((row) => [...row]), rows: given.rows };
  rebuild();
  score_now(matrix);
}

const read_now = latest((asked, signal) => ask("/api/read", asked.body, signal), (given, asked) => {
  // A matrix comes back with predictions as rows; show it the way it was written.
  if (given.read_as === "matrix" && asked.body.rows === "gold") {
    given.matrix = given.matrix[0].map((_, j) => given.matrix.map((row) => row[j]));
    given.rows = "gold";
  }
  origin = null;
  $("preset").value = "";
  sliders();
  set(given);
  if (!remember()) notice(TOO_LARGE, true);
  else if (given.notes.length) notice(given.notes.join(" "), true);
}, { cut: true, wanted: (asked) => asked.edits === edits });

export function drop({ text, data, name }) {
  quiet();
  edits += 1;
  read_now({ edits, body: { text, data, name, rows: matrix.rows } });
}

const load_preset = latest(async ({ preset, values, choice }) => {
  const query = new URLSearchParams({ ...values, ...(choice ? { choice } : {}) });
  return ask(`/api/presets/${encodeURIComponent(preset)}?${query}`);
}, (given) => { set(given); remember(); }, { wanted: (asked) => asked.edits === edits && asked.preset === origin?.preset });

function choose(preset, values, choice) {
  const known = presets.find((one) => one.name === preset);
  if (!known) return false;
  edits += 1;
  origin = { preset, edits, values: Object.fromEntries(known.sliders.map((slider) => [slider.name, values[slider.name] ?? slider.value])),
    choice: known.choices.length ? (choice || "FoSIL/coarse_1") : null };
  $("preset").value = preset;
  sliders();
  load_preset(origin);
  return true;
}

function sliders() {
  const known = presets.find((one) => one.name === origin?.preset);
  $("choice-field").hidden = !known?.choices.length;
  if (known?.choices.length) {
    $("choice").replaceChildren(...known.choices.map((choice) => el("option", { value: choice }, choice)));
    $("choice").value = origin.choice;
  }
  if ($("sliders").dataset.preset === (known?.name ?? "")) return;
  $("sliders").dataset.preset = known?.name ?? "";
  $("sliders").replaceChildren(...(known?.sliders ?? []).map((slider) => {
    const value = el("output", {}, origin.values[slider.name]);
    // The number stands beside the label: inside, it would be what the label names.
    return el("div", { class: "slider" }, el("label", { for: `slider-${slider.name}` }, slider.title), value, el("input", {
      type: "range", id: `slider-${slider.name}`, min: slider.low, max: slider.high, step: slider.step, value: origin.values[slider.name],
      oninput: (event) => {
        value.textContent = event.target.value;
        origin.values[slider.name] = Number(event.target.value);
        load_preset(origin);
      },
    }));
  }));
}

function show(answer) {
  shown = answer;
  $("stale").hidden = true;
  $("averaged").textContent = score(answer.averaged_f1);
  $("of-averages").textContent = score(answer.f1_of_averages);
  $("gap").textContent = score(answer.gap);
  $("sentence").textContent = answer.explanation;
  list($("matrix-notes"), answer.notes);
  $("signature").replaceChildren(...breakable(answer.signature.averaged_f1));
  $("axis-hint").textContent = answer.range
    ? `Shaded: what averaged F1 could be with the same macro precision (${score(answer.macro_precision)}) and macro recall (${score(answer.macro_recall)}): ${score(answer.range.low)} to ${score(answer.range.high)}.` : "";
  pictures();
  table($("classes"), [
    { title: "class", head: true, value: (record) => record.label },
    { title: "precision", value: (record) => score(record.precision) },
    { title: "recall", value: (record) => score(record.recall) },
    { title: "F1", value: (record) => score(record.f1) },
    { title: "gold", value: (record) => whole(record.actual) },
    { title: "predicted", value: (record) => whole(record.predicted) },
    { title: "correct", value: (record) => whole(record.tp) },
    { title: "share of the gap", value: (record) => score(record.gap_share) },
    { title: "", text: true, value: (record) => {
      const bar = el("span", { class: "share", "aria-hidden": "true" });
      bar.style.width = `${(percentOf(record.gap_share, answer.gap) * 0.09).toFixed(2)}rem`;
      return bar;
    } },
  ], answer.per_class);
  list($("pair-list"), answer.pairs.slice(0, 5).map((pair) => `${pair.over_precise} (over-precise) and ${pair.over_recalled} (over-recalled): ${score(pair.contribution)}`));
  const groups = (answer.conventions?.groups ?? [])
    .flatMap((group) => group.reasons.map((one) => ({ ...one, value: group.value })));
  table($("conventions"), [
    { title: "macro F1", head: true, value: (group) => score(group.value) },
    { title: "printed by", text: true, value: (group) => group.names.join(", ") },
    { title: "because", text: true, value: (group) => group.reason },
  ], groups);
  $("conventions-hint").textContent = (answer.conventions?.notes ?? []).join(" ");
}

function pictures() {
  if (!shown || $("view-matrix").hidden) return;
  axis($("axis"), shown);
  plane($("plane"), shown, contours);
  heat($("pairs"), shown);
}

export async function start() {
  const [listed, drawn] = await Promise.all([ask("/api/presets"), ask("/api/plane")]);
  presets = listed.presets;
  contours = drawn.contours;
  $("preset").replaceChildren(el("option", { value: "" }, "your own matrix"), ...presets.map((one) => el("option", { value: one.name }, one.title)));
  $("preset").addEventListener("change", (event) => { if (event.target.value) choose(event.target.value, {}, null); else changed(); });
  $("choice").addEventListener("change", (event) => { origin.choice = event.target.value; load_preset(origin); });
  $("rows").addEventListener("change", (event) => { matrix.rows = event.target.value; rebuild(); changed(); });
  $("add-class").addEventListener("click", () => {
    let number = matrix.labels.length + 1;
    while (matrix.labels.includes(`class ${number}`)) number += 1;
    matrix.labels.push(`class ${number}`);
    for (const row of matrix.matrix) row.push(0);
    matrix.matrix.push(matrix.labels.map((_, index) => (index === matrix.labels.length - 1 ? 1 : 0)));
    rebuild();
    changed();
  });
  $("copy-signature").addEventListener("click", (event) => copy($("signature").textContent, event.target));
  $("save-score").addEventListener("click", () => save("/api/report/score", matrix, "macro-f1.html"));
  let waiting = 0;
  window.addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(pictures); });
}

export function open(state) {
  quiet();
  if (state.cells !== undefined) {
    const cells = state.cells.split(";").map((row) => row.split(",").map(Number));
    edits += 1;
    origin = null;
    $("preset").value = "";
    sliders();
    set({ labels: decodeList(state.labels), matrix: cells, rows: state.rows === "gold" ? "gold" : "predicted" });
    return;
  }
  const values = Object.fromEntries(["z", "skew", "classes"].filter((name) => state[name] !== undefined).map((name) => [name, Number(state[name])]));
  if (state.preset && choose(state.preset, values, decode(state.choice))) return;
  if (shown) {
    remember();
    pictures();
  } else {
    choose(presets[0].name === "own" ? "own" : "table-3", {}, null);
  }
}

