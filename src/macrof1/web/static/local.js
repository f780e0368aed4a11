// The library in this browser: the same Python, in a web worker, with precomputed answers.

import { advance, progress, starting } from "./api.js";

let worker = null;
// Precomputed answers: those that the page requests first, and those that no browser can compute.
const FROZEN = { "/api/paper": "frozen-paper.json", "/api/gallery": "frozen-gallery.json", "/api/compare": "frozen-compare.json" };
const files = new Map();
let asked = 0;
const waiting = new Map();
let broken = null; // the answer if Python cannot be loaded

function start() {
  worker = new Worker("static/worker.js", { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.loaded !== undefined && !broken) {
      progress("Python", data.loaded < 1 ? data.loaded : null);
      if (data.loaded === 1) document.documentElement.dataset.ready = "";
      told();
      return;
    }
    if (data.kept) {
      keepOffline();
      return;
    }
    if (data.failed !== undefined) {
      fail(data.failed);
      return;
    }
    if (data.done !== undefined) {
      advance(waiting.get(data.id)?.name, data.done);
      return;
    }
    waiting.get(data.id)?.answer(data);
    waiting.delete(data.id);
    told();
  };
  worker.onerror = (event) => fail(event.message ?? "this browser does not run it");
}

// Only what somebody waits for is a reason to mention Python.
const UNASKED = ["/api/conventions"];
const told = () => starting([...waiting.values()].some(({ path }) => !UNASKED.includes(path)) && document.documentElement.dataset.ready === undefined && !broken);

// Without Python, only the precomputed answers are available.
function fail(why) {
  broken = { status: 500, json: true, text: JSON.stringify({ error: `Python could not be loaded into this page: ${why}. Reload it, or run mf1 explore on your own machine.` }) };
  progress("Python", null);
  for (const { answer } of waiting.values()) answer(broken);
  waiting.clear();
  told();
}

// Python is loaded while the first answer, a precomputed one, is already shown.
export function prepare() {
  if (!worker) start();
}

// Only now, so that the first visit does not load everything twice at once.
function keepOffline() {
  if ("serviceWorker" in navigator && location.protocol !== "file:") navigator.serviceWorker.register("sw.js").catch(() => {});
}

// name: under which the page shows the progress of the request.
export async function reply(path, body, name, signal) {
  const file = Object.hasOwn(FROZEN, path) ? FROZEN[path] : "frozen.json";
  if (!files.has(file)) files.set(file, fetch(file).then((response) => response.json()));
  const text = body === undefined ? "" : JSON.stringify(body);
  const known = (await files.get(file).catch(() => { files.delete(file); return {}; }))[`${path} ${text}`];
  if (known) return known;
  if (broken) return broken;
  if (!worker) start();
  asked += 1;
  const id = asked;
  return new Promise((answer, given_up) => {
    waiting.set(id, { name, answer, path });
    signal?.addEventListener("abort", () => {
      waiting.delete(id);
      told();
      given_up(signal.reason);
    });
    told();
    worker.postMessage({ id, method: body === undefined ? "GET" : "POST", target: path, body: text });
  });
}
