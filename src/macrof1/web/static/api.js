// Questions to the server, and what happens when it does not answer.

import { $, el } from "./dom.js";

export class Refused extends Error {}
export class Gone extends Error {}

export async function ask(path, body, signal) {
  let response;
  let content;
  let json;
  try {
    response = await fetch(path, body === undefined ? { signal } : {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
    });
    json = (response.headers.get("content-type") ?? "").includes("json");
    content = json ? await response.json() : await response.text();
  } catch {
    throw new Gone("The server does not answer. Is mf1 explore still running in its terminal? The next edit tries again.");
  }
  if (!response.ok) throw new Refused(json ? content.error : `The server answered ${response.status}.`);
  return content;
}

// Questions of one kind, one at a time; of those that come meanwhile only the last is asked. A kind that takes long
// is cut short by the next question. An answer is shown only while it is wanted: wanted(input) tells.
export function latest(work, show, { wanted = () => true, failed = () => {}, cut = false } = {}) {
  let running = false;
  let waiting = null;
  let stop = null;
  return async (input) => {
    waiting = { input };
    if (cut) stop?.abort();
    if (running) return;
    running = true;
    while (waiting) {
      const { input: now } = waiting;
      waiting = null;
      stop = new AbortController();
      try {
        const answer = await work(now, stop.signal);
        if (!waiting && wanted(now)) {
          settled();
          show(answer, now);
        }
      } catch (error) {
        if (!waiting && wanted(now)) {
          failed(now);
          complain(error);
        }
      }
    }
    running = false;
  };
}

export function complain(error) {
  const known = error instanceof Refused || error instanceof Gone;
  if (!known) console.error(error);
  notice(known ? error.message : "Something went wrong in this page: a bug; the browser's console says what.", false);
}

export function notice(text, fine) {
  $("notice-text").textContent = text;
  $("notice").classList.toggle("fine", fine);
  $("notice").hidden = false;
}

export function quiet() {
  $("notice").hidden = true;
}

// A complaint is over with the next answer; what was only said stays until it is dismissed.
function settled() {
  if (!$("notice").classList.contains("fine")) quiet();
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
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy by hand";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}
