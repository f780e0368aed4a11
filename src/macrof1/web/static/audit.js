// The Audit view: what a paper printed, and which macro F1 it can be.

import { ask, complain, latest, quiet, save } from "./api.js";
import { $, answered, el, list, table, whole } from "./dom.js";
import { intervals } from "./drawings.js";
import { rows as rowsChart } from "./slope.js";
import { decode, encode, write } from "./state.js";
import { COLUMNS, VERDICTS, colourOf } from "./verdicts.js";

const FIELDS = ["precision", "recall", "f1", "n_classes", "accuracy", "correct", "total", "percent", "rounding", "task"];
const OF_CLASS = ["label", "precision", "recall", "f1", "support"];
const PLAIN = { percent: "", rounding: "round", task: "multiclass" };
let classes = [];
let leaderboard = null; // {text or data, name, example} while a table is shown
let turn = 0; // answers to earlier questions come too late
let shown = null;
let board = null;

const form = () => $("audit-form").elements;

function request() {
  const body = {};
  for (const name of FIELDS) body[name] = form()[name].value.trim();
  // Anything but an integer is sent unchanged: the server's error says what it expected.
  const count = /^\d{1,15}$/.test(body.n_classes) ? Number(body.n_classes) : body.n_classes || null;
  return { ...body, n_classes: count, percent: body.percent === "" ? null : body.percent === "true",
    per_class: classes.filter((one) => OF_CLASS.some((name) => one[name].trim())) };
}

const tableRequest = () => ({ text: leaderboard.text, data: leaderboard.data, name: leaderboard.name, support: $("audit-support").value.trim(),
  columns: $("audit-columns").value.trim(), rounding: form().rounding.value });

const wanted = (asked) => asked.turn === turn;
const audit_now = latest((asked, signal) => ask("/api/audit", asked.body, signal), showFigures, { view: "audit", wanted, failed: nothing, results: "audit-result" });
const table_now = latest((asked, signal) => ask("/api/audit/table", asked.body, signal), showTable, { view: "audit", cut: true, wanted, failed: nothing, results: "audit-result" });

// typed: the field that was typed into.
function figures(typed = null) {
  turn += 1;
  leaderboard = null;
  $("audit-source").textContent = "";
  const state = {};
  for (const name of FIELDS) {
    const value = form()[name].value.trim();
    if (value !== (PLAIN[name] ?? "")) state[name] = encode(value);
  }
  const body = request();
  if (body.per_class.length) state.classes = body.per_class.map((one) => OF_CLASS.map((name) => encode(one[name])).join(",")).join(";");
  write("audit", state, typed);
  if (FIELDS.slice(0, 3).some((name) => body[name]) || body.per_class.length) audit_now({ turn, body });
  else clear();
}

function clear() {
  quiet("audit");
  nothing();
  $("reason").textContent = "Type macro precision, macro recall and macro F1 to begin, or try the example: what GERBIL, a benchmark of entity linking, printed for one of its systems.";
}

// Never show a verdict next to an error.
function nothing() {
  shown = null;
  $("audit-source").textContent = "";
  say({ title: "–", reason: "", findings: [], notes: [] });
  $("audit-actions").hidden = true;
}

// What every kind of answer has in common; pictures and tables are added to it.
function say({ title, verdict, reason, findings, notes }) {
  $("verdict").textContent = title;
  $("verdict").className = `verdict ${colourOf(verdict)}`;
  $("reason").textContent = reason;
  list($("audit-findings"), findings);
  list($("audit-notes"), notes);
  for (const id of ["intervals", "audit-counts"]) $(id).replaceChildren();
  $("audit-table-panel").hidden = true;
  $("audit-actions").hidden = false;
}

function drawClasses() {
  const target = $("audit-classes");
  if (!classes.length) {
    target.replaceChildren();
    return;
  }
  const titles = { label: "class", precision: "precision", recall: "recall", f1: "F1", support: "gold rows" };
  const head = el("tr", {}, ...OF_CLASS.map((name) => el("th", { scope: "col" }, titles[name])), el("td"));
  const body = classes.map((one, index) => el("tr", {}, ...OF_CLASS.map((name) => el("td", {}, el("input", {
    class: name === "label" ? "name" : null, dir: name === "label" ? "auto" : null, value: one[name], maxlength: name === "label" ? 200 : 40,
    "aria-label": `${titles[name]} of class ${index + 1}`, inputmode: name === "label" ? null : "decimal",
    oninput: (event) => { one[name] = event.target.value; figures(`${name} ${index}`); },
  }))), el("td", {}, el("button", { type: "button", "aria-label": `Remove class ${index + 1}`, onclick: () => { classes.splice(index, 1); drawClasses(); figures(); $("audit-add").focus(); } }, "×"))));
  target.replaceChildren(el("thead", {}, head), el("tbody", {}, ...body));
}

// The three words of an audit, and what was considered before the last of them.
function status({ status, explanations }) {
  const excluded = explanations.filter((one) => one.fits === false).map((one) => one.condition);
  const word = status === "fits if" ? `Fits if ${explanations.at(-1).condition}.` : status === "fits" ? null : "Contradicts itself.";
  return [...(word ? [word] : []), ...(excluded.length ? [`Considered and excluded: ${excluded.join("; ")}.`] : [])];
}

function showFigures(answer) {
  shown = answer;
  const isGuess = answer.percent && form().percent.value === "" && !/%/.test(FIELDS.map((name) => form()[name].value).join(""));
  say({
    title: VERDICTS[answer.verdict], verdict: answer.verdict, reason: answer.reason,
    findings: answer.findings.map((finding) => finding.message),
    notes: [...status(answer), ...(isGuess ? ["The figures are read as percentages, since they go above 1."] : []), ...(answer.other ? [`The other formula would have printed ${answer.other}.`] : []),
      ...answer.not_tested.map((one) => `Not tested: ${one}.`), ...answer.notes],
  });
  intervals($("intervals"), answer);
  if (!answer.counts) return;
  const counts = el("table");
  table(counts, [
    { title: "class", head: true, value: (one) => one.label },
    { title: "gold", value: (one) => whole(one.actual) },
    { title: "predicted", value: (one) => whole(one.predicted) },
    { title: "correct", value: (one) => whole(one.tp) },
  ], answer.counts);
  $("audit-counts").replaceChildren(el("h3", {}, "The counts behind the figures"), counts);
}

const rank = (ends) => (!ends ? "–" : ends[0] === ends[1] ? ends[0] : `${ends[0]}–${ends[1]}`);

// If no row can be decided, nothing is known about the whole; if rows differ, it is not one formula.
function tableVerdict({ formula, verdicts }) {
  if (formula) return VERDICTS[formula];
  return verdicts.averaged_f1 || verdicts.f1_of_averages || verdicts.neither ? "not one formula throughout" : "cannot be told";
}

function showRows(rows, columns) {
  board = rows;
  $("audit-table-panel").hidden = false;
  rowsChart($("audit-chart"), rows);
  table($("audit-rows"), columns, rows);
}

// Reports as printed by some tool: one row each, with how it was read.
function showText({ reports, left_aside = [] }) {
  const only = reports.length === 1 ? reports[0] : null;
  $("audit-source").textContent = `Read as ${only ? only.read_as : `${reports.length} reports`}: ${leaderboard.name}`;
  say({
    title: only ? VERDICTS[only.verdict] : `${reports.length} reports`, verdict: only?.verdict,
    reason: only ? only.reason : "Every report of the text, with its verdict, stands below.",
    findings: reports.flatMap((one) => one.findings.map((finding) => `${one.name}: ${finding.message}`)), notes: [...(only ? [...status(only), ...only.notes] : []), ...left_aside.map((one) => `Left aside, line ${one.line || "?"}: ${one.reason}.`)],
  });
  showRows(reports, [
    { title: "report", head: true, value: (row) => row.name },
    COLUMNS.verdict, COLUMNS.printed, COLUMNS.averaged, COLUMNS.ofAverages,
    { title: "report", text: true, value: (row) => (row.status === "fits if" ? status(row)[0] : row.status) },
    { title: "lines", value: (row) => row.lines.join("–") },
    { title: "why", text: true, value: (row) => row.reason },
    { title: "read as", text: true, value: (row) => row.read_as },
  ]);
}

function showTable(answer) {
  shown = null;
  if (answer.kind === "text") showText(answer);
  else showBoard(answer);
  if (leaderboard.isNew) answered($("verdict"));
  leaderboard.isNew = false;
}

function showBoard(answer) {
  $("audit-source").textContent = `Read as a leaderboard: ${leaderboard.name}`;
  say({
    title: tableVerdict(answer.summary), verdict: answer.summary.formula, reason: answer.summary.sentences.join(" "),
    findings: answer.summary.findings.map((finding) => `${finding.name}: ${finding.message}`), notes: answer.notes,
  });
  showRows(answer.rows, [
    { title: "name", head: true, value: (row) => row.name },
    COLUMNS.verdict, COLUMNS.printed, COLUMNS.averaged,
    { title: "rank", value: (row) => rank(row.rank_averaged_f1) },
    COLUMNS.ofAverages,
    { title: "rank", value: (row) => rank(row.rank_f1_of_averages) },
    { title: "finding", text: true, value: (row) => row.findings[0]?.message ?? (row.status === "fits if" ? status(row)[0] : "") },
  ]);
}

function runTable() {
  turn += 1;
  quiet("audit");
  const source = leaderboard.example ? { example: leaderboard.example } : { name: encode(leaderboard.name), text: encode(leaderboard.text ?? ""), data: encode(leaderboard.data ?? "") };
  const state = { ...source, support: encode($("audit-support").value.trim()), columns: encode($("audit-columns").value.trim()),
    rounding: form().rounding.value === PLAIN.rounding ? "" : form().rounding.value };
  write("audit", state);
  $("audit-source").textContent = `Auditing ${leaderboard.name} …`;
  table_now({ turn, body: tableRequest() });
}

export async function example(name, options) {
  turn += 1;
  const mine = turn;
  try {
    const found = await ask(`/api/examples/${encodeURIComponent(name)}`);
    if (mine !== turn) return;
    leaderboard = { text: found.text, name: found.name, example: name };
    $("audit-support").value = (options ?? found.options).support ?? "";
    $("audit-columns").value = options?.columns ?? "";
    runTable();
  } catch (error) {
    if (mine === turn) complain(error, "audit");
  }
}

export const refused = nothing;

// A number for what is being read: what is asked for later takes its place.
export function asked() {
  turn += 1;
  return turn;
}

// Several reports are one text. token: that number, if the files were dropped here.
export function take(files, { read_as: readAs }, token = turn) {
  if (token !== turn) return;
  const [{ data, name }] = files;
  fill({ rounding: form().rounding.value });
  classes = [];
  drawClasses();
  leaderboard = { text: data ? undefined : files.map(({ text }) => text).join("\n\n"), data, name: files.length > 1 ? files.map((file) => file.name).join(", ") : name, readAs, isNew: true, example: null };
  runTable();
}

function fill(values) {
  for (const name of FIELDS) form()[name].value = values[name] ?? PLAIN[name] ?? "";
  for (const name of Object.keys(PLAIN)) if (form()[name].selectedIndex < 0) form()[name].value = PLAIN[name];
}

export async function start() {
  $("audit-form").addEventListener("submit", (event) => event.preventDefault());
  for (const name of FIELDS) form()[name].addEventListener("input", () => (leaderboard && name === "rounding" ? runTable() : figures(name)));
  for (const id of ["audit-support", "audit-columns"]) $(id).addEventListener("change", () => { if (leaderboard) runTable(); });
  $("audit-add").addEventListener("click", () => {
    classes.push(Object.fromEntries(OF_CLASS.map((name) => [name, ""])));
    drawClasses();
    $("audit-classes").querySelector("tbody tr:last-child input").focus();
  });
  $("audit-clear").addEventListener("click", () => {
    fill({});
    classes = [];
    for (const id of ["audit-support", "audit-columns"]) $(id).value = "";
    drawClasses();
    figures();
  });
  $("audit-example").addEventListener("click", () => { fill({ precision: "0.2937", recall: "0.2283", f1: "0.2095" }); classes = []; drawClasses(); figures(); });
  $("save-audit").addEventListener("click", () => (leaderboard
    ? save("/api/report/audit/table", tableRequest(), "audit.html", "audit") : save("/api/report/audit", request(), "audit.html", "audit")));
  window.addEventListener("resize", () => {
    if ($("view-audit").hidden) return;
    if (shown) intervals($("intervals"), shown);
    else if (board && leaderboard) rowsChart($("audit-chart"), board);
  });
}

// Without a state, the form stays as it is, unless undo goes back to an empty form.
export async function open(state, { isStep = false } = {}) {
  const named = { support: decode(state.support), columns: decode(state.columns) };
  const isTable = state.text !== undefined || state.data !== undefined;
  if (state.example || isTable) {
    fill({ rounding: state.rounding });
    classes = [];
    drawClasses();
  }
  if (state.example) {
    await example(decode(state.example), state.support === undefined && state.columns === undefined ? null : named);
  } else if (isTable) {
    for (const [name, value] of Object.entries(named)) $(`audit-${name}`).value = value;
    leaderboard = { text: decode(state.text), data: decode(state.data), name: decode(state.name) || "pasted text", example: null };
    runTable();
  } else if (Object.keys(state).length || isStep) {
    fill(Object.fromEntries(FIELDS.filter((name) => state[name] !== undefined).map((name) => [name, decode(state[name])])));
    classes = (state.classes ?? "").split(";").filter(Boolean).map((one) => {
      const values = one.split(",").map(decode);
      return Object.fromEntries(OF_CLASS.map((name, index) => [name, values[index] ?? ""]));
    });
    drawClasses();
    figures();
  } else if (leaderboard) {
    runTable();
  } else {
    drawClasses();
    figures();
  }
}
