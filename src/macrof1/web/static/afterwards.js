// What follows a score after a pause in editing: how sure it is, which needs NumPy and therefore a server, and what other
// tools would print.

import { ask, isStatic, latest } from "./api.js";
import { $, el, score, table, term } from "./dom.js";

const PAUSE = 300;

let pause = 0;
let turn = 0; // identifies stale answers, which belong to an earlier matrix

const wanted = (asked) => asked.turn === turn;
const sure_now = latest((asked, signal) => ask("/api/interval", asked.matrix, signal), (found) => $("sure").replaceChildren(...sure(found)), { view: "matrix", wanted, follows: true });
const others_now = latest((asked, signal) => ask("/api/conventions", asked.matrix, signal), showOthers, { view: "matrix", wanted, follows: true, cut: true });

function sure(found) {
  if (!found.averaged_f1) return found.notes;
  const range = ([low, high]) => `${score(low)} to ${score(high)}`;
  const noise = found.noise_floor === null ? [] : [" ", term("Sampling noise", "noise"), ` of the gap: ${found.noise_floor < 0.0001 ? "below 0.0001" : `about ${score(found.noise_floor)}`}.`];
  return [term("95% intervals", "interval"), `: averaged F1 ${range(found.averaged_f1)}, F1 of averages ${range(found.f1_of_averages)}.`, ...noise, ...found.notes.map((note) => ` ${note}`)];
}

// One row per value; tools that print it for different reasons stand on lines of their own.
function showOthers({ groups, notes }) {
  table($("conventions"), [
    { title: "macro F1", head: true, value: (group) => score(group.value) },
    { title: "printed by", text: true, value: ({ reasons }) => el("ul", { class: "tools" }, ...reasons.map(({ reason, names }) => el("li", {}, el("b", {}, names.join(", ")), reason ? `: ${reason}` : ""))) },
  ], groups);
  $("conventions-hint").textContent = notes.join(" ");
}

export function askAfterwards(matrix) {
  turn += 1;
  $("sure").replaceChildren();
  clearTimeout(pause);
  pause = setTimeout(() => {
    if (!isStatic) sure_now({ turn, matrix });
    others_now({ turn, matrix });
  }, PAUSE);
}
