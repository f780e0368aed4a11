// Python in the browser: loads it and the library once, then answers as the server does.

import { loadPyodide } from "../pyodide/pyodide.mjs";

const PARTS = ["pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "macrof1.zip"];
const root = new URL("../", import.meta.url);

// Reads the large files ahead, to tell how far loading is; they come from the browser's cache afterwards.
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
      if (total) postMessage({ loaded: Math.min(0.9, (0.9 * done) / total) });
    }
    return new Blob(pieces).arrayBuffer();
  }));
  return contents.at(-1);
}

async function load() {
  const archive = await fetched();
  const python = await loadPyodide({ indexURL: new URL("pyodide/", root).href });
  python.unpackArchive(archive, "zip", { extractDir: "/lib/macrof1-site" });
  python.runPython("import sys; sys.path.insert(0, '/lib/macrof1-site')");
  const own = await (await fetch(new URL("own.json", root))).text();
  python.globals.set("own_text", own);
  const answer = python.runPython("import json\nfrom macrof1.web.routes import answer\nown = json.loads(own_text)\nlambda method, target, body: list(answer(method, target, body, own=own))");
  postMessage({ loaded: 1 });
  return answer;
}

const loaded = load();

onmessage = async ({ data: { id, method, target, body } }) => {
  try {
    const answer = await loaded;
    const reply = answer(method, target, body);
    const [status, type, text] = reply.toJs();
    reply.destroy();
    postMessage({ id, status, json: type.includes("json"), text });
  } catch (error) {
    console.error(error);
    postMessage({ id, status: 500, json: true, text: JSON.stringify({ error: "something went wrong: a bug; the browser's console says what" }) });
  }
};
