// Uncertainty of both scores. It needs NumPy, and therefore a server, and waits for a pause in editing.

import { ask, isStatic, latest } from "./api.js";
import { $, score, term } from "./dom.js";

const PAUSE = 300;

let pause = 0;
let turn = 0; // identifies stale answers, which belong to an earlier matrix

const sure_now = latest((asked) => ask("/api/interval", asked.matrix), (found) => $("sure").replaceChildren(...sure(found)), {
  view: "matrix", wanted: (asked) => asked.turn === turn, follows: true,
});

function sure(found) {
  if (!found.averaged_f1) return found.notes;
  const range = ([low, high]) => `${score(low)} to ${score(high)}`;
  const noise = found.noise_floor === null ? [] : [" ", term("Sampling noise", "noise"), ` of the gap: ${found.noise_floor < 0.0001 ? "below 0.0001" : `about ${score(found.noise_floor)}`}.`];
  return [term("95% intervals", "interval"), `: averaged F1 ${range(found.averaged_f1)}, F1 of averages ${range(found.f1_of_averages)}.`, ...noise];
}

export function askHowSure(matrix) {
  turn += 1;
  $("sure").replaceChildren();
  clearTimeout(pause);
  if (isStatic) $("sure").replaceChildren("No interval here: ", Object.assign(document.createElement("code"), { textContent: "mf1 score --matrix" }), " prints it.");
  else pause = setTimeout(() => sure_now({ turn, matrix }), PAUSE);
}
