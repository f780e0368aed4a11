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
  const reply = await (isStatic ? (await import("./local.js")).reply(path, body) : fromServer(path.slice(1), body, signal, name)).finally(done);
  const content = reply.json ? JSON.parse(reply.text) : reply.text;
  if (reply.status >= 300) throw new Refused(reply.json ? content.error : `The server answered ${reply.status}.`);
  return content;
}

// Requests of one kind run one at a time; of those made meanwhile, only the last is sent. With `cut`, the next request
// aborts the running one. An answer is shown only if wanted(input) is still true. Meanwhile, `results` is dimmed.
// `follows`: nobody asked for it, it follows another answer, so it leaves errors on the page alone.
export function latest(work, show, { wanted = () => true, failed = () => {}, cut = false, results = null, follows = false } = {}) {
  let running = false;
  let waiting = null;
  let stop = null;
  return async (input) => {
    waiting = { input };
    if (cut) stop?.abort();
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
        if (!waiting && wanted(now)) {
          if (!follows) settled(begun);
          show(answer, now);
        }
      } catch (error) {
        if (!waiting && wanted(now)) {
          failed(now);
          complain(error);
        }
      }
    }
    done();
    running = false;
  };
}

const DIM_AFTER = 150;
const BAR_AFTER = 1000;
const LOOK_EVERY = 300;

function busy(target) {
  target.setAttribute("aria-busy", "true");
  const dim = setTimeout(() => target.classList.add("dimmed"), DIM_AFTER);
  return () => {
    clearTimeout(dim);
    target.classList.remove("dimmed");
    target.removeAttribute("aria-busy");
  };
}

// A progress bar for requests longer than a second; it shows the completed share if the server knows it.
const slowOnes = new Set();

function slow(name) {
  let look = 0;
  const bar = setTimeout(() => {
    slowOnes.add(name);
    progress();
    if (!isStatic) look = setInterval(() => follow(name), LOOK_EVERY);
  }, BAR_AFTER);
  return () => {
    clearTimeout(bar);
    clearInterval(look);
    if (slowOnes.delete(name)) progress(null);
  };
}

async function follow(name) {
  const found = await fetch(`api/progress/${name}`).then((response) => response.json()).catch(() => ({}));
  if (slowOnes.has(name)) progress(found.done ?? undefined);
}

// Shows the completed share, from 0 to 1; undefined if unknown, null when finished.
export function progress(share) {
  const bar = $("progress");
  bar.hidden = share === null && !slowOnes.size;
  if (typeof share === "number") bar.value = share;
  else bar.removeAttribute("value");
}

export function complain(error) {
  const known = error instanceof Refused || error instanceof Gone;
  if (!known) console.error(error);
  notice(known ? error.message : "Something went wrong in this page: a bug; the browser's console says what.", false);
}

let begins = 0;
let noticed = 0; // how many requests had begun when the notice appeared

export function notice(text, fine) {
  noticed = begins;
  $("notice-text").textContent = text;
  $("notice").classList.toggle("fine", fine);
  $("notice").hidden = false;
}

export function quiet() {
  $("notice").hidden = true;
}

// An error disappears with the answer to a later request; a notice stays until it is dismissed.
function settled(begun) {
  if (begun > noticed && !$("notice").classList.contains("fine")) quiet();
}

export async function save(path, body, name) {
  try {
    const page = await ask(path, body);
    const address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    const link = el("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  } catch (error) {
    complain(error);
  }
}

export async function copy(text, button) {
  const before = button.dataset.title ?? button.textContent;
  button.dataset.title = before;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy by hand";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}
