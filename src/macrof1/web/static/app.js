// Switches views, and handles what they share: dropping, pasting, links, undo.

import { ask, busy, complain, copy, isStatic, notice, quiet, turnTo } from "./api.js";
import * as audit from "./audit.js";
import * as compare from "./compare.js";
import { $ } from "./dom.js";
import * as gallery from "./gallery.js";
import * as matrix from "./matrix.js";
import * as paper from "./paper.js";
import { offer } from "./exports.js";
import { takeAlong } from "./saving.js";
import { TOO_LARGE, isLinked, marks, read, redone, settle, undone, visit } from "./state.js";
import { explain } from "./terms.js";

const VIEWS = new Map(Object.entries({ matrix, compare, audit, gallery, paper }));
const MOST_BYTES = 8 * 2 ** 20;
const CHARTS = { "story-axis": "both systems", "axis": "both scores", "plane": "the plane of precision and recall", "pairs": "the pairs of classes",
  "compare-chart": "both rankings", "flip-chart": "two systems that flip", "audit-chart": "the rows", "intervals": "what each formula could be" };
const TABLES = { "classes": "the classes", "conventions": "what other tools print", "compare-systems-table": "the systems", "compare-flips": "the flips", "flip-classes": "both systems",
  "compare-pairs": "the differences", "audit-rows": "the rows", "gallery-cases": "the reports", "paper-claims": "the claims", "paper-tables": "the tables" };
let current = null;
let started = null; // when every view is ready
let arrivals = 0; // addresses read: a later one takes the place of one that is still being unpacked
let takes = 0; // what was dropped or pasted so far

const shown = () => VIEWS.get(current);

async function go() {
  arrivals += 1;
  const turn = arrivals;
  const found = read();
  const { view, state } = found instanceof Promise ? await found : found;
  if (turn === arrivals) await show(VIEWS.has(view) ? view : "matrix", state);
}

async function show(view, state, options) {
  current = view;
  if ($("paste").open) $("paste").close("");
  for (const name of VIEWS.keys()) $(`view-${name}`).hidden = name !== current;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${document.querySelector(`nav a[data-view=${current}]`).textContent} · macrof1 explorer`;
  marks(current);
  turnTo(current);
  try {
    await shown().open(state, options);
  } catch (error) {
    complain(error, view);
  }
}

// Files or pasted text, whatever they hold: the library says which view shows them and how they were read. A later one
// takes the place of one that is still being read.
async function take(given) {
  if (!(await started.then(() => true, () => false))) return;
  const view = current;
  takes += 1;
  const turn = takes;
  const large = given.find((file) => file.size > MOST_BYTES);
  if (large) {
    notice(`${large.name} has ${(large.size / 2 ** 20).toFixed(1)} MiB: expected at most 8 in a browser. In a terminal, mf1 explore ${large.name} opens it.`, false, view);
    return;
  }
  const files = await Promise.all(given.map(async (file) => ({ ...(await contentOf(file)), name: file.name })));
  if (turn !== takes) return;
  const odd = files.find((file) => file.text === undefined && file.data === undefined);
  if (odd) notice(`${odd.name} is neither UTF-8 text nor Parquet, Arrow or gzip: expected a table in one of these; from a spreadsheet save it as CSV UTF-8.`, false, view);
  else await openAll(files, { view });
}

let stop = null; // ends the question that a later one makes pointless

// options: how to read it, where the user has chosen.
async function openAll(files, options) {
  const view = current;
  const turn = (takes += 1);
  stop?.abort();
  stop = new AbortController();
  quiet();
  const token = shown().asked?.();
  const done = $(`${view}-results`) ? busy($(`${view}-results`)) : () => {};
  try {
    const found = await ask("/api/open", { files, ...options }, stop.signal);
    if (turn !== takes) return;
    // Nobody is pulled back who has gone on.
    if (current === view) await showFound(files, found, found.view === view ? token : undefined);
    else notice(`${files.map(({ name }) => name).join(", ")}, read as ${found.read_as}, came too late: drop it again to open it.`, true, view);
  } catch (error) {
    if (turn !== takes) return;
    VIEWS.get(view).refused?.();
    complain(error, view);
  } finally {
    done();
  }
}

// token: the turn of the view that was shown when it was asked for.
async function showFound(files, found, token) {
  const ordered = (found.order ?? files.map((_, place) => place)).map((place) => files[place]);
  if (found.view !== current) visit(`#/${found.view}`);
  await VIEWS.get(found.view).take(ordered, found, token);
}

// The text of a file, or its bytes if it is packed; nothing if it is neither.
async function contentOf(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const starts = (...first) => first.every((byte, at) => bytes[at] === byte);
    const isPacked = starts(0x1f, 0x8b) || starts(...[..."PAR1"].map(code)) || starts(...[..."ARROW1"].map(code));
    if (isPacked) return { data: await base64(file) };
    // A spreadsheet's "Unicode text" is UTF-16 with a byte order mark.
    return { text: new TextDecoder(starts(0xff, 0xfe) ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return {};
  }
}

const code = (letter) => letter.charCodeAt(0);

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function takeBack(step) {
  const state = step(current);
  if (state) show(current, state, { isStep: true });
}

function onKey(event) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y")) return;
  if (document.querySelector("dialog[open]") || event.target.closest("textarea")) return;
  event.preventDefault();
  takeBack(key === "y" || event.shiftKey ? redone : undone);
}

// Links to a view; with a key held down they open elsewhere, which is the browser's business.
function follow(event) {
  const link = event.target.closest('a[href^="#/"]');
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  visit(link.hash);
}

function dropping() {
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    handed(event.dataTransfer);
  });
  // Anywhere but in a field, which takes it itself.
  document.addEventListener("paste", (event) => {
    if (event.defaultPrevented || event.target.closest?.("input, textarea, select, dialog")) return;
    event.preventDefault();
    handed(event.clipboardData);
  });
  document.addEventListener("open-files", ({ detail: { files, ...options } }) => openAll(files, options));
}

function handed(data) {
  const text = data.getData("text");
  if (data.files.length) take([...data.files]);
  else if (text.trim()) takeText(text);
}

const takeText = (text) => started.then(() => openAll([{ text, name: "pasted text" }], { view: current }), () => {});

function shared() {
  for (const chooser of document.querySelectorAll("input[type=file]")) {
    chooser.addEventListener("change", () => {
      if (chooser.files.length) take([...chooser.files]);
      chooser.value = "";
    });
  }
  dropping();
  explain();
  for (const button of document.querySelectorAll(".paste-open")) {
    button.addEventListener("click", () => {
      $("paste-text").value = "";
      $("paste").returnValue = "";
      $("paste").showModal();
    });
  }
  $("paste").addEventListener("close", () => {
    if ($("paste").returnValue === "ok" && $("paste-text").value.trim()) takeText($("paste-text").value);
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => VIEWS.get(button.dataset.for).example(button.dataset.example));
  }
  for (const button of document.querySelectorAll(".copy-link")) {
    button.addEventListener("click", () => (isLinked() ? copy(shareable(), button) : notice(TOO_LARGE, true)));
  }
  for (const button of document.querySelectorAll(".undo")) button.addEventListener("click", () => takeBack(undone));
  for (const button of document.querySelectorAll(".redo")) button.addEventListener("click", () => takeBack(redone));
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", settle, { capture: true }); // before a link is followed, or copied
  document.addEventListener("click", follow);
  for (const [id, name] of Object.entries(CHARTS)) takeAlong($(id), name);
  for (const [id, name] of Object.entries(TABLES)) offer($(id).closest(".wide"), name, id);
  offer($("cells").closest(".wide"), "the matrix", matrix.tableRows);
  for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => window.scrollTo({ top: 0 }));
  $("notice-close").addEventListener("click", () => quiet());
  $("skip").addEventListener("click", (event) => { event.preventDefault(); $("main").focus(); });
}

// A link for others: to the public page, if there is one, which reads the same states.
const shareable = () => `${document.documentElement.dataset.public ?? location.href.split("#")[0]}${location.hash}`;

async function begin() {
  if (isStatic) import("./local.js").then(({ prepare }) => prepare());
  $("unloaded").remove();
  document.body.classList.toggle("embedded", new URLSearchParams(location.search).has("embed"));
  started = Promise.all([ask("/api/health"), ...[...VIEWS.values()].map((view) => view.start())]);
  shared();
  const isNew = !location.hash; // no link: what the explorer was started with comes first
  try {
    const [health] = await started;
    $("version").textContent = health.version;
    window.addEventListener("hashchange", go);
    await go();
    const own = isNew ? await ask("/api/own") : null;
    if (own?.found) await showFound(own.files, own.found);
  } catch (error) {
    complain(error);
  }
}

begin();
