// The Matrix view: a story about one matrix with one slider, then the free editor and the causes of the gap.

import { askAfterwards } from "./afterwards.js";
import { ask, copy, latest, save } from "./api.js";
import { breakdown } from "./breakdown.js";
import { $, answered, breakable, el, gapText, keepStill, list, score, sentenceOf } from "./dom.js";
import { axis, heat, plane } from "./drawings.js";
import { draw, light } from "./editor.js";
import { formulas } from "./formulas.js";
import { decode, decodeList, encode, encodeList, write } from "./state.js";
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

const score_now = latest(({ body }, signal) => ask("/api/score", body, signal), show, {
  view: "matrix", live: true, failed: () => { $("stale").hidden = !shown; }, results: "matrix-results",
});

const grid = (lines) => lines.map((line) => line.join(",")).join(";");
const numbers = (text) => text.split(";").map((line) => line.split(",").map(Number));

function remember(typed = null) {
  const state = origin
    ? { preset: origin.preset, ...origin.values, choice: encode(origin.choice ?? "") }
    : matrix.counts ? { labels: encodeList(matrix.labels), counts: grid(matrix.counts), facts: matrix.facts.map(encodeList).join(";"), task: matrix.task, n: matrix.n_rows }
      : { rows: matrix.rows, labels: encodeList(matrix.labels), cells: grid(matrix.matrix) };
  write("matrix", state, typed);
}

function free() {
  origin = null;
  $("preset").value = "";
  sliders();
}

// typed: the field that changed the matrix, if one did.
function changed(typed = null, turn = (turns += 1)) {
  applied = turn;
  keepStill(typed === "plane" ? $("plane") : touched(), () => {
    $("read-as").hidden = true;
    free();
  });
  remember(typed);
  rescore();
}

// What the user is at: the field in use, and otherwise the cells.
function touched() {
  const active = document.activeElement;
  return active && active !== document.body && $("matrix-results").contains(active) ? active : $("cells");
}

// Rows with several labels, and units other than classes, have counts instead of a matrix.
const copied = ({ labels, matrix: cells, rows, counts, facts, task, n_rows }) => (counts ? { labels, counts, facts, task, n_rows }
  : { labels: [...labels], matrix: cells.map((row) => [...row]), rows });

function rescore(rival = null) {
  score_now({ body: copied(matrix), rival });
}

function rebuild() {
  $("view-matrix").classList.toggle("counted", Boolean(matrix.counts));
  $("cells-title").textContent = matrix.counts ? "Counts" : "Confusion matrix";
  if (matrix.counts) return;
  draw(matrix, { changed, rebuilt: () => { rebuild(); changed(); }, pasted: (text) => document.dispatchEvent(new CustomEvent("open-files", { detail: { files: [{ text, name: "pasted text" }], view: "matrix" } })) });
  $("rows").value = matrix.rows;
}

function set(given, turn, rival) {
  applied = turn;
  matrix = copied(given);
  rebuild();
  rescore(rival);
}

// How a file or a paste was read, with what changes it.
function tell(files, found) {
  const again = (options) => document.dispatchEvent(new CustomEvent("open-files", { detail: { files, view: "matrix", ...options } }));
  const said = [`Read as ${found.read_as}${found.rows_why ?? ""}. `, ...(found.ask ? [el("p", { class: "complaint" }, `${found.ask[0].toUpperCase()}${found.ask.slice(1)}`)] : [])];
  if (found.matrix) classNames = found.labels;
  if (found.columns) said.push(...columnsOf(found, again));
  else if (found.rows_known !== undefined) said.push(...rowsOf(found, (rows) => { turn(rows); tell(files, { ...found, rows, rows_known: true, rows_why: "" }); }));
  if (found.notes?.length) said.push(el("ul", { class: "notes" }, ...found.notes.map((note) => el("li", {}, note))));
  $("read-as").replaceChildren(...said);
  $("read-as").hidden = false;
}

// Two equal buttons: only who printed the matrix knows, and both macro F1s are the same either way.
function rowsOf(found, chosen) {
  const button = (rows) => el("button", { type: "button", "aria-pressed": String(found.rows_known && found.rows === rows), onclick: () => chosen(rows) }, `Rows are ${rows} classes`);
  return [...(found.rows_known ? [] : ["Which are its rows? Precision and recall depend on it, both macro F1s do not. "]), button("gold"), " ", button("predicted")];
}

let classNames = []; // of the table that was read last, to choose the one that counts

// How the columns of a table are read: what the command line has options for.
function columnsOf({ columns, ask, notes = [], ...found }, again) {
  const chosen = Object.fromEntries(["gold", "pred", "weight", "missing", "multilabel", "over", "positive"].map((name) => [name, found[name] ?? ""]));
  chosen.missing ||= "error";
  const field = (name, title, first, rest) => el("label", {}, `${title} `, el("select", { onchange: (event) => {
    chosen[name] = event.target.value;
    if (name === "over") chosen.positive = "";
    if (chosen.gold && chosen.pred) again(chosen);
  } }, ...[...first, ...rest.map((each) => [each, each])].map(([value, text]) => el("option", { value, selected: value === chosen[name] }, text))));
  const choose = (name) => (chosen[name] ? [] : [["", "choose a column"]]);
  const units = columns.filter((column) => column !== chosen.gold && column !== chosen.pred).map((column) => [/^(rows|classes)$/.test(column) ? `column:${column}` : column, column]);
  return [field("gold", "Gold column", choose("gold"), columns), " ", field("pred", "Predicted column", choose("pred"), columns), " ",
    field("over", "Mean over", [["", "classes"], ["rows", "rows with several labels"], ...units], []), " ",
    ...(chosen.over ? [field("positive", "The label that counts", [["", "every one"]], [...new Set([...classNames, ...(chosen.positive ? [chosen.positive] : [])])]), " "] : []),
    el("details", { open: Boolean(ask || notes.length || chosen.multilabel || chosen.weight || chosen.missing !== "error") }, el("summary", {}, "More about the rows"),
      field("weight", "Column with counts or weights", [["", "none"]], columns), " ", field("multilabel", "Labels are split at", [["", "nowhere"]], [";", ",", "|", "/", "+", "&"]), " ",
      field("missing", "Rows without a label", [["error", "refuse the table"], ["drop", "leave out"], ["label", "a class of their own"]], []))];
}

export function asked() {
  turns += 1;
  return turns;
}

// What was pasted or dropped: a matrix, counted predictions, or a table whose columns nobody has named yet.
// turn: that of an earlier call of asked(), if they were dropped here.
export function take(files, found, turn = asked()) {
  if (turn < applied) return;
  if (found.ask) {
    tell(files, found);
    $("stale").hidden = !shown;
    $("read-as").querySelector("select").focus();
    return;
  }
  free();
  set(found, turn);
  tell(files, found);
  remember();
  answered($("read-as"));
}

const load_preset = latest(async ({ preset, values, choice }, signal) => {
  const query = new URLSearchParams({ ...values, ...(choice ? { choice } : {}) });
  const given = await ask(`/api/presets/${encodeURIComponent(preset)}?${query}`, undefined, signal);
  if (given.rival) rivalScores ??= await ask("/api/score", given.rival);
  return given;
}, (given, asked) => {
  set(given, asked.turn, given.rival ? rivalScores : null);
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
  remember();
  load_preset(origin);
  return true;
}

// The story's slider is part of the story; those of other presets are above the cells.
function sliders() {
  const known = presets.find((one) => one.name === origin?.preset);
  $("story").hidden = known?.name !== FIRST;
  $("story-folded").hidden = known?.name === FIRST;
  $("view-matrix").classList.toggle("telling", known?.name === FIRST);
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
  askAfterwards(body);
  for (const [id, value] of [["averaged", answer.averaged_f1], ["of-averages", answer.f1_of_averages], ["gap", answer.gap]]) {
    const text = id === "gap" ? gapText(value) : score(value);
    $(id).textContent = text;
    $(`strip-${id}`).textContent = text;
  }
  const labels = answer.per_class.map(({ label }) => label);
  const [one, many] = answer.unit;
  const words = { one, many, Many: `${many[0].toUpperCase()}${many.slice(1)}` };
  for (const word of document.querySelectorAll("[data-unit]")) word.textContent = words[word.dataset.unit];
  $("counted").textContent = `No confusion matrix: ${one === "class" ? "rows have several labels" : `the means are taken over ${labels.length.toLocaleString("en-US")} ${many}`}. Each ${one} has what is correct, predicted and gold, below.`;
  $("sentence").replaceChildren(...sentenceOf(answer.explanation, labels));
  list($("matrix-notes"), answer.notes, labels);
  for (const id of ["signature", "story-signature"]) $(id).replaceChildren(...breakable(answer.signature.averaged_f1));
  $("story-report").textContent = `averaged F1 ${score(answer.averaged_f1)}`;
  $("axis-hint").textContent = answer.range
    ? `Shaded: what averaged F1 could be with the same macro precision (${score(answer.macro_precision)}) and macro recall (${score(answer.macro_recall)}): ${score(answer.range.low)} to ${score(answer.range.high)}.` : "";
  pictures();
  formulas($("formulas"), answer, light);
  breakdown(answer);
}

const move_now = latest((asked, signal) => ask("/api/move", asked.body, signal), (given, asked) => {
  matrix = given;
  rebuild();
  changed("plane", asked.turn);
}, { view: "matrix", live: true, wanted: (asked) => asked.turn > applied });

function pictures() {
  if (!shown || $("view-matrix").hidden) return;
  const { answer, body, rival } = shown;
  if (rival) tellStory(answer, rival, body);
  axis($("axis"), answer);
  const moved = matrix.matrix?.length > 1 ? (index, precision, recall) => {
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

// The matrix as a table.
export const tableRows = () => [[matrix.rows === "gold" ? "gold \\ predicted" : "predicted \\ gold", ...matrix.labels], ...matrix.matrix.map((row, place) => [matrix.labels[place], ...row.map(String)])];

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
  if (state.cells !== undefined || state.counts !== undefined) {
    $("read-as").hidden = true;
    turns += 1;
    free();
    const labels = decodeList(state.labels);
    set(state.counts === undefined ? { labels, matrix: numbers(state.cells), rows: state.rows === "gold" ? "gold" : "predicted" }
      : { labels, counts: numbers(state.counts), facts: (state.facts ?? "").split(";").filter(Boolean).map(decodeList), task: state.task ?? "multiclass", n_rows: state.n === undefined ? null : Number(state.n) }, turns);
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
    choose(FIRST, {}, null);
  }
}
