// The state of a view is kept in the URL: #/matrix?rows=predicted&labels=x,y&cells=1,2;3,4
// Undo goes back through the earlier states, in order.

import { $ } from "./dom.js";

const LONGEST = 60000;
const MOST_KEPT = 200;
const TOGETHER = 700; // changes of one field within this many milliseconds are one undo step
export const TOO_LARGE = "This is too large for a link: save a report to hand it around.";
let linked = true;
let past = [];
let future = [];
let now = null; // {view, state}
let written = 0;

// Whether the URL contains the state shown.
export const isLinked = () => linked;

function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const state = {};
  for (const part of (query ?? "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) state[part.slice(0, at)] = part.slice(at + 1);
  }
  return { view: path || "matrix", state };
}

export function read() {
  linked = true;
  return parse(location.hash);
}

// Values must already be encoded, so that lists can keep their commas. Returns whether the state fits into a link. An
// answer that arrives after its view was left does not change the URL, which now belongs to another view.
export function write(view, state, { typed = false } = {}) {
  if ($(`view-${view}`).hidden) return true;
  const kept = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const query = Object.entries(kept).map(([name, value]) => `${name}=${value}`).join("&");
  const address = `#/${view}${query ? `?${query}` : ""}`;
  linked = address.length <= LONGEST;
  remember({ view, state: kept, address }, typed);
  history.replaceState(history.state, "", linked ? address : `#/${view}`);
  return linked;
}

function remember(next, typed) {
  if (now && now.address === next.address) return;
  const time = performance.now();
  const isSameStep = typed && now?.typed && now.view === next.view && time - written < TOGETHER;
  if (now && now.view === next.view && !isSameStep) {
    past.push(now);
    past = past.slice(-MOST_KEPT);
    future = [];
  }
  now = { ...next, typed };
  written = time;
  marks();
}

// Undo stays within a view: the browser's own buttons switch between views.
export function undone() { return step(past, future); }
export function redone() { return step(future, past); }

function step(from, to) {
  if (!from.length || from.at(-1).view !== now?.view) return null;
  to.push(now);
  now = from.pop();
  written = 0;
  marks();
  history.replaceState(history.state, "", now.address.length <= LONGEST ? now.address : `#/${now.view}`);
  return now;
}

export function marks() {
  for (const button of document.querySelectorAll(".undo")) button.disabled = !past.length || past.at(-1).view !== now?.view;
  for (const button of document.querySelectorAll(".redo")) button.disabled = !future.length || future.at(-1).view !== now?.view;
}

export const encode = encodeURIComponent;

export function decode(text) {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return "";
  }
}

export const encodeList = (values) => values.map(encode).join(",");
export const decodeList = (text) => (text === undefined ? [] : text.split(",").map(decode));
