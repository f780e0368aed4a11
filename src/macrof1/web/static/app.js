// Switches views, and handles what they share: dropping, pasting, links, undo.

import { ask, complain, copy, isStatic, notice, quiet, turnTo } from "./api.js";
import * as audit from "./audit.js";
import * as compare from "./compare.js";
import { $ } from "./dom.js";
import * as gallery from "./gallery.js";
import * as matrix from "./matrix.js";
import * as paper from "./paper.js";
import { takeAlong } from "./saving.js";
import { TOO_LARGE, isLinked, marks, read, redone, settle, undone, visit } from "./state.js";
import { explain } from "./terms.js";

const VIEWS = new Map(Object.entries({ matrix, compare, audit, gallery, paper }));
const MOST_BYTES = 8 * 2 ** 20;
const CHARTS = { "story-axis": "both systems", "axis": "both scores", "plane": "the plane of precision and recall", "pairs": "the pairs of classes",
  "compare-chart": "both rankings", "audit-chart": "the rows", "intervals": "what each formula could be" };
let current = null;
let started = null; // when every view is ready
let pasting = null; // the view that the paste dialog was opened from
const takes = new Map(); // of each view, the number of files taken

const shown = () => VIEWS.get(current);

async function go() {
  const { view, state } = read();
  await show(VIEWS.has(view) ? view : "matrix", state);
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

// Reading a file takes time: it belongs to the view that it was dropped on, and a later file takes its place.
async function take(file) {
  if (!(await started.then(() => true, () => false))) return;
  const view = current;
  const { drop } = shown();
  if (!drop) {
    notice("Open Matrix, Compare or Audit first, then drop the file there.", true, view);
  } else if (file.size > MOST_BYTES) {
    notice(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MiB: expected at most 8; the command mf1 takes more.`, false, view);
  } else {
    const turn = (takes.get(view) ?? 0) + 1;
    takes.set(view, turn);
    const given = await contentOf(file);
    if (turn !== takes.get(view)) return;
    if (given) drop({ ...given, name: file.name });
    else notice(`${file.name} is neither UTF-8 text nor Parquet, Arrow or gzip: expected a table in one of these; from a spreadsheet save it as CSV UTF-8.`, false, view);
  }
}

// The text of a file, or its bytes if it is packed; null if it is neither.
async function contentOf(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const starts = (...first) => first.every((byte, at) => bytes[at] === byte);
    const isPacked = starts(0x1f, 0x8b) || starts(...[..."PAR1"].map(code)) || starts(...[..."ARROW1"].map(code));
    if (isPacked) return { data: await base64(file) };
    // A spreadsheet's "Unicode text" is UTF-16 with a byte order mark.
    return { text: new TextDecoder(starts(0xff, 0xfe) ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return null;
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
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
}

function shared() {
  for (const name of ["matrix", "compare", "audit"]) {
    $(`${name}-file`).addEventListener("change", (event) => {
      if (event.target.files.length) take(event.target.files[0]);
      event.target.value = "";
    });
  }
  dropping();
  explain();
  for (const id of ["paste-open", "compare-paste", "audit-paste"]) {
    $(id).addEventListener("click", () => {
      pasting = shown();
      $("paste-text").value = "";
      $("paste").returnValue = "";
      $("paste").showModal();
    });
  }
  $("paste").addEventListener("close", () => {
    if ($("paste").returnValue === "ok" && $("paste-text").value.trim()) pasting.drop({ text: $("paste-text").value, name: "pasted text" });
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => VIEWS.get(button.dataset.for).example(button.dataset.example));
  }
  for (const button of document.querySelectorAll(".copy-link")) {
    button.addEventListener("click", () => (isLinked() ? copy(location.href, button) : notice(TOO_LARGE, true)));
  }
  for (const button of document.querySelectorAll(".undo")) button.addEventListener("click", () => takeBack(undone));
  for (const button of document.querySelectorAll(".redo")) button.addEventListener("click", () => takeBack(redone));
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", settle, { capture: true }); // before a link is followed, or copied
  document.addEventListener("click", follow);
  for (const [id, name] of Object.entries(CHARTS)) takeAlong($(id), name);
  for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => window.scrollTo({ top: 0 }));
  $("notice-close").addEventListener("click", () => quiet());
  $("skip").addEventListener("click", (event) => { event.preventDefault(); $("main").focus(); });
}

async function begin() {
  if (isStatic) import("./local.js").then(({ prepare }) => prepare());
  $("unloaded").remove();
  document.body.classList.toggle("embedded", new URLSearchParams(location.search).has("embed"));
  started = Promise.all([ask("/api/health"), ...[...VIEWS.values()].map((view) => view.start())]);
  shared();
  try {
    const [health] = await started;
    $("version").textContent = health.version;
    window.addEventListener("hashchange", go);
    await go();
  } catch (error) {
    complain(error);
  }
}

begin();
