// The state of a view is kept in the URL: #/matrix?rows=predicted&labels=x,y&cells=1,2;3,4
// Undo goes back through the earlier states, in order.

import { $ } from "./dom.js";
import { keep, kept as keptUnder, packed, unpacked } from "./packing.js";

const LONGEST = 30000;
const READABLE = 600; // characters of a state that stays as it is
const MOST_KEPT = 200;
const PACE = 350; // milliseconds between two changes of the address: Safari takes a hundred in half a minute
const TOGETHER = 700; // changes of one field within this many milliseconds are one undo step
export const TOO_LARGE = "This is too large for a link, though a reload brings it back: save a report to hand it around.";
let linked = true;
const histories = new Map(); // of each view: {past, now, future}, whose items are {state, address, typed, time}

// Whether the URL contains the state shown.
export const isLinked = () => linked;

const viewOf = (hash) => hash.replace(/^#\/?/, "").split("?", 1)[0] || "matrix";

function parse(hash, query = hash.slice(hash.indexOf("?") + 1 || hash.length)) {
  const state = {};
  for (const part of query.split("&")) {
    const at = part.indexOf("=");
    if (at > 0) state[part.slice(0, at)] = part.slice(at + 1);
  }
  return { view: viewOf(hash), state };
}

// z: a compressed state; kept: the key of one that this browser keeps. A link that was cut has none.
async function parsePacked(hash, { z, kept }) {
  const query = await (z === undefined ? keptUnder(Number(kept)) : unpacked(z)).catch(() => "");
  return parse(hash, query ?? "");
}

// The view and its state, at once unless it is packed.
export function read() {
  due = null;
  linked = true;
  taken = location.hash;
  const { view, state } = parse(location.hash);
  const isPacked = /\?(z|kept)=/.test(taken) && !state.preset; // a preset has a slider named z
  return isPacked ? parsePacked(taken, state) : { view, state };
}

// Go to an address at once: the browser reports a change of it only later, and what is dropped meanwhile would go to the
// view that was left.
export function visit(address) {
  if (address === location.hash) return;
  history.pushState(null, "", address);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

// Values must already be encoded, so that lists can keep their commas. An answer that arrives after its view was left
// does not change the URL, which now belongs to another view. `typed`: the field that was typed into or dragged.
export function write(view, state, typed = null) {
  if ($(`view-${view}`).hidden) return;
  const kept = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const query = Object.entries(kept).map(([name, value]) => `${name}=${value}`).join("&");
  const address = `#/${view}${query ? `?${query}` : ""}`;
  remember(view, { state: kept, address, typed, time: performance.now() });
  shorten(view, address);
}

let shortened = 0; // what was asked for last wins

// Put the address, compressed if it is long; what is too large even so stays in this browser.
async function shorten(view, address) {
  shortened += 1;
  const turn = shortened;
  linked = true;
  if (address.length <= READABLE) {
    put(address);
    return;
  }
  due = null; // not an earlier one
  clearTimeout(timer);
  const query = address.slice(address.indexOf("?") + 1);
  const short = `#/${view}?z=${await packed(query)}`;
  const fits = short.length <= LONGEST;
  const key = fits ? null : await keep(query).catch(() => null);
  if (turn !== shortened || $(`view-${view}`).hidden) return;
  linked = fits;
  put(fits ? short : key === null ? `#/${view}` : `#/${view}?kept=${key}`);
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
  const view = viewOf(location.hash);
  if (due !== null && location.hash === taken && (view === viewOf(due) || !$(`view-${view}`))) {
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
  shorten(view, kept.now.address);
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
