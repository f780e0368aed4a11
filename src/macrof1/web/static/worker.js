// Python in the browser: loads Python and the library once, then answers like the server.
//
// The first visit starts Python, imports the library, and stores a memory snapshot in the browser's cache; later visits
// start from the snapshot, which takes a fraction of the time.

import { loadPyodide } from "../pyodide/pyodide.mjs";

const VERSION = "macrof1-@version@";
const root = new URL("../", import.meta.url);
const MEMORY = new URL("memory", root); // not a file, only a key in the cache
const LIBRARY = "/lib/macrof1.zip";
const START = `
import json, sys
sys.path.insert(0, ${JSON.stringify(LIBRARY)})
from macrof1.web.routes import answer

def answered(method, target, body, told):
    return list(answer(method, target, body, own=own, told=told))

own = json.loads(own_text)
answer("POST", "/api/score", '{"labels": ["a", "b"], "matrix": [[2, 1], [1, 2]]}')
answer("POST", "/api/audit", '{"precision": "0.5", "recall": "0.5", "f1": "0.5"}')
`;

// Shares of the work of a first visit, for the progress bar.
const FETCHED = 0.3;
const BEGUN = 0.8;
const PARTS = ["pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "macrof1.zip"];

// Reads the large files in advance, to show progress; they then come from the browser's cache.
async function fetched() {
  let done = 0;
  let total = 0;
  const contents = await Promise.all(PARTS.map(async (part) => {
    const response = await fetch(new URL(part, root));
    total += Number(response.headers.get("content-length") ?? 0);
    const pieces = [];
    for (const reader = response.body.getReader(); ;) {
      const { done: over, value } = await reader.read();
      if (over) break;
      pieces.push(value);
      done += value.length;
      if (total) postMessage({ loaded: Math.min(FETCHED, (FETCHED * done) / total) });
    }
    return new Blob(pieces).arrayBuffer();
  }));
  return contents.at(-1);
}

const get = async (name) => (await fetch(new URL(name, root))).arrayBuffer();

// Pages opened from files, or from hosts without https, have no cache and start from scratch each time.
const kept = async () => (await caches.match(MEMORY, { cacheName: VERSION }))?.arrayBuffer();
const keep = async (memory) => (await caches.open(VERSION)).put(MEMORY, new Response(memory));
const forget = async () => (await caches.open(VERSION)).delete(MEMORY);

const begin = (options) => loadPyodide({ indexURL: new URL("pyodide/", root).href, ...options });

async function resumed(memory) {
  const [python, library] = await Promise.all([begin({ _loadSnapshot: memory }), get("macrof1.zip")]);
  python.FS.writeFile(LIBRARY, new Uint8Array(library));
  return python.globals.get("answered");
}

async function started() {
  const library = await fetched();
  const python = await begin({ _makeSnapshot: true });
  postMessage({ loaded: BEGUN });
  python.FS.writeFile(LIBRARY, new Uint8Array(library));
  python.globals.set("own_text", new TextDecoder().decode(await get("own.json")));
  python.runPython(START);
  keep(python.makeMemorySnapshot()).catch(() => {});
  return python.globals.get("answered");
}

async function load() {
  const memory = await kept().catch(() => undefined);
  const answer = memory ? await resumed(memory).catch(async (error) => {
    console.warn(error);
    await forget();
    return started();
  }) : await started();
  postMessage({ loaded: 1 });
  return answer;
}

const loaded = load();
loaded.catch((error) => postMessage({ failed: String(error?.message ?? error).trim().split("\n").at(-1) }));

onmessage = async ({ data: { id, method, target, body } }) => {
  const answer = await loaded.catch(() => null);
  if (!answer) return; // the page was already notified
  try {
    const reply = answer(method, target, body, (done) => postMessage({ id, done }));
    const [status, type, text] = reply.toJs();
    reply.destroy();
    postMessage({ id, status, json: type.includes("json"), text });
  } catch (error) {
    console.error(error);
    postMessage({ id, status: 500, json: true, text: JSON.stringify({ error: "something went wrong: a bug; the browser's console says what" }) });
  }
};
