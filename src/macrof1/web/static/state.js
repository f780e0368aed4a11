// The state of a view is kept in the URL: #/matrix?rows=predicted&labels=x,y&cells=1,2;3,4
// Undo goes back through the earlier states, in order.

import { $ } from "./dom.js";

const LONGEST = 60000;
const MOST_KEPT = 200;
const PACE = 350; // milliseconds between two changes of the address: Safari takes a hundred in half a minute
const TOGETHER = 700; // changes of one field within this many milliseconds are one undo step
export const TOO_LARGE = "This is too large for a link: save a report to hand it around.";
let linked = true;
const histories = new Map(); // of each view: {past, now, future}, whose items are {state, address, typed, time}

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
  due = null;
  linked = true;
  taken = location.hash;
  return parse(location.hash);
}

// Go to an address at once: the browser reports a change of it only later, and what is dropped meanwhile would go to the
// view that was left.
export function visit(address) {
  if (address === location.hash) return;
  history.pushState(null, "", address);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

// Values must already be encoded, so that lists can keep their commas. Returns whether the state fits into a link. An
// answer that arrives after its view was left does not change the URL, which now belongs to another view.
// `typed`: the field that was typed into or dragged.
export function write(view, state, typed = null) {
  if ($(`view-${view}`).hidden) return true;
  const kept = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const query = Object.entries(kept).map(([name, value]) => `${name}=${value}`).join("&");
  const address = `#/${view}${query ? `?${query}` : ""}`;
  linked = address.length <= LONGEST;
  remember(view, { state: kept, address, typed, time: performance.now() });
  put(linked ? address : `#/${view}`);
  return linked;
}

let due = null; // the address to come
let taken = location.hash; // the address that the page has read or written: another one is about to be read
let timer = 0;
let changed = 0;

// Browsers ignore or refuse an address that changes too often, as during a drag: the last one always comes.
function put(address) {
  due = address;
  clearTimeout(timer);
  const wait = changed + PACE - performance.now();
  if (wait > 0) timer = setTimeout(settle, wait);
  else settle();
}

// Put the address that is due, unless its view was left or another link was opened meanwhile.
export function settle() {
  clearTimeout(timer);
  const { view } = parse(location.hash);
  if (due !== null && location.hash === taken && (view === parse(due).view || !$(`view-${view}`))) {
    changed = performance.now();
    history.replaceState(history.state, "", due);
    taken = location.hash;
  }
  due = null;
}

function remember(view, next) {
  const kept = histories.get(view) ?? { past: [], now: null, future: [] };
  histories.set(view, kept);
  const { now } = kept;
  if (now?.address === next.address) return;
  const isSameStep = next.typed !== null && now?.typed === next.typed && next.time - now.time < TOGETHER;
  if (now && !isSameStep) {
    kept.past = [...kept.past, now].slice(-MOST_KEPT);
    kept.future = [];
  }
  kept.now = next;
  marks(view);
}

// Undo stays within a view: the browser's own buttons switch between views.
export function undone(view) { return step(view, "past", "future"); }
export function redone(view) { return step(view, "future", "past"); }

function step(view, from, to) {
  const kept = histories.get(view);
  if (!kept?.[from].length) return null;
  kept[to].push(kept.now);
  kept.now = { ...kept[from].pop(), typed: null };
  marks(view);
  put(kept.now.address.length <= LONGEST ? kept.now.address : `#/${view}`);
  return kept.now.state;
}

export function marks(view) {
  const kept = histories.get(view);
  for (const button of document.querySelectorAll(".undo")) button.disabled = !kept?.past.length;
  for (const button of document.querySelectorAll(".redo")) button.disabled = !kept?.future.length;
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
