// The Matrix view: a story about one matrix with one slider, then the free editor and the causes of the gap.

import { ask, copy, latest, notice, quiet, save } from "./api.js";
import { breakdown } from "./breakdown.js";
import { askHowSure } from "./certainty.js";
import { $, breakable, el, list, score, whole } from "./dom.js";
import { axis, heat, plane } from "./drawings.js";
import { draw, light } from "./editor.js";
import { formulas } from "./formulas.js";
import { TOO_LARGE, decode, decodeList, encode, encodeList, visit, write } from "./state.js";
import { tellStory } from "./story.js";

const FIRST = "moderation";
let presets = [];
let contours = [];
let matrix = { labels: ["x", "y"], matrix: [[1, 0], [0, 1]], rows: "predicted" };
let origin = null; // {preset, values, choice} while a preset is shown
let shown = null; // {answer, body, rival}: the matrix that the scores shown are of, in a story with its rival's scores
let rivalScores = null;
let turns = 0; // edits, files and presets, as they were asked for
let applied = 0; // the turn whose matrix is shown: answers to earlier ones come too late
let coming = null; // the columns of a system that another view sends here

const score_now = latest(({ body }) => ask("/api/score", body), show, {
  view: "matrix", live: true, failed: () => { $("stale").hidden = !shown; }, results: "matrix-results",
});

function remember(typed = null) {
  // Other machines do not have this file, so its cells go into the link.
  const state = origin && origin.preset !== "own"
    ? { preset: origin.preset, ...origin.values, choice: encode(origin.choice ?? "") }
    : { rows: matrix.rows, labels: encodeList(matrix.labels), cells: matrix.matrix.map((row) => row.join(",")).join(";") };
  return write("matrix", state, typed);
}

function free() {
  origin = null;
  $("preset").value = "";
  sliders();
}

// typed: the field that changed the matrix, if one did.
function changed(typed = null, turn = (turns += 1)) {
  applied = turn;
  $("read-as").hidden = true;
  free();
  remember(typed);
  rescore();
}

const copied = ({ labels, matrix: cells, rows }) => ({ labels: [...labels], matrix: cells.map((row) => [...row]), rows });

function rescore(rival = null) {
  score_now({ body: copied(matrix), rival });
}

function rebuild() {
  draw(matrix, { changed, rebuilt: () => { rebuild(); changed(); }, pasted: (text) => drop({ text, name: "pasted text" }) });
  $("rows").value = matrix.rows;
}

function set(given, turn, rival) {
  applied = turn;
  matrix = copied(given);
  rebuild();
  rescore(rival);
}

// How a file or a paste was read, with a switch for the alternative reading.
function tell(given) {
  const n = given.labels.length;
  const rows = given.matrix.flat().reduce((sum, cell) => sum + cell, 0);
  const isMatrix = given.read_as === "matrix";
  const said = `Read as: ${isMatrix ? "a matrix of " : ""}${whole(rows)} ${isMatrix ? "rows" : "predictions"}, ${n} ${n === 1 ? "class" : "classes"}${isMatrix ? `, rows are ${matrix.rows === "gold" ? "gold" : "predicted"} classes. ` : "."}`;
  $("read-as").replaceChildren(said, ...(isMatrix ? [el("button", { type: "button", onclick: () => { turn(matrix.rows === "gold" ? "predicted" : "gold"); tell(given); } },
    `Rows are ${matrix.rows === "gold" ? "predicted" : "gold"} classes`)] : []));
  $("read-as").hidden = false;
}

const read_now = latest((asked, signal) => ask("/api/read", asked.body, signal), (given, asked) => {
  if (given.read_as === "report") {
    if ($("view-matrix").hidden) notice(`${asked.body.name} is a report: drop it on Audit.`, true, "matrix");
    else visit(`#/audit?name=${encode(asked.body.name)}&text=${encode(asked.body.text)}`);
    return;
  }
  // The server returns predictions as rows; show the matrix in its original orientation.
  if (given.read_as === "matrix" && given.rows_were === "gold") {
    given.matrix = given.matrix[0].map((_, j) => given.matrix.map((row) => row[j]));
    given.rows = "gold";
  }
  free();
  set(given, asked.turn);
  tell(given);
  if (!remember()) notice(TOO_LARGE, true, "matrix");
  else if (given.notes.length) notice(given.notes.join(" "), true, "matrix");
}, { view: "matrix", cut: true, wanted: (asked) => asked.turn >= applied, results: "matrix-results" });

// gold and pred: the columns of one system, if a table has several.
export function drop({ text, data, name, gold, pred }) {
  quiet("matrix");
  turns += 1;
  read_now({ turn: turns, body: { text, data, name, gold, pred, rows: matrix.rows } });
}

// Open this view with the matrix of a system.
export function bring(table) {
  coming = table;
  visit("#/matrix");
}

const load_preset = latest(async ({ preset, values, choice }) => {
  const query = new URLSearchParams({ ...values, ...(choice ? { choice } : {}) });
  const given = await ask(`/api/presets/${encodeURIComponent(preset)}?${query}`);
  if (given.rival) rivalScores ??= await ask("/api/score", given.rival);
  return given;
}, (given, asked) => {
  set(given, asked.turn, given.rival ? rivalScores : null);
  if (asked.preset === "own") remember(); // its cells are known only now
}, { view: "matrix", live: true, wanted: (asked) => asked === origin && asked.turn >= applied });

function choose(preset, values, choice) {
  const known = presets.find((one) => one.name === preset);
  if (!known) return false;
  turns += 1;
  $("read-as").hidden = true;
  origin = { preset, turn: turns, values: Object.fromEntries(known.sliders.map((slider) => [slider.name, values[slider.name] ?? slider.value])),
    choice: known.choices.length ? (choice || "FoSIL/coarse_1") : null };
  $("preset").value = preset;
  sliders();
  if (preset !== "own") remember();
  load_preset(origin);
  return true;
}

// The story's slider is part of the story; those of other presets are above the cells.
function sliders() {
  const known = presets.find((one) => one.name === origin?.preset);
  $("story").hidden = known?.name !== FIRST;
  $("choice-field").hidden = !known?.choices.length;
  if (known?.choices.length) {
    $("choice").replaceChildren(...known.choices.map((choice) => el("option", { value: choice }, choice)));
    $("choice").value = origin.choice;
  }
  if ($("sliders").dataset.preset === (known?.name ?? "")) {
    for (const [name, value] of Object.entries(origin?.values ?? {})) {
      if ($(`slider-${name}`) && Number($(`slider-${name}`).value) !== value) $(`slider-${name}`).value = value;
      if ($(`slider-${name}-value`)) $(`slider-${name}-value`).textContent = value;
    }
    return;
  }
  $("sliders").dataset.preset = known?.name ?? "";
  const made = (known?.sliders ?? []).map((slider) => {
    const value = el("output", { id: `slider-${slider.name}-value`, for: `slider-${slider.name}` }, origin.values[slider.name]);
    // The number is outside the label: inside, it would become part of the accessible name.
    return el("div", { class: "slider" }, el("label", { for: `slider-${slider.name}` }, slider.title), value, el("input", {
      type: "range", id: `slider-${slider.name}`, min: slider.low, max: slider.high, step: slider.step, value: origin.values[slider.name],
      oninput: (event) => {
        value.textContent = event.target.value;
        origin.values[slider.name] = Number(event.target.value);
        remember(slider.name);
        load_preset(origin);
      },
    }));
  });
  const isStory = known?.name === FIRST;
  $("story-slider").replaceChildren(...(isStory ? made : []));
  $("sliders").replaceChildren(...(isStory ? [] : made));
}

function turn(rows) {
  matrix.rows = rows;
  rebuild();
  changed();
}

function show(answer, { body, rival }) {
  shown = { answer, body, rival };
  $("stale").hidden = true;
  askHowSure(body);
  for (const [id, value] of [["averaged", answer.averaged_f1], ["of-averages", answer.f1_of_averages], ["gap", answer.gap]]) {
    $(id).textContent = score(value);
    $(`strip-${id}`).textContent = score(value);
  }
  $("sentence").textContent = answer.explanation;
  list($("matrix-notes"), answer.notes);
  for (const id of ["signature", "story-signature"]) $(id).replaceChildren(...breakable(answer.signature.averaged_f1));
  $("story-report").textContent = `averaged F1 ${score(answer.averaged_f1)}`;
  $("axis-hint").textContent = answer.range
    ? `Shaded: what averaged F1 could be with the same macro precision (${score(answer.macro_precision)}) and macro recall (${score(answer.macro_recall)}): ${score(answer.range.low)} to ${score(answer.range.high)}.` : "";
  pictures();
  formulas($("formulas"), answer, light);
  breakdown(answer);
}

const move_now = latest((asked) => ask("/api/move", asked.body), (given, asked) => {
  matrix = given;
  rebuild();
  changed("plane", asked.turn);
}, { view: "matrix", live: true, wanted: (asked) => asked.turn > applied });

function pictures() {
  if (!shown || $("view-matrix").hidden) return;
  const { answer, body, rival } = shown;
  if (rival) tellStory(answer, rival, body);
  axis($("axis"), answer);
  const moved = matrix.labels.length > 1 ? (index, precision, recall) => {
    // Answers may list the classes in a different order.
    const place = matrix.labels.indexOf(String(answer.per_class[index].label));
    turns += 1;
    if (place >= 0) move_now({ turn: turns, body: { ...copied(matrix), place, precision, recall } });
  } : null;
  plane($("plane"), answer, contours, { moved, lit: light });
  heat($("pairs"), answer);
}

function addClass() {
  let number = matrix.labels.length + 1;
  while (matrix.labels.includes(`class ${number}`)) number += 1;
  matrix.labels.push(`class ${number}`);
  for (const row of matrix.matrix) row.push(0);
  matrix.matrix.push(matrix.labels.map((_, index) => (index === matrix.labels.length - 1 ? 1 : 0)));
  rebuild();
  changed();
}

export async function start() {
  const [listed, drawn] = await Promise.all([ask("/api/presets"), ask("/api/plane")]);
  presets = listed.presets;
  contours = drawn.contours;
  $("preset").replaceChildren(el("option", { value: "" }, "your own matrix"), ...presets.map((one) => el("option", { value: one.name }, one.title)));
  $("preset").addEventListener("change", (event) => { if (event.target.value) choose(event.target.value, {}, null); else changed(); });
  $("choice").addEventListener("change", (event) => { origin.choice = event.target.value; remember(); load_preset(origin); });
  $("rows").addEventListener("change", (event) => turn(event.target.value));
  $("add-class").addEventListener("click", addClass);
  $("story-again").addEventListener("click", () => { choose(FIRST, {}, null); window.scrollTo({ top: 0 }); });
  for (const id of ["copy-signature", "copy-story-signature"]) $(id).addEventListener("click", (event) => copy($("signature").textContent, event.target));
  $("copy-cite").addEventListener("click", (event) => copy($("cite").textContent, event.target));
  $("save-score").addEventListener("click", () => save("/api/report/score", matrix, "macro-f1.html", "matrix"));
  let waiting = 0;
  window.addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(pictures); });
}

export function open(state) {
  if (state.cells !== undefined) {
    const cells = state.cells.split(";").map((row) => row.split(",").map(Number));
    $("read-as").hidden = true;
    turns += 1;
    free();
    set({ labels: decodeList(state.labels), matrix: cells, rows: state.rows === "gold" ? "gold" : "predicted" }, turns);
    remember();
    return;
  }
  const values = Object.fromEntries(["moved", "z", "skew", "classes"].filter((name) => state[name] !== undefined).map((name) => [name, Number(state[name])]));
  if (state.preset && choose(state.preset, values, decode(state.choice))) return;
  if (shown) {
    remember();
    pictures();
    if (!$("stale").hidden) rescore(origin?.preset === FIRST ? rivalScores : null); // and say again what is wrong
  } else {
    choose(presets[0].name === "own" ? "own" : FIRST, {}, null);
  }
  if (coming) drop(coming);
  coming = null;
}
