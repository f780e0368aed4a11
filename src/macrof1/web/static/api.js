// Requests to the library, on a server or in this browser, and the handling of failures.

import { $, el } from "./dom.js";

export class Refused extends Error {}
export class Gone extends Error {}

// Without a server, the library runs in a web worker.
export const isStatic = document.documentElement.dataset.static !== undefined;

async function fromServer(path, body, signal, name) {
  const headers = { "x-progress": name, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  try {
    const response = await fetch(path, body === undefined ? { headers, signal } : { method: "POST", headers, body: JSON.stringify(body), signal });
    return { status: response.status, text: await response.text(), json: (response.headers.get("content-type") ?? "").includes("json") };
  } catch {
    throw new Gone("The server does not answer. Is mf1 explore still running in its terminal? The next edit tries again.");
  }
}

const page = Math.random().toString(36).slice(2);
let asked = 0;

export async function ask(path, body, signal) {
  const name = `${page}-${asked += 1}`;
  const done = slow(name);
  const reply = await (isStatic ? (await import("./local.js")).reply(path, body, name, signal) : fromServer(path.slice(1), body, signal, name)).finally(done);
  const content = reply.json ? JSON.parse(reply.text) : reply.text;
  if (reply.status >= 300) throw new Refused(reply.json ? content.error : `The server answered ${reply.status}.`);
  return content;
}

// Requests of one kind run one at a time; of those made meanwhile, only the last is sent. With `cut`, the next request
// aborts the running one. An answer is shown only if wanted(input) is still true and, unless `live`, no newer request
// waits. Meanwhile, `results` is dimmed. `view`: the view that it belongs to, which may not be the one shown any more.
// `follows`: nobody asked for it, it follows another answer, so it leaves errors on the page alone.
export function latest(work, show, { view, wanted = () => true, failed = () => {}, cut = false, live = false, results = null, follows = false }) {
  let running = false;
  let waiting = null;
  let stop = null;
  return async (input) => {
    waiting = { input };
    if (cut || isStarting) stop?.abort(); // what is known already does not wait for Python
    if (running) return;
    running = true;
    const done = results ? busy($(results)) : () => {};
    while (waiting) {
      const { input: now } = waiting;
      waiting = null;
      stop = new AbortController();
      const begun = (begins += 1);
      try {
        const answer = await work(now, stop.signal);
        if ((live || !waiting) && wanted(now)) {
          if (!follows) settled(begun, view);
          show(answer, now);
        }
      } catch (error) {
        if (!waiting && wanted(now)) {
          failed(now);
          complain(error, view);
        }
      }
    }
    done();
    running = false;
  };
}

let isStarting = false;

// Say why an answer takes long the first time that a page without a server needs Python.
export function starting(is) {
  isStarting = is;
  $("starting").hidden = !is;
}

const DIM_AFTER = 150;
const BAR_AFTER = 1000;
const LOOK_EVERY = 300;

// Several requests may dim the same results: they are clear again after the last one.
const works = new Map();

export function busy(target) {
  const dim = setTimeout(() => target.classList.add("dimmed"), DIM_AFTER);
  works.set(target, (works.get(target) ?? 0) + 1);
  target.setAttribute("aria-busy", "true");
  return () => {
    clearTimeout(dim);
    works.set(target, works.get(target) - 1);
    if (works.get(target)) return;
    target.classList.remove("dimmed");
    target.removeAttribute("aria-busy");
  };
}

// A progress bar for requests longer than a second; it shows the completed share if it is known.
function slow(name) {
  let isOver = false;
  const bar = setTimeout(async () => {
    progress(name);
    while (!isStatic && !isOver) {
      const found = await fetch(`api/progress/${name}`).then((response) => response.json()).catch(() => ({}));
      advance(name, found.done ?? undefined);
      await new Promise((over) => { setTimeout(over, LOOK_EVERY); });
    }
  }, BAR_AFTER);
  return () => {
    isOver = true;
    clearTimeout(bar);
    progress(name, null);
  };
}

const shares = new Map(); // how much is done of whatever the bar stands for; undefined if unknown

// The completed share of some work, from 0 to 1; undefined if unknown, null when finished.
export function progress(name, share) {
  if (share === null) shares.delete(name);
  else shares.set(name, share === undefined ? shares.get(name) : Math.max(share, shares.get(name) ?? 0));
  const known = [...shares.values()].filter((one) => one !== undefined);
  const bar = $("progress");
  bar.hidden = !shares.size;
  if (known.length) bar.value = Math.min(...known);
  else bar.removeAttribute("value");
}

// As above, for a request that may be too short for a bar, or over.
export function advance(name, share) {
  if (shares.has(name)) progress(name, share);
}

export function complain(error, view) {
  const known = error instanceof Refused || error instanceof Gone;
  if (!known) console.error(error);
  notice(known ? error.message : "Something went wrong in this page: a bug; the browser's console says what.", false, view);
}

let begins = 0;
let noticed = 0; // how many requests had begun when the notice appeared
const kept = new Map(); // the notice of a view that was left before it appeared

const isLeft = (view) => view !== undefined && $(`view-${view}`).hidden;

export function notice(text, fine, view, at = begins) {
  if (isLeft(view)) {
    kept.set(view, { text, fine, at });
    return;
  }
  noticed = at;
  $("notice-text").textContent = text;
  $("notice").classList.toggle("fine", fine);
  $("notice").hidden = false;
}

export function quiet(view) {
  if (isLeft(view)) kept.delete(view);
  else $("notice").hidden = true;
}

// The notice of the view that was left goes, and the one that this view was left before comes.
export function turnTo(view) {
  quiet();
  const late = kept.get(view);
  kept.delete(view);
  if (late) notice(late.text, late.fine, view, late.at);
}

// An error disappears with the answer to a later request of its view; a notice stays until it is dismissed.
function settled(begun, view) {
  if (isLeft(view)) {
    if (!kept.get(view)?.fine && kept.get(view)?.at < begun) kept.delete(view);
  } else if (begun > noticed && !$("notice").classList.contains("fine")) quiet();
}

export async function save(path, body, name, view) {
  try {
    const page = await ask(path, body);
    const address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    const link = el("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  } catch (error) {
    complain(error, view);
  }
}

// The button says "Copied" until the next key or click.
export async function copy(text, button) {
  button.dataset.title ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy by hand";
  }
  for (const action of ["pointerdown", "keydown"]) {
    document.addEventListener(action, () => { button.textContent = button.dataset.title; }, { once: true });
  }
}
