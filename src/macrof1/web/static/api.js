// Questions to the server, and what happens when it does not answer.

import { $, el } from "./dom.js";

export class Refused extends Error {}
export class Gone extends Error {}

export async function ask(path, body) {
  let response;
  try {
    response = await fetch(path, body === undefined ? {} : {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new Gone("The server does not answer. Is mf1 explore still running in its terminal? The next edit tries again.");
  }
  const json = (response.headers.get("content-type") ?? "").includes("json");
  const content = json ? await response.json() : await response.text();
  if (!response.ok) throw new Refused(json ? content.error : `The server answered ${response.status}.`);
  return content;
}

// One question at a time; of those that come meanwhile only the last is asked.
export function latest(work, show) {
  let running = false;
  let waiting = null;
  return async (input) => {
    waiting = { input };
    if (running) return;
    running = true;
    while (waiting) {
      const { input: now } = waiting;
      waiting = null;
      try {
        const answer = await work(now);
        if (!waiting) {
          quiet();
          show(answer, now);
        }
      } catch (error) {
        if (!waiting) complain(error);
      }
    }
    running = false;
  };
}

export function complain(error) {
  if (!(error instanceof Refused || error instanceof Gone)) throw error;
  notice(error.message, false);
}

export function notice(text, fine) {
  $("notice-text").textContent = text;
  $("notice").classList.toggle("fine", fine);
  $("notice").hidden = false;
}

export function quiet() {
  $("notice").hidden = true;
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
