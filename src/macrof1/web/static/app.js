// Which view is shown, and what every view shares: dropping, pasting, links.

import { ask, complain, copy, notice, quiet } from "./api.js";
import * as audit from "./audit.js";
import * as compare from "./compare.js";
import { $ } from "./dom.js";
import * as matrix from "./matrix.js";
import * as note from "./note.js";
import { TOO_LARGE, isLinked, read } from "./state.js";

const VIEWS = { matrix, compare, audit, note };
const MOST_BYTES = 8 * 2 ** 20;
let current = null;

async function go() {
  const { view, state } = read();
  quiet();
  current = VIEWS[view] ? view : "matrix";
  for (const name of Object.keys(VIEWS)) $(`view-${name}`).hidden = name !== current;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${document.querySelector(`nav a[data-view=${current}]`).textContent} · macrof1 explorer`;
  try {
    await VIEWS[current].open(state);
  } catch (error) {
    complain(error);
  }
}

async function take(file) {
  if (!VIEWS[current].drop) {
    notice("Open Matrix, Compare or Audit first, then drop the file there.", true);
  } else if (file.size > MOST_BYTES) {
    notice(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MiB: expected at most 8; the command mf1 takes more.`, false);
  } else {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const starts = (...first) => first.every((byte, at) => bytes[at] === byte);
    const isPacked = starts(0x1f, 0x8b) || starts(...[..."PAR1"].map(code)) || starts(...[..."ARROW1"].map(code));
    if (isPacked) {
      VIEWS[current].drop({ data: await base64(file), name: file.name });
      return;
    }
    try {
      // A spreadsheet's "Unicode text" is UTF-16, and says so in its first bytes.
      const text = new TextDecoder(starts(0xff, 0xfe) ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
      VIEWS[current].drop({ text, name: file.name });
    } catch {
      notice(`${file.name} is neither UTF-8 text nor Parquet, Arrow or gzip: expected a table in one of these; from a spreadsheet save it as CSV UTF-8.`, false);
    }
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

function shared() {
  for (const name of ["matrix", "compare", "audit"]) {
    $(`${name}-file`).addEventListener("change", (event) => {
      if (event.target.files.length) take(event.target.files[0]);
      event.target.value = "";
    });
  }
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
  for (const id of ["paste-open", "compare-paste", "audit-paste"]) {
    $(id).addEventListener("click", () => { $("paste-text").value = ""; $("paste").returnValue = ""; $("paste").showModal(); });
  }
  $("paste").addEventListener("close", () => {
    if ($("paste").returnValue === "ok" && $("paste-text").value.trim()) VIEWS[current].drop({ text: $("paste-text").value, name: "pasted text" });
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => VIEWS[button.dataset.for].example(button.dataset.example));
  }
  for (const button of document.querySelectorAll(".copy-link")) {
    button.addEventListener("click", () => (isLinked() ? copy(location.href, button) : notice(TOO_LARGE, true)));
  }
  $("notice-close").addEventListener("click", quiet);
  $("skip").addEventListener("click", (event) => { event.preventDefault(); $("main").focus(); });
  window.addEventListener("hashchange", go);
}

async function begin() {
  shared();
  try {
    const [health] = await Promise.all([ask("/api/health"), ...Object.values(VIEWS).map((view) => view.start())]);
    $("version").textContent = health.version;
    await go();
  } catch (error) {
    complain(error);
  }
}

begin();
