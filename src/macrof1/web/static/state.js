// The state of a view lives in the address: #/matrix?rows=predicted&labels=x,y&cells=1,2;3,4

import { $ } from "./dom.js";

const LONGEST = 60000;
export const TOO_LARGE = "This is too large for a link: save a report to hand it around.";
let linked = true;

// Whether the address holds what is shown.
export const isLinked = () => linked;

export function read() {
  linked = true;
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const state = {};
  for (const part of (query ?? "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) state[part.slice(0, at)] = part.slice(at + 1);
  }
  return { view: path || "matrix", state };
}

// Values must be encoded already, so that lists can keep their commas. Returns whether it fits into a link. An answer
// that comes when its view was left already does not touch the address, which is another view's.
export function write(view, state) {
  if ($(`view-${view}`).hidden) return true;
  const pairs = Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = pairs.map(([name, value]) => `${name}=${value}`).join("&");
  const address = `#/${view}${query ? `?${query}` : ""}`;
  linked = address.length <= LONGEST;
  history.replaceState(null, "", linked ? address : `#/${view}`);
  return linked;
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
