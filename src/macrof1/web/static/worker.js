// Python in the browser: loads Python and the library once, then answers like the server.
//
// The first visit starts Python, imports what scoring needs, and answers; then, between answers, it imports the rest and
// stores a memory snapshot in the browser's cache. Later visits start from the snapshot in a fraction of the time.

import { loadPyodide } from "../pyodide/pyodide.mjs";

const VERSION = "macrof1-@version@";
const root = new URL("../", import.meta.url);
const at = (name) => new URL(name, root).href;
const MEMORY = at("memory"); // not a file, only a key in the cache
const LIBRARY = "/lib/macrof1.zip";
const START = `
import json, sys
sys.path.insert(0, ${JSON.stringify(LIBRARY)})
from macrof1.web.routes import answer

def answered(asked, told=None):
    method, target, body = json.loads(asked)
    return json.dumps(list(answer(method, target, body, own=own, told=told)))

own = json.loads(own_text)
answer("POST", "/api/score", '{"labels": ["a", "b"], "matrix": [[2, 1], [1, 2]]}')
`;
// In parts, so that a question need not wait for all of it.
const REST = [
  "import macrof1.scoring.system_scores, macrof1.web.presets", "import macrof1.reading.numbers, macrof1.reading.columns, macrof1.auditing.printed_figures",
  "import macrof1.reading.reports.documents", "import macrof1.auditing.audit_results, macrof1.reporting.audit_documents", "import macrof1.web.responses",
  `answer("POST", "/api/audit", '{"precision": "0.5", "recall": "0.5", "f1": "0.5"}')`,
];

// Large files are fetched once, as they are needed: into Python, and into the cache that also serves the page offline.
const PARTS = ["pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "macrof1.zip"].map(at);
const FETCHED = 0.5; // the share of a first visit's work, for the progress bar
const sizes = new Map(); // of each part: {done, total}
const { fetch } = self;

self.fetch = (address, options) => (PARTS.includes(String(address)) ? part(String(address)) : fetch(address, options));

async function part(address) {
  const known = await caches.match(address, { cacheName: VERSION }).catch(() => undefined);
  if (known) return known;
  const response = await fetch(address);
  const size = { done: 0, total: Number(response.headers.get("content-length") ?? 0) };
  sizes.set(address, size);
  if (response.ok) await keep(address, response.clone()).catch(() => {});
  const counted = new TransformStream({ transform(piece, stream) {
    size.done += piece.length;
    const [done, total] = [...sizes.values()].reduce((sum, one) => [sum[0] + one.done, sum[1] + one.total], [0, 0]);
    if (total) postMessage({ loaded: Math.min(FETCHED, (FETCHED * done) / total) });
    stream.enqueue(piece);
  } });
  return new Response(response.body.pipeThrough(counted), { headers: response.headers });
}

// Pages opened from files, or from hosts without https, have no cache and start from scratch each time. Nobody waits for
// what is put into the cache.
async function keep(address, response) {
  const cache = await caches.open(VERSION);
  cache.put(address, response).catch(() => {});
}

const get = async (name) => (await self.fetch(at(name))).arrayBuffer();
const begin = (options) => loadPyodide({ indexURL: at("pyodide/"), ...options });

async function resumed(memory) {
  const [python, library] = await Promise.all([begin({ _loadSnapshot: memory }), get("macrof1.zip")]);
  python.FS.writeFile(LIBRARY, new Uint8Array(library));
  return python;
}

async function started() {
  const [python, library, own] = await Promise.all([begin({ _makeSnapshot: true }), get("macrof1.zip"), get("own.json")]);
  python.FS.writeFile(LIBRARY, new Uint8Array(library));
  python.globals.set("own_text", new TextDecoder().decode(own));
  python.runPython(START);
  setTimeout(() => prepare(python, [...REST]));
  return python;
}

let plain = false; // before the snapshot, only text may cross between JavaScript and Python

function prepare(python, rest) {
  const next = rest.shift();
  if (next) {
    python.runPython(next);
    setTimeout(() => prepare(python, rest), 20);
    return;
  }
  try {
    keep(MEMORY, new Response(python.makeMemorySnapshot())).catch(() => {});
  } catch (error) {
    console.warn(error); // the next visit starts from scratch
  }
  plain = false;
  postMessage({ kept: true });
}

async function load() {
  const memory = await caches.match(MEMORY, { cacheName: VERSION }).then((found) => found?.arrayBuffer()).catch(() => undefined);
  plain = !memory;
  const python = memory ? await resumed(memory).catch(async (error) => {
    console.warn(error);
    await (await caches.open(VERSION)).delete(MEMORY);
    plain = true;
    return started();
  }) : await started();
  postMessage({ loaded: 1 });
  if (!plain) postMessage({ kept: true });
  return python;
}

function answered(python, asked, told) {
  if (!plain) {
    const answer = python.globals.get("answered");
    const reply = answer(asked, told);
    answer.destroy();
    return reply;
  }
  python.globals.set("asked", asked);
  return python.runPython("answered(asked)");
}

const loaded = load();
loaded.catch((error) => postMessage({ failed: String(error?.message ?? error).trim().split("\n").at(-1) }));

onmessage = async ({ data: { id, method, target, body } }) => {
  const python = await loaded.catch(() => null);
  if (!python) return; // the page was already notified
  try {
    const [status, type, text] = JSON.parse(answered(python, JSON.stringify([method, target, body]), (done) => postMessage({ id, done })));
    postMessage({ id, status, json: type.includes("json"), text });
  } catch (error) {
    console.error(error);
    postMessage({ id, status: 500, json: true, text: JSON.stringify({ error: "something went wrong: a bug; the browser's console says what" }) });
  }
};
