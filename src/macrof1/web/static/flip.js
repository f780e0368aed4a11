// The card of a flip: two systems class by class, the class that decides, and both formulas with the numbers put in.

import { ask, latest } from "./api.js";
import { $, answered, el, named, score, sentenceOf, table } from "./dom.js";
import { lanes } from "./drawings.js";

let shown = null; // {answer, asked}

const show_now = latest((asked, signal) => ask("/api/flip", asked.body, signal), show, { view: "compare", cut: true, results: "flip-card" });

// body: the request of the comparison; pair: what its tests say of the two, if there are any.
export function openFlip(body, { a, b }, pair, { focus = true } = {}) {
  $("flip-card").hidden = false;
  show_now({ body: { ...body, a, b }, pair, focus });
}

export function closeFlip() {
  shown = null;
  $("flip-card").hidden = true;
}

function show(answer, asked) {
  shown = { answer, asked };
  const { a, b, classes } = answer;
  $("flip-title").replaceChildren("Why ", named(a.name), " and ", named(b.name), " flip");
  $("flip-sentence").replaceChildren(...sentenceOf(answer.sentence, [a.name, b.name, answer.decides]));
  $("flip-tested").textContent = tested(asked.pair);
  drawFlip();
  const column = (title, side, key) => ({ title, sort: (one) => one[side][key], value: (one) => score(one[side][key]) });
  // Of many, the ten that part the two systems most.
  const parted = ({ a: ours, b: theirs }) => Math.abs(ours.gap_share - theirs.gap_share);
  const most = classes.length > MANY ? [...classes].sort((one, other) => parted(other) - parted(one)).slice(0, TOLD) : classes;
  table($("flip-classes"), [
    { title: most === classes ? answer.unit : `${answer.unit}: ${TOLD} of ${classes.length.toLocaleString("en-US")}`, head: true, value: (one) => (one.label === answer.decides ? el("b", {}, named(one.label)) : one.label) },
    ...["a", "b"].flatMap((side) => [["precision", "P"], ["recall", "R"], ["f1", "F1"]].map(([key, name]) => column(`${answer[side].name} ${name}`, side, key))),
  ], most);
  $("flip-formulas").replaceChildren(...["a", "b"].map((side) => formulas(answer[side], classes.map((one) => one[side]))));
  if (asked.focus) answered($("flip-title"));
}

const MOST = 8;
const MANY = 30;
const TOLD = 10;

function formulas(system, classes) {
  const n = classes.length;
  const sum = classes.slice(0, MOST).map((one) => score(one.f1)).join(" + ") + (n > MOST ? " + …" : "");
  const [p, r] = [score(system.macro_precision), score(system.macro_recall)];
  return el("div", { class: "formula" }, el("h3", {}, named(system.name)),
    el("p", { class: "averaged-text" }, `averaged F1 = (${sum}) / ${n} = ${score(system.averaged_f1)}`),
    el("p", { class: "of-averages-text" }, `F1 of averages = 2 × ${p} × ${r} / (${p} + ${r}) = ${score(system.f1_of_averages)}`));
}

function tested(pair) {
  if (!pair) return "Not tested: published figures say nothing about sampling.";
  const { averaged_f1: ours, f1_of_averages: theirs } = pair;
  const verdict = ours.significant && theirs.significant ? "Both differences are significant: the formulas really disagree about these two."
    : ours.significant || theirs.significant ? `Only the difference under ${ours.significant ? "averaged F1" : "F1 of averages"} is significant.`
      : "Neither difference is significant: on another sample, the two might not flip.";
  return pair.flip_probability === null || pair.flip_probability === undefined ? verdict : `${verdict} In test sets drawn again from these rows, they flip ${Math.round(100 * pair.flip_probability)} times in 100.`;
}

export function drawFlip() {
  if (!shown) return;
  const { a, b } = shown.answer;
  lanes($("flip-chart"), a, b, { names: [a.name, b.name], from: null });
}
