// The story: one model, whose errors a slider moves from one kind to the other, and its rival.

import { $, el, score, whole } from "./dom.js";
import { lanes } from "./drawings.js";

const sign = (one, other) => (one > other ? "this model" : one < other ? "its rival" : "neither");

// The text of the story: which system wins under which formula, and what to report.
export function tellStory(answer, rival, { labels, matrix: cells }) {
  const [ours, theirs] = [sign(answer.averaged_f1, rival.averaged_f1), sign(answer.f1_of_averages, rival.f1_of_averages)];
  const isFlip = ours !== theirs;
  $("story-rank").classList.toggle("flip", isFlip);
  $("story-rank").textContent = isFlip
    ? `The ranking flips: averaged F1 prefers ${ours}, F1 of averages prefers ${theirs}. Both are called macro F1.`
    : `Both formulas prefer ${ours}. Drag further to the right.`;
  const gap = answer.gap < 0.005 ? "Here the two scores agree." : `But its two macro F1s differ by ${score(answer.gap)}.`;
  $("story-sentence").textContent = `Wherever the slider is, the model makes the same number of errors, and its accuracy is the same. ${gap}`;
  lanes($("story-axis"), answer, rival);
  $("story-matrix").replaceChildren(
    el("caption", {}, "predicted ↓ gold →"),
    el("thead", {}, el("tr", {}, el("td"), ...labels.map((label) => el("th", { scope: "col" }, label)))),
    el("tbody", {}, ...cells.map((row, i) => el("tr", {}, el("th", { scope: "row" }, labels[i]),
      ...row.map((cell, j) => el("td", { class: i === j ? "diagonal" : i + j === 3 ? "moving" : null }, whole(cell)))))),
  );
}
